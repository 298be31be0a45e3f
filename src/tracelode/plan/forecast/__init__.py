"""Can trouble be foreseen from the beginning of a session? A protocol that says so only where it is true."""
