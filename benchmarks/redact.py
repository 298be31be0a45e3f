"""How fast is redaction? Prints MB/s of CPU time: clean code-like text, dirty text, previews.

Run: python benchmarks/redact.py [FILE ...]; files give their own text as a further row.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from tracelode.redact import fast, plain

LINES = (
    "def fold(operations: Sequence[Operation], measure: str) -> dict[str, int]:",
    "    total = sum(op.measures.get(measure, 0) for op in operations if not op.inherited)",
    "    for index, (key, group) in enumerate(sorted(groups.items(), key=lambda pair: -pair[1])):",
    "        if key not in seen and len(seen) < limit:",
    "            raise ValueError(f'unknown measure {measure!r} at line {index + 1}')",
    "src/tracelode/model/operation.py:42:    digest = blake2b(data, digest_size=16).hexdigest()",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b  2026-01-01 12:00:00 +0000",
    "  PASSED tests/store/test_shards.py::test_reimport_replaces_a_shard [ 42%]",
    "https://docs.example.org/guide/index.html#install  max_tokens=4096 input_tokens: 12",
    "",
)
DIRTY = (
    "cd /home/alice/src/app && git log --author=alice@example.com",
    "export API_KEY=abc123def456 DB_PASSWORD='correct horse'",
    "token = next_token(stream)  # password: str",
)


def rate(run: Callable[[], object], size: int, seconds: float = 0.6) -> tuple[float, float]:
    """Best of three: (MB/s, microseconds per call) of CPU time."""
    best = float("inf")
    for _ in range(3):
        calls, begin = 0, time.process_time()
        while (spent := time.process_time() - begin) < seconds / 3 or not calls:
            run()
            calls += 1
        best = min(best, spent / calls)
    return size / best / 1e6, best * 1e6


def code(size: int, dirty_every: int = 0) -> str:
    """Lines of code and logs, size characters; every dirty_every-th line holds something to redact."""
    lines, length, i = [], 0, 0
    while length < size:
        dirty = dirty_every and i % dirty_every == 0
        line = DIRTY[(i // dirty_every) % len(DIRTY)] if dirty else LINES[i % len(LINES)]
        lines.append(line if i % 3 else line + f" {i}")
        length += len(lines[-1]) + 1
        i += 1
    return "\n".join(lines)[:size]


def main() -> None:
    """Print one row per case."""
    redactor = fast.Redactor()
    rows: list[tuple[str, str, Callable[[str], object]]] = [
        ("text, clean code, 1 MB", code(1_000_000), redactor.text),
        ("text, clean code, 1 kB", code(1_000), redactor.text),
        ("text, one dirty line in 100, 1 MB", code(1_000_000, 100), redactor.text),
        ("text, one dirty line in 10, 1 MB", code(1_000_000, 10), redactor.text),
        ("text, base64 on one line, 1 MB", "iVBORw0KGgoAAAANSUhEUgAAB+gAA/Qk" * 31_250, redactor.text),
        ("preview 1000, clean, 1 kB", code(1_000), lambda s: redactor.preview(s, 1000)),
        ("preview 1000, clean, 10 MB", code(10_000_000), lambda s: redactor.preview(s, 1000)),
        ("preview 500+500, clean, 4 kB", code(4_000), lambda s: redactor.preview(s, 500, 500)),
        ("preview 500+500, clean, 10 MB", code(10_000_000), lambda s: redactor.preview(s, 500, 500)),
        ("preview 500+500, dirty, 10 MB", code(10_000_000, 10), lambda s: redactor.preview(s, 500, 500)),
        ("preview 500+500, one line, 10 MB", "word " * 2_000_000, lambda s: redactor.preview(s, 500, 500)),
        ("preview 500+500, base64, 10 MB", "iVBORw0KGgoA" * 833_333, lambda s: redactor.preview(s, 500, 500)),
        ("value 1000 of a 7 MB content", code(7_000_000), lambda s: redactor.value({"content": s}, 1000)),
        ("plain, clean code, 1 MB", code(1_000_000), plain.redact_text),
        ("plain, one dirty line in 100, 1 MB", code(1_000_000, 100), plain.redact_text),
        ("plain, clean, 1 kB", code(1_000), plain.redact_text),
    ]
    rows += [
        (f"text, {Path(name).name}", Path(name).read_text("utf-8", "replace"), redactor.text)
        for name in sys.argv[1:]
    ]
    for name, text, run in rows:
        speed, each = rate(lambda run=run, text=text: run(text), len(text.encode("utf-8", "replace")))  # type: ignore[misc]
        print(f"{name:36} {speed:12.1f} MB/s {each:12.1f} us")


if __name__ == "__main__":
    main()
