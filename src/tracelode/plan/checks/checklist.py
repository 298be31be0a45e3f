"""Does the capture pass its checklist? Ten items in eleven checks, and the symptoms of five problems."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import structs

from tracelode.model.plan import STATUSES, PlanEvent
from tracelode.model.planning import ChecklistItem, PlanFinding, Trouble
from tracelode.plan.checks.origins import adapters
from tracelode.plan.checks.session import changes_of, has_difference, results_of
from tracelode.plan.life import Story
from tracelode.plan.read import Loaded


def checklist(
    loaded: Loaded, stories: Sequence[Story], findings: Sequence[PlanFinding]
) -> tuple[ChecklistItem, ...]:
    """The eleven checks.

    Args:
        loaded: what was read.
        stories: its sessions.
        findings: what is off.

    Returns:
        In the order of the list. An item that no event could keep or break is open.

    Source:
        plan rules, R12 and section 8.
    """
    events = [e for story in stories for e in story.events]
    # what is no object has no field that it could lack
    total = len(events) + loaded.unusable - sum(f.fault.code == "PT010" for f in loaded.faults)
    recorded = [story for story in stories if not adapters(story.events)]
    types = {e.event_type for story in recorded for e in story.events}
    statuses = {e.status for e in events}
    executes = [e for e in events if e.event_type == "execute"]
    plans = [e for e in events if e.event_type == "plan"]
    planned = {(e.session_id, e.node_id) for e in plans}
    made = {e.node_id for e in plans}
    changes = [e for story in stories for e in changes_of(story)]
    ends = [e for story in recorded for e in results_of(story)]
    told = [e for e in ends if e.payload.get("tool") and e.payload.get("result_summary")]
    lines = {(f.path, f.fault.line) for f in loaded.faults if f.fault.code == "PT010"}
    missing = set(STATUSES["review"]) - statuses
    return (
        _told(_item(1, "the five event types are told apart", len(types), 5 if recorded else 0), stories),
        _item(2, "every event_id is its own", len(events) - len(loaded.clashes), len(events)),
        _item(3, "session_id on all events, one a task", max(0, total - _count(findings, "PT040")), total),
        _item(4, "every plan event has a node_id", sum(1 for e in plans if e.node_id), len(plans)),
        _item(
            4,
            "every execute event names a planned node",
            sum(1 for e in executes if _planned(e, planned, made)),
            len(executes),
        ),
        _item(5, "the actor is recorded", total - _faults(loaded, "actor"), total),
        _item(6, "timestamps are UTC of fixed precision", total - _faults(loaded, "timestamp"), total),
        ChecklistItem(
            item=7,
            text="the five statuses are used",
            good=len(statuses),
            of=5,
            # that nothing failed may be true
            passed=None if not events or missing == {"failed"} else not missing,
        ),
        _item(8, "changes carry before and after", sum(map(has_difference, changes)), len(changes)),
        _told(_item(9, "results carry tool, input and result summary", len(told), len(ends)), stories),
        _item(10, "one JSON object a line", max(0, loaded.lines - len(lines)), loaded.lines),
    )


def _planned(event: PlanEvent, planned: Collection[tuple[str, str]], made: Collection[str]) -> bool:
    """Is a node planned here, or by the thread whose list or past it is?"""
    if (event.session_id, event.node_id) in planned or ":" in event.node_id:
        return True
    return bool(adapters((event,))) and event.node_id in made


def _told(item: ChecklistItem, stories: Sequence[Story]) -> ChecklistItem:
    """An item that no event could keep, with the sources that do not record what it asks for."""
    if item.passed is not None:
        return item
    names = sorted({name for story in stories for name in adapters(story.events)})
    return structs.replace(item, note=f"not recorded by {', '.join(names)}" if names else "")


def _item(number: int, text: str, good: int, of: int) -> ChecklistItem:
    return ChecklistItem(item=number, text=text, passed=good >= of if of else None, good=good, of=of)


def _count(findings: Sequence[PlanFinding], *codes: str) -> int:
    return sum(f.count for f in findings if f.code in codes)


def _faults(loaded: Loaded, field: str) -> int:
    """Events with something off in a field."""
    return len({(f.path, f.fault.line) for f in loaded.faults if f.fault.message.startswith(field)})


def troubles(findings: Sequence[PlanFinding], derived: Collection[str] = ()) -> tuple[Trouble, ...]:
    """The five problems of capture, each with its symptom, cause and remedy.

    Args:
        findings: what is off.
        derived: sessions that were derived from agents' logs: that work lies outside of their plans is no
            fault of the record.

    Source:
        plan rules, R11.
    """
    findings = [f for f in findings if f.code != "PT052" or f.session_id not in derived]
    return tuple(
        Trouble(
            name=name,
            seen=bool(_serious(findings, codes)),
            symptom=_symptom(findings, codes),
            cause=cause,
            remedy=remedy,
        )
        for name, codes, cause, remedy in _TROUBLES
    )


def _serious(findings: Sequence[PlanFinding], codes: tuple[str, ...]) -> list[PlanFinding]:
    return [f for f in findings if f.code in codes and f.severity != "info"]


def _symptom(findings: Sequence[PlanFinding], codes: tuple[str, ...]) -> str:
    counts = [(code, _count(_serious(findings, codes), code)) for code in codes]
    return ", ".join(f"{code} {count:,}" for code, count in counts if count)


_TROUBLES: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    (
        "plan events missing",
        ("PT001", "PT011"),
        "only tool calls are recorded, not what the model plans",
        "record a plan wherever the model returns one, before the first execute event",
    ),
    (
        "work cannot be joined to nodes",
        ("PT050", "PT051", "PT052"),
        "node_id does not reach the tool calls",
        "give every step an id and let the framework, not each tool, carry it",
    ),
    (
        "no access to reasoning",
        ("PT080", "PT090"),
        "the model's reasoning is not returned",
        "it is not needed: record plan JSON, summaries of inputs and results, and before and after",
    ),
    (
        "sessions or agents mixed",
        ("PT010", "PT020", "PT040", "PT041"),
        "one recorder for all, or no session_id on some events",
        "hold the session in a context variable; append whole lines; one file a session and writer",
    ),
    (
        "moments do not fit",
        ("PT070", "PT071", "PT072", "PT073"),
        "local times, or clocks that differ",
        "write UTC of fixed precision; convert only for display",
    ),
)
"""Name, codes that are its symptoms, usual cause, remedy."""
