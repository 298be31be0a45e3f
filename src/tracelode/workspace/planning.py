"""How do people and agents plan? Checks, metrics and timelines of stored sessions and of event files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from tracelode.errors import QueryError, UsageError
from tracelode.model.planning import PlanCheck, PlanReport, SessionPlan
from tracelode.workspace.asking import Asking
from tracelode.workspace.writing import private

if TYPE_CHECKING:
    from tracelode.model.operation import Operation
    from tracelode.model.plan import Plan, PlanEvent
    from tracelode.model.session import Session
    from tracelode.plan.work import Work

SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst")
RECORDED = "plan-events"
AT_ONCE = 40
"""Sessions read with one query."""
TOLD = frozenset({"aide"})
"""Sources whose operations say themselves which event each of them is, beside what they did."""
"""Source whose records are plan events already."""
WHOLE = "edits are read from previews; name the session to read them whole"


def is_path(word: str) -> bool:
    """Does a word name a file or folder rather than a session?

    Args:
        word: what the user wrote.
    """
    return os.sep in word or word.endswith(SUFFIXES) or Path(word).expanduser().exists()


def check_files(paths: Sequence[str | Path], *, chained: bool | None = None) -> PlanCheck:
    """What is off in files of plan events.

    Args:
        paths: files and folders.
        chained: take parents as what must be finished first; None: where they form a chain.

    Returns:
        Findings, checklist and problems.

    Raises:
        SourceError: a path cannot be read.
    """
    from tracelode.plan.checks import check
    from tracelode.plan.read import load

    return check(load(Path(p).expanduser() for p in paths), chained=chained)


def measure_files(
    paths: Sequence[str | Path], *, chained: bool | None = None, cluster: str | None = None, seed: int = 0
) -> PlanReport:
    """How the sessions in files of plan events planned and worked.

    Args:
        paths: files and folders.
        chained: take parents as what must be finished first; None: where they form a chain.
        cluster: task, project or session: what sessions are drawn by for intervals; None for the first of
            these that every session tells.
        seed: of the draws.

    Returns:
        Metrics by session and together.

    Raises:
        SourceError: a path cannot be read.
        UsageError: another cluster.
    """
    from tracelode.plan.metrics import measure
    from tracelode.plan.metrics.pooled import report
    from tracelode.plan.read import load, stories

    loaded = load(Path(p).expanduser() for p in paths)
    found = [measure(events, chained=chained) for _, events in stories(loaded)]
    return report(found, loaded.unusable, cluster=cluster, seed=seed)


def sarif(found: PlanCheck) -> dict[str, Any]:
    """Findings as code scanners read them.

    Args:
        found: a check.

    Returns:
        SARIF 2.1.0, JSON-ready.
    """
    from tracelode.plan.sarif import sarif as made

    return made(found)


def reaches(found: PlanCheck, limit: str) -> bool:
    """Is there a finding at or above a limit?

    Args:
        found: a check.
        limit: error, warning or info.

    Raises:
        UsageError: another word.
    """
    from tracelode.model.planning import SEVERITIES
    from tracelode.plan.checks import worst

    if limit not in SEVERITIES:
        raise UsageError(f"a limit is one of {', '.join(SEVERITIES)}")
    return worst(found, limit)


def timeline_svg(one: SessionPlan, target: str | Path | IO[bytes]) -> None:
    """Draw one session's plan over time.

    Args:
        one: a measured session.
        target: a path, written whole or not at all, or an open binary stream.

    Raises:
        ExportError: the file cannot be written.
    """
    from tracelode.plan.timeline_svg import draw

    data = draw(one).encode()
    if isinstance(target, str | Path):
        with private(str(target)) as stream:
            stream.write(data)
    else:
        target.write(data)


def schema() -> dict[str, Any]:
    """JSON Schema of one line of plan events."""
    from tracelode.model.plan_schema import schema as made

    return made()


class Planning(Asking):
    """What a workspace tells of plans."""

    def plan_check(self, *sessions: str) -> PlanCheck:
        """What is off in the plans of stored sessions.

        Args:
            sessions: keys or unique beginnings; none for all.

        Returns:
            Findings, checklist and problems.

        Raises:
            QueryError: none or several sessions match.
        """
        from tracelode.plan.checks import check, loaded_from

        plans = self._plans(sessions)
        told = {p.session: self._work(p, held, whole=False) for p, held, _ in self._read(plans)}
        works = {session: work for session, work in told.items() if work is not None}
        return check(loaded_from(e for p in plans for e in p.events), works)

    def plan_metrics(
        self, *sessions: str, whole: bool | None = None, cluster: str | None = None, seed: int = 0
    ) -> PlanReport:
        """How stored sessions planned and worked.

        Args:
            sessions: keys or unique beginnings, each with its sub-agents; none for all.
            whole: read edits whole again from the archive or the sources; None: where sessions are named.
            cluster: task, project or session: what sessions are drawn by for intervals; None for the first
                of these that every session tells.
            seed: of the draws.

        Returns:
            Metrics by session and together.

        Raises:
            QueryError: none or several sessions match.
            UsageError: another cluster.

        Source:
            plan rules, sections 7 and 9.1.
        """
        from tracelode.plan.metrics import measure
        from tracelode.plan.metrics.pieces import pieces
        from tracelode.plan.metrics.pooled import report

        known = {s.key: s for s in self._catalog.sessions()}
        plans = self._plans(sessions)
        again = bool(sessions) if whole is None else whole
        found = []
        for plan, operations, stages in self._read(plans, stages=True):
            work = self._work(plan, operations, whole=again)
            bare = not any(node.epoch for node in plan.nodes) and bool(operations)
            segments = pieces(operations, stages) if bare else []
            cut = work is not None and not work.whole and any(c.writes for c in work.calls)
            notes = [WHOLE] if cut else []
            found.append(_placed(measure(plan.events, work, notes=notes, segments=segments), known))
        threads = {s.key for s in known.values() if s.key != s.root}
        made = report(found, cluster=cluster, seed=seed)
        return msgspec.structs.replace(made, subagents=sum(p.session in threads for p in plans))

    def plan_export(self, target: str | Path | IO[bytes], *sessions: str) -> int:
        """Write plan events as JSON Lines.

        Args:
            target: a path, written whole or not at all, or an open binary stream.
            sessions: keys or unique beginnings; none for all.

        Returns:
            How many events were written.

        Raises:
            QueryError: none or several sessions match.
            ExportError: the file cannot be written.
        """
        events = [e for plan in self._plans(sessions) for e in plan.events]
        if isinstance(target, str | Path):
            with private(str(target)) as stream:
                _write(events, stream)
        else:
            _write(events, target)
        return len(events)

    def _plans(self, sessions: Iterable[str]) -> list[Plan]:
        from tracelode.workspace.plans import found

        named: list[Session | None] = [self.session(key) for key in sessions]
        plans: dict[str, Plan] = {}
        for one in named or [None]:
            plans.update({plan.session: plan for plan in found(self._catalog, self._ask(), one)})
        if not plans and named:
            raise QueryError("the session holds no plan event and no word of a person")
        return list(plans.values())

    def _read(
        self, plans: Sequence[Plan], *, stages: bool = False
    ) -> Iterator[tuple[Plan, list[Operation], dict[int, str]]]:
        """Plans with the operations of their sessions, and their stages where asked for, some at a time."""
        from tracelode.store.series import series
        from tracelode.store.series import stages as staged

        for first in range(0, len(plans), AT_ONCE):
            some = plans[first : first + AT_ONCE]
            # what was recorded as plan events names its tools itself
            keys = [p.session for p in some if not _recorded(p)]
            operations = series(self._ask(), keys, outputs=False)
            names = staged(self._ask(), keys) if stages else {}
            for plan in some:
                yield plan, operations.pop(plan.session, []), names.pop(plan.session, {})

    def _work(self, plan: Plan, operations: list[Operation], *, whole: bool) -> Work | None:
        from tracelode.plan.work import work_of_operations, work_of_told

        if not operations:
            return None
        texts: dict[str, str] | None = None
        if whole:
            contents, gone = self.contents(plan.session)  # type: ignore[attr-defined]
            texts = (
                {ident: one.arguments for ident, one in contents.items()} if contents or not gone else None
            )
        told = operations[0].origin.adapter in TOLD
        return (work_of_told if told else work_of_operations)(operations, plan, texts)


def _recorded(plan: Plan) -> bool:
    return any(e.source is not None and e.source.adapter == RECORDED for e in plan.events)


def _placed(one: SessionPlan, known: Mapping[str, Session]) -> SessionPlan:
    """A measured session with what the store knows of it; of a thread, of its root."""
    own = known.get(one.session_id)
    if own is None:
        return one
    head = known.get(own.root, own)
    return msgspec.structs.replace(
        one, root=own.root if own.root != own.key else "", task=head.task or one.task,
        project=head.project, outcome=head.outcome or one.outcome,
    )  # fmt: skip


def _write(events: Iterable[PlanEvent], stream: IO[bytes]) -> None:
    encoder = msgspec.json.Encoder()
    for event in events:
        stream.write(encoder.encode(event.record()) + b"\n")
