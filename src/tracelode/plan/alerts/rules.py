"""Which rules does a file hold? Read from YAML without building objects, with every mistake and its line."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

from tracelode.errors import SourceError
from tracelode.model.alerting import SCOPES, AlertRule, Condition, Extent
from tracelode.model.planning import SEVERITIES
from tracelode.plan.alerts.condition import condition, extent
from tracelode.plan.alerts.live import COUNTED
from tracelode.plan.life import Story
from tracelode.plan.metrics import measure

NO_PLAN = "sessions_without_plan"
"""Share of sessions without a plan event: a figure of the fleet alone."""
RUNNING = "node_running"
MOST = 1_000
"""Rules of one file."""
_KEYS = ("name", "scope", "metric", "window", "condition", "min_volume", "severity", "cooldown", "for")
_NEEDED = ("name", "metric", "condition")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SHOWN = 8
"""Mistakes named in a message."""


@lru_cache(maxsize=1)
def measured() -> tuple[str, ...]:
    """Names of the figures that `plan metrics` tells of a session."""
    return tuple(m.name for m in measure(Story([]).events).metrics)


def default_text() -> str:
    """The built-in rules as the YAML file they are read from."""
    return (files("tracelode.plan.alerts") / "defaults.yaml").read_text(encoding="utf-8")


def rules_of(text: str, path: str = "") -> list[AlertRule]:
    """Read rules.

    Args:
        text: YAML: a mapping with the list `rules`.
        path: the file, as it is named in messages.

    Returns:
        Rules in the order of the file.

    Raises:
        SourceError: it is no YAML, or at least one rule has a mistake; the message names each with its line.
    """
    reader = _Reader(path)
    found = reader.rules(text)
    if reader.mistakes:
        raise reader.error()
    return found


class _Reader:
    """Walks the nodes of a YAML document; plain scalars stay text."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.mistakes: list[tuple[int, str]] = []
        self.names: dict[str, int] = {}

    def error(self) -> SourceError:
        self.mistakes.sort()
        line, first = self.mistakes[0]
        more = [f"line {at}: {what}" for at, what in self.mistakes[1:_SHOWN]]
        if len(self.mistakes) > _SHOWN:
            more.append(f"and {len(self.mistakes) - _SHOWN:,} more")
        return SourceError("; ".join([first, *more]), path=self.path, line=line)

    def off(self, node: Any, what: str) -> None:
        self.mistakes.append((node.start_mark.line + 1, what))

    def rules(self, text: str) -> list[AlertRule]:
        import yaml

        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            # composed, not constructed: no object is ever made of what the file says
            top = yaml.compose(text, Loader=loader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self.mistakes.append((mark.line + 1 if mark else 1, f"no YAML: {_problem(error)}"))
            return []
        except RecursionError:
            self.mistakes.append((1, "nested too deeply"))
            return []
        if top is None:
            self.mistakes.append((1, "the file holds no rules"))
            return []
        given = self.mapping(top, ("version", "rules"), "the file")
        if given is None:
            return []
        version = given.get("version")
        if version is not None and self.scalar(version) != "1":
            self.off(version, "version is 1")
        listed = given.get("rules")
        if listed is None or listed.id != "sequence":
            self.off(listed or top, "rules is a list, each with name, metric and condition")
            return []
        if not listed.value or len(listed.value) > MOST:
            self.off(listed, f"rules holds 1 to {MOST:,} of them")
            return []
        return [made for node in listed.value if (made := self.rule(node)) is not None]

    def mapping(self, node: Any, known: tuple[str, ...], what: str) -> dict[str, Any] | None:
        if node.id != "mapping":
            self.off(node, f"{what} is a mapping with {', '.join(known)}")
            return None
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = key.value if key.id == "scalar" else ""
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                self.off(key, f"unknown key {name[:40]!r}; {hint}")
            elif name in found:
                self.off(key, f"{name} comes twice")
            else:
                found[name] = value
        return found

    def scalar(self, node: Any) -> str:
        return str(node.value).strip() if node.id == "scalar" else ""

    def rule(self, node: Any) -> AlertRule | None:
        before = len(self.mistakes)
        given = self.mapping(node, _KEYS, "a rule")
        if given is None:
            return None
        for key in _NEEDED:
            if key not in given:
                self.off(node, f"a rule has a {key}")
        name = self.name(given.get("name"))
        scope = self.word(given.get("scope"), SCOPES, "scope", "session")
        metrics = self.metrics(given.get("metric"), scope)
        said = self.read(given.get("condition"), condition, "condition")
        window, cooldown, lasting = (
            self.read(given.get(key), extent, key) for key in ("window", "cooldown", "for")
        )
        severity = self.word(given.get("severity"), SEVERITIES, "severity", "warning")
        least = self.number(given.get("min_volume"))
        if said is not None and metrics:
            self.together(given, scope, metrics, said, window)
        if len(self.mistakes) > before or said is None:
            return None
        return AlertRule(
            name=name, scope=scope, metrics=metrics, condition=said, window=window, least=least,  # type: ignore[arg-type]
            severity=severity, cooldown=cooldown, lasting=lasting, text=_line(given),  # type: ignore[arg-type]
            line=node.start_mark.line + 1,
        )  # fmt: skip

    def name(self, node: Any) -> str:
        if node is None:
            return ""
        text = self.scalar(node)
        if not _NAME.fullmatch(text):
            self.off(node, "a name is up to 64 letters, digits, dots, hyphens and underscores")
        elif text in self.names:
            self.off(node, f"the name {text} is taken by the rule of line {self.names[text]}")
        else:
            self.names[text] = node.start_mark.line + 1
        return text

    def word(self, node: Any, known: tuple[str, ...], key: str, usual: str) -> str:
        if node is None:
            return usual
        text = self.scalar(node)
        if text not in known:
            self.off(node, f"{key} is one of {', '.join(known)}")
            return usual
        return text

    def number(self, node: Any) -> float:
        if node is None:
            return 0
        text = self.scalar(node)
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text):
            self.off(node, "min_volume is a number of 0 or more")
            return 0
        return float(text)

    def read(self, node: Any, take: Any, key: str) -> Any:
        if node is None:
            return None
        try:
            if node.id != "scalar":
                raise ValueError("is no text")
            return take(node.value)
        except ValueError as error:
            self.off(node, f"{key} {error}")
            return None

    def metrics(self, node: Any, scope: str) -> tuple[str, ...]:
        if node is None:
            return ()
        listed = node.value if node.id == "sequence" else [node]
        known = (*COUNTED, RUNNING, NO_PLAN, *measured())
        found = []
        for one in listed:
            name = self.scalar(one)
            if name not in known:
                near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
                hint = f"did you mean {' or '.join(near)}?" if near else "see tracelode plan metrics"
                self.off(one, f"unknown metric {name[:40]!r}; {hint}")
            elif (name == NO_PLAN) != (scope == "fleet") and name not in measured():
                where = "the fleet" if name == NO_PLAN else "a session or a task"
                self.off(one, f"{name} is a figure of {where}")
            else:
                found.append(name)
        if not listed:
            self.off(node, "metric names none")
        return tuple(dict.fromkeys(found))

    def together(
        self,
        given: dict[str, Any],
        scope: str,
        metrics: tuple[str, ...],
        said: Condition,
        window: Extent | None,
    ) -> None:
        """What does not go together."""
        if (said.band is not None or said.ewma is not None) and scope != "fleet":
            self.off(given["condition"], "a band or an ewma is of the fleet: scope: fleet")
        if said.band is not None and NO_PLAN in metrics:
            self.off(given["condition"], "a band is of shares of events, not of sessions")
        if any(c.quantile for c in said.compares) and metrics != (RUNNING,):
            self.off(given["condition"], f"a quantile of its own history has {RUNNING} alone")
        for key in ("window", "cooldown", "for"):
            node = given.get(key)
            reach = extent(node.value) if node is not None and _reads(node) else None
            if reach is not None and (reach.unit == "sessions") != (scope == "fleet"):
                self.off(
                    node, f"{key} of a {scope} is in {'sessions' if scope == 'fleet' else 'events or time'}"
                )
        if window is not None and scope != "fleet" and not set(metrics) <= set(COUNTED):
            self.off(
                given["window"], f"only what is counted event by event has a window: {', '.join(COUNTED)}"
            )


def _reads(node: Any) -> bool:
    try:
        extent(node.value)
    except (ValueError, TypeError, AttributeError):
        return False
    return True


def _problem(error: Exception) -> str:
    words = str(getattr(error, "problem", None) or "it cannot be read")
    return words if words.isascii() and len(words) < 100 else "it cannot be read"


def _line(given: dict[str, Any]) -> str:
    """A rule on one line, in the order of its keys."""
    parts = []
    for key in _KEYS:
        node = given.get(key)
        if node is not None:
            value = ", ".join(n.value for n in node.value) if node.id == "sequence" else node.value
            parts.append(f"{key}: {' '.join(str(value).split())}")
    return "; ".join(parts)
