"""What do telemetry bytes say, in a file or from a socket? Messages, limits, rejects."""
