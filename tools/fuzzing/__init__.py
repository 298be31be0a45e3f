"""What is a damaged file made of, and what must hold of its import? Parts of tools/fuzz.py."""
