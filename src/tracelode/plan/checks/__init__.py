"""Is the record of plans fit to be measured? All findings, the capture checklist and the five problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tracelode.model.plan import PlanEvent
from tracelode.model.planning import SEVERITIES, PlanCheck, PlanFinding, Severity
from tracelode.plan.checks.across import finding, ids, lines, mixed, secrets, tasks
from tracelode.plan.checks.checklist import checklist, troubles
from tracelode.plan.checks.derived import ABSENT, not_told
from tracelode.plan.checks.origins import adapters
from tracelode.plan.checks.session import hits
from tracelode.plan.life import Story
from tracelode.plan.read import Loaded, Placed
from tracelode.plan.sequence import ordered
from tracelode.plan.work import Work, work_of_story


def check(
    loaded: Loaded, works: Mapping[str, Work] | None = None, *, chained: bool | None = None
) -> PlanCheck:
    """Everything that is off in some events.

    Args:
        loaded: what files hold, or loaded_from() of other events.
        works: session to what was observed of it beside the events.
        chained: take parents as what must be finished first: then a chain of them is no finding.

    Returns:
        Findings by session and code, with the checklist and the problems.

    Source:
        plan rules, section 8.
    """
    found: list[PlanFinding] = [*lines(loaded), *ids(loaded), *tasks(loaded), *mixed(loaded)]
    stories: list[Story] = []
    for session in sorted(loaded.sessions):
        rows = loaded.sessions[session]
        story = Story(ordered(row.event for row in rows), chained)
        stories.append(story)
        work = (works or {}).get(session) or work_of_story(story)
        found += _session(story, rows, work, told=chained is True)
    derived = [story for story in stories if adapters(story.events)]
    if derived:
        found += not_told(derived)
    found.sort(key=lambda f: (f.session_id, f.code, SEVERITIES.index(f.severity), f.message))
    return PlanCheck(
        sessions=len(loaded.sessions),
        events=sum(len(rows) for rows in loaded.sessions.values()),
        unusable=loaded.unusable,
        duplicates=len(loaded.copies),
        findings=tuple(found),
        checklist=checklist(loaded, stories, found),
        troubles=troubles(found, {story.session for story in derived}),
    )


def _session(story: Story, rows: list[Placed], work: Work | None, *, told: bool) -> Iterator[PlanFinding]:
    places = {row.event.event_id: (row.event.event_id, row.path, row.line or None) for row in rows}
    native = bool(adapters(story.events))
    for hit in hits(story, [row.event for row in rows], work):
        if (hit.code == "PT031" and told) or (native and hit.code in ABSENT):
            continue
        # logs are written late in parts: a small step back is no fault of theirs
        severity: Severity | None = "info" if native and hit.code == "PT071" else hit.severity
        where = [places[e.event_id] for e in hit.events if e.event_id in places]
        yield finding(hit.code, hit.message, story.session, where, hit.of, severity, hit.number)
    yield from secrets(((row.event, row.path, row.line or None) for row in rows), story.session)


def loaded_from(events: Iterable[PlanEvent]) -> Loaded:
    """Events that were read elsewhere, as files would hold them.

    Args:
        events: n events, each with where it was read.
    """
    loaded = Loaded()
    for event in events:
        at = event.source
        placed = Placed(event, at.path if at is not None else "", at.line if at is not None else 0)
        loaded.sessions.setdefault(event.session_id, []).append(placed)
    return loaded


def worst(found: PlanCheck, limit: str) -> bool:
    """Is there a finding at or above a limit?

    Args:
        found: a check.
        limit: error, warning or info.
    """
    most = SEVERITIES.index(limit)
    return any(SEVERITIES.index(f.severity) <= most for f in found.findings)
