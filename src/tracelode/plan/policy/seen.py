"""What became of each tool call: reviewed and let be, stopped, or run by itself and undone later?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tracelode.model.operation import Operation
from tracelode.model.plan import Plan, PlanEvent
from tracelode.model.plan_policy import Seen
from tracelode.plan.life import Story
from tracelode.plan.metrics.people import interventions
from tracelode.plan.metrics.rework import rework
from tracelode.plan.work import Work, work_of_story
from tracelode.signals.effects import strongest, tool_class
from tracelode.signals.text import text_verb
from tracelode.signals.tools import is_shell

APPROVED = frozenset({"approve", "approve_in_new_session"})
STOPPED = frozenset({"request_changes", "reject", "deny_tool", "interrupt"})
PLAN = "plan step"
"""What stands for the tool where people review a step and no call."""
_ASKING = frozenset({"ExitPlanMode", "EnterPlanMode", "AskUserQuestion", "request_user_input"})
"""Tools that are a review themselves: events tell what came of it."""
_DONE = frozenset({"tool", "subagent", "gui"})
_WORD = re.compile(r"[\w./@+-]+")
_SUB = re.compile(r"[a-z][\w:-]*")
_PLAIN = re.compile(r"[\w ./:=@,+-]{1,120}")


@dataclass
class Row:
    """Calls of one kind on nodes of one kind."""

    effects: set[str] = field(default_factory=set)
    calls: int = 0
    approved: int = 0
    useful: int = 0
    auto: int = 0
    harmed: int = 0
    sessions: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)


class Tally:
    """What became of calls, over sessions."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self.commands: dict[tuple[str, str], list[int]] = {}
        """(shell, whole plain command) to (calls, stopped ones): only whole ones can be let run."""
        self.waits: list[int] = []
        """Microseconds that reviews took."""
        self.repeats: list[int] = []
        """Microseconds of repeated attempts."""
        self.sessions: set[str] = set()
        self.agent = ""
        """Of the session that is being taken in."""

    def operations(
        self, session: str, operations: Sequence[Operation], plan: Plan, work: Work, agent: str = ""
    ) -> None:
        """Take a stored session in.

        Args:
            session: its key.
            operations: its operations.
            plan: its plan.
            work: what was observed.
            agent: the product that ran.
        """
        self.sessions.add(session)
        self.agent = agent
        texts = {node.id: node.text for node in plan.nodes}
        undone = rework(work).undone
        for o in operations:
            if o.inherited or o.kind not in _DONE:
                continue
            tool, command = o.fields.get("tool") or o.name, o.fields.get("command") or ""
            if tool in _ASKING:
                continue
            spans = work.inside(o.index)
            node = node_class(texts.get(spans[0].node, "")) if spans else ""
            row = self._row(session, node, tool, command)
            stopped = o.status == "interrupted" or (o.status == "denied" and "human" in o.fields)
            if stopped:
                row.useful += 1
            elif o.status != "denied":
                row.auto += 1
                row.harmed += o.index in undone
            self._command(tool, command, stopped)
        for started, ended in work.waits or ():
            self.waits.append(ended - started)
        story = Story(plan.events)
        self._reviews(session, story, work, frozenset({"deny_tool", "interrupt"}))
        self._repeated(story)

    def events(self, session: str, events: Sequence[PlanEvent]) -> None:
        """Take a session of plan events in.

        Args:
            session: its key.
            events: in order.
        """
        self.sessions.add(session)
        self.agent = ""
        story = Story(events)
        work = work_of_story(story)
        undone = rework(work).undone if work is not None else frozenset()
        texts = {node.id: node.text for node in story.nodes.values()}
        for call in work.calls if work is not None else ():
            payload = story.events[call.place].payload
            told = payload.get("input_summary")
            command = told if isinstance(told, str) else ""
            row = self._row(session, node_class(texts.get(call.node, "")), str(payload["tool"]), command)
            row.auto += 1
            row.harmed += call.place in undone
            self._command(str(payload["tool"]), command, False)
        self._reviews(session, story, work, frozenset())
        self._repeated(story)

    def _row(self, session: str, node: str, tool: str, command: str = "") -> Row:
        row = self.rows.setdefault((node, tool_key(tool, command)), Row())
        row.effects.add(tool_class(tool, command) or "unknown")
        row.calls += 1
        row.sessions.add(session)
        row.agents.update(filter(None, [self.agent]))
        return row

    def _command(self, tool: str, command: str, stopped: bool) -> None:
        if is_shell(tool) and _PLAIN.fullmatch(command):
            counts = self.commands.setdefault((tool, command.strip()), [0, 0])
            counts[0] += 1
            counts[1] += stopped

    def _reviews(self, session: str, story: Story, work: Work | None, known: frozenset[str]) -> None:
        """Reviews of people on nodes; those that calls told already are passed over."""
        payloads = {event.event_id: event.payload for event in story.events}
        for one in interventions(story, work):
            if one.decision in known or one.decision not in APPROVED | STOPPED:
                continue
            told = payloads[one.event_id].get("tool")
            named = isinstance(told, str) and told not in _ASKING
            node = story.nodes[one.node_id]
            kind = tool_key(str(told)) if named else PLAN
            row = self.rows.setdefault((node_class("" if node.goal else node.text), kind), Row())
            row.calls += 1
            row.effects.add(tool_class(str(told)) or "unknown" if named else "read")
            row.sessions.add(session)
            row.agents.update(filter(None, [self.agent]))
            if one.decision in APPROVED:
                row.approved += 1
            else:
                row.useful += 1

    def _repeated(self, story: Story) -> None:
        for node in story.nodes.values():
            self.repeats += [t.span for t in node.tries[1:] if t.span]

    def seen(self) -> list[Seen]:
        """The rows, those with the most calls first."""
        return [
            Seen(
                node=node, tool=tool, effect=strongest(row.effects), calls=row.calls, approved=row.approved,
                useful=row.useful, auto=row.auto, harmed=row.harmed, sessions=len(row.sessions),
                agents=tuple(sorted(row.agents)),
            )
            for (node, tool), row in sorted(
                self.rows.items(), key=lambda item: (-item[1].calls, item[0])
            )
        ]  # fmt: skip


def node_class(text: str) -> str:
    """Closed verb of a node's text, "work" where it leads with none, "" for no text."""
    return (text_verb(text) or "work") if text else ""


def tool_key(tool: str, command: str = "") -> str:
    """What calls of one kind share.

    Args:
        tool: its name.
        command: of a shell.

    Example:
        >>> tool_key("Bash", "git push origin main"), tool_key("Bash", "rm -r x"), tool_key("Read")
        ('Bash(git push)', 'Bash(rm)', 'Read')
    """
    if not is_shell(tool) or not command.strip():
        return tool
    words = command.split()
    if not _WORD.fullmatch(words[0]) or any(sign in command for sign in (";", "&", "|", "$", "`", "\n")):
        return f"{tool}(...)"
    if len(words) > 1 and words[0] in SUBCOMMANDS and _SUB.fullmatch(words[1]):
        return f"{tool}({words[0]} {words[1]})"
    return f"{tool}({words[0]})"


SUBCOMMANDS = frozenset({
    "git", "gh", "npm", "pnpm", "yarn", "cargo", "go", "docker", "kubectl", "helm", "terraform", "pip", "uv",
    "poetry", "make", "aws", "gcloud", "az", "systemctl", "brew", "apt", "apt-get", "mvn", "gradle",
})  # fmt: skip
"""Programs whose second word says what they do."""
