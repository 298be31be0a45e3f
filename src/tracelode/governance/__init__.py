"""Who may see what, for how long, under which names? For everything that is stored."""
