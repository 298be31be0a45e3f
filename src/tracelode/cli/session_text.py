"""How is a session printed? A head, its segments, and below each a line per operation with its file line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tracelode.cli.keys import short_keys
from tracelode.cli.outline_text import BLANK, Outline, human, said, subject, tokens
from tracelode.cli.screen import Screen
from tracelode.cli.table import Cell, Column, Flex, Styled
from tracelode.cli.text import clean, cut_path, home, moment, number, rough
from tracelode.model.priced import money_text
from tracelode.model.query import Query
from tracelode.model.words import UNKNOWN, count

if TYPE_CHECKING:
    from tracelode.model.operation import Operation
    from tracelode.model.session import Session
    from tracelode.workspace import Workspace

_STYLES = {"error": "red", "nonzero": "red", "denied": "yellow", "interrupted": "yellow", "running": "cyan"}
_SHORT = {"interrupted": "stopped", "unknown": ""}
_TIMES = ("model", "tool", "blocked", "idle", "unknown")
EFFECTS = "effects"
"""Role of a session that tells what ran below the tool calls of an agent, and is none."""
_WIDE = 100
"""From this width on a line also says what the operation was on."""
_COLUMNS = (
    Column("#", right=True),
    Column("time", rank=3),
    Column("what", least=18),
    Column("status", rank=4),
    Column("tokens", right=True, rank=5),
    Column("cost", right=True, rank=1),
    Column("took", right=True, rank=6),
    Column("line"),
)
_ON = Column("on", rank=7)


class SessionText:
    """Prints sessions of one workspace."""

    def __init__(self, workspace: Workspace, everything: list[Session]) -> None:
        """Hold what lines refer to.

        Args:
            workspace: for the zone and for sub-agents' operations.
            everything: all sessions, for short names.
        """
        self._workspace, self._tz = workspace, workspace.tz
        self._short = short_keys(everything)
        self._screen = Screen()
        self._outline = False

    def draw(
        self,
        session: Session,
        operations: list[Operation],
        children: list[Session],
        *,
        nested: bool,
        outline: bool = False,
    ) -> None:
        """Print one session.

        Args:
            session: whose.
            operations: in order.
            children: sessions of the same family.
            nested: sub-agents' operations in place.
            outline: segments, moments of people and sub-agents alone.
        """
        self._outline = outline
        self._head(session, operations, children)
        self._screen.print()
        rows = self._rows(session, operations, children, nested, depth=0)
        columns = [*_COLUMNS, _ON] if self._screen.width >= _WIDE and not outline else [*_COLUMNS]
        if outline:
            # Nothing stands behind what people said: it gets the whole line.
            columns = [replace(c, grow=c.title == "what") for c in columns]
        self._screen.table(columns, [row[: len(columns)] for row in rows], gap=1)
        inherited = sum(o.inherited for o in operations)
        if inherited:
            owner = self._short.get(session.fork_of or "", session.fork_of or "another session")
            verb = "is" if inherited == 1 else "are"
            self._screen.sentence(
                f"{number(inherited, 'inherited operation')} {verb} counted in {clean(owner)}"
            )

    def _head(self, session: Session, operations: list[Operation], children: list[Session]) -> None:
        screen, tz = self._screen, self._tz
        about = [clean(session.key), clean(session.agent), session.role]
        screen.flow("session", about, joint="  ", indent=9)
        work = [clean(session.project) or "-", clean(session.intent) or "no intent"]
        screen.flow(
            "project", [*work, f"outcome {clean(session.outcome or 'unknown')}"], joint="  ", indent=9
        )
        screen.flow("when", [self._when(session)], indent=9)
        screen.flow("file", [clean(home(session.source)) or "none; only its sub-agents are there"], indent=9)
        own = [o for o in operations if not o.inherited]
        cost = sum(o.measures.get("cost", 0) for o in own)
        calls = sum(o.measures.get("calls", 0) for o in own)
        bare = sum(o.measures.get("tokens.unpriced", 0) for o in own)
        parts = [
            number(len(own), "operation"),
            number(calls, "call"),
            "tokens unknown" if _untold(own) else f"{count(sum(tokens(o) or 0 for o in own))} tokens",
        ]
        if _untold(own):
            parts.append("cost unknown")
        elif cost or not bare:
            parts.append(money_text(cost, bare))
        if bare:
            parts.append(f"{count(bare)} tokens unpriced")
        screen.flow("own", parts, joint=", ", indent=9)
        self._spent(own)
        if children and session.key == session.root:
            family = self._workspace.totals(Query(where=(("session", session.key),), tz=tz))
            parts = [number(family.operations, "operation"), number(family.calls, "call")]
            if family.untold:
                parts += ["tokens unknown", "cost unknown"]
            else:
                bare = sum(family.unpriced.values())
                parts += [f"{count(family.total_tokens)} tokens", money_text(family.cost_picodollars, bare)]
            screen.flow("family", parts, joint=", ", indent=9)
            logs = [c for c in children if c.role == EFFECTS]
            for word, some in (("agents", [c for c in children if c.role != EFFECTS]), ("effects", logs)):
                if some:
                    screen.flow(word, [clean(self._name(c)) for c in some], joint=", ", indent=9)

    def _spent(self, own: list[Operation]) -> None:
        """Time by kind, and what people did; a line of which nothing is known is left out."""
        times = {k: sum(o.measures.get(f"time.{k}", 0) for o in own) for k in _TIMES}
        if any(times.values()):
            told = [f"{kind} {rough(us)}" for kind, us in times.items() if us]
            self._screen.flow("time", told, indent=9)
        moments = Counter(word for o in own if (word := human(o)))
        if moments:
            self._screen.flow(
                "people", [number(n, word) for word, n in moments.most_common()], joint=", ", indent=9
            )

    def _when(self, session: Session) -> str:
        """From when to when, as far as it is known."""
        first, last = moment(session.started, self._tz), moment(session.ended, self._tz)
        if first == last == "-":
            return "unknown"
        last = last[11:] if last[:10] == first[:10] else last
        first, last = ("unknown" if text == "-" else text for text in (first, last))
        return f"{first}..{last} ({clean(self._tz)})"

    def _rows(
        self, session: Session, operations: list[Operation], children: list[Session], nested: bool, depth: int
    ) -> list[list[Cell]]:
        waiting = {c.key: c for c in children}
        by_parent: dict[str, list[Session]] = {}
        for child in children:
            if child.parent_operation is not None:
                by_parent.setdefault(child.parent_operation, []).append(child)
        calls = {o.id for o in operations if o.kind == "model"}
        cut = self._workspace.segmentation(session.key) if operations else None
        outline = Outline(cut, operations, self._tz)
        rows: list[list[Cell]] = []
        day, untold = "", _untold([o for o in operations if not o.inherited])
        # What a sub-agent inherits stands where it was done, and its copies start nobody.
        told = [o for o in operations if not o.inherited] if depth else operations
        if len(told) < len(operations):
            left = number(len(operations) - len(told), "inherited operation")
            rows.append(["", "", Flex(f"({left})", "dim", depth=depth, spill=True), *BLANK[3:], ""])
        for item in told:
            at = moment(item.started if item.started is not None else item.ended, self._tz, "%Y-%m-%d")
            if at not in ("-", day):
                rows += [["", at, *BLANK[2:]]] if day else []
                day = at
            rows += outline.rows(item.index, depth)
            inner = depth + outline.depth + (item.fields.get("call") in calls or item.parent in calls)
            if not self._outline or item.kind == "prompt" or human(item):
                rows.append(self._row(item, session, inner, untold=untold))
            named = [waiting[k] for k in [item.fields.get("spawns", "")] if k in waiting]
            for child in named + by_parent.get(item.id, []):
                if waiting.pop(child.key, None) is not None:
                    rows += self._agent(child, children, nested, inner + 1)
        if depth == 0 and session.key == session.root:
            # A root without operations has nothing that its sub-agents could stand below.
            others = children if nested and not operations else []
            inside = {o.id for c in others for o in self._workspace.operations(c.key)}
            for child in waiting.values():
                if child.parent_operation is not None and (operations or child.parent_operation in inside):
                    continue
                rows += self._agent(child, children, nested, 1)
        return rows

    def _name(self, child: Session) -> str:
        """Short name of a sub-agent in its family."""
        return self._short[child.key].removeprefix(f"{self._short[child.root]}/")

    def _agent(self, child: Session, children: list[Session], nested: bool, depth: int) -> list[list[Cell]]:
        name = self._name(child)
        rows: list[list[Cell]] = [
            [
                "",
                moment(child.started, self._tz, "%H:%M:%S"),
                Flex(f"↳ {name}", "cyan", depth=depth),
                *BLANK[3:7],
                Styled(number(child.operations, "op"), "dim"),
                "",
            ]
        ]
        if nested:
            others = [c for c in children if c.key != child.key]
            rows += self._rows(child, self._workspace.operations(child.key), others, nested, depth + 1)
        return rows

    def _row(self, item: Operation, session: Session, depth: int, *, untold: bool) -> list[Cell]:
        style = "dim" if item.inherited else ""
        took = None if item.started is None or item.ended is None else item.ended - item.started
        origin = item.origin
        file = "" if origin.path == session.source else clean(origin.path).rsplit("/", 1)[-1]
        name = item.kind if item.kind in ("model", "prompt") else item.name
        name = item.fields.get("frame") or name if item.kind in ("tool", "subagent") else name
        spent = None if item.inherited else tokens(item)
        cost = None if item.inherited else item.measures.get("cost")
        bare = None if item.inherited else item.measures.get("tokens.unpriced")
        unknown = UNKNOWN if untold and item.kind == "model" and not item.inherited else ""
        return [
            Styled(str(item.index), "cyan"),
            Styled(
                moment(item.started if item.started is not None else item.ended, self._tz, "%H:%M:%S"), style
            ),
            said(item, depth) if item.kind == "prompt" else Flex(name, style, depth=depth),
            Styled(_status(item), _STYLES.get(item.status, style)),
            unknown or (count(spent) if spent else ""),
            unknown or (money_text(cost, bare) if cost or bare else ""),
            rough(took),
            Flex(f"{file}:{origin.line}" if origin.line else file or "-", "dim", shorten=cut_path),
            Flex("" if item.kind == "prompt" else subject(item), "dim"),
        ]


def _untold(own: list[Operation]) -> bool:
    """Does the source tell no token, though there are calls? Then tokens and money are unknown."""
    told = [n for o in own if (n := tokens(o)) is not None]
    return bool(own) and (not told or (not sum(told) and any(o.measures.get("calls") for o in own)))


def _status(item: Operation) -> str:
    """How it ended; a prompt has no end that could be told."""
    return "" if item.kind == "prompt" and item.status == "ok" else _SHORT.get(item.status, item.status)
