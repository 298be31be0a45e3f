"""What ends in a Copilot CLI log, and what is known then? Tools, permissions, compactions, runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tracelode.making import Maker
from tracelode.model.operation import Status
from tracelode.model.ports import Change, Item, Skip, Tick
from tracelode.sources.copilot_cli.records import Data, Event, Failure, Metric, Usage
from tracelode.sources.copilot_cli.state import Open, Run, State, digest
from tracelode.sources.copilot_cli.usage import measures_of, rest_of, shares_of, since, sums_of

DENIALS = frozenset({"denied", "rejected", "permission_denied"})
"""Error codes of a tool that was not allowed to run."""
_EXIT = re.compile(r"<[^<>]{0,200}\bexit(?:ed with)?(?: exit)? code (-?\d+)>\s*$")
_LOOK = 400


class Ends:
    """Reads events that end something.

    Args:
        state: resume state, changed in place.
        maker: makes operations.
        switch: says whose items follow.
    """

    def __init__(self, state: State, maker: Maker, switch: Callable[[str], Iterator[Item]]) -> None:
        self.state = state
        self.maker = maker
        self.switch = switch

    def permission(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        """Items of permission.completed."""
        asked = self.state.asked.pop(digest(data.requestId or ""), "")
        waiting = self.state.open.get(digest(data.toolCallId) if data.toolCallId else asked)
        kind = (data.result.kind if data.result else None) or ""
        by_rule = kind.startswith("denied") and "interactively" not in kind
        if waiting is not None:
            yield from self.switch(waiting.session)
            if kind.startswith("denied") or kind == "cancelled":
                waiting.denied = "rule" if by_rule else "human"
            else:
                waiting.permitted = at
        if at is not None:
            yield Tick(at, "other" if by_rule else "human", waiting.operation if waiting else None)

    def tool(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        """Items of tool.execution_complete."""
        waiting = self.state.open.pop(digest(data.toolCallId or ""), None)
        if waiting is None:
            yield Skip(self.maker.line.number, "tool result without a call")
            if at is not None:
                yield Tick(at, "other", None)
            return
        failure = data.error if isinstance(data.error, Failure) else None
        text = (data.result.content if data.result else None) or (failure.message if failure else None) or ""
        status = status_of(data, text, failure, waiting)
        human = ""
        if status == "denied" and waiting.denied != "rule":
            human = "denial"
        elif status == "ok" and waiting.asks:
            human = "answer"
        yield from self.switch(waiting.session)
        fields = {"human": human} if human else {}
        yield Change(id=waiting.operation, status=status, ended=at, output=text, fields=fields)
        if at is not None:
            begun = waiting.permitted if waiting.permitted is not None else waiting.started
            own = at - begun if begun is not None and begun <= at else None
            yield Tick(
                at, "human" if human else "tool", waiting.operation, closes=(waiting.operation,), own=own
            )

    def compaction(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        """Items of session.compaction_complete: a note, and the call that wrote the summary."""
        native = event.id or f"{self.state.session}/{self.maker.line.number}"
        trigger = "manual" if data.trigger == "manual" else "auto"
        status: Status = "error" if data.success is False else "ok"
        note = self.maker.operation(
            native, "system", "note", "compaction", status, at, fields={"compaction": trigger}
        )
        yield note
        used = data.compactionTokensUsed
        if used is None:
            if at is not None:
                yield Tick(at, "other", note.id)
            return
        yield from self._call(f"{native}/call", used.model or data.model or self.state.model, used, at)

    def usage(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        """Items of assistant.usage: the exact figures of one call."""
        used = Usage(
            inputTokens=data.inputTokens,
            outputTokens=data.outputTokens,
            cacheReadTokens=data.cacheReadTokens,
            cacheWriteTokens=data.cacheWriteTokens,
            reasoningTokens=data.reasoningTokens,
        )
        model = data.model or self.state.model
        ident = self.maker.ident(data.apiCallId) if data.apiCallId else ""
        run = self.state.runs.get(digest(model), Run())
        place = next((i for i, call in enumerate(run.calls) if call[1] == ident), None)
        if place is None:
            yield from self._call(data.apiCallId or event.id or f"#{self.maker.line.number}", model, used, at)
            return
        session, ident, _ = run.calls.pop(place)
        measures, skips = self._told(run, used)
        yield from skips
        yield from self.switch(session)
        yield Change(id=ident, measures=measures, fields={"usage_quality": "final"})
        if at is not None:
            yield Tick(at, "other", ident)

    def _call(self, native: str, model: str, used: Usage, at: int | None) -> Iterator[Item]:
        """A call that no message tells of."""
        measures, skips = self._told(self.state.runs.setdefault(digest(model), Run()), used)
        yield from skips
        call = self.maker.operation(
            native,
            "agent",
            "model",
            model or "unknown model",
            "ok",
            at,
            fields={"model": model} if model else {},
            measures={**measures, "calls": 1},
        )
        yield call
        if at is not None:
            yield Tick(at, "model", call.id)

    def _told(self, run: Run, used: Usage) -> tuple[dict[str, int], list[Skip]]:
        """Note that a call's usage is known: its measures, and what was wrong with them."""
        complaints: list[str] = []
        sums = sums_of(used)
        for name, value in sums.items():
            run.told[name] = run.told.get(name, 0) + value
        run.told_calls += 1
        measures = measures_of(sums, complaints)
        return measures, [Skip(self.maker.line.number, reason) for reason in complaints]

    def shutdown(self, event: Event, data: Data, at: int | None) -> Iterator[Item]:
        """Items of session.shutdown: sums by model, shared out to the calls of the run."""
        if at is not None:
            yield Tick(at, "other", None)
        for model, metric in (data.modelMetrics or {}).items():
            yield from self._settle(event, model, metric, at)
        self.state.runs.clear()

    def _settle(self, event: Event, model: str, metric: Metric, at: int | None) -> Iterator[Item]:
        key = digest(model)
        run = self.state.runs.get(key, Run())
        if metric.usage is None:
            return
        complaints: list[str] = []
        before = self.state.before.setdefault(key, {})
        sums = since(sums_of(metric.usage), before, run)
        for name, value in sums.items():
            before[name] = before.get(name, 0) + value
        count = metric.requests.count if metric.requests else None
        rest = rest_of(sums, run, count, complaints)
        if run.calls:
            shares = shares_of(rest, [output for _, _, output in run.calls], complaints)
            for (session, ident, _), share in zip(run.calls, shares, strict=True):
                yield from self.switch(session)
                yield Change(id=ident, measures=share, fields={"usage_quality": "shared"})
        elif any(rest.values()):
            yield from self.switch(self.state.session)
            native = f"{event.id or self.state.session}/{model}"
            calls = max(1, (count or 1) - run.told_calls)
            measures = measures_of(rest, complaints)
            yield self.maker.operation(
                native, "agent", "model", model, "ok", at,
                fields={"model": model, "usage_quality": "shared"}, measures={**measures, "calls": calls},
            )  # fmt: skip
        for reason in complaints:
            yield Skip(self.maker.line.number, reason)


def status_of(data: Data, text: str, failure: Failure | None, waiting: Open) -> Status:
    """How a tool call ended.

    Args:
        data: payload of its end.
        text: result as text.
        failure: error, where there is one.
        waiting: what is known of the call.
    """
    code = next((c.exitCode for c in (data.result.contents if data.result else None) or [] if c.exitCode), 0)
    found = _EXIT.search(text[-_LOOK:])
    if found:
        code = int(found[1])
    if data.success:
        return "nonzero" if code else "ok"
    if waiting.denied or (failure is not None and failure.code in DENIALS):
        return "denied"
    return "nonzero" if code else "error"
