"""Intervals, tests and scores that every part reads its uncertainty from; numbers in, numbers out."""
