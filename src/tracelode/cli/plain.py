"""How does rich write for us? To standard output, and a write that fails is ours to handle."""

from __future__ import annotations

from rich.console import Console


class Plain(Console):
    """A console that leaves the process alone."""

    def on_broken_pipe(self) -> None:
        """Let the error pass; rich would end the process with exit code 1.

        Raises:
            BrokenPipeError: the one that is being handled.
        """
        raise
