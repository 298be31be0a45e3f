"""How are recorded files brought under a profile? Written aside, checked again, put in place."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from tracelode.errors import ExportError, SourceError, UsageError
from tracelode.files import Records, why
from tracelode.governance.events import MARKER, Events, exceeds, is_event
from tracelode.model.report import RedactReport, Skipped, merged
from tracelode.record.clean import KEY_FILE, SUMMARY
from tracelode.redact.fast import redact_text
from tracelode.redact.nested import write
from tracelode.redact.pseudonyms import Pseudonyms

LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".jsonl.zst")
DOCUMENTS = (".json", ".json.gz", ".json.zst")
MANIFEST = "manifest.json"
LONG = "long"
"""Folder in which the recorder keeps payloads that are longer than a line may be."""
LIVE = 300.0
"""Seconds after its last change for which a file without a manifest may still be written to."""


class Rewriter:
    """Rewrites files under a profile.

    Args:
        profile: summary, metadata or full.
        key: of the pseudonyms.
        names: replace names of people, hosts, paths and repositories in every profile.
    """

    def __init__(self, profile: str, key: bytes, *, names: bool = False) -> None:
        self.pseudonyms = Pseudonyms(key)
        self.events = Events(profile, self.pseudonyms, key, names=names)
        self.profile, self.names = profile, names
        self.report = RedactReport(profile=profile)
        self._counts: Counter[str] = Counter()

    def run(self, paths: Iterable[Path], target: Path | None) -> RedactReport:
        """Rewrite files.

        Args:
            paths: files and folders.
            target: where they are written; None: in place.

        Returns:
            What was done.

        Raises:
            SourceError: a path is not there.
            ExportError: a file cannot be written.
        """
        listed = list(paths)
        if target is not None and len(listed) > 1:
            _folder(target)
        for path in listed:
            if not path.exists():
                raise SourceError("it is not there", path=str(path))
            if target is not None and _inside(target, path):
                raise UsageError("the target lies inside what is read; name another folder, or --in-place")
            if path.is_dir():
                self._folder(path, target)
            else:
                place = target
                if place is not None and place.is_dir():
                    place = place / path.name
                self._file(path, place or path)
        counts = self._counts + self.events.counts
        counts.update({f"{kind} pseudonym": n for kind, n in self.pseudonyms.counts.items()})
        self.report.replaced = {kind: n for kind, n in sorted(counts.items()) if n > 0}
        self.report.skipped = merged(self.report.skipped)
        return self.report

    def _folder(self, folder: Path, target: Path | None) -> None:
        manifests = []
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()):
            inside = path.relative_to(folder)
            if path.name == MANIFEST and _is_manifest(path):
                manifests.append(path)
                continue
            if path.name == KEY_FILE or path.name.endswith(".part") or path.parent.name == LONG:
                # keys stay where they are; long payloads come back into their events
                continue
            self._file(path, path if target is None else target / inside)
        for path in manifests:
            place = path if target is None else target / path.relative_to(folder)
            if place.parent.is_dir():
                self._manifest(path, place)

    def _file(self, path: Path, place: Path) -> None:
        name = str(path)
        if not name.endswith((*LINES, *DOCUMENTS)):
            self.report.skipped.append(Skipped(name, 0, "neither JSON nor JSON Lines"))
            return
        if place == path and _live(path):
            self.report.skipped.append(Skipped(name, 0, "may still be written to"))
            return
        left = len(self.report.left)
        try:
            with beside(place) as (stream, keep):
                written = self._records(path, stream)
                if written and len(self.report.left) == left:
                    keep()
        except OSError as error:
            raise ExportError(f"{place} cannot be written: {why(error)}") from error
        if written and len(self.report.left) == left:
            self.report.files += 1
            self.report.written.append(str(place))
            if place == path and (path.parent / LONG).is_dir():
                self._drop_long(path)

    def _records(self, path: Path, stream: IO[bytes]) -> bool:
        """Write the records of a file; False where none can be."""
        records = Records(path, whole=path.name.endswith(DOCUMENTS))
        kinds: set[str] = set()
        for line in records:
            try:
                row = json.loads(line.data)
            except (ValueError, RecursionError):
                self.report.unusable += 1
                continue
            if is_event(row):
                kinds.add("event")
                self._event(row, path, line.number, stream)
            elif self.profile == "metadata":
                reason = "a transcript needs its texts; use the profile summary or full"
                self.report.skipped.append(Skipped(str(path), 0, reason))
                return False
            else:
                kinds.add("record")
                stream.write(self._record(row))
        self.report.unusable += len(records.broken)
        if not kinds and not records.broken and not path.stat().st_size:
            return True
        if not kinds:
            self.report.skipped.append(Skipped(str(path), 0, "no JSON object in it"))
        return bool(kinds)

    def _event(self, row: dict[str, Any], path: Path, number: int, stream: IO[bytes]) -> None:
        payload = row.get("payload")
        if isinstance(payload, dict) and set(payload) == {"long", "bytes"}:
            row = {**row, "payload": _long(path, payload) or payload}
        data = self.events.line(row)
        beyond = exceeds(self.profile, json.loads(data))
        if beyond:
            self.report.left.append(Skipped(str(path), number, f"PT100: {beyond}"))
        self.report.events += 1
        stream.write(data)

    def _record(self, row: Any) -> bytes:
        """A record of another format without secrets; its shape stays, so that it can still be read."""

        def whole(text: str) -> str:
            clean = redact_text(text)
            found = Counter(MARKER.findall(clean))
            found.subtract(MARKER.findall(text))
            self._counts.update({kind: n for kind, n in found.items() if n > 0})
            if self.profile == "summary" and len(clean) > SUMMARY and not _opaque(clean):
                self._counts["texts cut"] += 1
                return f"{clean[: SUMMARY - 1]}…"
            return clean

        text = write(row, None, lambda piece, _: whole(piece), whole)
        if self.names:
            text = json.dumps(self.pseudonyms.value(row, json.loads(text)), ensure_ascii=False)
        self.report.records += 1
        return text.encode("utf-8", "replace") + b"\n"

    def _manifest(self, path: Path, place: Path) -> None:
        told = json.loads(path.read_bytes())
        files: dict[str, Any] = {}
        for one in sorted(place.parent.glob("*.jsonl")):
            data = one.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            files[one.name] = {"events": data.count(b"\n"), "bytes": len(data), "sha256": digest}
        session = str(told.get("session_id", ""))
        told["session_id"] = json.loads(self.events.line({"session_id": session}))["session_id"]
        told |= {
            "files": files,
            "events": sum(f["events"] for f in files.values()),
            "redaction": self.profile,
        }
        with beside(place) as (stream, keep):
            stream.write(json.dumps(told, indent=1).encode() + b"\n")
            keep()

    def _drop_long(self, path: Path) -> None:
        """Payloads that came back into their events are not needed beside them."""
        if all(_complete(one) for one in path.parent.glob("*.jsonl")):
            for one in (path.parent / LONG).iterdir():
                one.unlink()
            (path.parent / LONG).rmdir()


def _complete(path: Path) -> bool:
    """Does a file name no long payload any more?"""
    return b'"payload":{"long":"' not in path.read_bytes()


def _long(path: Path, payload: dict[str, Any]) -> dict[str, Any] | None:
    digest = str(payload.get("long"))
    if not digest.isalnum():
        return None
    try:
        found = json.loads((path.parent / LONG / f"{digest}.json").read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _opaque(text: str) -> bool:
    """Is a text JSON in itself, which a cut would break?"""
    return text[:1] in "{[" and text[-1:] in "}]"


def _is_manifest(path: Path) -> bool:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "redaction" in told and "files" in told


def _live(path: Path) -> bool:
    return time.time() - path.stat().st_mtime < LIVE and not (path.parent / MANIFEST).exists()


def _inside(target: Path, path: Path) -> bool:
    one, other = target.resolve(), path.resolve()
    return one == other or (other.is_dir() and other in one.parents)


def _folder(target: Path) -> None:
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"{target} cannot be made: {why(error)}") from error


@contextmanager
def beside(place: Path) -> Iterator[tuple[IO[bytes], Any]]:
    """A private file beside a place, packed as its name says; it goes there only once keep() was called.

    Args:
        place: the file.

    Returns:
        (the stream, keep).
    """
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.redact.part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    kept = []
    try:
        with os.fdopen(handle, "wb") as raw:
            with _packed(raw, place.name) as stream:
                yield stream, lambda: kept.append(True)
            raw.flush()
            os.fsync(raw.fileno())
        if kept:
            os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _packed(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    if name.endswith(".gz"):
        with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as stream:
            yield cast("IO[bytes]", stream)
    elif name.endswith(".zst"):
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as stream:
            yield stream
    else:
        yield raw


def recheck(paths: Iterable[Path], profile: str) -> RedactReport:
    """What in recorded files goes beyond a profile; nothing is written.

    Args:
        paths: files and folders.
        profile: summary, metadata or full.

    Returns:
        Counts, and every place.

    Raises:
        SourceError: a path is not there.
    """
    report = RedactReport(profile=profile)
    for path in paths:
        if not path.exists():
            raise SourceError("it is not there", path=str(path))
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if not file.name.endswith(LINES):
                continue
            report.files += 1
            for line in Records(file):
                try:
                    row = json.loads(line.data)
                except (ValueError, RecursionError):
                    report.unusable += 1
                    continue
                if is_event(row):
                    report.events += 1
                    if beyond := exceeds(profile, row):
                        report.left.append(Skipped(str(file), line.number, f"PT100: {beyond}"))
    return report
