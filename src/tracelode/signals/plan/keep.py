"""What of a plan tool's arguments and result must be kept at import, while they are whole?"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, TypeAlias

import msgspec

from tracelode.model.operation import Operation
from tracelode.signals.lexicon import load
from tracelode.signals.listdiff import normal
from tracelode.signals.plan.document import parts_of, proposed_in
from tracelode.signals.plan.kept import FIELD, Item, Kept, packed, unpacked
from tracelode.signals.plan.status import CLOSED, USUAL, closed
from tracelode.signals.plan.told import event_again
from tracelode.signals.text import text_verb

Start: TypeAlias = Callable[[str, int], str]
"""Gives the first characters of a redacted text, in every mode."""
Text: TypeAlias = Callable[[str], str]
"""Gives a redacted text; "" where texts are not kept."""

TEXT = 120
"""Characters kept of an item."""
COMPARED = 2_000
"""Characters of an item or a plan that its digest is made of."""
REASON = 300
"""Characters kept of a person's words."""
ITEMS = 200
"""Items kept of a list."""
PLAN = 200
"""Characters of a plan's normal form that tell it from another."""
HANDOFF = "Implement the following plan:"
"""Begins a prompt that brings a plan from another session."""
APPROVING = ("Implement the plan", "Implement this plan")
"""Begin what a client sends for a person who approves a plan that an answer proposed."""
_TAIL = "\n\nIf you need specific details from before exiting plan mode"
"""Begins what the program adds behind the plan."""

_ID = 40
_KNOWN = frozenset({"list", "create", "change", "propose", "enter", "handoff", "accept", "event"})
_HEX = re.compile(r"[0-9a-f]{0,16}")
_FORMS = {
    "taskcreate": "create",
    "taskupdate": "change",
    "exitplanmode": "propose",
    "enterplanmode": "enter",
}
_LISTS = ("todos", "plan", "task_list", "items", "entries", "tasks")
_TEXTS = ("content", "step", "subject", "description", "title", "text", "task", "name")
_STATES = ("status", "state")
_DONE = ("completed", "done")
_IDS = ("taskId", "task_id", "id")
_NUMBERED = re.compile(r"\s*Task #?(\S{1,40}) created")
_SAID = re.compile(
    r"(?:the user said:|reason for the rejection:|with the following feedback:)\s*(.*)", re.DOTALL
)


def keep(tool: str, arguments: str, start: Start, text: Text) -> str:
    """What is kept of a plan tool's arguments.

    Args:
        tool: tool name as the source names it.
        arguments: its whole input, JSON.
        start: the redactor's start().
        text: the redactor's text().

    Returns:
        Text of the field `plan`; "" where the call says nothing of a plan.
    """
    form = _FORMS.get(tool.lower().replace("_", ""), "")
    if form == "enter":
        return packed(Kept("enter"))
    try:
        given = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        given = None
    if form == "propose":
        plan = given.get("plan") if isinstance(given, dict) else None
        return packed(_document("propose", plan if isinstance(plan, str) else "", start, text))
    if not isinstance(given, dict):
        return ""
    if form:
        item = _item(given, start, text, ("subject", "description") if form == "create" else ("subject",))
        return packed(Kept(form, (item,))) if item is not None else ""
    rows = next((given[key] for key in _LISTS if isinstance(given.get(key), list)), None)
    if rows is None:
        return ""
    items = tuple(item for row in rows[:ITEMS] if (item := _item(row, start, text, _TEXTS)) is not None)
    name = given.get("plan_id")
    several = start(name, _ID) if isinstance(name, str) else ""
    return packed(Kept("list", items, left=max(0, len(rows) - ITEMS), list=several))


def _item(row: Any, start: Start, text: Text, names: tuple[str, ...]) -> Item | None:
    if isinstance(row, str):
        row = {names[0]: row}
    if not isinstance(row, dict):
        return None
    word = next((row[key] for key in _STATES if isinstance(row.get(key), str)), "")
    if not word:
        word = next(("completed" if row[key] else "pending" for key in _DONE if key in row), "")
    wording = next((row[key] for key in names if isinstance(row.get(key), str) and row[key].strip()), "")
    ident = next((str(row[key]) for key in _IDS if isinstance(row.get(key), str | int)), "")
    status = closed(word) if word else ""
    known = start(wording, COMPARED) if wording else ""
    shown = text(known[:TEXT])
    return Item(
        status=status,
        text=shown,
        digest=_digest(normal(known), 6) if known else "",
        verb="" if shown or not known else text_verb(known[:TEXT]) or "",
        id=start(ident, _ID),
        native="" if word in USUAL else text(start(word, _ID)),
        after=_names(row.get("addBlockedBy"), start),
        before=_names(row.get("addBlocks"), start),
    )


def _names(given: Any, start: Start) -> tuple[str, ...]:
    if not isinstance(given, list):
        return ()
    return tuple(start(str(name), _ID) for name in given[:ITEMS] if isinstance(name, str | int))


def _digest(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).hexdigest()


def plan_hash(plan: str, start: Start) -> str:
    """What equal plan documents share.

    Args:
        plan: the document.
        start: the redactor's start().

    Returns:
        16 hex digits; "" for an empty one.

    Source:
        plan rules, H3: the normal form's first 200 characters.
    """
    form = normal(start(plan, COMPARED))[:PLAN]
    return _digest(form, 8) if form else ""


def _document(form: str, plan: str, start: Start, text: Text) -> Kept:
    """A plan document: what tells it from others, and its steps with the heading that each stands under."""
    steps = parts_of(plan) if plan else []
    items = []
    for part in steps:
        known = start(part.text, TEXT)
        shown = text(known)
        verb = "" if shown else text_verb(known) or ""
        items.append(Item(text=shown, verb=verb, after=(str(part.above),) if part.above >= 0 else ()))
    return Kept(form, tuple(items), hash=plan_hash(plan, start) if plan else "")


def keep_handoff(prompt: str, start: Start, text: Text) -> str:
    """What is kept of a prompt that brings a plan along, or approves one.

    Args:
        prompt: the whole prompt.
        start: the redactor's start().
        text: the redactor's text().

    Returns:
        Text of the field `plan`; "" for any other prompt.
    """
    lead = prompt.lstrip()
    if lead.startswith(APPROVING):
        return packed(Kept("accept"))
    if not lead.startswith(HANDOFF):
        return ""
    plan = lead[len(HANDOFF) :].partition(_TAIL)[0]
    return packed(_document("handoff", plan.strip(), start, text))


def answered(field: str, result: str, start: Start, text: Text) -> str:
    """What a plan tool's result adds: the id it gave, or a person's word on a plan.

    Args:
        field: what keep() gave for the call.
        result: the whole result.
        start: the redactor's start().
        text: the redactor's text().

    Returns:
        Text of the field `plan`.
    """
    kept = unpacked(field)
    if kept.form == "create":
        match = _NUMBERED.match(result)
        if match is not None and not kept.items[0].id:
            item = msgspec.structs.replace(kept.items[0], id=start(match[1], _ID))
            return packed(msgspec.structs.replace(kept, items=(item,)))
    elif kept.form == "propose":
        words = outcome(result)
        reason = text(start(reason_in(result), REASON)) if words == "changes" else ""
        return packed(msgspec.structs.replace(kept, outcome=words, reason=reason))
    return field


def outcome(result: str) -> str:
    """What a person said to a proposed plan.

    Args:
        result: the tool's result.

    Returns:
        approve, changes, stop, or "" where the result tells none of them.

    Source:
        plan rules, H1 to H3.
    """
    if result.lstrip().startswith("User has approved"):
        return "approve"
    if _SAID.search(result):
        return "changes"
    return "stop" if "STOP what you are doing" in result else ""


def reason_in(result: str) -> str:
    """A person's own words in the result of a refused call.

    Args:
        result: the tool's result, may be a preview.

    Returns:
        Their words; "" for none.

    Example:
        >>> reason_in("It was rejected. To tell you how to proceed, the user said:\\nuse the other branch")
        'use the other branch'
    """
    match = _SAID.search(result)
    return match[1].strip() if match else ""


def keep_again(field: str, start: Start, text: Text) -> str:
    """What is kept of a field `plan` that comes from outside, such as the export of another store.

    Args:
        field: text that claims to be one.
        start: the redactor's start().
        text: the redactor's text().

    Returns:
        Text of the field: closed words are checked, digests are digits, and all else passes the
        redactor once more; "" for anything else.
    """
    given = unpacked(field)
    if given.form not in _KNOWN:
        return ""
    if given.form == "event":
        return packed(Kept("event", event=event_again(given.event, start, text)))
    items = tuple(_item_again(item, start, text) for item in given.items[:ITEMS])
    return packed(
        Kept(
            given.form,
            items,
            hash=given.hash if _HEX.fullmatch(given.hash) else "",
            outcome=given.outcome if given.outcome in ("approve", "changes", "stop") else "",
            reason=text(start(given.reason, REASON)) if given.reason else "",
            left=max(0, given.left),
            list=start(given.list, _ID) if given.list else "",
        )
    )


def _item_again(item: Item, start: Start, text: Text) -> Item:
    known = start(item.text, TEXT) if item.text else ""
    shown = text(known)
    verb = "" if shown else text_verb(known) or item.verb
    return Item(
        status=item.status if item.status in CLOSED else "",
        text=shown,
        digest=item.digest if _HEX.fullmatch(item.digest) else "",
        verb=verb if verb in load().verbs else "",
        id=start(item.id, _ID),
        native=text(start(item.native, _ID)) if item.native else "",
        after=tuple(start(name, _ID) for name in item.after[:ITEMS]),
        before=tuple(start(name, _ID) for name in item.before[:ITEMS]),
    )


def kept_of(operation: Operation) -> Kept:
    """What is kept of a stored operation.

    Args:
        operation: its texts have passed the redactor.

    Returns:
        The call; form "" where it has nothing to do with a plan. Without the field it is read from the
        previews, as far as they are whole.
    """
    field = operation.fields.get(FIELD)
    if field is not None:
        return unpacked(field)
    if operation.kind != "plan" or not operation.arguments:
        return Kept()
    tool = operation.fields.get("tool") or operation.name
    field = keep(tool, operation.arguments, _start, str)
    return unpacked(answered(field, operation.output, _start, str) if operation.output else field)


def _start(text: str, count: int) -> str:
    return text[:count]


def enrich_plan(
    fields: dict[str, str], kind: str, start: Start, text: Text, arguments: str = "", result: str = ""
) -> None:
    """Add to the fields of an operation what plans need of its whole texts, in place.

    Args:
        fields: fields of the operation; tool is read.
        kind: kind of the operation; others than plan and prompt are left alone, and model calls that
            propose no plan.
        start: the redactor's start().
        text: the redactor's text().
        arguments: whole input, "" where it is not at hand; the first one given is kept.
        result: whole result, "" where it is not at hand.
    """
    if kind == "plan":
        field = fields.get(FIELD, "")
        if not field and arguments:
            field = keep(fields.get("tool", ""), arguments, start, text)
        if field and result:
            field = answered(field, result, start, text)
    elif kind == "prompt" and arguments:
        field = fields.get(FIELD) or keep_handoff(arguments, start, text)
    elif kind == "model" and (plan := proposed_in(result)):
        field = fields.get(FIELD) or packed(_document("propose", plan, start, text))
    else:
        return
    if field:
        fields[FIELD] = field
