"""Which findings are there? Code, severity, what to do, and the requirement that each answers to."""

from __future__ import annotations

from typing import NamedTuple

from tracelode.model.planning import Severity


class Code(NamedTuple):
    """One kind of finding."""

    severity: Severity
    """Where nothing else is said."""
    name: str
    """Short name, as SARIF shows it."""
    fix: str
    """What to do."""
    ref: str
    """What it answers to: R is a requirement, 11 a problem of capture, 12 an item of the checklist."""


CODES: dict[str, Code] = {
    "PT000": Code("error", "schema", "write the nine fields with the types and words of the schema", "R1"),
    "PT001": Code("error", "no plan", "record a plan event wherever the model returns a plan", "11-1"),
    "PT002": Code(
        "warning", "type never used", "record this type too, or know that it did not occur", "12-1"
    ),
    "PT010": Code("error", "broken line", "write one JSON object a line, each with one write", "12-11"),
    "PT011": Code("error", "work before plan", "record the plan before the first execute event", "11-1"),
    "PT020": Code("error", "duplicate id", "give each event an id of its own", "12-2"),
    "PT030": Code(
        "error", "broken reference", "refer to nodes of the same session, and not in a circle", "R1"
    ),
    "PT031": Code(
        "warning",
        "chain of parents",
        "write precedence into depends_on (or say --parent-as depends_on)",
        "R1",
    ),
    "PT032": Code("info", "several roots", "hang plan nodes below the goal, if there is one", "R1"),
    "PT040": Code(
        "error", "session unclear", "carry session_id on every event; link sessions of one task", "12-3"
    ),
    "PT041": Code("info", "interleaved", "group by session_id; write one file a session and writer", "11-4"),
    "PT050": Code("error", "work without node", "let the framework carry node_id into tool calls", "11-2"),
    "PT051": Code("error", "node never planned", "record a plan event for every node", "11-2"),
    "PT052": Code("warning", "work outside plan", "start a node before working on it", "R7"),
    "PT060": Code("error", "illegal transition", "record running before succeeded or failed", "12-7"),
    "PT061": Code("warning", "left running", "end every node before the session is complete", "12-7"),
    "PT062": Code("info", "failed never used", "record failures as failed, if there are any", "12-7"),
    "PT070": Code("error", "timestamp", "write UTC as 2026-01-31T12:00:00.000000Z", "11-5"),
    "PT071": Code("warning", "time goes backwards", "write events when they happen, from one clock", "11-5"),
    "PT072": Code("error", "negative duration", "use UTC on both ends of a node", "11-5"),
    "PT073": Code("warning", "clock skew", "synchronise the clocks of the writers", "11-5"),
    "PT080": Code("error", "change without difference", "write payload.diff with before and after", "12-8"),
    "PT090": Code(
        "warning", "result without summary", "write tool, input_summary and result_summary", "12-9"
    ),
    "PT100": Code("error", "secret", "redact before writing; take the secret out of use", "R13"),
    "PT110": Code(
        "warning", "nothing behind it", "look whether the work was done elsewhere, or at all", "R7"
    ),
    "PT120": Code("info", "list replaced", "read the figures of this plan with that in mind", "R4"),
    "PT130": Code("warning", "approval concluded", "record the approval where it is given", "R4"),
}
"""By code, in order."""
