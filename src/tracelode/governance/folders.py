"""What of recorded folders is over or to be forgotten? Whole sessions go, and do not come back."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from tracelode.errors import SourceError, StoreError
from tracelode.files import Records, why
from tracelode.governance.events import is_event
from tracelode.governance.rewrite import LINES, LIVE, MANIFEST, beside
from tracelode.model.governing import Class, Expired, Policy
from tracelode.model.report import GcReport
from tracelode.signals.plan.lines import moment

TOMBSTONES = "tombstones.json"
"""Manifest of a folder of recordings: what was deleted from it."""
GONE = ".gone-"
"""Beginning of the name of a session's folder that is being deleted."""
DAY = 86_400_000_000
_KEPT = 30
"""Days for which a recording without a known end is taken for one that goes on."""


class _Tombstones(msgspec.Struct):
    schema: int = 1
    key: str = ""
    digests: list[str] = []


@dataclass(slots=True)
class Recorded:
    """One session of a folder."""

    session: str
    files: set[Path] = field(default_factory=set)
    last: int | None = None
    """UTC microseconds of its last event."""
    size: int = 0
    """Bytes of its lines."""
    complete: bool = False
    profile: str = ""
    """As its manifest tells, "" for unknown: taken for raw."""
    names: bool = False
    """Does it hold a name that was asked for?"""


class Folder:
    """Recordings below one folder.

    Args:
        place: the folder.
    """

    def __init__(self, place: Path) -> None:
        if not place.is_dir():
            raise SourceError("it is no folder of recordings", path=str(place))
        self.place = place
        self._known = self._load()

    def sessions(self, wanted: re.Pattern[bytes] | None = None) -> dict[str, Recorded]:
        """What lies in the folder.

        Args:
            wanted: found in lines that hold a name that is asked for.

        Returns:
            Session id to what is known of it.
        """
        found: dict[str, Recorded] = {}
        for path in self._files():
            profile = _profile(path.parent)
            for line in Records(path):
                row = _row(line.data)
                if row is None:
                    continue
                key = str(row.get("session_id") or "")
                one = found.setdefault(key, Recorded(key))
                one.files.add(path)
                one.size += len(line.data) + 1
                one.profile = one.profile or profile
                _, at = moment(row.get("timestamp"))
                one.last = at if one.last is None or (at is not None and at > one.last) else one.last
                one.complete = one.complete or row.get("event_type") == "complete"
                one.names = one.names or (wanted is not None and wanted.search(line.data) is not None)
        return found

    def expired(
        self, sessions: Iterable[Recorded], policy: Policy, now: int, report: GcReport
    ) -> list[Recorded]:
        """Those of which a class is over, into the report as well.

        Args:
            sessions: what lies in the folder.
            policy: for how long what is kept.
            now: UTC microseconds.
            report: is added to.
        """
        over = []
        for one in sorted(sessions, key=lambda s: s.session):
            kind: Class = "redacted" if one.profile in ("summary", "metadata") else "raw"
            limit = policy.retention.limit(kind)
            days = (now - one.last) // DAY if one.last is not None else None
            buried = self.buried(one.session)
            if not buried and (limit is None or days is None or days <= limit):
                continue
            if any(one.session.startswith(hold) for hold in policy.hold):
                report.held.append(one.session)
            elif not buried and not one.complete and (days or 0) <= _KEPT:
                report.open.append(one.session)
            else:
                where = str(self.place)
                report.expired.append(
                    Expired(session=one.session, what=kind, where=where, days=days or 0, size=one.size)
                )
                over.append(one)
        return over

    def buried(self, session: str) -> bool:
        """Was a session deleted from this folder?"""
        return bool(self._known.key) and self._digest(session) in set(self._known.digests)

    def delete(self, gone: Collection[Recorded], report: GcReport, *, bury: bool = True) -> None:
        """Delete sessions.

        Killed anywhere, nothing half is left that a reader takes for a session, and another run goes on.

        Args:
            gone: sessions of the folder.
            report: is added to.
            bury: remember them: copies that come back are deleted again.

        Raises:
            StoreError: the folder cannot be written.
        """
        try:
            if bury and gone:
                # before the first file: what is killed now is finished by the next run
                self._bury(one.session for one in gone)
            keys = {one.session for one in gone}
            for path in sorted({path for one in gone for path in one.files}):
                report.freed += self._without(path, keys, report)
            self.sweep()
        except OSError as error:
            raise StoreError(f"{self.place} cannot be written: {why(error)}") from error

    def sweep(self) -> None:
        """Remove what a run that was killed had put aside."""
        for path in list(self.place.rglob(f"{GONE}*")):
            shutil.rmtree(path, ignore_errors=True)
        for path in list(self.place.rglob(".*.redact.part")):
            path.unlink(missing_ok=True)

    def _without(self, path: Path, keys: Collection[str], report: GcReport) -> int:
        """Delete a session's folder, or take sessions out of a file they share; bytes that are freed."""
        if not path.exists():
            return 0
        others = {str(row.get("session_id") or "") for row in self._rows(path)} - set(keys)
        folder = path.parent
        if not others and folder.name.startswith("session=") and self._alone(folder, keys):
            size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
            aside = folder.with_name(f"{GONE}{secrets.token_hex(4)}")
            os.rename(folder, aside)
            shutil.rmtree(aside)
            return size
        before = path.stat().st_size
        if not others:
            path.unlink()
            return before
        if time.time() - path.stat().st_mtime < LIVE:
            report.open.append(f"{path.name} (may still be written to)")
            return 0
        with beside(path) as (stream, keep):
            for line in Records(path):
                row = _row(line.data)
                if row is None or str(row.get("session_id") or "") not in keys:
                    stream.write(line.data + b"\n")
            keep()
        return max(0, before - path.stat().st_size)

    def _alone(self, folder: Path, keys: Collection[str]) -> bool:
        """Does a folder hold these sessions only?"""
        files = [p for p in folder.rglob("*") if p.name.endswith(LINES)]
        return all(str(r.get("session_id") or "") in keys for p in files for r in self._rows(p))

    def _rows(self, path: Path) -> Iterator[dict[str, Any]]:
        for line in Records(path):
            row = _row(line.data)
            if row is not None:
                yield row

    def _files(self) -> list[Path]:
        found = (p for p in self.place.rglob("*") if p.is_file() and p.name.endswith(LINES))
        return sorted(p for p in found if GONE not in str(p.relative_to(self.place)))

    # tombstones ---------------------------------------------------------------------------------

    def _load(self) -> _Tombstones:
        path = self.place / TOMBSTONES
        try:
            return msgspec.json.decode(path.read_bytes(), type=_Tombstones)
        except FileNotFoundError:
            return _Tombstones()
        except (OSError, msgspec.DecodeError) as error:
            raise SourceError("the list of what was deleted cannot be read", path=str(path)) from error

    def _digest(self, session: str) -> str:
        key = bytes.fromhex(self._known.key)
        return blake2b(session.encode("utf-8", "replace"), digest_size=16, key=key).hexdigest()

    def _bury(self, sessions: Iterable[str]) -> None:
        self._known.key = self._known.key or secrets.token_hex(32)
        known = dict.fromkeys(self._known.digests)
        known.update(dict.fromkeys(self._digest(session) for session in sessions))
        self._known.digests = list(known)
        with beside(self.place / TOMBSTONES) as (stream, keep):
            stream.write(msgspec.json.encode(self._known) + b"\n")
            keep()

    @property
    def tombstones(self) -> int:
        """How many sessions were deleted from it."""
        return len(self._known.digests)


def _row(data: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return row if is_event(row) else None


def _profile(folder: Path) -> str:
    try:
        told = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    return str(told.get("redaction", "")) if isinstance(told, dict) else ""


__all__ = ["Folder", "Recorded"]
