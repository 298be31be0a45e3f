"""Which tokens does a run's result tell that its calls do not? By model, exactly, and each once.

A result's modelUsage is what the process took up to then, sub-agents included. Calls may tell less: some
back ends write zeros, some versions the first snapshot of output. See docs/decisions/0006-stream-json.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tracelode.model.ports import Change, Item
from tracelode.sources.claude_code.records import Message
from tracelode.sources.claude_code.run import ModelUsage, Run, StreamRecord, Tally, Told
from tracelode.sources.claude_code.usage import measures_of, picodollars

_KINDS = (
    "tokens.input_fresh",
    "tokens.cache_read",
    "tokens.cache_write_5m",
    "tokens.output",
    "uses.web_search",
)
_VARIANT = re.compile(r"\[[^\]]*\]$")
_ABSURD = 10**10
"""No run counts this many tokens of one kind; such a figure is damage."""


class Meter:
    """Keeps what the calls of a run tell, to compare with its results.

    Args:
        context: the file.
    """

    def __init__(self, context: Run) -> None:
        self.context = context

    def _tally(self, model: str) -> Tally:
        # the state is replaced with every run, so it is looked up each time
        return self.context.state.tallies.setdefault(model, Tally())

    def told(self, message: Message, uuid: str | None, measures: dict[str, int]) -> dict[str, int]:
        """Take note of what a record tells of its call.

        Args:
            message: the record's message.
            uuid: the record's own id.
            measures: what it tells; later records of a call replace earlier ones, as they do in ingest.

        Returns:
            The measures, none where every count is zero: no call takes nothing.
        """
        context = self.context
        native = context.scoped(message.id or uuid)
        call = context.native(native) if native else ""
        tally = self._tally(message.model or "")
        agent = context.agent or ""
        write = measures.get("tokens.cache_write_5m", 0) + measures.get("tokens.cache_write_1h", 0)
        server = message.usage.server_tool_use if message.usage is not None else None
        now = Told(
            measures.get("tokens.input_fresh", 0),
            measures.get("tokens.cache_read", 0),
            write,
            measures.get("tokens.output", 0),
            max(0, server.web_search_requests or 0) if server is not None else 0,
        )
        known, before = context.state.latest.get(agent, ("", Told()))
        if not call or known != call:
            before = Told()
        elif now.output < before.output:
            now = before
        context.state.latest[agent] = (call, now)
        tally.told = _plus(tally.told, now, before)
        self._quality(tally, agent, call, now, message.stop_reason is not None)
        return measures if any(now.counts()) else {}

    def _quality(self, tally: Tally, agent: str, call: str, now: Told, ended: bool) -> None:
        silent = (agent, call)
        if not any(now.counts()):
            if silent not in tally.silent:
                tally.silent.append(silent)
            return
        if silent in tally.silent:
            tally.silent.remove(silent)
        if not ended and call not in tally.partial:
            tally.partial.append(call)
        elif ended and call in tally.partial:
            tally.partial.remove(call)

    def cost(self, dollars: float | None, complaints: list[str]) -> int | None:
        """What a result's cost adds to what earlier results of the run told.

        Args:
            dollars: cost of the run so far.
            complaints: receives closed words on a figure that was left out.

        Returns:
            Picodollars, None where none is told.
        """
        total = picodollars(dollars, complaints)
        if total is None:
            return None
        state = self.context.state
        before = state.cost if total >= state.cost and not state.another else 0
        state.cost = total
        return total - before

    def settle(self, given: StreamRecord, at: int | None, complaints: list[str]) -> Iterator[Item]:
        """What a result tells beyond its calls.

        Args:
            given: the result.
            at: its moment.
            complaints: receives closed words where calls tell more than the result.

        Returns:
            A change where one call is known to have taken it all, else one operation a model without
            a call of its own.

        Source:
            docs/decisions/0006-stream-json.md.
        """
        state = self.context.state
        if given.modelUsage:
            for model, usage in given.modelUsage.items():
                name = model if model in state.tallies else _VARIANT.sub("", model)
                tally = self._tally(name)
                missing = _missing(tally, _total(usage, complaints), state.another, complaints)
                yield from self._missing(name, tally, missing, given, at)
        elif given.usage is not None and len(state.tallies) == 1:
            # versions without totals by model: the sum counts where no call tells anything
            ((name, tally),) = state.tallies.items()
            if tally.told == tally.settled:
                found = measures_of(given.usage, complaints)
                write = found.get("tokens.cache_write_5m", 0) + found.get("tokens.cache_write_1h", 0)
                sums = (found.get(_KINDS[0], 0), found.get(_KINDS[1], 0), write, found.get(_KINDS[3], 0))
                yield from self._missing(name, tally, Told(*sums), given, at)
        for tally in state.tallies.values():
            tally.close()
        state.another = False

    def _missing(
        self, model: str, tally: Tally, missing: Told, given: StreamRecord, at: int | None
    ) -> Iterator[Item]:
        measures = {name: n for name, n in zip(_KINDS, missing.counts(), strict=True) if n}
        if not measures:
            return
        context = self.context
        if len(tally.silent) == 1 and not tally.partial:
            ((agent, call),) = tally.silent
            if agent != context.agent:
                yield context.enter(agent, given.record())
            yield Change(id=call, measures=measures, fields={"usage_quality": "final"})
            if agent != context.state.run:
                yield context.enter(context.state.run, given.record())
            return
        yield context.operation(
            f"{context.key}/{given.uuid}/{model}" if given.uuid else None,
            "agent",
            "model",
            model or "unknown model",
            "ok",
            at,
            fields={"usage_quality": "final"} | ({"model": model} if model else {}),
            measures={**measures, "calls": 0},
        )


def _plus(sums: Told, more: Told, less: Told) -> Told:
    triples = zip(sums.counts(), more.counts(), less.counts(), strict=True)
    return Told(*(a + b - c for a, b, c in triples))


def _total(usage: ModelUsage, complaints: list[str]) -> Told:
    counts = (
        usage.inputTokens,
        usage.cacheReadInputTokens,
        usage.cacheCreationInputTokens,
        usage.outputTokens,
        usage.webSearchRequests,
    )
    told = [n or 0 for n in counts]
    if min(told) < 0:
        complaints.append("negative token count left out")
    if max(told) > _ABSURD:
        complaints.append("absurd token count left out")
    return Told(*(n if 0 <= n <= _ABSURD else 0 for n in told))


def _missing(tally: Tally, total: Told, another: bool, complaints: list[str]) -> Told:
    """What a total holds beyond what is stored already; the tally takes it as stored.

    Totals go on through all results of one process. Nothing tells where a new process of a file begins:
    another session is taken for one, unless the total is exactly what both sessions told together; and so
    is a total that is less than what was told before, but not less than what was told since.
    """
    whole = _plus(total, Told(), _plus(tally.told, tally.given, Told()))
    recent = _plus(total, Told(), _plus(tally.told, Told(), tally.settled))
    renewed = any(whole.counts()) if another else min(whole.counts()) < 0 <= min(recent.counts())
    if renewed:
        tally.told = _plus(tally.told, Told(), tally.settled)
        tally.given = Told()
        whole = recent
    if min(whole.counts()) < 0:
        complaints.append("calls tell more tokens than the run's result")
    missing = Told(*(max(0, n) for n in whole.counts()))
    tally.given = _plus(tally.given, missing, Told())
    return missing
