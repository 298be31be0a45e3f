"""Did a change pay? Two sets of runs of the same tasks, paired by task, and a gate on their quality."""
