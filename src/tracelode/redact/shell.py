"""Which words of a command line are secret: behind options, at fixed places, fed to standard input?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

from tracelode.redact.judge import benign, mixed, secret, technical
from tracelode.redact.late import late
from tracelode.redact.span import (
    BEFORE,
    CHANGED,
    LIMIT,
    MARKER,
    PROBE,
    SPAN,
    Cut,
    Reader,
    decode,
    edge,
    keep,
    marker,
    read_value,
    take_value,
)
from tracelode.redact.table import Row
from tracelode.redact.words import SPOKEN

# Arguments of one command on one line: up to a pipe or semicolon outside quotes, or a quote that never ends.
_ARGUMENTS: Final = late(
    rb"(?:[^\x00-\x08\n\r'\"|;&\\]|\\[^\n\r]|'[^'\n\r]{0,512}'|\"(?:[^\"\\\n\r]|\\[^\n\r]){0,512}\""
    rb"|&(?!&|[ ]|\Z))*"
)
_CONTINUED: Final = late(rb"\\\r?\n[ \t]*(?:[+>#][ \t]|[0-9]{1,6}(?:\t|\xe2\x86\x92|[:|]))?")
_BARE: Final = late(rb"(?:[^\x00-\x20'\"`;&|<>()\\\x7f]|\\[^\x00-\x20nrt\"'`\\])+")
_BLANKS: Final = late(rb"[ \t]*")
_TRAILING: Final = b".,:]}*"


_AFTER_PIPE: Final = 200
"""How far behind a pipe its command is looked at, bytes."""
_MOST: Final = 20
"""How many secrets are looked for in one line of arguments."""


@lru_cache(maxsize=128)
def _where(row: Row) -> re.Pattern[bytes]:
    return re.compile(row.where.encode("latin-1"))


def _argument(data: bytes, row: Row, begin: int, at: int, end: int) -> Cut | None:
    """The word at an offset, as a secret; None if it is a placeholder, an option or code.

    Args:
        data: the text.
        row: whose name the secret goes under.
        begin: where what leads to it begins; a quote opened from there on closes behind it.
        at: first byte of the word.
        end: first byte that is no argument.

    Returns:
        A cut.
    """
    opened = re.search(rb"[\"']", data[begin:at])
    found = read_value(data, at)
    start, stop, quoted, reach = found.start, found.stop, found.quoted, found.reach
    if opened:
        start, quoted = at, True
        stop = data.find(opened[0], at, end)
        stop = reach = stop if stop >= 0 else end
    elif not quoted:
        bare = _BARE.match(data, at, min(len(data), at + LIMIT))
        stop = bare.end() if bare else at
        while stop > at and data[stop - 1] in _TRAILING:
            stop -= 1
        reach = stop + 12
    content = decode(data[start : min(stop, start + PROBE)])
    refused = (
        not content
        or content.startswith(("-", "=", ":", "file://", "fileb://"))
        or MARKER.match(data, start)
        or not secret("PASSWORD", content, quoted, "")
    )
    return None if refused else Cut(start, stop, marker(row.name), max(reach, stop) + 2)


def _lines(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Arguments from an offset on, line by line as long as backslashes continue them."""
    limit = at + SPAN
    while True:
        found = _ARGUMENTS.match(data, at, min(len(data), at + 2 * PROBE))
        end = found.end() if found else at
        yield at, end
        following = _CONTINUED.match(data, end)
        if following is None or following.end() >= limit:
            return
        at = following.end()


def _command(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`docker login -u bob -p X`, `curl -su bob:X`, `gh secret set NAME -b X`."""
    if data[match.start()] != 0x20 and not edge(data, match.start()):
        return keep(match, match.start() + 1)
    more: list[Cut] = []
    end = match.end()
    for at, end in _lines(data, match.end()):
        for spot in islice(_where(row).finditer(data, at, end), _MOST):
            cut = _argument(data, row, spot.start(), spot.end(), end)
            # What other rules changed on a line below was refused as it stood.
            if cut is not None and (at == match.end() or not CHANGED.search(data[cut.start : cut.stop + 1])):
                more.append(cut)
    return keep(match, match.start() + 1, end + PROBE)._replace(more=tuple(more))


def _place(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`htpasswd -b file bob X`."""
    found = _ARGUMENTS.match(data, match.end(), min(len(data), match.end() + 2 * PROBE))
    end = found.end() if found else match.end()
    refusal = keep(match, match.start() + 1, end + PROBE)
    blanks = _BLANKS.match(data, match.end(), end)
    spot = _where(row).match(data, blanks.end() if blanks else match.end(), end)
    if spot is None or not edge(data, match.start()):
        return refusal
    cut = _argument(data, row, spot.end(), spot.end(), end)
    if cut is None or (row.kind == "spoken" and not _meant(data, match.start(), cut, end)):
        return refusal
    return refusal._replace(more=(cut,))


_BEGINS: Final = late(
    rb"(?:\A|[\n\r;&|(`\"'$>#:\t\x92]|\\[nt])[ \t]*"
    rb"(?:-[ ]|sudo[ ]|exec[ ]|time[ ]|[A-Z_]{1,20}=[^ ]{0,20}[ ])*\Z"
)


def _meant(data: bytes, start: int, cut: Cut, end: int) -> bool:
    """Is a command given rather than spoken of?"""
    content = data[cut.start : cut.stop]
    word = decode(content[:PROBE])
    if re.match(rb"[a-z_-]{1,20}=", content) or technical(word):
        return False
    if mixed(word, 6) or data[cut.start - 1] in b"\"'":
        return True
    last = not data[cut.stop : end].strip(b" \t.\\")
    lone = last and word.lower() not in SPOKEN and data[cut.stop : cut.stop + 1] != b"."
    return lone and bool(_BEGINS.search(data[max(0, start - 64) : start]))


# Commands that read a secret from standard input, as a program or by an option.
_READS: Final = late(
    rb"(?:\A|[\s(\"'`]|bin/)(?:"
    rb"(?:chpasswd|chgpasswd|passwd|smbpasswd|pdbedit|cryptsetup|kinit|secret-tool|saslpasswd2|mkpasswd|htpasswd|"
    rb"keyctl[ ]padd|keyring[ ]set|pass[ ](?:insert|add)|openssl[ ]passwd|vercel[ ]env[ ]add)(?=[\s\"')]|\Z)"
    rb"|sudo[ ](?:[^\s|;&]+[ ]){0,4}?(?:-[A-Za-z]{0,6}S|--stdin)(?=\s|\Z)"
    rb"|su[ ](?:[^|;&\n]{0,60}[ ])?-c[ ]"
    rb"|(?:vault|bao)[ ]login|glab[ ]auth[ ]login[ ][^|;&\n]{0,60}--stdin"
    rb"|secrets?[ ](?:set|put|create|add|import|versions)[ ]|create[ ]secret[ ]"
    rb"|(?:--p(?:assword)?-?stdin|--(?:with-token|token-stdin|stdin-password|password-from-stdin|api-key-stdin)|"
    rb"--pass(?:phrase|word)-fd[ =]0|-pass(?:in|out)?[ ]stdin)(?=[\s\"')]|\Z)"
    rb")"
)
# A pipe into it may hold commands; a word given outright is the password.
_SU: Final = late(rb"(?:\A|[\s(\"'`]|bin/)su[ ]")
_CONFIRMING: Final = frozenset(b"y n yes no YES NO Y N".split())
_VARIABLE: Final = late(rb"[$`]")
_SINGLE: Final = late(rb"[ \t]*'[^']*'[ \t]*")


_FILTERS: Final = late(rb"[ \t]*(?:[efz]?grep|rg|ag|awk|sed|find|tr|cut|tee|wc|cat|head|tail|sort)[ ]")


def _reads(command: bytes) -> bool:
    """Does a command read a secret from standard input? `grep passwd` does not."""
    return _FILTERS.match(command) is None and _READS.search(command) is not None


def _fed_value(data: bytes, start: int, stop: int, row: Row, reach: int) -> Cut | None:
    """What is fed to standard input, without quotes and blanks around; None if it is no secret."""
    content = data[start:stop]
    literal = _SINGLE.fullmatch(content)
    bare = content.strip(b" \t\"'\\()")
    refused = (
        not bare
        or (_VARIABLE.search(bare) and not literal)
        or bare in _CONFIRMING
        or MARKER.search(bare)
        or benign(decode(bare))
    )
    if refused:
        return None
    begin = data.find(bare, start, stop)
    return Cut(begin, begin + len(bare), marker(row.name), reach + 2)


def _piped(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`echo X | sudo -S ...`, `printf 'bob:%s' X | chpasswd`."""
    reach = match.end() + _AFTER_PIPE
    line = re.split(rb"[\n;]", data[match.end() : reach], maxsplit=1)[0]
    if not edge(data, match.start()) or not any(_reads(command) for command in line.split(b"|")):
        return keep(match, match.start() + 1, reach)
    cut = _fed_value(data, match.end(1), match.end() - 1, row, reach)
    return cut or keep(match, match.start() + 1, reach)


def _before(data: bytes, start: int) -> bytes:
    """The command that ends at an offset, as far as it is seen."""
    return re.split(rb"[\n\r;&|]|\\n", data[max(0, start - BEFORE) : start])[-1]


def _fed(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`chpasswd <<< bob:X`."""
    before = _before(data, match.start())
    if not _reads(before) and not _SU.search(before):
        return keep(match, match.end(1))
    found = read_value(data, match.end(1))
    stop, reach = found.stop, found.reach
    if not found.quoted:
        bare = _BARE.match(data, found.start, min(len(data), found.start + LIMIT))
        stop = bare.end() if bare else found.start
        reach = stop + 12
    cut = _fed_value(data, found.start, stop, row, reach)
    return cut or keep(match, match.end(1), reach)


_REST: Final = late(rb"[ \t]*(?:[|>&;)][^\n]*|\r?)\n")
_HERE: Final = late(rb"([A-Za-z_]+)[\"']?\Z")


def _here(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`chpasswd <<EOF`, and every line down to EOF."""
    word = _HERE.search(match[0])
    rest = _REST.match(data, match.end(), match.end() + _AFTER_PIPE)
    before = _before(data, match.start())
    if word is None or rest is None or CHANGED.search(before) or not _reads(before + b" "):
        return keep(match, match.start() + 1, match.end() + _AFTER_PIPE)
    more: list[Cut] = []
    at, limit = rest.end(), match.end() + SPAN
    while at < min(limit, len(data)):
        end = data.find(b"\n", at, at + LIMIT)
        end = end if end >= 0 else min(len(data), at + LIMIT)
        line = data[at:end].rstrip(b"\r")
        if line.strip() == word[1]:
            break
        cut = _fed_value(data, at, at + len(line), row, end)
        if cut is not None and not CHANGED.search(line):
            more.append(cut)
        at = end + 1
    return keep(match, match.start() + 1, at)._replace(more=tuple(more))


_GROUPS: Final = frozenset(b"root wheel staff users nogroup nobody docker www-data node app latest".split())
_HTTP: Final = late(rb"(?:\A|[^A-Za-z0-9/.-])(?:https?|xhs?|ab)[ ]")


def _login(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`curl -u user:password`, `http -a user:password`, `smbclient -U user%password`."""
    option = match[1].lstrip(b" ")[:2].lower()
    if option == b"-a" and not _HTTP.search(_before(data, match.start()) + b" "):
        return keep(match, match.start() + 1, match.end())
    opened = re.search(rb"[\"']", match[1])
    stop = data.find(opened[0], match.end(), match.end() + PROBE) if opened else -1
    seen = match.end() + PROBE if opened else 0
    if stop < 0 or b"\n" in data[match.end() : stop]:
        bare = _BARE.match(data, match.end(), min(len(data), match.end() + LIMIT))
        stop = bare.end() if bare else match.end()
    content = data[match.end() : stop]
    user = re.split(rb"[ =\"']", match[1][:-1])[-1]
    refused = (
        not content
        or content in _GROUPS
        or content.startswith(b"/")
        or content == user
        or user.startswith(b"+")
        or (content.isdigit() and user.isdigit())
        or MARKER.match(content)
        or benign(decode(content))
    )
    if refused:
        return keep(match, match.start() + 1, max(stop + 12, seen))
    return Cut(match.end(), stop, marker(row.name), max(stop + 12, seen))


def _word(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """The word a command line takes as its password."""
    found = read_value(data, match.end(1))
    content = decode(found.content)
    refused = (
        content.startswith(("-", "=", ":"))
        or MARKER.match(data, found.start)
        or not (data[match.start() : match.start() + 1] == b" " or edge(data, match.start()))
        or not secret("PASSWORD", content, found.quoted, "")
    )
    if refused:
        return keep(match, match.start() + 1, found.reach)
    return take_value(data, found, row.name)


READERS: Final[dict[str, Reader]] = {
    "command": _command,
    "place": _place,
    "spoken": _place,
    "piped": _piped,
    "fed": _fed,
    "here": _here,
    "login": _login,
    "netrc": _word,
    "word": _word,
}
