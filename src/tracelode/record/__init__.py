"""Runs a command and writes down what it did below itself; the standard library only."""
