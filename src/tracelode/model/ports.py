"""Which shapes do adapters have? The protocols through which everything enters and leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, Protocol, TypeAlias

import msgspec

from tracelode.model.operation import Operation
from tracelode.model.profile import Profile
from tracelode.model.segment import Segment, Segmentation


class Line(msgspec.Struct, frozen=True):
    """One numbered record of a file, undecoded."""

    number: int
    """1-based line."""
    offset: int
    """Byte offset of the line in the decompressed stream."""
    data: bytes
    """The bytes, without the line end."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What became known later of an operation that was already yielded.

    It carries only what is new, so an adapter's resume state never holds text of the trace.
    """

    id: str
    """Id of the operation in the same session; an unknown id is counted as a skip by ingest."""
    status: str | None = None
    """New status."""
    name: str | None = None
    """New name: a process that became another program."""
    ended: int | None = None
    """UTC microseconds."""
    output: str | None = None
    """Result text; the first one given is kept."""
    fields: dict[str, str] = {}
    """Fields that override."""
    measures: dict[str, int] = {}
    """Measures that override."""
    dropped: bool = False
    """True: the operation turned out not to be one (a queued message that was taken back)."""
    onward: bool = False
    """True: the fields are those of every later operation of the session read so far as well (a branch of
    the conversation that was rewound)."""


class Tick(msgspec.Struct, frozen=True):
    """A record's moment on its session's timeline: what the interval before it was spent on."""

    at: int
    """UTC microseconds."""
    ends: str
    """What a waiting interval ends in: model, human, tool, other; family where it was a wait for another
    thread of the family."""
    operation: str | None
    """Id of the operation the interval is charged to; None: the next one in file order."""
    opens: tuple[str, ...] = ()
    """Ids of tool operations that start to run at this moment."""
    closes: tuple[str, ...] = ()
    """Ids of tool operations that ended at this moment."""
    own: int | None = None
    """Own duration in microseconds of the closed tool, where the record has one."""


class Skip(msgspec.Struct, frozen=True):
    """A record or part of one that could not be used, counted and located."""

    line: int
    """1-based line."""
    reason: str
    """Short closed sentence; never text of the trace."""
    count: int = 1
    """How many."""


class About(msgspec.Struct, frozen=True):
    """What a file says of itself: yielded once its identity is known, again when it changes."""

    session: str
    """Session key."""
    root: str
    """Root session key; equal to session for a root."""
    project: str
    """Working folder as recorded."""
    role: str = "main"
    """main, subagent, or effects for a log of processes, files and hosts."""
    parent: str | None = None
    """Session key of the thread that started or forked into this one, where only that is known: the
    root is then found by following parents."""
    task: str | None = None
    """Known task, ticket or benchmark id, where the file tells one."""
    outcome: str | None = None
    """success or failure, where the file tells it; None if unknown."""
    agent: str = ""
    """The product that ran, where the format is not one product's; "" for the source's own."""


Item: TypeAlias = Operation | Change | Tick | Skip | About
"""What a source yields."""


class Source(Protocol):
    """An adapter in: one file format."""

    name: str
    """Registered name."""
    version: str
    """Changes when results change: files that did not change are then read again."""
    agent: str
    """The product whose files these are."""
    suffixes: tuple[str, ...]
    """File name endings worth opening in a folder."""
    layout: str
    """session: one session a file, in lines. sessions: lines of several sessions. document: the whole
    file is one record, of one or several sessions. spread: lines of sessions that may lie in several
    files. spread-document: the same in whole files. With all but the first, About precedes the items of
    each session, again whenever the session changes. With spread ones a method kin(path) may tell which
    files can hold parts of one family: those for which it gives the same text; without it, all. A method
    order(path) may give the text by which such files are put in order; without it, their names."""

    def sniff(self, head: bytes) -> float:
        """How sure is it that a file is of this format?

        Args:
            head: the first bytes of the decompressed file, up to 64 KiB.

        Returns:
            0 (no) to 1 (certain), by content alone.
        """

    def fresh(self) -> Any:
        """A new resume state: an msgspec Struct bounded by open work.

        Returns:
            The state for the start of a file.
        """

    def read(self, records: Iterable[Line], state: Any, path: str) -> Iterator[Item]:
        """Turn records into operations and facts.

        Args:
            records: numbered lines, in file order, from the cursor on.
            state: what fresh() gave or what was saved with the cursor; changed in place.
            path: the file as origins name it.

        Returns:
            Items. An operation may come again under the same id: its measures are replaced unless
            the new copy counts fewer output tokens (a better copy arrives later), its fields and
            end override, its texts are kept once given.
        """


class Segmenter(Protocol):
    """Cuts one session into nested segments."""

    name: str
    """Registered name."""
    version: str
    """Changes when results change."""

    def segment(self, operations: Sequence[Operation]) -> Segmentation:
        """Cut one session.

        Args:
            operations: the n operations of one session in order; previews and fields only.

        Returns:
            Nested segments that cover [0, n), named.
        """


class PartialSegmenter(Segmenter, Protocol):
    """A segmenter that knows some stretches of a session and leaves the rest to another one."""

    def claim(self, operations: Sequence[Operation]) -> Sequence[Segment]:
        """The stretches it knows.

        Args:
            operations: the n operations of one session in order; previews and fields only.

        Returns:
            Named segments of level 0 in order, apart from each other; none where it knows nothing.
        """


class ChoosySegmenter(Segmenter, Protocol):
    """A segmenter that knows which sessions it was not made for."""

    def fits(self, operations: Sequence[Operation]) -> bool:
        """Can it be trusted with a session?

        Args:
            operations: the n operations of one session in order; previews and fields only.

        Returns:
            False where the session is to be left to another segmenter.
        """


class Embedder(Protocol):
    """Turns texts into vectors: the same request in other words is found (group tracelode.embedders)."""

    name: str
    """Registered name."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors of texts.

        Args:
            texts: n requests in lower case, with <name>, <number>, <date> and <quoted> for what differs.

        Returns:
            n rows of m numbers; alike texts have a large cosine. An array is fine.

        Raises:
            MissingExtra: a package that it needs is not installed.
        """


class Exporter(Protocol):
    """An adapter out: one file format."""

    name: str
    """Registered name."""
    suffixes: tuple[str, ...]
    """File name endings that choose this format, longest first."""
    binary: bool
    """Always writes bytes; True where they are not text."""

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write a profile.

        Args:
            profile: what to write; the same profile gives the same bytes.
            stream: an open binary stream.

        Raises:
            ExportError: the format cannot hold this profile.
        """
