"""What is the proof of an edge, in words?"""

from __future__ import annotations

from tracelode.compile.work import Work
from tracelode.errors import UsageError
from tracelode.model.evidence import Edge, Evidence, Producer
from tracelode.model.numbers import number

LEVELS = {
    "L0": "equal with its type",
    "L1": "equal but for type, case or white space",
    "L2": "equal in another format",
    "L3": "a piece of a text",
    "L4": "a value with fixed text around it",
    "L5": "the result of arithmetic",
}
REASONS = {
    "low_information": "the value is so simple that it is often equal by chance",
    "in_prompt": "the request or an earlier argument tells the value as well",
    "multi_producer": "several steps tell the value",
    "enum": "the tool's schema lists the value",
    "below_support": "the path explains too few of the runs",
    "no_lift": "outputs of other runs explain it as well",
    "single_run": "there are too few runs to compare",
    "text_ambiguous": "it is a common word in a text",
    "after_error": "the step that told it had failed",
}
SHOWN = 5
"""Runs that are named."""


def explain(edge: Edge | str, work: Work) -> str:
    """The proof of an edge in words.

    Args:
        edge: data edge, or its id.
        work: after the pass.

    Returns:
        Lines of plain text: what leads where, how often, what else was looked for, and in which file and
        line. No text of the trace unless values are kept.

    Raises:
        UsageError: there is no such edge.
    """
    if isinstance(edge, str):
        known = next((e for e in work.edges if e.id == edge and e.kind.startswith("data")), None)
        if known is None:
            raise UsageError(f"no data edge {edge}")
        edge = known
    return "\n".join(_lines(edge, work))


def _lines(edge: Edge, work: Work) -> list[str]:
    proof = "suspected"
    if edge.hard:
        proof = "proven" if edge.runs > 1 else "the only source found, and not compared with another run"
    path = f"{edge.before} at {edge.gpath}" if edge.gpath else f"the whole output of {edge.before}"
    have = "has" if edge.runs == 1 else "have"
    lines = [
        f"{edge.after} takes {edge.arg or 'its arguments'} from {path}: {proof}.",
        f"It is so in {edge.support} of {number(edge.runs, 'run')} that {have} both steps.",
    ]
    cases = [e for e in work.evidence if _of(e, edge)]
    if edge.basis == "cross_run" and edge.numbers:
        lines.append(
            f"Over the runs the path explains {edge.numbers['support']:.0%} of the values, "
            f"{edge.numbers['lift']:.0%} more than outputs of other runs do; "
            f"{edge.numbers['distinct']} different values.{_chance(cases)}"
        )
    elif edge.hard:
        lines.append(f"In {'it' if edge.runs == 1 else 'each of these runs'} no other source was found.")
    if not edge.hard:
        why = REASONS.get(edge.reason, "no reason is known")
        lines.append(f"It is only suspected, for {why}.")
    if elsewhere := sorted({_place(p) for c in cases for p in _producers(c) if not _is(p, edge)}):
        places = ", ".join(elsewhere)
        lines.append(f"The same value stands at {places} too: runs do not tell which of them is meant.")
    for case in cases[:SHOWN]:
        lines += _case(case, edge)
    if len(cases) > SHOWN:
        lines.append(f"and {len(cases) - SHOWN} more")
    return lines


def _is(producer: Producer, edge: Edge) -> bool:
    return (producer.slot, producer.gpath) == (edge.before, edge.gpath)


def _producers(case: Evidence) -> tuple[Producer, ...]:
    if case.producer is None:
        return ()
    return (case.producer, *case.alternatives) if case.basis == "cross_run" else (case.producer,)


def _place(producer: Producer) -> str:
    return (
        f"{producer.gpath} of {producer.slot}" if producer.gpath else f"the whole output of {producer.slot}"
    )


def _of(case: Evidence, edge: Edge) -> bool:
    return (
        case.slot == edge.after
        and any(_is(p, edge) for p in _producers(case))
        and (case.verdict == "hard" if edge.hard else case.verdict == "suspected")
        and _general(case.arg) == _general(edge.arg)
    )


def _general(path: str) -> str:
    from tracelode.compile.paths import general, parsed

    return general(parsed(path))


def _chance(cases: list[Evidence]) -> str:
    p = next((c.cross_run.p for c in cases if c.cross_run is not None and c.cross_run.p is not None), None)
    return "" if p is None else f" By chance that happens with p of {p:.3f}."


def _case(case: Evidence, edge: Edge) -> list[str]:
    first = case.producer
    assert first is not None
    producer = next((p for p in (first, *case.alternatives) if _is(p, edge)), first)
    # a file that is one JSON value is read whole: its first line says nothing
    line = "" if case.line == 1 and case.file.endswith(".json") else f":{case.line}"
    where = f"{case.file}{line}, " if case.file else ""
    value = f" ({case.value.text!r})" if case.value.text is not None else ""
    # how close another place is was not kept: it tells the value as the first one does, or closer
    how = "the same value" if producer is not first else LEVELS[case.level or "L0"]
    if case.transform and producer is first:
        how += f", {case.transform}"
    place = producer.path or "the whole"
    if producer.span is not None:
        place += f", characters {producer.span[0]} to {producer.span[1]}"
    others = [f"{e.kind.replace('_', ' ')}: {e.result}" for e in case.excluded]
    return [
        f"- {where}run {case.run}: call {case.call + 1} passes {case.arg}{value}, a {case.value.type} of "
        f"{case.value.length} characters; call {producer.call + 1} told it at {place}: {how}.",
        f"  Also looked at: {'; '.join(others)}.",
    ]
