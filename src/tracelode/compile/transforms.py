"""Do two values say the same in another form, and which named change leads from one to the other?

Levels: L0 equal with their types; L1 canonically equal (number or its text, case, white space, true or its text);
L2 equal in another format. The table of changes is closed; each gives one answer, and none looks back.

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

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal
from urllib.parse import quote, quote_plus, unquote_plus

import msgspec

from tracelode.compile import forms
from tracelode.compile.forms import Moment
from tracelode.model.binding import Transform
from tracelode.model.run import Tree

Shared = tuple[Any, ...]
"""A lookup key: kind first, then what is compared."""

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?", re.ASCII)
_PADDED = re.compile(r"[+-]?0\d", re.ASCII)
_AROUND = re.compile(r"(?P<before>[^\d+\-]*)(?P<number>[+-]?\d[\d,]*(?:\.\d+)?)(?P<after>\D*)", re.ASCII)
_CURRENCIES = frozenset(
    "$ € £ ¥ ₹ us$ usd eur gbp jpy inr cny aud cad chf sek nok dkk nzd sgd hkd brl mxn krw".split()
)
_UNITS = frozenset(
    "% ° °c °f c f mm cm m km mi ft in kg g mg lb lbs oz l ml kb mb gb s sec secs second seconds min mins minute "
    "minutes h hr hrs hour hours day days night nights week weeks month months year years yr yrs pt pts point "
    "points star stars person people guest guests adult adults child children room rooms item items".split()
)
_PHONE = re.compile(r"\+?[\d\s().\-/]{7,24}", re.ASCII)
_MASK = re.compile(r"(?P<before>\D*)0(?P<groups>,0)?(?:\.(?P<places>0+))?(?P<after>\D*)", re.ASCII)
_PLACES = 6
"""Most decimal places that a rounded number is recognised by."""
_LARGEST = 10**18
_LONGEST = 40
"""Characters of a text that is a number."""


def text(value: Tree) -> str:
    """A value as text.

    Args:
        value: JSON value.

    Returns:
        The text itself; true, false; "" for null; JSON for the rest.
    """
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def number(value: Tree) -> int | float | None:
    """The number that a value is, or that its text writes.

    Args:
        value: JSON value. A comma counts as one between groups of thousands only: "5,8" is no number.

    Returns:
        int where it has no places, None where it is no finite number.
    """
    if isinstance(value, str):
        value = value.strip()
        if len(value) > _LONGEST or not _NUMBER.fullmatch(value):
            return None
        plain = value.replace(",", "")
        return float(plain) if "." in plain else int(plain)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def _folded(value: str) -> str:
    return " ".join(value.split()).casefold()


def canonical(value: Tree) -> tuple[Shared, ...]:
    """The keys of levels L0 and L1.

    Args:
        value: JSON value.

    Returns:
        One key or two; () for null, an empty text and whatever is no leaf.
    """
    if isinstance(value, bool):
        return (("s", "true" if value else "false"),)
    if isinstance(value, str):
        return _short(value) if len(value) <= _LONGEST else _canonical(value)
    known = number(value)
    return () if known is None else (("n", known),)


def _canonical(value: str) -> tuple[Shared, ...]:
    folded = _folded(value)
    if not folded:
        return ()
    known = None if _PADDED.match(folded) else number(folded)
    return (("s", folded),) if known is None else (("s", folded), ("n", known))


_short = lru_cache(maxsize=65536)(_canonical)


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
    shared = set(canonical(a)).intersection(canonical(b))
    return bool(shared)


def amount(value: Tree) -> tuple[int | float, str] | None:
    """The number in a text that has a currency or a unit around it.

    Args:
        value: JSON value.

    Returns:
        Number and unit, None where it is no such text.
    """
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    parts = _AROUND.fullmatch(value.strip())
    if parts is None:
        return None
    before, after = parts["before"].strip().lower(), parts["after"].strip().lower()
    if bool(before) == bool(after) or (before and before not in _CURRENCIES):
        return None
    if after and after not in _CURRENCIES and after not in _UNITS:
        return None
    known = number(parts["number"])
    return None if known is None else (known, before or after)


def _digits(value: Tree) -> str | None:
    if not isinstance(value, str) or not _PHONE.fullmatch(value.strip()):
        return None
    found = "".join(c for c in value if c.isdigit())
    if not 7 <= len(found) <= 15 or (number(value) is not None and not value.strip().isdigit()):
        return None
    return None if forms.read(value) and not value.strip().isdigit() else found


def wants(value: Tree) -> tuple[Shared, ...]:
    """The keys by which a passed value is looked up.

    Args:
        value: JSON value, an argument leaf.

    Returns:
        Some of keys(value); explain(a, b) is not None exactly where keys(a) and wants(b) share one.
    """
    found = list(canonical(value))
    if isinstance(value, str):
        found += _formatted(value)
        for moment in forms.read(value):
            found += _told(moment)
    if (known := _numeric(value)) is not None and (places := _places(known)) <= _PLACES:
        found.append(("round", places, known))
    return tuple(dict.fromkeys(found))


def keys(value: Tree) -> tuple[Shared, ...]:
    """The keys under which a produced value is found: what it is, and what can be made of it.

    Args:
        value: JSON value, a leaf of an output.

    Returns:
        Hashable keys, each once.
    """
    found = list(wants(value))
    if isinstance(value, str):
        for moment in forms.read(value):
            found += _parts(moment)
    known = _numeric(value)
    if (shown := amount(value)) is not None:
        known = shown[0]
        found.append(("n", known))
    if isinstance(known, float):
        found += [("round", k, round(known, k)) for k in range(min(_places(known), _PLACES) + 1)]
    elif known is not None:
        found.append(("round", 0, known))
    return tuple(dict.fromkeys(found))


def _formatted(value: str) -> Iterator[Shared]:
    if "%" in value or "+" in value:
        folded = _folded(unquote_plus(value))
        if folded and folded != _folded(value):
            yield "s", folded
    if (shown := amount(value)) is not None:
        yield "amount", *shown
    if (digits := _digits(value)) is not None:
        yield "phone", digits


def _numeric(value: Tree) -> int | float | None:
    return next((key[1] for key in canonical(value) if key[0] == "n"), None)


def _places(known: int | float) -> int:
    if isinstance(known, int) or known == int(known):
        return 0
    told = repr(known)
    return _PLACES + 9 if "e" in told else len(told.partition(".")[2])


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
        yield (Transform("round", str(_places(passed))), kind)
        yield (Transform("amount"), Transform("round", str(_places(passed))), kind)
        return
    yield from _texts(produced)
    yield from _numbers(passed)
    yield from _moments(produced, passed)
    if (mask := _phone_mask(passed)) is not None:
        yield (Transform("digits"),)
        yield (Transform("phone", mask),)


def _texts(produced: Tree) -> Iterator[tuple[Transform, ...]]:
    base = () if isinstance(produced, str) else (Transform("str"),)
    for middle in ((), (Transform("squeeze"),)):
        for case in _CASES:
            yield (*base, *middle, *([Transform(case)] if case else []))
    for case in _CASES:
        tail = [Transform(case)] if case else []
        yield (*base, Transform("unurl"), *tail)
        for coded in ("url", "url_plus"):
            yield (*base, *tail, Transform(coded))
            yield (*base, Transform("unurl"), *tail, Transform(coded))


def _numbers(passed: str) -> Iterator[tuple[Transform, ...]]:
    parts = _AROUND.fullmatch(passed.strip())
    if parts is None:
        return
    places = len(parts["number"].partition(".")[2])
    mask = f"{parts['before']}0{',0' * (',' in parts['number'])}{'.' * bool(places)}{'0' * places}{parts['after']}"
    known = number(parts["number"])
    exact = str(_places(known)) if known is not None else "0"
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
    return None if _digits(passed) is None else re.sub(r"\d", "#", passed)


def shaped(chain: Sequence[Transform], value: Tree) -> Tree:
    """A value after several changes.

    Args:
        chain: changes, in order.
        value: JSON value.

    Raises:
        ValueError: a value is not of the form that a change takes.
    """
    for transform in chain:
        value = apply(transform, value)
    return value


def apply(transform: Transform, value: Tree) -> Tree:
    """A value after one change.

    Args:
        transform: which, of the table above.
        value: JSON value.

    Returns:
        JSON value.

    Raises:
        ValueError: the value is not of the form that the change takes, or there is no such change.
    """
    name, given = transform.name, transform.with_
    if name in ("int", "float", "amount", "round", "format"):
        return _reckoned(name, given, value)
    if name in ("date", "time", "datetime"):
        return _dated(given, value)
    if name == "str":
        return text(value)
    if name == "bool":
        folded = _folded(text(value))
        if folded not in ("true", "false"):
            raise ValueError("no truth value")
        return folded == "true"
    if not isinstance(value, str):
        raise ValueError("no text")
    if name in ("digits", "phone"):
        return _dialled(given, value)
    if name not in _SPELLED:
        raise ValueError("no such change")
    return _SPELLED[name](value)


_SPELLED = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capital": str.capitalize,
    "squeeze": lambda value: " ".join(value.split()),
    "unurl": unquote_plus,
    "url": lambda value: quote(value, safe=""),
    "url_plus": lambda value: quote_plus(value),
}


def _reckoned(name: str, given: str, value: Tree) -> Tree:
    shown = amount(value) if name == "amount" else None
    known = number(value) if shown is None else shown[0]
    if known is None:
        raise ValueError("no number")
    if name == "int":
        if known != int(known):
            raise ValueError("no whole number")
        return int(known)
    if name == "round":
        return round(known, int(given)) if int(given) else round(known)
    if name == "format":
        return _masked(given, known)
    if name == "float" and abs(known) > _LARGEST and (abs(known) > 1e300 or float(known) != known):
        raise ValueError("no number of that type")
    return float(known) if name == "float" else known


def _masked(mask: str, known: int | float) -> str:
    parts = _MASK.fullmatch(mask)
    if parts is None:
        raise ValueError("no mask")
    places, groups = len(parts["places"] or ""), "," if parts["groups"] else ""
    if known == int(known):
        told = f"{int(known):{groups}}{'.' * bool(places)}{'0' * places}"
    elif _places(known) > places:
        raise ValueError("more places than the mask has")
    else:
        told = f"{Decimal(repr(known)):{groups}.{places}f}"
    return f"{parts['before']}{told}{parts['after']}"


def _dialled(mask: str, value: str) -> str:
    found = _digits(value)
    if found is None or (mask and mask.count("#") != len(found)):
        raise ValueError("no phone number of that form")
    if not mask:
        return found
    left = iter(found)
    return "".join(next(left) if sign == "#" else sign for sign in mask)


def _dated(given: str, value: Tree) -> str:
    source, _, out = given.rpartition(">")
    form, half = out, "AM"
    for tail in (" AM", " am", " A.M.", " a.m.", " Am", " aM", " AM.", " A.M", " a.m", " am."):
        if out.endswith(f"AM{tail}"):
            form, half = out.removesuffix(tail), tail[1:]
    found = [m for m in forms.read(value) if m.form == (source or m.form)] if isinstance(value, str) else []
    if not found:
        raise ValueError("no date or time")
    return forms.write(found[0], form, half)


def derive(op: str, operands: Sequence[Tree], amount: int | float = 0) -> Tree:
    """The result of arithmetic.

    Args:
        op: add, subtract, multiply (of one value and the amount, or of two), sum (of a list, or of all
            operands), count (of a list's elements, or of the operands), days, minutes (a date, time or both
            later by the amount or the second operand, in the same form). subtract of two dates: days.
        operands: one or more values.
        amount: the constant operand, where there is only one value.

    Returns:
        int where all that went in is whole, else float; text for days and minutes.

    Raises:
        ValueError: no such operation, or values of another form.
    """
    if not operands:
        raise ValueError("no operand")
    if op in ("sum", "count"):
        many = operands[0] if len(operands) == 1 and isinstance(operands[0], list) else list(operands)
        return len(many) if op == "count" else _exact(sum((_decimal(v) for v in many), Decimal(0)))
    if op in ("days", "minutes"):
        return _later(op, operands, amount)
    if op not in ("add", "subtract", "multiply"):
        raise ValueError("no such operation")
    if op == "subtract" and len(operands) == 2 and (gap := _gap(operands[0], operands[1])) is not None:
        return gap
    a = _decimal(operands[0])
    b = _decimal(operands[1]) if len(operands) > 1 else _decimal(amount)
    return _exact(a + b if op == "add" else a - b if op == "subtract" else a * b)


def _decimal(value: Tree) -> Decimal:
    known = number(value)
    if known is None or abs(known) > _LARGEST:
        raise ValueError("no number")
    return Decimal(repr(known))


def _exact(value: Decimal) -> int | float:
    whole = value == int(value) and value.as_tuple().exponent == 0
    return int(value) if whole else float(value)


def _gap(late: Tree, early: Tree) -> int | None:
    if not (isinstance(late, str) and isinstance(early, str)):
        return None
    a = [m for m in forms.read(late) if m.date]
    b = [m for m in forms.read(early) if m.date]
    return forms.days_between(b[0], a[0]) if a and b else None


def _later(op: str, operands: Sequence[Tree], amount: int | float) -> str:
    by = number(operands[1]) if len(operands) > 1 else amount
    read = forms.read(operands[0]) if isinstance(operands[0], str) else ()
    usable = [m for m in read if m.form]
    if not usable or by is None or by != int(by) or abs(by) > 10**7:
        raise ValueError("no date or time, or no whole number")
    moment = forms.shifted(usable[0], **{op: int(by)})
    return forms.write(moment, moment.form, forms.halves(moment.half))
