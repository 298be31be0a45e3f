"""Do two values say the same in another form, and which named change leads from one to the other?

Levels: L0 equal with their types; L1 canonically equal (number or its text, case, white space, true or its
text); L2 equal in another format. The table of changes is closed; each gives one answer, and none looks back.

| name | with | gives |
|---|---|---|
| str, int, float, bool | | the value in that type |
| lower, upper, title, capital, squeeze | | the text in that case; white space as single spaces |
| unurl, url, url_plus | | percent-encoding taken away, or put on |
| amount | | the number in a text with a currency or a unit |
| round | places | the number rounded |
| format | mask such as $0,0.00 | the number as text |
| digits, phone | mask such as +# (###) #### | digits of a phone number, alone or in a mask |
| date, time, datetime | form, or form read > form written | compile.forms has the forms |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal
from urllib.parse import quote, quote_plus, unquote_plus

from tracelode.compile import forms
from tracelode.compile.changes import apply, derive, shaped
from tracelode.compile.forms import Moment
from tracelode.compile.readings import (
    AROUND,
    PLACES,
    Shared,
    amount,
    canonical,
    digits_of,
    fold,
    number,
    numeric,
    places_of,
    text,
)
from tracelode.model.binding import Transform
from tracelode.model.run import Tree

__all__ = [
    "Shared",
    "amount",
    "apply",
    "canonical",
    "derive",
    "equal_to",
    "explain",
    "keys",
    "number",
    "same",
    "shaped",
    "text",
    "wants",
]

_REMEMBERED = 200
"""Characters up to which what a text can be made of is remembered."""
_FORMED = re.compile(r"[\d%+]", re.ASCII)
"""What a text needs to be more than itself."""


def same(a: Tree, b: Tree) -> bool:
    """Are two values canonically equal?

    Args:
        a: JSON value.
        b: JSON value.

    Returns:
        True: equal, or equal but for type, case and white space; lists and dicts part by part.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if type(a) is type(b) and a == b:
        return True
    theirs = canonical(b)
    return any(key in theirs for key in canonical(a)) if theirs else False


def equal_to(value: Tree) -> Callable[[Tree], bool]:
    """same() with one side fixed, for many others.

    Args:
        value: JSON value.

    Returns:
        Tells of another value whether the two are canonically equal.
    """
    kind, mine = type(value), canonical(value)
    if kind is dict or kind is list:
        return lambda other: same(other, value)

    def equal(other: Tree) -> bool:
        if type(other) is kind and other == value:
            return True
        return bool(mine) and any(key in mine for key in canonical(other))

    return equal


def wants(value: Tree) -> tuple[Shared, ...]:
    """The keys by which a passed value is looked up.

    Args:
        value: JSON value, an argument leaf.

    Returns:
        Some of keys(value); explain(a, b) is not None exactly where keys(a) and wants(b) share one.
    """
    return _wanted(value) if type(value) is str and len(value) <= _REMEMBERED else _wants(value)


def _wants(value: Tree) -> tuple[Shared, ...]:
    found = list(canonical(value))
    if isinstance(value, str):
        if not _FORMED.search(value):
            return tuple(found)
        found += _formatted(value)
        for moment in forms.read(value):
            found += _told(moment)
    if (known := numeric(value)) is not None and (places := places_of(known)) <= PLACES:
        found.append(("round", places, known))
    return tuple(dict.fromkeys(found))


# only texts: 1, 1.0 and true are one key of a cache
_wanted = lru_cache(maxsize=1 << 16)(_wants)


def keys(value: Tree) -> tuple[Shared, ...]:
    """The keys under which a produced value is found: what it is, and what can be made of it.

    Args:
        value: JSON value, a leaf of an output.

    Returns:
        Hashable keys, each once.
    """
    found = list(wants(value))
    if isinstance(value, str):
        if not _FORMED.search(value):
            return tuple(found)  # most texts of an output: neither number nor moment
        if (decoded := _decoded(value)) is not None:
            found.append(("s", fold(decoded)))
        for moment in forms.read(value):
            found += _parts(moment)
    known = numeric(value)
    if (shown := amount(value)) is not None:
        known = shown[0]
        found.append(("n", known))
    if isinstance(known, float):
        found += [("round", k, round(known, k)) for k in range(min(places_of(known), PLACES) + 1)]
    elif known is not None:
        found.append(("round", 0, known))
    return tuple(dict.fromkeys(found))


def _decoded(value: str) -> str | None:
    """The text that a percent-encoded one stands for."""
    found = unquote_plus(value) if "%" in value or "+" in value else value
    return found if fold(found) and fold(found) != fold(value) else None


def _formatted(value: str) -> Iterator[Shared]:
    decoded = _decoded(value)
    if decoded is not None and decoded == " ".join(decoded.split()):
        ways = (quote(decoded, safe=""), quote_plus(decoded))
        if value.casefold() in [way.casefold() for way in ways]:
            yield "s", fold(decoded)
    if (shown := amount(value)) is not None:
        yield "amount", *shown
    if (digits := digits_of(value)) is not None:
        yield "phone", digits


def _told(moment: Moment) -> Iterator[Shared]:
    """What a passed date or time wants: exactly what it says."""
    if not moment.form:
        return
    if moment.date and moment.clock:
        yield "datetime", moment.date, moment.clock, moment.zone.upper()
    elif moment.date:
        yield "date", moment.date
    elif moment.clock:
        yield "time", moment.clock
    else:
        yield "day", moment.month, moment.day


def _parts(moment: Moment) -> Iterator[Shared]:
    """What a produced date or time offers: all that it holds."""
    if moment.date:
        yield "date", moment.date
    if moment.month:
        yield "day", moment.month, moment.day
    if moment.clock:
        yield "time", moment.clock
    if moment.date and moment.clock:
        yield "datetime", moment.date, moment.clock, ""


def explain(produced: Tree, passed: Tree) -> tuple[Literal["L0", "L1", "L2"], tuple[Transform, ...]] | None:
    """How does a produced value lead to a passed one?

    Args:
        produced: leaf of an output.
        passed: argument leaf.

    Returns:
        Level and changes, None where the two are unrelated. The changes give exactly what was passed, but for
        case and white space that follow no rule: then they give its canonical equal.
    """
    return (_explained if _short(produced) and _short(passed) else _explain)(produced, passed)


def _short(value: Tree) -> bool:
    """May it be remembered? Of zeros there are two that are equal."""
    kind = type(value)
    return (kind is str and len(value) <= _REMEMBERED) or ((kind is int or kind is float) and value != 0)


def _explain(produced: Tree, passed: Tree) -> tuple[Literal["L0", "L1", "L2"], tuple[Transform, ...]] | None:
    mine, theirs = canonical(produced), canonical(passed)
    if type(produced) is type(passed) and produced == passed:
        return ("L0", ()) if theirs else None
    level: Literal["L1", "L2"] = "L1" if set(mine).intersection(theirs) else "L2"
    if level == "L2" and not set(keys(produced)).intersection(wants(passed)):
        return None
    nearest: tuple[Transform, ...] | None = None
    for chain in _chains(produced, passed):
        try:
            made = shaped(chain, produced)
        except ValueError:
            continue
        if type(made) is type(passed) and made == passed:
            return level, chain
        if nearest is None and type(made) is type(passed) and same(made, passed):
            nearest = chain
    return (level, nearest) if nearest is not None else None


_explained = lru_cache(maxsize=1 << 16, typed=True)(_explain)

_CODED = ("", "url", "url_plus")
_CASES = ("", "lower", "upper", "title", "capital")


def _chains(produced: Tree, passed: Tree) -> Iterator[tuple[Transform, ...]]:
    """Candidates, simplest first; what they give is compared with what was passed."""
    if isinstance(passed, bool):
        yield (Transform("bool"),)
        return
    if not isinstance(passed, str):
        kind = Transform("int" if isinstance(passed, int) else "float")
        yield (kind,)
        yield (Transform("amount"), kind)
        yield (Transform("round", str(places_of(passed))), kind)
        yield (Transform("amount"), Transform("round", str(places_of(passed))), kind)
        return
    yield from _texts(produced, passed)
    yield from _numbers(passed)
    yield from _moments(produced, passed)
    if (mask := _phone_mask(passed)) is not None:
        yield (Transform("digits"),)
        yield (Transform("phone", mask),)


def _texts(produced: Tree, passed: str) -> Iterator[tuple[Transform, ...]]:
    """Changes of spelling; what would change nothing here gives no more than a simpler one before it."""
    base = () if isinstance(produced, str) else (Transform("str"),)
    shown = text(produced)
    reads = ("", "unurl") if "%" in shown or "+" in shown else ("",)
    spaces = ("", "squeeze") if len(reads) > 1 or " ".join(shown.split()) != shown else ("",)
    for coded in _CODED if "%" in passed or "+" in passed else ("",):
        for spaced in spaces:
            for read in reads:
                for case in _CASES:
                    yield (*base, *(Transform(name) for name in (read, spaced, case, coded) if name))


def _numbers(passed: str) -> Iterator[tuple[Transform, ...]]:
    parts = AROUND.fullmatch(passed.strip())
    if parts is None:
        return
    places = len(parts["number"].partition(".")[2])
    inner = f"0{',0' * (',' in parts['number'])}{'.' * bool(places)}{'0' * places}"
    mask = f"{parts['before']}{inner}{parts['after']}"
    known = number(parts["number"])
    exact = str(places_of(known)) if known is not None else "0"
    for read in ((), (Transform("amount"),)):
        for kind in ("int", "float"):
            yield (*read, Transform(kind), Transform("str"))
        yield (*read, Transform("format", mask))
        yield (*read, Transform("round", exact), Transform("format", mask))


def _moments(produced: Tree, passed: str) -> Iterator[tuple[Transform, ...]]:
    here = forms.read(produced) if isinstance(produced, str) else ()
    for wanted in forms.read(passed):
        kind = "datetime" if wanted.clock and wanted.month else "date" if wanted.month else "time"
        out = wanted.form + (f" {forms.halves(wanted.half)}" if wanted.half else "")
        plain = len({(m.date, m.month, m.day, m.clock) for m in here}) < 2
        ways = [out] if plain else [f"{moment.form}>{out}" for moment in here]
        for way in ways:
            for case in _CASES[:3]:
                yield (Transform(kind, way), *([Transform(case)] if case else []))


def _phone_mask(passed: str) -> str | None:
    return None if digits_of(passed) is None else re.sub(r"\d", "#", passed)
