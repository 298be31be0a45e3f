"""Which bytes of an address are secret: passwords in URLs, e-mail addresses?"""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.judge import benign, mixed
from tracelode.redact.late import late
from tracelode.redact.span import MARKER, Cut, Reader, decode, keep, marker
from tracelode.redact.table import Row

_USER: Final = late(rb"([^\x00-\x20/@\"'`<>()\[\]{}?#\\:]{0,128})(:)?")
_PASSWORD: Final = late(rb"[^\x00-\x20/@\"'`<>\\?#]{0,256}@(?:[^\x00-\x20/@\"'`<>\\?#]{0,128}@){0,3}")
_SLASHED: Final = late(rb"[^\x00-\x20@\"'`<>\\]{0,256}@")
_PORT: Final = late(rb"[0-9]{1,5}(?:[/?#]|\Z)")
_MOST: Final = 800
# `docker://image@sha256:...` and `npm://package@1.2.3` name no user.
_HOST: Final = late(rb"@(?:(?!sha[0-9]{1,3}:)[A-Za-z\x80-\xff]|(?:[0-9]{1,3}[.]){3}[0-9])")
_SERVICES: Final = frozenset((b"git", b"hg", b"svn"))


def _url(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`scheme://user:password@host`, `scheme://token@host`, `scheme://user@host`; hosts stay."""
    begin = match.end(1)
    user = _USER.match(data, begin)
    name = user[1] if user else b""
    if user is None or user[2] is None:
        if mixed(decode(name), 16) and data[begin + len(name) : begin + len(name) + 1] == b"@":
            return Cut(begin, begin + len(name), marker(row.name), begin + len(name) + 2)
        if (
            name
            and _HOST.match(data, begin + len(name))
            and name not in _SERVICES
            and not benign(decode(name))
        ):
            return Cut(begin, begin + len(name), marker("email"), begin + len(name) + 20)
        return keep(match, begin + len(name), begin + len(name) + 20)
    start = user.end()
    found = _PASSWORD.match(data, start)
    if found is None and not _PORT.match(data, start):
        found = _SLASHED.match(data, start)
    stop = found.end() - 1 if found else start
    password = data[start:stop]
    token = mixed(decode(name), 16)
    if MARKER.search(password) or (not token and (not password or benign(decode(password)))):
        return keep(match, start, start + _MOST)
    if found is None:
        return keep(match, start, start + _MOST)
    return Cut(begin if token else start, stop, marker(row.name), start + _MOST)


# Letters of other scripts belong to a name; arrows, quotes and emoji (E2.., F0..) do not.
_LOCAL: Final = late(
    rb"(?:[A-Za-z0-9_%+.-]|[\xc3-\xdf][\x80-\xbf]|[\xe0\xe1\xe3-\xed][\x80-\xbf]{2}){1,64}\Z"
)
_LOCAL_MOST: Final = 64
_UNICODE: Final = late(rb"u[0-9A-Fa-f]{4}")
_DOMAIN: Final = late(rb"(?:[A-Za-z0-9\x80-\xff-]{1,63}\.){1,8}[A-Za-z\x80-\xff]{2,63}")
_LABELS: Final = late(rb"[A-Za-z0-9.\x80-\xff_-]{0,700}")
_REST: Final = late(rb"[A-Za-z0-9_-]*")
_NO_MAIL: Final = late(
    rb"[0-9]+x[.][A-Za-z]+\Z|.*[.](?:png|jpe?g|svg|webp|gif|ico|json|css|m?jsx?|tsx?|html?|ya?ml|lock|tgz|whl|zip)\Z",
    re.I | re.S,
)


def _email(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    at = match.start() + 1
    found = _LOCAL.search(data[max(floor, at - _LOCAL_MOST) : at])
    local = found[0] if found else b""
    start = at - len(local)
    if start > 0 and data[start - 1] == 0x5C:
        skip = 5 if _UNICODE.match(local) else 1 if local[:1] in b"nrtfbv" else 0
        start, local = start + skip, local[skip:]
    bare = local.lstrip(b".-+")
    start, local = start + len(local) - len(bare), bare
    sign = 1 if data[at] == 0x40 else 3
    domain = _DOMAIN.match(data, at + sign)
    labels = _LABELS.match(data, at + sign)
    reach = labels.end() + 2 if labels else at + sign + 2
    if domain is None or not local or local == b"git" or _NO_MAIL.match(domain[0]):
        return keep(match, at, reach)
    rest = _REST.match(data, domain.end())
    stop = rest.end() if rest else domain.end()
    if data[stop : stop + 1] == b"(":
        return keep(match, at, reach)
    return Cut(start, stop, marker(row.name), max(stop + 2, reach))


READERS: Final[dict[str, Reader]] = {"url": _url, "email": _email}
