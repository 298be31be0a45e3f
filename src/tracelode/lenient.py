"""What can be read of a record that is broken or has a field of the wrong type? And when was it written?

Adapters decode into structs whose fields are all optional. A record that does not fit is built field by
field, so that one wrong field costs itself and not the record.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SPACE = " \t\r\n,\x00\ufeff"


@cache
def _decoder(struct: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(struct)


def decode(data: bytes, struct: type[T]) -> tuple[list[T], list[str]]:
    """The records of one line or file, and what was wrong with it.

    Args:
        data: JSON, usually one object.
        struct: what a record is; every field has a default.

    Returns:
        (records, complaints): usually one record and no complaint; two objects on a line give two
        records; broken bytes give what can be read of them and closed words on the rest.
    """
    try:
        return [_decoder(struct).decode(data)], []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _second_pass(data, struct)


def _second_pass(data: bytes, struct: type[T]) -> tuple[list[T], list[str]]:
    complaints: list[str] = []
    records: list[T] = []
    for value, complaint in objects(data.decode("utf-8", "replace")):
        if complaint:
            complaints.append(complaint)
        elif not isinstance(value, dict):
            complaints.append("record is not an object")
        else:
            records.append(fit(value, struct, complaints))
    if len(records) > 1:
        complaints.append("several objects on one line, all read")
    return records, complaints


MOST_OBJECTS = 10_000
"""JSON values read from one line."""
DEPTH = 128
"""Values nested deeper inside a record are left out."""
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def objects(text: str) -> Iterator[tuple[Any, str]]:
    """The JSON values in a text, one after another.

    Args:
        text: JSON, perhaps broken, perhaps several values.

    Returns:
        (value, "") for each value and (None, closed words) for each part that is none.
    """
    odd: list[str] = []  # NaN and its kin, which are no JSON
    scanner = json.JSONDecoder(parse_constant=odd.append)
    at = parts = 0
    cut = False
    while at < len(text):
        parts += 1
        if parts > MOST_OBJECTS:
            yield None, "more objects on one line than are read"
            return
        while at < len(text) and text[at] in _SPACE:
            at += 1
        if at == len(text):
            return
        try:
            value, at = scanner.raw_decode(text, at)
        except RecursionError:
            yield None, "nested too deep"
            shallow = "" if cut else _shallow(text[at:])
            if not shallow:
                return
            text, at, cut = shallow, 0, True
            continue
        except ValueError:
            # what follows a good object may be the start of another one, cut in the middle
            later = text.find("}{", at)
            yield None, "not valid JSON"
            if later < 0:
                return
            at = later + 1
            continue
        yield value, ""
        if odd:
            odd.clear()
            yield None, "number that is none left out"


def _shallow(text: str) -> str:
    """JSON without what is nested deeper than DEPTH, which becomes null; empty if brackets stay open."""
    kept: list[str] = []
    start = depth = 0
    for mark in _MARKS.finditer(text):
        sign = mark[0]
        if sign in "[{":
            depth += 1
            if depth == DEPTH + 1:
                kept += (text[start : mark.start()], "null")
        elif sign in "]}":
            depth -= 1
            if depth == DEPTH:
                start = mark.end()
    return "" if depth > 0 else "".join((*kept, text[start:]))


@cache
def _fields(struct: type) -> tuple[tuple[str, str, Any], ...]:
    return tuple((f.name, f.encode_name, f.type) for f in msgspec.structs.fields(struct))


def fit(value: dict[str, Any], struct: type[T], complaints: list[str], where: str = "") -> T:
    """Build a struct from a decoded object, field by field: a wrong field is left out, not the record.

    Args:
        value: a decoded JSON object.
        struct: what it should be; every field has a default.
        complaints: receives closed words on what was left out.
        where: name of the field the object stands in, with a dot at its end.

    Returns:
        The struct; strings hold no lone surrogates.
    """
    made = struct()
    for name, key, hint in _fields(struct):
        if key in value and value[key] is not None:
            fitted = _fit_value(value[key], hint, f"{where}{key}", complaints)
            if fitted is not None:
                setattr(made, name, fitted)
    return made


def _fit_value(value: Any, hint: Any, where: str, complaints: list[str]) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for option in options:
        origin = get_origin(option)
        if option is Any:
            return clean(value)
        if option is msgspec.Raw:
            return msgspec.Raw(msgspec.json.encode(clean(value)))
        if isinstance(value, dict) and origin is dict:
            return _fit_values(value, option, where, complaints)
        if isinstance(value, dict) and isinstance(option, type) and issubclass(option, msgspec.Struct):
            return fit(value, option, complaints, f"{where}.")
        if isinstance(value, list) and origin is list:
            (inner,) = get_args(option)
            fitted = [_fit_value(item, inner, f"{where}[]", complaints) for item in value]
            return [item for item in fitted if item is not None]
        if option is str and isinstance(value, str):
            return clean(value)
        if option is bool and isinstance(value, bool):
            return value
        if option is int and isinstance(value, int) and not isinstance(value, bool):
            return storable(value)
        if option is int and isinstance(value, float) and value.is_integer():
            return storable(int(value))
        if option is float and isinstance(value, int | float) and not isinstance(value, bool):
            return _number(value)
    complaints.append(f"wrong type in field {where}")
    return None


def storable(value: int) -> int:
    """An integer whose sums and differences fit 64 bits.

    Args:
        value: any integer that JSON can hold.

    Returns:
        The value; beyond 2^60 the nearest that is not, which is as absurd.
    """
    return max(-(2**60), min(2**60, value))


def _fit_values(value: dict[str, Any], hint: Any, where: str, complaints: list[str]) -> dict[str, Any]:
    inner = get_args(hint)[1]
    if inner is Any:
        cleaned: dict[str, Any] = clean(value)
        return cleaned
    fitted = {clean(k): _fit_value(v, inner, f"{where}{{}}", complaints) for k, v in value.items()}
    return {k: v for k, v in fitted.items() if v is not None}


def _number(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def clean(value: Any, depth: int = DEPTH) -> Any:
    """A decoded JSON value without lone surrogates, without integers beyond 64 bits, and not too deep.

    Args:
        value: what json decodes to.
        depth: how many levels are kept.

    Returns:
        The same value, such strings with question marks, such integers and deeper levels None.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list | dict) and depth <= 0:
        return None
    if isinstance(value, list):
        return [clean(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item, depth - 1) for key, item in value.items()}
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return None
    return value


def microseconds(text: str | None, offset: int | None = None) -> int | None:
    """A record's moment.

    Args:
        text: ISO 8601, as recorded.
        offset: what makes a time without a zone UTC, in microseconds; None: such a time is no moment.

    Returns:
        UTC microseconds since the epoch, None if absent or not a moment.
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        if offset is None:
            return None
        return (moment.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND + offset
    return (moment - _EPOCH) // _MICROSECOND


def moment(value: Any) -> int | None:
    """A moment in any of the forms that JSON writers use.

    Args:
        value: ISO 8601 text with a zone, or a number of seconds or milliseconds since the epoch.

    Returns:
        UTC microseconds since the epoch; None for anything else. A number means seconds up to the year
        5138, milliseconds from March 1973 on.

    Example:
        >>> moment(1775802395.5) == moment("2026-04-10T06:26:35.5Z") == moment(1775802395500)
        True
    """
    if isinstance(value, str):
        return microseconds(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e14:
        return None
    return round(value * (1_000_000 if value < 1e11 else 1_000))


def as_object(value: Any) -> dict[str, Any]:
    """A decoded value as an object: also one kept as JSON text; empty for anything else.

    Args:
        value: any decoded JSON value.

    Example:
        >>> as_object('{"a": 1}'), as_object([1])
        ({'a': 1}, {})
    """
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def block_text(content: Any) -> str:
    """The text of a message's content: a string, or the texts of its blocks joined by newlines.

    Args:
        content: any decoded JSON value.

    Example:
        >>> block_text([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
        'a\\nb'
    """
    if isinstance(content, list):
        texts = (block.get("text") for block in content if isinstance(block, dict))
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
