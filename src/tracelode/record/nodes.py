"""What does a session know of one of its nodes?"""

from __future__ import annotations


class Node:
    """What a session knows of one of its nodes."""

    __slots__ = ("attempt", "native", "parent", "status", "text")

    def __init__(self, text: str, parent: str | None) -> None:
        self.text = text
        self.parent = parent
        self.status = "planned"
        """planned, running, succeeded, failed or removed."""
        self.attempt = 0
        self.native = ""
        """A planner's own word for its state."""
