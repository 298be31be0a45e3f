"""The command line: one file per command, from words to a workspace call to text or JSON."""
