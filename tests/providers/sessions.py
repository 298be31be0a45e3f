"""Sessions for tests, with ids as an import gives them."""

from __future__ import annotations

from hashlib import blake2b

from signals.build import call, replace, session
from tracelode.model.operation import Operation


def made(n: int, name: str = "a", key: str = "s") -> list[Operation]:
    """A session of n tool calls, each with the model call that issued it: files are read and edited."""
    calls = [call(f"{'Edit' if i % 2 else 'Read'} src/{name}{i // 2}.py") for i in range(n)]
    return [
        replace(o, session=key, id=blake2b(f"{key} {o.index}".encode(), digest_size=8).hexdigest())
        for o in session(*[[c] for c in calls])
    ]
