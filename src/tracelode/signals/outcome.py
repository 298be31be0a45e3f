"""How did a session seem to end, where nothing says it? Observed proxies, always named as such."""

from __future__ import annotations

from collections.abc import Iterable

from tracelode.model.operation import Operation

PROXIES: dict[str, str] = {
    "tests passed": "the last test run ended well, and nothing was edited after it",
    "tests failed": "the last test run failed",
    "committed": "a commit or push was made, and no test was run after it",
    "corrected": "a person interrupted or denied the last thing that was tried",
}
"""Proxy to what was observed; in the order in which they are looked for, the last observation wins."""

_BAD = frozenset({"error", "nonzero"})


def proxy(operations: Iterable[Operation]) -> str | None:
    """What was observed last that hints at how a session ended.

    Args:
        operations: the session's main thread, in order.

    Returns:
        A key of PROXIES, None where nothing hints at it. Never an outcome: nothing here is a verdict.

    Source:
        profile: outcomes.
    """
    found: str | None = None
    for operation in operations:
        verb = operation.fields.get("verb")
        if verb == "test":
            found = "tests failed" if operation.status in _BAD else "tests passed"
        elif verb in ("edit", "create") and found == "tests passed":
            found = None
        elif verb in ("commit", "push", "pull") and operation.status == "ok":
            found = "committed"
        elif operation.fields.get("human") in ("denial", "interrupt"):
            found = "corrected"
        elif operation.fields.get("human") in ("prompt", "steer") and found == "corrected":
            found = None
    return found
