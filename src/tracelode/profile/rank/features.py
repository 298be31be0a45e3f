"""What tells a step that went wrong from the others of its session, and which shape has the session?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log1p
from typing import Literal

from tracelode.model.operation import Operation
from tracelode.signals.likeness import likeness
from tracelode.signals.repeats import failed

Shape = Literal["team", "spans", "service", "work"]
SHAPES: dict[str, str] = {
    "team": "several agents talk to each other",
    "spans": "spans of an instrumented program",
    "service": "a person, an agent and calls of services",
    "work": "an agent that works with files and commands",
}
"""Shape of a session to its words: weights are fitted for each."""

SHAPE_FEATURES: tuple[str, ...] = (
    "place", "place squared", "soon", "late", "first", "last", "length", "length rank", "length rank squared",
    "empty", "name share", "name rank", "name first used", "name as before", "failed", "error words",
    "error words after", "error words before", "doubt words", "end words", "plan words", "new words",
    "new words share", "code", "numbers", "question", "like the one before", "like the one after",
    "model", "tool", "subagent", "prompt", "note",
)  # fmt: skip
"""Features of one operation, in the order of their values."""

PLACE_FEATURES: tuple[str, ...] = SHAPE_FEATURES[:6]
"""Those that need no texts, the first ones."""

FEATURE_WORDS: dict[str, str] = {
    **dict.fromkeys(PLACE_FEATURES, "its place in the session"),
    **dict.fromkeys(("length", "length rank", "length rank squared"), "length of its text"),
    "empty": "says nothing",
    "name share": "how often its name comes",
    "name rank": "how often its name comes",
    "name first used": "the first of its name",
    "name as before": "the same name as the one before",
    "failed": "failed",
    "error words": "words of errors",
    "error words after": "words of errors right after it",
    "error words before": "words of errors right before it",
    "doubt words": "words of doubt and assumption",
    "end words": "words of ending",
    "plan words": "words of planning",
    "new words": "new words",
    "new words share": "new words",
    "code": "code",
    "numbers": "numbers",
    "question": "a question",
    "like the one before": "much as the one before",
    "like the one after": "much as the one after",
    "model": "an answer of a model",
    "tool": "a tool call",
    "subagent": "an agent was called",
    "prompt": "a prompt",
    "note": "a note",
}
"""Feature to the words of a reason."""

_WORD = re.compile(r"[a-z0-9']+")
_ERROR = frozenset({
    "error", "errors", "fail", "fails", "failed", "failure", "failing", "exception", "exceptions",
    "traceback", "invalid", "unable", "cannot", "denied", "undefined", "missing",
})  # fmt: skip
_DOUBT = frozenset({
    "assume", "assumed", "assuming", "assumption", "guess", "guessed", "guessing", "estimate",
    "estimated", "estimates", "probably", "probable", "likely", "perhaps", "might", "seem", "seems",
    "appear", "appears", "typically", "approximately", "unfortunately", "however", "unable", "cannot",
    "can't", "couldn't", "instead", "sorry", "apologize", "mistake", "incorrect", "wrong",
    "hypothetical", "placeholder", "example", "simulate", "simulated", "simulation",
})  # fmt: skip
_END = frozenset({
    "final", "answer", "therefore", "conclude", "conclusion", "summary", "complete", "completed",
    "success", "successful", "successfully", "terminate", "done",
})  # fmt: skip
_PLAN = frozenset({
    "let's", "let", "need", "should", "will", "next", "try", "proceed", "verify", "check", "confirm",
    "step", "plan",
})  # fmt: skip


def text_of(operation: Operation) -> str:
    """What an operation says: its input and its result.

    Args:
        operation: any operation.
    """
    return f"{operation.arguments}\n{operation.output}" if operation.arguments else operation.output


def shape(operations: Sequence[Operation]) -> Shape:
    """Which shape has a session?

    Args:
        operations: the n operations of one session.

    Returns:
        spans where most operations were recorded in a trace; team where at least two named agents speak and
        tools are not called by them; service where a person and tools take part, and no tool has a command or
        path; else work.
    """
    if not operations:
        return "work"
    if 2 * sum("trace" in o.fields for o in operations) > len(operations):
        return "spans"
    tools = [o for o in operations if o.kind == "tool"]
    local = sum("command" in o.fields or "path" in o.fields for o in tools)
    called = sum("call" in o.fields for o in tools)
    # a model's id is no speaker: one agent may ask several models
    speakers = {
        o.name for o in operations if o.kind == "subagent" or (o.kind == "model" and "model" not in o.fields)
    }
    if not local and not called and len(speakers) > 1:
        return "team"
    people = any(o.kind == "prompt" for o in operations)
    return "service" if tools and people and not local else "work"


def features(operations: Sequence[Operation]) -> list[tuple[float, ...]]:
    """Values of SHAPE_FEATURES for each operation.

    Args:
        operations: the n operations of one session in order.

    Returns:
        n rows of len(SHAPE_FEATURES) numbers; nothing but the session itself is looked at. O(n log n) and
        linear in the texts.
    """
    n = len(operations)
    texts = [text_of(o) for o in operations]
    words = [_WORD.findall(text.lower()) for text in texts]
    names = Counter(o.name for o in operations)
    lengths = [log1p(len(text)) for text in texts]
    long = ranks(lengths)
    common = ranks([float(names[o.name]) for o in operations])
    errors = [_hits(row, _ERROR) for row in words]
    alike = [
        likeness(texts[i - 1], texts[i]) if i and operations[i - 1].name == operations[i].name else 0.0
        for i in range(n)
    ]
    places = place_features(n)
    seen_words: set[str] = set()
    seen_names: set[str] = set()
    found: list[tuple[float, ...]] = []
    for i, o in enumerate(operations):
        own = {word for word in words[i] if len(word) > 3}
        new = len(own - seen_words)
        row: tuple[float, ...] = (
            *places[i], lengths[i], long[i], long[i] ** 2, not texts[i], names[o.name] / n, common[i],
            o.name not in seen_names,
            i > 0 and operations[i - 1].name == o.name, failed(o), errors[i],
            errors[i + 1] if i + 1 < n else 0, errors[i - 1] if i else 0, _hits(words[i], _DOUBT),
            _hits(words[i], _END), _hits(words[i], _PLAN), log1p(new), new / len(own) if own else 0.0,
            "```" in texts[i], log1p(sum(word[0].isdigit() for word in words[i])), "?" in texts[i], alike[i],
            alike[i + 1] if i + 1 < n else 0.0, o.kind == "model", o.kind == "tool", o.kind == "subagent",
            o.kind == "prompt", o.kind == "note",
        )  # fmt: skip
        found.append(tuple(map(float, row)))
        seen_words |= own
        seen_names.add(o.name)
    return found


def place_features(n: int) -> list[tuple[float, ...]]:
    """Values of PLACE_FEATURES for each of n operations.

    Args:
        n: operations of one session.

    Returns:
        n rows of len(PLACE_FEATURES) numbers.

    Example:
        >>> place_features(2)
        [(0.0, 0.0, 1.0, 0.5, 1.0, 0.0), (1.0, 1.0, 0.5, 1.0, 0.0, 1.0)]
    """
    places = [i / (n - 1) if n > 1 else 0.0 for i in range(n)]
    return [
        (place, place * place, 1 / (1 + i), 1 / (n - i), float(i == 0), float(i == n - 1))
        for i, place in enumerate(places)
    ]


def ranks(values: Sequence[float]) -> list[float]:
    """Where each value stands among all of them, equal ones in the middle of their places.

    Args:
        values: n numbers.

    Returns:
        n numbers, 0 for the smallest and 1 for the largest; one value alone is 0. O(n log n).

    Example:
        >>> ranks([3.0, 1.0, 3.0])
        [0.75, 0.0, 0.75]
    """
    if len(values) < 2:
        return [0.0] * len(values)
    below: dict[float, int] = {}
    many = Counter(values)
    at = 0
    for value in sorted(many):
        below[value] = at
        at += many[value]
    return [(below[v] + (many[v] - 1) / 2) / (len(values) - 1) for v in values]


def _hits(words: Sequence[str], wanted: frozenset[str]) -> float:
    return log1p(sum(word in wanted for word in words))
