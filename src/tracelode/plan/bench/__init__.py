"""Can a planner be tried without running anything? Tasks from finished sessions, and scores of plans."""
