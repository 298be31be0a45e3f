"""Is the head of a marks file sound, and how far do its marks agree with what was there?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from tracelode.model.annotation import Agreement, Annotation, Mark
from tracelode.model.operation import Operation
from tracelode.model.segment import Segmentation
from tracelode.profile.marks import to_segments
from tracelode.profile.score import b3, boundary
from tracelode.profile.score.partition import leaves
from tracelode.workspace.annotating_files import SCHEMA_VERSION, Read
from tracelode.workspace.annotating_now import Current
from tracelode.workspace.annotating_texts import KEYS, OPTIONAL


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """A marks file whose head is sound."""

    session: str
    """Session key."""
    operations: int
    """How many operations it had when it was exported."""
    last: str
    """Id of the last of them."""
    digest: str
    """Hash of their ids."""
    blind: bool
    """Was the annotator not shown how it is cut?"""
    confirm: bool
    """Is a revision kept although nothing changed?"""
    marks: list[Any]
    """Not looked at yet."""


_TYPES = {"session": str, "operations": int, "last": str, "digest": str, "blind": bool, "confirm": bool}
_WORDS = {str: "a text", int: "a whole number", bool: "true or false"}


def header(
    file: Read, known: Collection[str], seen: dict[str, str], problems: list[tuple[str, str]]
) -> Head | None:
    """The head of a marks file.

    Args:
        file: as it was read.
        known: keys of the store's sessions.
        seen: session key to the file that told of it; this one is added.
        problems: what is wrong is added.

    Returns:
        The head; None where something is wrong.
    """
    data, place = file.data, file.name
    if not isinstance(data, dict):
        problems.append((place, "a marks file is an object"))
        return None
    if data.get("schema_version") != SCHEMA_VERSION or isinstance(data.get("schema_version"), bool):
        problems.append((place, f"schema_version is not {SCHEMA_VERSION}; export the session again"))
        return None
    before = len(problems)
    if extra := len(set(data) - KEYS):
        named = ", ".join(sorted(KEYS))
        problems.append((place, f"{extra} unknown {'key' if extra == 1 else 'keys'}; it has {named}"))
    problems += [(place, f"{key} is missing") for key in sorted(KEYS - OPTIONAL - set(data))]
    for key, kind in _TYPES.items():
        # a truth value is no number
        if key in data and type(data[key]) is not kind:
            problems.append((place, f"{key} is not {_WORDS[kind]}"))
    if "marks" in data and not isinstance(data["marks"], list):
        problems.append((place, "marks are a list"))
    if len(problems) == before and data["operations"] < 1:
        problems.append((place, "operations is below 1"))
    if len(problems) > before:
        return None
    session = data["session"]
    if session not in known:
        problems.append((place, "the store has no session of this key"))
        return None
    if session in seen:
        problems.append((place, f"its session has marks in {seen[session]} too; leave one of the files out"))
        return None
    seen[session] = place
    given = {key: data[key] for key in _TYPES if key in data}
    return Head(**{"confirm": False, **given}, marks=data["marks"])


class Agreements:
    """How far the marks of several sessions agree with what was there."""

    def __init__(self) -> None:
        self._b3: list[b3.B3] = []
        self._cuts: list[boundary.Boundary] = []

    def add(
        self, marks: tuple[Mark, ...], operations: Sequence[Operation], current: Current, blind: bool
    ) -> Agreement:
        """Compare the marks of one session.

        Args:
            marks: in order, checked.
            operations: the k operations they are about.
            current: how the session, which may have grown, is cut now.
            blind: whether the annotator was not shown that.

        Returns:
            The agreement of this session.

        Source:
            evaluation protocol, segmentation: leaf partition.
        """
        k, session = len(operations), current.segmentation.session
        made = Annotation(
            session=session, marks=marks, operations=k, last=operations[k - 1].id, author="", reason=""
        )
        segments = to_segments(made, operations) or []
        ours = leaves(Segmentation(session, "annotations", "1", tuple(segments)), k)
        whole = max((s.stop for s in current.segmentation.segments), default=0)
        theirs = leaves(current.segmentation, whole)[:k]
        same, cuts = b3.b3(ours, theirs), boundary.boundaries(ours, theirs)
        self._b3.append(same)
        self._cuts.append(cuts)
        return Agreement(b3=same.score().f1, boundary=cuts.score().f1, beside=current.beside, blind=blind)

    def pooled(self) -> tuple[float | None, float | None]:
        """B3 F1 over all operations and F1 over all cuts; None where there is none."""
        if not self._b3:
            return None, None
        return b3.pooled(self._b3).f1, boundary.pooled(self._cuts).f1
