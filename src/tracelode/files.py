"""How do bytes on disk become numbered records? Plain, gzip and zstd; growing files by cursor.

Knows no format: it cuts a stream at newlines, with a bound on the line, and remembers where it stopped.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import IO, cast

import msgspec

from tracelode.model.ports import Line

MAX_LINE = 256 * 1024 * 1024
"""Lines above this many bytes are skipped and counted."""
MAX_UNPACKED = 16 * 1024**3
"""A compressed file is read up to this many bytes of its content: a few bytes can promise any size."""
HEAD = 64 * 1024
"""Bytes given to a sniffing adapter."""
PROOF = 4096
"""Bytes of head and tail whose digests tell a grown file from a rewritten one."""

_RAW = msgspec.json.Decoder(msgspec.Raw)


class Cursor(msgspec.Struct, frozen=True):
    """Where reading of a file stopped: the end of the last whole line."""

    offset: int = 0
    """Bytes of the decompressed stream that are done."""
    line: int = 0
    """Lines that are done."""


class Broken(msgspec.Struct, frozen=True):
    """A line that could not be handed on."""

    line: int
    """1-based line."""
    reason: str
    """Closed words."""


def open_stream(path: Path) -> IO[bytes]:
    """Open a file, decompressed by its first bytes and not by its name.

    Args:
        path: a regular file.

    Returns:
        A binary stream of the decompressed content.

    Raises:
        OSError: it is no regular file, or cannot be read; why() says it in words.
    """
    raw = opened(path)
    magic = raw.read(4)
    raw.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    if magic == b"\x28\xb5\x2f\xfd":
        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(raw, closefd=True)
        return io.BufferedReader(cast(io.RawIOBase, reader), 1 << 16)
    return raw


LARGEST = 64 * 1024 * 1024
"""Bytes of a file that a user names in an option."""
_WORDS = {
    errno.ENOENT: "it is not there",
    errno.ENOTDIR: "it is not there",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "its links lead in a circle",
    errno.ENAMETOOLONG: "its name is too long",
}


def why(error: OSError) -> str:
    """Why a file could not be read, in words.

    Args:
        error: raised by opening or reading it.

    Returns:
        A phrase without a name and a full stop.
    """
    if error.errno in _WORDS:
        return _WORDS[error.errno]
    words = error.strerror or "no reason is told"
    return words[:1].lower() + words[1:]


def opened(path: Path) -> IO[bytes]:
    """Open a file that a user names; a device may never end, and a pipe waits for its writer.

    Args:
        path: the file.

    Returns:
        A binary stream of it.

    Raises:
        OSError: it is no regular file, or cannot be opened; why() says it in words.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    except ValueError:  # a null byte, half a character
        raise OSError(errno.EINVAL, "no file can have its name", str(path)) from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(handle, "rb")


def bounded(path: Path, most: int = LARGEST) -> bytes:
    """The content of a file that a user names.

    Args:
        path: a regular file.
        most: bytes that it may have.

    Returns:
        All of it.

    Raises:
        OSError: it is no regular file, too large, or cannot be read; why() says it in words.
    """
    with opened(path) as stream:
        data = _all(stream, most + 1)
    if len(data) > most:
        size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most:,} bytes"
        raise OSError(errno.EFBIG, f"it is above {size}", str(path))
    return data


def is_packed(stream: IO[bytes]) -> bool:
    """Does a stream of open_stream() decompress?"""
    return not isinstance(getattr(stream, "raw", None), io.FileIO)


def head(path: Path, size: int = HEAD) -> bytes:
    """First bytes of the decompressed content.

    Args:
        path: a regular file.
        size: at most this many bytes.

    Returns:
        The bytes; of a damaged archive those before the damage.

    Raises:
        OSError: the file cannot be read.
    """
    found = b""
    with open_stream(path) as stream:
        while len(found) < size:
            try:
                part = stream.read(min(4096, size - len(found)))
            except Exception:  # a damaged archive: its library's own errors have no common base
                break
            if not part:
                break
            found += part
    return found


def proof(path: Path, size: int) -> tuple[str, str]:
    """Digests of the first bytes and of the bytes before an end, as they lie on disk.

    Args:
        path: a regular file.
        size: bytes from the start that are to be proven, 0 for none.

    Returns:
        (digest of up to PROOF first bytes, digest of up to PROOF bytes that end at size).

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        first = stream.read(min(PROOF, size))
        stream.seek(max(0, size - PROOF))
        last = stream.read(min(PROOF, size))
    return _digest(first), _digest(last)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


class Records:
    """The numbered lines of one file from a cursor on; afterwards where it stopped and what broke.

    Args:
        path: a regular file.
        cursor: where an earlier read stopped.
        max_line: bound on a line's bytes.
        whole: the file is one record.
    """

    def __init__(
        self, path: Path, cursor: Cursor | None = None, max_line: int = MAX_LINE, whole: bool = False
    ) -> None:
        self.path = path
        self._whole = whole
        self.cursor = cursor or Cursor()
        self.broken: list[Broken] = []
        self.bytes_read = 0
        self._max = max_line

    def _document(self) -> Iterator[Line]:
        try:
            with open_stream(self.path) as stream:
                data = _all(stream, self._max + 1)
        except Exception as error:
            self.broken.append(Broken(1, f"read stopped: {type(error).__name__}"))
            return
        self.bytes_read = len(data)
        if len(data) > self._max:
            self.broken.append(Broken(1, "file above the size limit"))
            return
        if data:
            yield Line(1, 0, data.removeprefix(b"\xef\xbb\xbf"))
        self.cursor = Cursor(len(data), 1)

    def __iter__(self) -> Iterator[Line]:
        if self._whole:
            yield from self._document()
            return
        offset, number = self.cursor.offset, self.cursor.line
        with open_stream(self.path) as stream:
            if offset:
                stream.seek(offset - 1)
                if stream.read(1) != b"\n":
                    # the last line was whole but had no end yet: what follows belongs to it
                    number -= 1
            bound = MAX_UNPACKED if is_packed(stream) else sys.maxsize
            while True:
                if offset > bound:
                    self.broken.append(Broken(number + 1, "unpacks to more than is read; unpack it first"))
                    return
                try:
                    data = stream.readline(self._max + 1)
                except Exception as error:
                    # a damaged archive or a disk fault: what was read before it is kept
                    self.broken.append(Broken(number + 1, f"read stopped: {type(error).__name__}"))
                    return
                if not data:
                    return
                number += 1
                size = len(data)
                self.bytes_read += size
                if data[-1] != 10:
                    if size > self._max:
                        size += self._skip_line(stream, bound - offset)
                        self.broken.append(Broken(number, "line above the size limit"))
                        offset += size
                        self.cursor = Cursor(offset, number)
                        continue
                    if not _whole(data):
                        # still being written, or cut for good: left for the next read
                        self.broken.append(Broken(number, "truncated last line"))
                        return
                start = offset
                offset += size
                text = data.strip()
                if start == 0 and text.startswith(b"\xef\xbb\xbf"):
                    text = text[3:]
                if text:
                    yield Line(number, start, text)
                self.cursor = Cursor(offset, number)

    def _skip_line(self, stream: IO[bytes], bound: int) -> int:
        size = 0
        while True:
            try:
                chunk = stream.readline(1 << 20)
            except Exception:  # the archive ends here: the next read says so
                chunk = b""
            size += len(chunk)
            self.bytes_read += len(chunk)
            if not chunk or chunk.endswith(b"\n") or size > bound:
                return size


def _all(stream: IO[bytes], most: int) -> bytes:
    """Up to so many bytes of a stream, without asking for memory that its content does not need."""
    parts: list[bytes] = []
    while most > 0 and (part := stream.read(min(most, 1 << 20))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _whole(data: bytes) -> bool:
    """Is a line without an end an object or list? The beginning of a line of text may well be a number."""
    text = data.strip().removeprefix(b"\xef\xbb\xbf")
    if not text.startswith((b"{", b"[")):
        return False
    try:
        _RAW.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True
