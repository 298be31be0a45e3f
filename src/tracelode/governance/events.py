"""How does a recorded event look under another profile? Its ids and shape stay, its texts do not."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tracelode.model.plan import REQUIRED, STATUSES
from tracelode.model.plan_schema import ACTORS, EVIDENCE, OPTIONAL
from tracelode.record.clean import DESCRIPTION, MODES, SUMMARY, Cleaner
from tracelode.record.event import fitting
from tracelode.redact.fast import redact_text
from tracelode.redact.pseudonyms import Pseudonyms

MARKER = re.compile(r"\[(secret:[a-z0-9-]+|email)\]")
_CLOSED: dict[str, frozenset[str]] = {
    "actor": frozenset(ACTORS),
    "event_type": frozenset(STATUSES),
    "status": frozenset(status for allowed in STATUSES.values() for status in allowed),
    "evidence": frozenset(EVIDENCE),
}
_IDS = ("session_id", "event_id", "node_id", "parent_node_id", "task_id", "actor_id", "writer")
_NUMBERS = ("schema", "seq")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20} ?(?:Z|[+-][0-9:]{4,5})?", re.IGNORECASE)
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/~+#-]{0,199}")
_WRITER = re.compile(r"(?P<host>.+)-(?P<rest>[0-9]+-[0-9a-f]{8})")
_KNOWN = frozenset((*REQUIRED, *OPTIONAL))


class Events:
    """Brings events under a profile.

    Args:
        profile: summary, metadata or full.
        pseudonyms: for names of people, hosts, paths and repositories; mode metadata always has them.
        key: of the pseudonyms of texts in mode metadata.
        names: replace names in the other modes as well.

    Raises:
        ValueError: an unknown profile.
    """

    def __init__(self, profile: str, pseudonyms: Pseudonyms, key: bytes, *, names: bool = False) -> None:
        if profile not in MODES:
            raise ValueError(f"a profile is one of {', '.join(MODES)}")
        self.profile = profile
        self.counts: Counter[str] = Counter()
        """What was replaced: kind to how often."""
        self._pseudonyms = pseudonyms
        self._names = names
        self._cleaner = Cleaner(profile, key=key)

    def line(self, row: dict[str, Any]) -> bytes:
        """An event under the profile.

        Args:
            row: a decoded line.

        Returns:
            One line of UTF-8 with its end; its event_id is the same, but where that holds a secret.
        """
        told: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for key, value in row.items():
            if key in _IDS and (isinstance(value, str) or value is None):
                told[key] = value if value is None else self._id(key, value, row)
            elif (
                (key in _CLOSED and value in _CLOSED[key])
                or (key in _NUMBERS and isinstance(value, int))
                or (key == "timestamp" and _is_moment(value))
            ):
                told[key] = value
            elif key == "depends_on" and isinstance(value, list):
                told[key] = [self._id("node_id", str(name), row) for name in value]
            elif key == "payload" and isinstance(value, dict):
                told[key] = self._payload(value)
            else:
                rest[key] = value
        # what the form does not know, or has in another shape, is a payload like any other
        other = self._payload(rest)
        for key, value in other.items():
            told[key if key in rest and key not in told else f"field-{len(told)}"] = value
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace") + b"\n"

    def _id(self, key: str, value: str, row: dict[str, Any]) -> str:
        clean = redact_text(value)
        self._count(value, clean)
        if key == "event_id":
            return fitting(clean) if clean != value else value
        hidden = self.profile == "metadata" or self._names
        if key == "writer" and hidden:
            found = _WRITER.fullmatch(clean)
            host = found["host"] if found else clean
            return f"{self._pseudonyms.of('host', host)}{'-' + found['rest'] if found else ''}"
        if key == "actor_id" and hidden and row.get("actor") == "human":
            return self._pseudonyms.of("person", value)
        if self.profile == "metadata" and not _TOKEN.fullmatch(clean):
            # a wording that stands in the place of an id
            return self._pseudonyms.of("id", clean)
        return fitting(clean)

    def _payload(self, value: dict[str, Any]) -> dict[str, Any]:
        if not value:
            return {}
        text = self._cleaner.payload(value)
        found: dict[str, Any] = json.loads(text)
        self._count(json.dumps(value, ensure_ascii=False, default=str), text)
        if self.profile == "metadata":
            before = Counter(_texts(value))
            self.counts["texts measured"] += sum(
                1 for one in _texts(found) if one.startswith("text-") and not before[one]
            )
        if self._names and self.profile != "metadata":
            found = self._pseudonyms.value(value, found)
        return found

    def _count(self, before: str, after: str) -> None:
        if before == after:
            return
        earlier = Counter(MARKER.findall(before))
        for kind, count in Counter(MARKER.findall(after)).items():
            if count > earlier[kind]:
                self.counts[kind] += count - earlier[kind]
        homes = after.count("~") - before.count("~")
        if homes > 0:
            self.counts["home folder"] += homes


def _is_moment(value: Any) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return True
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def is_event(row: Any) -> bool:
    """Is a decoded line meant to be a plan event?

    Args:
        row: any value.
    """
    return isinstance(row, dict) and "event_type" in row and ("session_id" in row or "node_id" in row)


def exceeds(profile: str, row: dict[str, Any]) -> str:
    """What of an event goes beyond a profile.

    Args:
        profile: summary, metadata or full.
        row: a decoded event.

    Returns:
        Closed words, "" where nothing does.

    Source:
        plan rules, sections 8 (PT100) and 10.3.
    """
    payload = row.get("payload")
    if not isinstance(payload, dict):
        return ""
    for text, key in _keyed(payload, ""):
        if redact_text(text).count("[secret:") > text.count("[secret:"):
            return "a secret"
        longest = DESCRIPTION if key in ("description", "reason") else SUMMARY
        if profile == "summary" and len(text) > longest:
            return "a text longer than the profile keeps"
        if profile == "metadata" and " " in text and not _MEASURED.fullmatch(text):
            return "a text where the profile keeps none"
    return ""


_MEASURED = re.compile(r"text-[0-9a-f]{16} of [0-9]+ characters")


def _keyed(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield value, key
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _keyed(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _keyed(inner, "")


__all__ = ["Events", "exceeds", "is_event"]
