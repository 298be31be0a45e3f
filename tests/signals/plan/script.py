"""How does a case file say what people and agents did, and what events must come of it?

Above the line `=>` stands a script, below it the events and nodes that it must give. A script line is one
operation, a minute after the one before; lines that end in a colon change where the next ones happen:

    s1:                     thread s1
    s1/a2 of s1 by call7:   sub-agent a2 of s1, started by operation call7
    team red:               calls from here on work on the list of a team; "team -:" ends that
    human fix the login     a prompt; also steer, task (a sub-agent's), program
    todo [x] a | [>] b      a list that is rewritten whole; [word] is any status, [ ] none started
    plan [ ] a | [ ] b      the same by a tool with other words
    create a -> 5           one task, and the id that the result gives; "-> !" for a call that failed
    update 5 in_progress    a change; also subject=..., after=1,2, before=3; "!" at the end: it failed
    propose text -> result  a plan shown to a person; result: approved, said ..., because ..., stop
    enter                   plan mode begins
    answer text             a model's words
    read a.py               a tool call (run: a shell line); deny x -> said ...: one that a person refused
    ask -> yes              a question and its answer
    interrupt, compact      as they say
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from tracelode.model.operation import Operation, Origin
from tracelode.model.plan import Plan
from tracelode.signals.enrich import enrich
from tracelode.signals.plan.keep import enrich_plan
from tracelode.signals.plan.lanes import Lane

CASES = Path(__file__).parent / "cases"
MINUTE = 60_000_000
START = 1_790_000_000_000_000
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
_LANE = re.compile(r"(\S+?)(?: of (\S+))?(?: by (\S+))?:")
_MARKS = {" ": "pending", ">": "in_progress", "x": "completed"}
_ITEM = re.compile(r"\[([^\]]*)\]\s*(.*)")
_RESULTS = {
    "approved": "User has approved your plan. You can now start coding.",
    "stop": f"{REFUSED} STOP what you are doing and wait for the user to tell you how to proceed.",
}
_WORDS = {
    "said": f"{REFUSED} To tell you how to proceed, the user said:\n",
    "because": f"{REFUSED} The user provided the following reason for the rejection:  ",
}


def start(text: str, count: int) -> str:
    """The redactor's start(), of a text without secrets."""
    return text[:count]


class Script:
    """Reads script lines into threads.

    Args:
        shows: what the redactor's text() does: str, or nothing is shown.
    """

    def __init__(self, shows: Any = str) -> None:
        self.shows = shows
        self.threads: dict[str, list[Operation]] = {}
        self.about: dict[str, tuple[str, str | None]] = {}
        self.session = "s1"
        self.team = ""
        self.now = START

    def lanes(self, text: str) -> list[Lane]:
        """The threads of a script."""
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                self._line(line.strip())
        return [Lane(key, ops, *self.about.get(key, (key, None))) for key, ops in self.threads.items()]

    def _line(self, line: str) -> None:
        if line.startswith("team ") and line.endswith(":"):
            self.team = line[5:-1].replace("-", "")
            return
        match = _LANE.fullmatch(line)
        if match:
            self.session = match[1]
            self.about[match[1]] = (match[2] or match[1], match[3])
            return
        word, _, rest = line.partition(" ")
        self.now += MINUTE
        getattr(self, f"_{word}", self._tool_line)(*([rest] if hasattr(self, f"_{word}") else [word, rest]))

    def _add(self, kind: str, name: str, **more: Any) -> None:
        thread = self.threads.setdefault(self.session, [])
        fields = {**more.pop("fields", {}), **({"tool": name} if kind in ("plan", "tool") else {})}
        if self.team and kind == "plan":
            fields["team"] = self.team
        given = more.pop("given", None)
        arguments = more.get("arguments", "") if given is None else msgspec.json.encode(given).decode()
        output = more.get("output", "")
        enrich_plan(fields, kind, start, self.shows, arguments, output)
        enrich(fields, kind=kind, status=more.get("status", "ok"))
        values = {"actor": "agent", "status": "ok", "started": self.now, "ended": self.now + MINUTE // 2}
        values |= more | {"arguments": self.shows(arguments), "output": self.shows(output), "fields": fields}
        number = len(thread)
        thread.append(
            Operation(
                session=self.session,
                index=number,
                id=f"{self.session}.{number}",
                kind=kind,  # type: ignore[arg-type]
                name=name,
                origin=Origin("test", "case", number + 1),
                **values,
            )
        )

    # people -------------------------------------------------------------------------------------

    def _human(self, text: str) -> None:
        self._add("prompt", "prompt", actor="human", arguments=_plain(text), fields={"human": "prompt"})

    def _steer(self, text: str) -> None:
        self._add("prompt", "steer", actor="human", arguments=text, fields={"human": "steer"})

    def _task(self, text: str) -> None:
        self._add("prompt", "task prompt", arguments=text)

    def _program(self, text: str) -> None:
        self._add("prompt", "prompt", actor="system", arguments=text, fields={"automated": "1"})

    def _interrupt(self, _: str) -> None:
        self._add("note", "interrupt", actor="human", status="interrupted", fields={"human": "interrupt"})

    def _compact(self, _: str) -> None:
        self._add("note", "compaction", actor="system")
        self._add("note", "compaction summary", actor="system")

    def _deny(self, text: str) -> None:
        tool, _, words = text.partition(" -> ")
        self._add("tool", tool, status="denied", output=_result(words), fields={"human": "denial"})

    def _ask(self, text: str) -> None:
        answer = text.partition("-> ")[2]
        self._add("tool", "AskUserQuestion", output=answer, fields={"human": "answer"})

    # tools --------------------------------------------------------------------------------------

    def _tool_line(self, word: str, rest: str) -> None:
        name, field = ("Bash", "command") if word == "run" else (word.capitalize(), "path")
        self._add("tool", name, fields={field: rest} if rest else {})

    def _todo(self, text: str) -> None:
        todos = [{"content": item, "status": status, "activeForm": item} for status, item in _items(text)]
        self._add("plan", "TodoWrite", given={"todos": todos})

    def _plan(self, text: str) -> None:
        steps = [{"step": item, "status": status} for status, item in _items(text)]
        self._add("plan", "update_plan", given={"plan": steps, "explanation": "as it stands"})

    def _create(self, text: str) -> None:
        subject, _, ident = text.partition(" -> ")
        good = ident != "!"
        output = f"Task #{ident} created successfully: {subject}" if good and ident else ""
        given = {"subject": subject, "description": "in full", "activeForm": subject}
        self._add("plan", "TaskCreate", given=given, output=output, status="ok" if good else "error")

    def _update(self, text: str) -> None:
        ident, *words = re.split(r" (?=\w+=|!$)", text, maxsplit=1 if "subject=" in text else 0)
        ident, _, status = ident.partition(" ")
        words = [status, *words] if status else words
        given: dict[str, Any] = {"taskId": ident}
        names = {"after": "addBlockedBy", "before": "addBlocks"}
        for word in words:
            key, _, value = word.partition("=")
            if key in names:
                given[names[key]] = value.split(",")
            elif value:
                given[key] = value
            elif word != "!":
                given["status"] = word
        self._add("plan", "TaskUpdate", given=given, status="error" if words[-1:] == ["!"] else "ok")

    def _propose(self, text: str) -> None:
        plan, _, words = text.partition(" -> ")
        status = {"approved": "ok", "": "unknown"}.get(words, "denied")
        human = {"human": "answer" if status == "ok" else "denial"} if words else {}
        self._add(
            "plan", "ExitPlanMode", given={"plan": _plain(plan)}, output=_result(words), status=status,
            fields=human,
        )  # fmt: skip

    def _answer(self, text: str) -> None:
        self._add("model", "a-model", output=_plain(text))

    def _enter(self, _: str) -> None:
        self._add("plan", "EnterPlanMode", given={}, output="Entered plan mode.")


def _plain(text: str) -> str:
    return text.replace("\\n", "\n")


def _result(words: str) -> str:
    first, _, rest = words.partition(" ")
    return _WORDS[first] + rest if first in _WORDS else _RESULTS.get(words, words)


def _items(text: str) -> list[tuple[str, str]]:
    found = []
    for part in text.split("|") if text.strip() else []:
        match = _ITEM.fullmatch(part.strip())
        assert match, part
        found.append((_MARKS.get(match[1], match[1]), match[2]))
    return found


def shown(plans: list[Plan]) -> str:
    """Events and nodes as case files write them."""
    lines = []
    for plan in plans:
        lines.append(f"{plan.session}:")
        for event in plan.events:
            words = [event.actor, event.event_type, event.status, event.node_id]
            what = event.payload.get("op") or event.payload.get("decision")
            words += [what] if what else []
            if event.evidence not in ("declared", "human"):
                words.append(f"({event.evidence})")
            skipped = ("op", "decision", "tool", "description", "plan_hash", "plan_epoch")
            for key, value in event.payload.items():
                if key == "diff":
                    words.append(f"{_flat(value['before'])} -> {_flat(value['after'])}")
                elif key not in skipped and (key, value) != ("attempt", 1):
                    words.append(f"{key}={value}")
            lines.append("  " + " ".join(words))
        for node in plan.nodes:
            if node.id == "goal":
                continue
            marks = [f"{node.id} {node.text or '-'}:", "removed" if node.removed else node.status]
            if node.evidence != "declared":
                marks.append(f"({node.evidence})")
            marks += [
                f"{'implied' if a.implied else a.end}@{a.start}-{'' if a.stop is None else a.stop}"
                for a in node.attempts
            ]
            lines.append("  * " + " ".join(marks))
    return "\n".join(lines) + "\n"


def _flat(value: Any) -> str:
    return "[" + " ".join(value) + "]" if isinstance(value, list) else f"'{value}'"


def cases() -> list[tuple[str, str, str]]:
    """(name, script, expected) of every case file."""
    found = []
    for path in sorted(CASES.glob("*.txt")):
        script, _, expected = path.read_text(encoding="utf-8").partition("\n=>\n")
        found.append((path.stem, script, expected))
    return found
