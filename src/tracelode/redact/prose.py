"""Which word of a sentence is a secret: `the password is ...`, `API key for the shop: ...`?"""

from __future__ import annotations

import re
from typing import Final

from tracelode.redact.judge import benign, kind, mixed, secret, technical
from tracelode.redact.late import late
from tracelode.redact.span import BEFORE, MARKER, Cut, Reader, Value, decode, keep, marker, read_value
from tracelode.redact.table import Row
from tracelode.redact.words import OUTCOMES, STATES

_FOR = rb"(?:for|to|of|on)(?:[ ][^ \r\n()<>=]{1,24}){1,4}?"
_IS = (
    rb"(?:is|was|are|ist|(?:(?:is|was|has[ ]been|been)[ ])?(?:set|changed|reset|updated)[ ]to)"
    rb"(?:[ ](?:now|still))?:?[ ]"
)
_TOLD: Final = late(
    rb"(?:(?:" + _FOR + rb"[ ])?" + _IS + rb"|" + _FOR + rb"(?:[ ]?[=:]|[ ][-=]>)[ ])[*]{0,3}"
)
_AS: Final = late(rb"(?:as|to)[ ](?:now[ ])?[*]{0,3}")
_PASSWORD: Final = late(rb"\A(?:pass|pwd|kennw)", re.I)
# `password x7y8z9w0` alone; `passwd bob` and `identified by x` say something else.
_BARE: Final = late(rb"(?:password|passphrase|passcode|passwort|kennwort)[ ]", re.I)
_SYMBOL: Final = late(
    r"[A-Za-z][A-Za-z0-9]*[!#$%^&*+=?~][A-Za-z0-9!#$%^&*+=?~]|[A-Za-z0-9][!#$%^&*+=~]{2,}\Z"
)
_END: Final = late(rb"[.,;!]?(?:[\"')\]*]{0,3}[ \t]{0,8}(?:\r?(?:\n|\Z)|\\[nr])|[.][ ]|,[ ]and[ ])")
_WORD: Final = late(r"[A-Za-z]{5,}\Z")
_STATE_ENDINGS: Final = ("ed", "ing", "able", "ible", "ive", "ly", "less", "ful", "ic", "ical", "ous", "ent")


def _alone(data: bytes, stop: int, content: str) -> bool:
    """Is it a plain word that ends its sentence and is no state a password can be in?"""
    word = content.lower()
    return (
        bool(_WORD.match(content))
        and bool(_END.match(data, stop))
        and word not in STATES
        and not word.endswith(_STATE_ENDINGS)
    )


def _said(data: bytes, row: Row, match: re.Match[bytes], floor: int) -> Cut:
    """`the password is ...`, `IDENTIFIED BY '...'`, `the API key for the shop is ...`."""
    strong = bool(_PASSWORD.match(match[1]))
    told = _TOLD.match(data, match.end(1))
    link = told or (_AS.match(data, match.end(1)) if strong else None)
    if link is None and row.name != "password":
        return keep(match, match.start() + 1, match.end() + 150)
    found = read_value(data, link.end() if link else match.end(1))
    stop = found.stop
    while not found.quoted and stop > found.start and data[stop - 1] in b".,:!?*":
        stop -= 1
    content = decode(data[found.start : stop])
    least = 6 if strong or b"ey" in match[1].lower() else 8
    if found.quoted:
        drawn = found.closed and len(content) >= 4 and (row.name == "password" or mixed(content, least))
    else:
        word = strong and told and _alone(data, stop, content)
        drawn = mixed(content, least) if link else bool(_BARE.match(match[1])) and mixed(content, 8)
        drawn = drawn or bool((link and _SYMBOL.search(content)) or word)
    if (
        not drawn
        or " " in content
        or MARKER.match(data, found.start)
        or technical(content)
        or benign(content)
        or not secret("password", content, found.quoted, decode(data[stop : stop + 1]))
    ):
        return keep(match, match.start() + 1, max(found.reach, match.end() + 150))
    return Cut(found.start, stop, marker(kind(decode(match[1]).strip())), max(found.reach, match.end() + 150))


_OWNER: Final = late(
    rb"(?:\A|[^A-Za-z0-9_-])(?:my|our|your|access|api|auth|bot|refresh|session|bearer|personal|deploy|github|gitlab|"
    rb"npm|pypi|slack|discord|telegram|service|account|admin|root|user|login|client)[ ]{1,2}\Z",
    re.I,
)
_USER: Final = late(rb"(?:user(?:name)?|login|usr|uid|account|e?mail)[\"']?[ ]{0,2}[:=][^\r\n]{1,60}\Z", re.I)
_LINE_START: Final = late(
    rb"(?:\A|\n|\\n)(?:[ \t]{0,8}[0-9]{1,6}(?:\t|\xe2\x86\x92|[:|])|[+-](?=[ \t]))?[ \t]*(?:-[ ])?\Z"
)
_LINE_END: Final = late(rb"[ \t]{0,8}(?:\r?(?:\n|\Z)|\\[nr])")


def owned(data: bytes, match: re.Match[bytes], key: str, found: Value) -> str:
    """The key of an assignment, as strong as the words before make it: `my token: ...`, `user: x pass: ...`.

    Args:
        data: the text.
        match: key and sign.
        key: as written, nothing before it on its word.
        found: the value.

    Returns:
        The key, or one that says more.
    """
    word = decode(found.content)
    before = data[max(0, match.start() - BEFORE) : match.start()]
    ends = found.quoted or bool(_LINE_END.match(data, found.stop))
    if key.lower() == "token" and data[match.end(1) : match.end()].rstrip(b" \t*").endswith(b":"):
        plain = found.quoted or (word.isalnum() and len(word) >= 8 and not word.istitle())
        return "auth_token" if ends and plain and _OWNER.search(before) else key
    if key == "pass" and not found.quoted:
        plain = len(word) >= 6 and word.isalpha() and word.islower() and word not in OUTCOMES
        if _USER.search(before) or (ends and plain and _LINE_START.search(before)):
            return "db_pass"
    return key


READERS: Final[dict[str, Reader]] = {"said": _said}
