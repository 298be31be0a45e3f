"""Is a value private by what it is called or by its own checksum: a card, an account, a signature?

The redactor of an import takes out what is a secret wherever it stands. A number of a card, of a bank account
or of a person is none there: it may be what a session is about. Where a value is about to be written into
files that are given away, it is judged by more: the name of its field, the checksums of cards and accounts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from tracelode.redact.late import late
from tracelode.redact.words import words

_PARTS: Final = late(r"[A-Z]?[a-z]+[0-9]?|[A-Z]+(?![a-z])[0-9]?|[0-9]+")
_DIGITS: Final = late(r"[0-9]")
_CARD: Final = late(r"(?<![0-9A-Za-z-])[3-6](?:[ -]?[0-9]){12,18}(?![0-9A-Za-z-])")
_IBAN: Final = late(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_SSN: Final = late(r"(?<![0-9-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9-])")
_DRAWN: Final = late(r"[A-Za-z0-9+/_=.-]{16,}")

# Names of one word each; a field is called so where one of its words, or two of them joined, is one.
_WHOLE: Final = words(
    "password passwd passwort kennwort pwd pw dbpw dbpass passphrase passcode secret credential credentials "
    "apikey accesskey privatekey mnemonic seedphrase"
)
"""Whatever it holds is private."""
_NUMBERED: Final = words(
    "cvv cvv2 cvc cvc2 csc pin otp totp tan ssn nino iban cardnumber ccnumber creditcard debitcard "
    "cardno ccnum socialsecurity nationalid taxid passport passportnumber accountnumber routingnumber "
    "securitycode"
)
"""Private where it holds three digits or more."""
_MADE: Final = words("sig signature hmac token nonce jwt bearer cookie session sid auth authorization")
"""Private where it holds a drawn text."""
_LEAST: Final = 3

_SAID: Final = late(
    r"\b(?:pass(?:word|phrase|code|wort)s?|passwd|pwd|kennwort|pins?|tokens?|secrets?|api[ -]?keys?|"
    r"access[ -]?(?:key|code)s?|credentials?|cvv2?|cvc2?|security[ -]code|card[ -](?:number|no\.?)|ssn|"
    r"social[ -]security[ -]number|iban|one[ -]time[ -]code|otp)\b",
    re.IGNORECASE,
)
_CLAUSE: Final = late(r"(?:[,;!?\n]|\.(?:\s|\Z)|\s(?:and|then|und|but|please)\s)|\Z")
_LONGEST: Final = 120
"""Characters of what is said that are taken away at most."""


def private(name: str, value: str) -> bool:
    """Should a value not leave in files that are given away?

    Args:
        name: of its field, or a path of fields; "" where it has none.
        value: its text.

    Returns:
        True for card numbers (Luhn), IBANs (checksum 97), US social security numbers, and for what stands
        under a name of such things, of passwords or of signatures.

    Example:
        >>> private("to", "DE89370400440532013000"), private("n", "4111 1111 1111 1111")
        (True, True)
        >>> private("cvv", "123"), private("card", "gold"), private("order", "4111111111111112")
        (True, False, False)
    """
    if not value:
        return False
    if _SSN.search(value) or any(_luhn(m[0]) for m in _CARD.finditer(value)):
        return True
    if any(_iban(m[0]) for m in _IBAN.finditer(value)):
        return True
    parts = [word.lower() for word in _PARTS.findall(name)]
    named = {*parts, *("".join(pair) for pair in pairwise(parts))}
    if named & _WHOLE:
        return True
    if named & _NUMBERED:
        return len(_DIGITS.findall(value)) >= _LEAST
    return bool(named & _MADE) and bool(_DRAWN.search(value)) and _DIGITS.search(value) is not None


def _luhn(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()]
    doubled = [d if n % 2 == 0 else sum(divmod(2 * d, 10)) for n, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 1


def _iban(text: str) -> bool:
    plain = text.replace(" ", "")
    turned = plain[4:] + plain[:4]
    return int("".join(str(int(c, 36)) for c in turned)) % 97 == 1


@lru_cache(maxsize=4096)
def unsaid(text: str) -> str:
    """A text without what is said after a word for a secret, to the end of its clause.

    Args:
        text: what a person asks.

    Returns:
        The text with the words for secrets, and without what follows them.

    Example:
        >>> unsaid("Look it up, password is swordfish, token Zk3jf8, and write a note.")
        'Look it up, password, token, and write a note.'
    """
    kept, at = [], 0
    while (found := _SAID.search(text, at)) is not None:
        kept.append(text[at : found.end()])
        last = min(len(text), found.end() + _LONGEST)
        stop = _CLAUSE.search(text, found.end(), last)
        at = last if stop is None else stop.start()
    return "".join((*kept, text[at:]))
