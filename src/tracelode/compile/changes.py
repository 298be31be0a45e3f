"""What does a named change of form make of a value, and what does arithmetic give?"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from urllib.parse import quote, quote_plus, unquote_plus

from tracelode.compile import forms
from tracelode.compile.readings import LARGEST, amount, digits_of, fold, number, places_of, text
from tracelode.model.binding import Transform
from tracelode.model.run import Tree

_MASK = re.compile(r"(?P<before>\D*)0(?P<groups>,0)?(?:\.(?P<places>0+))?(?P<after>\D*)", re.ASCII)


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
        folded = fold(text(value))
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


_SPELLED: Mapping[str, Callable[[str], str]] = {
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
    if name == "float" and abs(known) > LARGEST and (abs(known) > 1e300 or float(known) != known):
        raise ValueError("no number of that type")
    return float(known) if name == "float" else known


def _masked(mask: str, known: int | float) -> str:
    parts = _MASK.fullmatch(mask)
    if parts is None:
        raise ValueError("no mask")
    places, groups = len(parts["places"] or ""), "," if parts["groups"] else ""
    if known == int(known):
        told = f"{int(known):{groups}}{'.' * bool(places)}{'0' * places}"
    elif places_of(known) > places:
        raise ValueError("more places than the mask has")
    else:
        told = f"{Decimal(repr(known)):{groups}.{places}f}"
    return f"{parts['before']}{told}{parts['after']}"


def _dialled(mask: str, value: str) -> str:
    found = digits_of(value)
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
    if known is None or abs(known) > LARGEST:
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
