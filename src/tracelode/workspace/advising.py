"""Where should people be asked, what should change in how agents plan, and what can planners be tried on?"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from tracelode.errors import UsageError
from tracelode.model.plan_bench import BenchScore
from tracelode.model.plan_policy import Policy
from tracelode.model.planning import PlanReport, SessionPlan
from tracelode.workspace.forecasting import Forecasting
from tracelode.workspace.planning import measure_files
from tracelode.workspace.writing import private

if TYPE_CHECKING:
    from tracelode.plan.bench.extract import Bench, Finished
    from tracelode.plan.policy.seen import Tally

FORMS = ("claude", "codex")
_SECOND = 1_000_000
_FEW = 5
"""Reviews or repeats from which their middle length is taken."""


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an extraction."""

    items: int
    """Written."""
    splits: dict[str, int]
    """Split to items."""
    left_out: dict[str, int]
    """Reason to sessions that are not in it."""


def policy_of_files(
    paths: Sequence[str | Path],
    *,
    form: str = "claude",
    human: float | None = None,
    rework: float | None = None,
) -> Policy:
    """Where people should be asked, by files of plan events.

    Args:
        paths: files and folders.
        form: claude or codex.
        human: seconds of a review; None for the middle of what was measured, else 30.
        rework: seconds of a mistake; None for the middle of what was measured, else 600.

    Returns:
        Proposals; nothing is applied.

    Raises:
        SourceError: a path cannot be read.
        UsageError: seconds that are none.
    """
    from tracelode.plan.policy.seen import Tally
    from tracelode.plan.read import load, stories

    tally = Tally()
    for session, events in stories(load(Path(p).expanduser() for p in paths)):
        tally.events(session, events)
    return _policy(measure_files(paths), tally, form, human, rework)


def bench_of_files(paths: Sequence[str | Path], target: str | Path) -> Made:
    """Make a benchmark of sessions in files of plan events.

    Args:
        paths: files and folders.
        target: the file to write.

    Returns:
        What was written. Pseudonyms are keyed anew each time.

    Raises:
        SourceError: a path cannot be read.
        ExportError: the file cannot be written.
    """
    from tracelode.plan.bench.extract import Finished
    from tracelode.plan.metrics import measure
    from tracelode.plan.read import load, stories

    loaded = stories(load(Path(p).expanduser() for p in paths))
    return _write(_extract([Finished(measure(e), e) for _, e in loaded], secrets.token_hex(16)), target)


def bench_score(bench: str | Path, plans: str | Path) -> BenchScore:
    """Score a planner's plans; nothing is executed.

    Args:
        bench: a benchmark that was made.
        plans: JSON Lines of id and steps.

    Raises:
        SourceError: a file cannot be read, is not what it should be, or the benchmark was changed.
        QueryError: the benchmark was made with metrics of another version.
    """
    from tracelode.plan.bench.score import read_bench, read_plans, score

    _, items = read_bench(Path(bench).expanduser())
    return score(items, read_plans(Path(plans).expanduser()))


def _extract(sessions: Sequence[Finished], key: str) -> Bench:
    from tracelode.plan.bench.extract import extract
    from tracelode.redact.fast import Redactor

    redactor = Redactor("summary")
    return extract(sessions, lambda text, most: redactor.preview(text, most), _namer(key))


def _namer(key: str) -> Callable[[str], str]:
    def name(text: str) -> str:
        return "name-" + blake2b(text.encode(), key=key.encode()[:64], digest_size=8).hexdigest()

    return name


def _write(made: Bench, target: str | Path) -> Made:
    from collections import Counter

    from tracelode.plan.bench.extract import encode

    if made.items:
        with private(str(target)) as stream:
            stream.write(encode(made))
    return Made(
        items=len(made.items), splits=dict(sorted(Counter(i.split for i in made.items).items())),
        left_out=made.left_out,
    )  # fmt: skip


def _policy(report: PlanReport, tally: Tally, form: str, human: float | None, rework: float | None) -> Policy:
    from tracelode.plan.policy.advice import proposals
    from tracelode.plan.policy.decide import HUMAN, REWORK, by_tool, decide
    from tracelode.plan.policy.snippet import snippet

    if form not in FORMS:
        raise UsageError(f"permissions are proposed for {' or '.join(FORMS)}")
    for given in (human, rework):
        if given is not None and not 0 < given < 1e9:
            raise UsageError("costs are seconds above 0")
    waits, repeats = tally.waits, tally.repeats
    told = (human is None and len(waits) >= _FEW, rework is None and len(repeats) >= _FEW)
    seconds = human if human is not None else median(waits) / _SECOND if told[0] else HUMAN
    lost = rework if rework is not None else median(repeats) / _SECOND if told[1] else REWORK
    # a wait of nothing is no cost that a bound could be held against
    seconds, lost = max(seconds, 1.0), max(lost, 1.0)
    seen = tally.seen()
    rules = decide(seen, seconds, lost)
    tools = sorted(decide(by_tool(seen), seconds, lost), key=lambda rule: -rule.seen.calls)
    text, target, notes = snippet(form, rules, tally.commands, seconds, lost)
    return Policy(
        sessions=len(tally.sessions), human_seconds=seconds, rework_seconds=lost, measured=told,
        tools=tuple(tools), rules=tuple(rules), form=form, snippet=text, target=target,
        proposals=tuple(proposals(report)),
        notes=(*notes, *_NOTES),
    )  # fmt: skip


_NOTES = (
    "a call that ran may have been approved: most agents record denials alone, so it counts as not reviewed",
    "nothing is applied; shell commands are let run only word for word, as they were seen",
)


class Advising(Forecasting):
    """Proposals from a workspace's sessions."""

    def plan_policy(
        self,
        *sessions: str,
        form: str = "claude",
        human: float | None = None,
        rework: float | None = None,
    ) -> Policy:
        """Where people should be asked, and what should change in how agents plan.

        Args:
            sessions: keys or unique beginnings, each with its sub-agents; none for all.
            form: claude or codex.
            human: seconds of a review; None for the middle of what was measured, else 30.
            rework: seconds of a mistake; None for the middle of what was measured, else 600.

        Returns:
            Proposals; nothing is applied.

        Raises:
            QueryError: none or several sessions match.
            UsageError: seconds that are none, another form.

        Source:
            plan rules, section 11.2.
        """
        from tracelode.plan.policy.seen import Tally

        tally = Tally()
        agents = {s.key: s.agent for s in self._catalog.sessions()}
        for plan, light, _ in self._read(self._plans(sessions)):
            work = self._work(plan, light, whole=False)
            if work is None:
                tally.events(plan.session, plan.events)
            else:
                operations = self._ask().operations(plan.session)
                tally.operations(plan.session, operations, plan, work, agents.get(plan.session, ""))
        return _policy(self.plan_metrics(*sessions, whole=False), tally, form, human, rework)

    def plan_bench(self, target: str | Path, *sessions: str) -> Made:
        """Make a benchmark of finished sessions.

        Args:
            target: the file to write.
            sessions: keys or unique beginnings; none for all.

        Returns:
            What was written; nothing where no session makes an item.

        Raises:
            QueryError: none or several sessions match.
            ExportError: the file cannot be written.

        Source:
            plan rules, section 11.3.
        """
        from tracelode.plan.bench.extract import Finished

        measured: dict[str, SessionPlan] = {
            one.session_id: one for one in self.plan_metrics(*sessions, whole=False).sessions
        }
        found = [Finished(measured[plan.session], plan.events) for plan in self._plans(sessions)]
        return _write(_extract(found, self._salt()), target)
