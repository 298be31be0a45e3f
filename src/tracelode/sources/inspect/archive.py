"""How is an archive read that may have been made to do harm? In memory, within bounds, counting refusals.

Nothing is written to disk and no name of the archive becomes a path. Sizes are those that decompression
gives, not those that the archive tells.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

MAX_MEMBERS = 100_000
"""An archive with more members is refused."""
MAX_DIRECTORY = 16 * 1024 * 1024
"""An archive whose directory has more bytes is refused before it is read."""
MAX_MEMBER = 256 * 1024 * 1024
"""A member that grows above this many bytes is refused."""
MAX_TOTAL = 2 * 1024 * 1024 * 1024
"""Bytes that all members of an archive may grow to; what is left after that is refused."""

_END, _END64 = b"PK\x05\x06", b"PK\x06\x06"
_ZSTD = 93
_KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD)
_ENCRYPTED = 0x1


class Refused(Exception):
    """A member or an archive is not read; the message is a closed sentence."""


class Archive:
    """A ZIP archive in memory.

    Args:
        data: the whole archive.

    Raises:
        Refused: it is damaged, or larger than the bounds.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._left = MAX_TOTAL
        count, size = _directory(data)
        if count > MAX_MEMBERS or size > MAX_DIRECTORY:
            raise Refused("archive with too many members, refused")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, struct.error, ValueError, OverflowError, NotImplementedError):
            raise Refused("damaged or unfinished archive") from None
        if len(self._zip.filelist) > MAX_MEMBERS:
            raise Refused("archive with too many members, refused")
        self.members: dict[str, zipfile.ZipInfo] = {}
        self.refused: list[str] = []
        for member in self._zip.filelist:
            if not _tame(member.filename):
                self.refused.append("name that leads out of the archive, refused")
            elif not member.is_dir():
                if member.filename in self.members:
                    self.refused.append("member written twice, the last one is read")
                self.members[member.filename] = member

    def names(self) -> Iterator[str]:
        """Names of the members, in the archive's order."""
        yield from self.members

    def read(self, name: str) -> bytes:
        """The content of a member.

        Args:
            name: one of names().

        Returns:
            Its bytes.

        Raises:
            Refused: it is encrypted, damaged, of an unknown compression or too large.
        """
        member = self.members[name]
        if member.flag_bits & _ENCRYPTED:
            raise Refused("encrypted member, refused")
        if member.compress_type not in _KNOWN:
            raise Refused("member of an unknown compression, refused")
        limit = min(MAX_MEMBER, self._left)
        try:
            data = self._zstd(member, limit) if member.compress_type == _ZSTD else self._plain(member, limit)
        except Refused:
            raise
        except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, NotImplementedError):
            raise Refused("damaged member, refused") from None
        if len(data) > limit:
            self._left = 0 if limit < MAX_MEMBER else self._left - limit
            raise Refused("member above the size limit, refused")
        self._left -= len(data)
        return data

    def _plain(self, member: zipfile.ZipInfo, limit: int) -> bytes:
        with self._zip.open(member) as stream:
            return stream.read(limit + 1)

    def _zstd(self, member: zipfile.ZipInfo, limit: int) -> bytes:
        """Zstandard, which newer writers use and the standard library does not know yet."""
        import zstandard

        begin = member.header_offset
        names = struct.unpack_from("<HH", self._data, begin + 26)
        begin += 30 + names[0] + names[1]
        packed = self._data[begin : begin + member.compress_size]
        try:
            with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed) as stream:
                data: bytes = stream.read(limit + 1)
        except zstandard.ZstdError:
            raise Refused("damaged member, refused") from None
        if len(data) <= limit and zlib.crc32(data) != member.CRC:
            raise Refused("damaged member, refused")
        return data


def _directory(data: bytes) -> tuple[int, int]:
    """(members, bytes) of the directory as the archive's end tells them."""
    end = data.rfind(_END, max(0, len(data) - 65_557))
    if end < 0 or len(data) - end < 22:
        raise Refused("damaged or unfinished archive")
    count, size = struct.unpack_from("<HI", data, end + 10)
    if count == 0xFFFF or size == 0xFFFFFFFF:
        wide = data.rfind(_END64, 0, end)
        if wide < 0 or len(data) - wide < 56:
            raise Refused("damaged or unfinished archive")
        count, size = struct.unpack_from("<QQ", data, wide + 32)
    return count, size


def _tame(name: str) -> bool:
    """Is a name a path inside the archive?"""
    parts = name.split("/")
    return not (name.startswith("/") or ".." in parts or any(c in name for c in ("\\", "\x00", ":")))
