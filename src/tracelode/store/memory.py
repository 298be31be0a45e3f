"""What should a fold answer? The plain engine: rows in memory, no SQL; fast engines must agree with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from tracelode.model.measure import NULLABLE, parts
from tracelode.model.profile import Profile, Stack, fold
from tracelode.model.query import Query
from tracelode.store.asks import NONE, ONCE, SEPARATOR, check_fields, level, nests, optional, zone_of
from tracelode.store.schema import DIMENSIONS, FRAMES, column

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, Any]


class MemoryAsker:
    """Folds rows of frames held in memory.

    Args:
        frames: rows in the order of schema.FRAMES.
        fields: (session, index) to the operation's fields, for fields that are not in the frames.
    """

    def __init__(
        self,
        frames: Iterable[tuple[Any, ...]],
        fields: Mapping[tuple[str, int], Mapping[str, str]] | None = None,
    ) -> None:
        names = [name for name, _ in FRAMES]
        self._rows: list[Row] = [dict(zip(names, row, strict=True)) for row in frames]
        self._fields = fields or {}

    def fold(self, query: Query) -> Profile:
        """Fold the rows.

        Args:
            query: stack, measures, filters, lane.

        Returns:
            What DuckAsker.fold() must return for the same rows.

        Raises:
            UnknownField: a field that no operation has.
        """
        check_fields(query)
        spawners = {row["spawns"]: row for row in reversed(self._rows) if row["spawns"]}
        samples = [
            (self._stack(row, query, spawners), tuple(_value(row, m) for m in query.measures))
            for row in self._rows
            if self._passes(row, query)
        ]
        profile = fold(samples, query.measures)
        return msgspec.structs.replace(profile, fields=query.stack)

    def _passes(self, row: Row, query: Query) -> bool:
        moment = row["moment"]
        if query.since is not None and (moment is None or moment < query.since):
            return False
        if query.until is not None and (moment is None or moment >= query.until):
            return False
        return all(self._equals(row, name, value, query.tz) for name, value in query.where)

    def _equals(self, row: Row, name: str, value: str, tz: str) -> bool:
        found = self._field(row, name, tz)
        if value == NONE:
            return found is None
        return found == value or (name == "tool" and (found or "").startswith(value + ":"))

    def _field(self, row: Row, name: str, tz: str) -> str | None:
        if name == "session":
            return str(row["root"])
        if name == "day":
            if row["moment"] is None:
                return None
            moment = _EPOCH + timedelta(microseconds=row["moment"])
            return moment.astimezone(zone_of(tz)).date().isoformat()
        if name in DIMENSIONS or name == "root":
            return row[name] or None
        number = level(name)
        if number is not None:
            names = (row["seg"] or "").split(SEPARATOR)
            return (names[number] if number < len(names) else "") or None
        return self._fields.get((row["session"], row["idx"]), {}).get(name) or None

    def _frames(self, row: Row, names: Iterable[str], tz: str) -> list[str]:
        found = []
        for name in names:
            value = self._field(row, name, tz)
            if value is not None or not optional(name):
                found.append(NONE if value is None else value)
        return found

    def _stack(self, row: Row, query: Query, spawners: Mapping[str, Row]) -> Stack:
        above: list[str] = []
        if nests(query):
            above = self._above(row["lane"] or row["session"], query, spawners, 0)
        names = [n for n in query.stack if not (above and n in ONCE)]
        return (
            *self._frames(row, query.tagroot, query.tz),
            *above,
            *self._frames(row, names, query.tz),
            *self._frames(row, query.tagleaf, query.tz),
        )

    def _above(self, session: str, query: Query, spawners: Mapping[str, Row], depth: int) -> list[str]:
        spawner = spawners.get(session)
        if spawner is None or spawner["session"] == session or depth >= 64:
            return []
        above = self._above(spawner["session"], query, spawners, depth + 1)
        return [
            *above,
            *self._frames(spawner, (n for n in query.stack if not (above and n in ONCE)), query.tz),
        ]


def _value(row: Row, measure: str) -> int | None:
    names = parts(measure)
    if len(names) == 1 and names[0] in NULLABLE:
        value: int | None = row[column(names[0])]
        return value
    return sum(row[column(name)] or 0 for name in names)
