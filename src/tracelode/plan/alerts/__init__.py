"""Which rules fire on plans, at which event, and how long before the end? Replay, and live folders."""
