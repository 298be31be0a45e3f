"""What is handed to a worker, and what does it hand back?"""

from __future__ import annotations

from pathlib import Path

import msgspec

from tracelode.files import Cursor
from tracelode.ingest.family import Finished
from tracelode.ingest.timeline import IDLE
from tracelode.model.session import Session
from tracelode.store.catalog import SourceRow


class FileJob(msgspec.Struct, kw_only=True):
    """A file to read."""

    path: Path
    """Where it lies."""
    name: str
    """What origins call it."""
    adapter: str
    """Source adapter."""
    version: str = ""
    """Its version."""
    size: int
    """Bytes on disk when it was found."""
    mtime: int
    """Modification time when it was found."""
    cursor: Cursor = Cursor()
    """Where to go on."""
    state: bytes = b""
    """Resume state, b"" to start anew."""
    session: str = ""
    """Session key known from an earlier read."""
    tool: str | None = None
    """Tool use that started the sub-agent, from its side file."""
    layout: str = "session"
    """How the format lays sessions into files."""
    mapping: Path | None = None
    """Mapping file through which it is read, in place of a registered source."""
    skew: int = 0
    """Microseconds by which the clock of a log of effects may differ, as its user says."""


class FamilyJob(msgspec.Struct, kw_only=True):
    """A family to build, or the families of files that hold several."""

    root: str
    """Root session key, "" where the files tell."""
    files: list[FileJob]
    """Files to read, in the order of their names."""
    waits: bool = False
    """Are the jobs before it to be committed first, because its files may go on with their sessions?"""
    stored: dict[str, str] = {}
    """Root key to shard, of the stored families that become part of this one."""
    sessions: list[Session] = []
    """Stored sessions to keep and go on with."""
    ticks: dict[str, bytes] = {}
    """Their timelines."""

    @property
    def bytes(self) -> int:
        """Bytes to read."""
        return sum(max(0, f.size - f.cursor.offset) for f in self.files)


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    """What every worker of an import needs to know."""

    store: Path
    """Workspace folder."""
    redact: str = "summary"
    """Redaction mode."""
    home_names: tuple[str, ...] = ()
    """User names to keep out."""
    segmenter: str = "chain"
    """Registered segmenter."""
    prices: Path | None = None
    """The user's price file."""
    idle: int = IDLE
    """Idle limit in microseconds."""
    archive: bool = False
    """Keep whole redacted texts as well."""


class Result(msgspec.Struct, kw_only=True):
    """What a worker hands back."""

    shard: str = ""
    """Shard it wrote, "" for none."""
    operations: int = 0
    """Rows in the shard."""
    families: list[Finished] = []
    """The families in it."""
    sources: list[SourceRow] = []
    """Files as they are known now."""
    gone: list[str] = []
    """Keys of sessions that their rewritten file no longer holds."""
    contents: str = ""
    """Shard of the archive it wrote, "" for none."""
    archived: int = 0
    """Operations in it."""
    built_on: dict[str, str] = {}
    """Root key to the shard its family was built on, for families that were stored before."""
    placed: dict[str, str] = {}
    """Root key to another shard than the one above, for families that two files of one import brought."""
    joined: list[str] = []
    """Root keys of families that became part of another."""
    bans: set[str] = set()
    """Words that must not enter a name."""
    bytes_read: int = 0
    """Bytes read from sources."""
