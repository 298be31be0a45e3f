"""How do sums over a whole run become the tokens of its calls?

A message tells its output tokens alone. What went in is told once, by model, when the client ends
(session.shutdown): it is shared out to the calls of that run, and they are marked as shared.
"""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.making import put_count, put_input
from tracelode.model.measure import split_evenly
from tracelode.sources.copilot_cli.records import Usage
from tracelode.sources.copilot_cli.state import Run

FIELDS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")


def sums_of(usage: Usage) -> dict[str, int]:
    """Figures of a usage by field, older names among them.

    Args:
        usage: as recorded.

    Returns:
        Field of FIELDS to count; what is not told is absent.
    """
    found = {name: getattr(usage, name) for name in FIELDS}
    found["inputTokens"] = _either(found["inputTokens"], usage.input)
    found["outputTokens"] = _either(found["outputTokens"], usage.output)
    found["cacheReadTokens"] = _either(found["cacheReadTokens"], usage.cachedInput)
    return {name: value for name, value in found.items() if value is not None}


def _either(first: int | None, second: int | None) -> int | None:
    return second if first is None else first


def measures_of(sums: dict[str, int], complaints: list[str]) -> dict[str, int]:
    """Token measures of some figures.

    Args:
        sums: by field of FIELDS.
        complaints: receives closed words on figures that were left out or contradict each other.

    Returns:
        Measures by name.

    Source:
        formats: token semantics, Copilot CLI (cached tokens are part of input, reasoning of output).
    """
    found: dict[str, int] = {}
    read, write = sums.get("cacheReadTokens"), sums.get("cacheWriteTokens")
    put_input(found, sums.get("inputTokens"), read, write, complaints)
    output, reasoning = sums.get("outputTokens"), sums.get("reasoningTokens")
    if reasoning is not None and output is not None and reasoning > output:
        complaints.append("reasoning exceeds the output it should be part of, left out")
        reasoning = None
    put_count(found, "tokens.reasoning", reasoning, complaints)
    inside = found.get("tokens.reasoning", 0)
    put_count(found, "tokens.output", None if output is None else output - inside, complaints)
    return found


def since(sums: dict[str, int], before: dict[str, int], run: Run) -> dict[str, int]:
    """What a shutdown counts since the one before.

    Args:
        sums: figures of the shutdown.
        before: sums of all shutdowns before it.
        run: the calls since the last one.

    Returns:
        The figures as they are; less those before where the outputs of the calls prove that this
        shutdown counts from the beginning of the session.

    Source:
        formats: acceptance case D4, shutdowns are added.
    """
    output = sums.get("outputTokens", 0)
    own = sum(count for _, _, count in run.calls) + run.told.get("outputTokens", 0)
    if output != own and output == own + before.get("outputTokens", 0):
        return {name: max(0, value - before.get(name, 0)) for name, value in sums.items()}
    return sums


def rest_of(sums: dict[str, int], run: Run, count: int | None, complaints: list[str]) -> dict[str, int]:
    """What of a run's sums belongs to calls whose own usage is not known.

    Args:
        sums: figures of the run.
        run: its calls.
        count: API requests the run tells, None where it does not.
        complaints: receives closed words where the calls tell more than the run.
    """
    if count is not None and count < len(run.calls) + run.told_calls:
        # too few requests to hold them all: the sums leave the calls with a usage of their own out
        return sums
    rest = {name: value - run.told.get(name, 0) for name, value in sums.items()}
    if any(value < 0 for value in rest.values()):
        complaints.append("usage of a run is below that of its calls, left out")
        return {name: value for name, value in rest.items() if value >= 0}
    return rest


def shares_of(rest: dict[str, int], outputs: Sequence[int], complaints: list[str]) -> list[dict[str, int]]:
    """Share a run's figures out to its calls.

    Args:
        rest: figures of the run.
        outputs: output tokens of its n calls, at least one, each as its message tells it.
        complaints: receives closed words on figures that contradict each other.

    Returns:
        n dicts of measures that sum to the run's: input in equal parts, reasoning by output.
    """
    shared = dict(rest)
    own, whole = list(outputs), rest.get("outputTokens")
    if whole is not None and whole > sum(own):
        extra = split_evenly(whole - sum(own), len(own))
        own = [a + b for a, b in zip(own, extra, strict=True)]
    elif whole is not None and whole < sum(own):
        complaints.append("output of a run is below that of its messages, messages kept")
    shared["outputTokens"] = sum(own)
    measures = measures_of(shared, complaints)
    reasoning = measures.pop("tokens.reasoning", None)
    measures.pop("tokens.output", None)
    parts: list[dict[str, int]] = [{"tokens.output": output} for output in own]
    for name, value in measures.items():
        for part, share in zip(parts, split_evenly(value, len(own)), strict=True):
            part[name] = share
    if reasoning is not None:
        for part, share in zip(parts, by_weight(reasoning, own), strict=True):
            part["tokens.reasoning"] = share
            part["tokens.output"] -= share
    return parts


def by_weight(total: int, weights: Sequence[int]) -> list[int]:
    """Share an integer by weights, no part above its weight.

    Args:
        total: at most the sum of the weights.
        weights: n integers of at least 0.

    Returns:
        n integers that sum to total, by largest remainder, earlier first.

    Example:
        >>> by_weight(5, [1, 0, 9])
        [1, 0, 4]
    """
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    shares = [total * weight // whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % whole))
    for i in order[: total - sum(shares)]:
        shares[i] += 1
    return shares
