"""How do the runs of a trace (calls of models and tools, one inside another) become operations?

For formats in which every step has a start, an end and a parent: adapters turn their records into Runs.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence

import msgspec

from tracelode.activities import Activity, Moment, ticks
from tracelode.making import Maker
from tracelode.model.operation import Kind, Operation, Status
from tracelode.model.ports import Item, Line, Skip


class Run(msgspec.Struct, kw_only=True):
    """One step of a trace."""

    id: str
    """Own id, unique everywhere."""
    parent: str | None = None
    """Id of the step around it."""
    kind: str = ""
    """model, tool, note, prompt, or "" for a step that only holds others."""
    name: str = ""
    """Tool name, or what the step is called."""
    start: int | None = None
    """UTC microseconds."""
    end: int | None = None
    """UTC microseconds."""
    status: Status = "unknown"
    """How it ended."""
    model: str = ""
    """Model id."""
    measures: dict[str, int] = {}
    """Tokens and reported cost of this step alone or of all inside it."""
    fields: dict[str, str] = {}
    """Further fields."""
    arguments: str = ""
    """Input of a tool."""
    output: str = ""
    """Result."""
    sort: Kind = "tool"
    """Kind of a tool's operation."""
    asks: frozenset[str] = frozenset()
    """Ids of the tool calls that a model's answer asks for."""
    answers: str = ""
    """Id of the tool call that a tool's run answers."""
    line: Line = Line(1, 0, b"")
    """Where it lies."""


class Prompt(msgspec.Struct, frozen=True):
    """What a trace begins with."""

    native: str
    """An id, unique everywhere."""
    text: str
    """A person's words."""
    at: int | None
    """UTC microseconds."""


INNER_LIMIT = 1_000
"""Steps above a step are followed this far; more are a circle."""


def items_of(runs: Sequence[Run], maker: Maker, prompts: Sequence[Prompt] = ()) -> Iterator[Item]:
    """Operations and timeline of one session's runs.

    Args:
        runs: n runs of one or several traces, in any order, each id once.
        maker: makes operations; its session is set.
        prompts: what the traces begin with.

    Returns:
        Items in order of their start, then the timeline.

    Source:
        accounting: calls are leaf spans of models; acceptance case C2: a step around others repeats their
        tokens, so it is a call only where no model was called inside it.
    """
    known = {run.id: run for run in runs}
    holding = _holding(runs, known)
    order = sorted(range(len(runs)), key=lambda i: (_at(runs[i].start), i))
    queue = sorted(prompts, key=lambda p: _at(p.at))
    activities: list[Activity] = []
    moments: list[Moment] = []
    made: dict[str, Operation] = {}
    calls = _Calls()
    repeated = 0
    for run in (runs[i] for i in order):
        while queue and _at(queue[0].at) <= _at(run.start):
            yield _prompt(queue.pop(0), maker, moments)
        maker.line = run.line
        tokens = any(name.startswith("tokens.") for name in run.measures)
        operation: Operation | None = None
        if run.id in holding:
            repeated += tokens
        elif run.kind == "model" or tokens:
            within = run.kind == "tool"
            operation = _call(run, maker, f"{run.id}/call" if within else run.id)
            calls.add(run, operation)
            if within:
                yield operation
        if run.kind == "tool":
            operation = _tool(run, maker, calls.of(run))
        elif run.kind == "prompt":
            yield _prompt(Prompt(run.id, run.output, run.start), maker, moments)
        elif run.kind == "note":
            operation = maker.operation(
                run.id, "system", "note", run.name or "event", run.status, run.start, output=run.output
            )
        _time(run, operation, made, known, activities, moments)
        if operation is not None:
            made[run.id] = operation
            yield operation
    for prompt in queue:
        yield _prompt(prompt, maker, moments)
    if repeated:
        yield Skip(1, "tokens of a step around others, counted in the calls inside it", repeated)
    yield from ticks(activities, moments)


def _at(moment: int | None) -> int:
    return 2**62 if moment is None else moment


def _holding(runs: Sequence[Run], known: dict[str, Run]) -> set[str]:
    """Ids of the runs that have a model's run somewhere inside them."""
    found: set[str] = set()
    for run in runs:
        if run.kind != "model" and not any(name.startswith("tokens.") for name in run.measures):
            continue
        above, steps = run.parent, 0
        while above is not None and above in known and above not in found and steps < INNER_LIMIT:
            if above == run.id:
                break
            found.add(above)
            above, steps = known[above].parent, steps + 1
    # a circle of parents holds nothing
    return {ident for ident in found if not _circular(ident, known)}


def _circular(ident: str, known: dict[str, Run]) -> bool:
    above, steps = known[ident].parent, 0
    while above is not None and above in known:
        if above == ident or steps > INNER_LIMIT:
            return True
        above, steps = known[above].parent, steps + 1
    return False


def _prompt(prompt: Prompt, maker: Maker, moments: list[Moment]) -> Operation:
    operation = maker.operation(
        prompt.native, "human", "prompt", "prompt", "ok", prompt.at,
        arguments=prompt.text, fields={"human": "prompt"},
    )  # fmt: skip
    if prompt.at is not None:
        moments.append(Moment(prompt.at, "human", operation.id))
    return operation


def _call(run: Run, maker: Maker, native: str) -> Operation:
    fields = dict(run.fields)
    if run.model:
        fields["model"] = run.model
    if not any(name.startswith("tokens.") for name in run.measures):
        fields["usage_quality"] = "lower_bound"
    return maker.operation(
        native,
        "agent",
        "model",
        run.model or "unknown model",
        run.status,
        run.start,
        run.end,
        fields=fields,
        measures={**run.measures, "calls": 1},
        output=run.output,
    )


class _Calls:
    """The calls of models so far, to find the one that asked for a tool."""

    def __init__(self) -> None:
        self._asked: dict[str, Operation] = {}
        self._ends: list[tuple[int, int]] = []
        self._all: list[Operation] = []

    def add(self, run: Run, operation: Operation) -> None:
        self._asked.update(dict.fromkeys(run.asks, operation))
        if run.end is not None:
            insort(self._ends, (run.end, len(self._all)))
        self._all.append(operation)

    def of(self, run: Run) -> Operation | None:
        """The call whose answer asks for a tool by its id; else the latest that was over before it began."""
        found = self._asked.get(run.answers) if run.answers else None
        if found is not None or not self._all:
            return found
        if run.start is None:
            # without times the order of the records tells
            return self._all[-1]
        place = bisect_right(self._ends, (run.start, len(self._all)))
        return self._all[self._ends[place - 1][1]] if place else None


def _tool(run: Run, maker: Maker, call: Operation | None) -> Operation:
    return maker.tool(
        run.id,
        run.name or "unknown tool",
        call,
        run.status,
        run.start,
        kind=run.sort,
        ended=run.end,
        fields=run.fields,
        arguments=run.arguments,
        output=run.output,
    )


def _time(
    run: Run,
    operation: Operation | None,
    made: dict[str, Operation],
    known: dict[str, Run],
    activities: list[Activity],
    moments: list[Moment],
) -> None:
    ident = operation.id if operation is not None else None
    if ident is not None and run.kind != "note" and run.start is not None and run.end is not None:
        kind = "tool" if run.kind == "tool" else "model"
        activities.append(Activity(run.start, run.end, kind, ident, _around(run, made, known)))
    moments.extend(Moment(at, "other", ident) for at in (run.start, run.end) if at is not None)


def _around(run: Run, made: dict[str, Operation], known: dict[str, Run]) -> str | None:
    """The tool's operation that a run is inside of, None for none."""
    above, steps = run.parent, 0
    while above is not None and above in known and steps < INNER_LIMIT:
        if known[above].kind == "tool" and above in made:
            return made[above].id
        above, steps = known[above].parent, steps + 1
    return None
