"""Runs workflows: every write at most once, every stop with all that is known, nothing guessed."""
