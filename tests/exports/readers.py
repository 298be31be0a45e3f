"""What is in a written file? Readers of each format that share no code with the exporters."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import zlib
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema

from tracelode.testing import Reading

# The rules of https://www.speedscope.app/file-format-schema.json for sampled profiles, in our words,
# and stricter: indices and weights are integers, names are not empty, nothing else is in the file.
_INDEX = {"type": "integer", "minimum": 0}
SPEEDSCOPE: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "shared", "profiles"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": "https://www.speedscope.app/file-format-schema.json"},
        "name": {"type": "string", "minLength": 1},
        "exporter": {"type": "string"},
        "activeProfileIndex": _INDEX,
        "shared": {
            "type": "object",
            "required": ["frames"],
            "properties": {
                "frames": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}},
                        "additionalProperties": False,
                    },
                }
            },
        },
        "profiles": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["type", "name", "unit", "startValue", "endValue", "samples", "weights"],
                "additionalProperties": False,
                "properties": {
                    "type": {"const": "sampled"},
                    "name": {"type": "string", "minLength": 1},
                    "unit": {
                        "enum": ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"]
                    },
                    "startValue": _INDEX,
                    "endValue": _INDEX,
                    "samples": {"type": "array", "items": {"type": "array", "items": _INDEX}},
                    "weights": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                },
            },
        },
    },
}


def folded(data: bytes) -> dict[str, Reading]:
    """Lines of frames and one integer; the file names no measure, the checks write the first."""
    values: dict[tuple[str, ...], int] = {}
    for line in data.decode().splitlines():
        stack, number = line.rsplit(" ", 1)
        key = tuple(unquote(frame) for frame in stack.split(";"))
        values[key] = values.get(key, 0) + int(number)
    return {"": Reading("", values)}


def csv_rows(data: bytes) -> tuple[list[str], list[list[str]]]:
    """Header and rows."""
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    return header, rows


def csv_table(data: bytes) -> dict[str, Reading]:
    """Columns by header; dollars are compared with their picodollars."""
    header, rows = csv_rows(data)
    assert header[0] == "stack"
    found: dict[str, Reading] = {}
    for place, measure in enumerate(header[1:], 1):
        if measure.endswith("_dollars"):
            for row in rows:
                assert Decimal(row[place]) * 10**12 == int(row[place - 1])
            continue
        values: dict[tuple[str, ...], int] = {}
        for row in rows:
            cell = row[0][1:] if re.match("'+[=+\\-@＝＋－＠]", row[0]) else row[0]
            values[tuple(unquote(frame) for frame in cell.split(";"))] = int(row[place])
        found[measure] = Reading("", values)
    return found


def parquet_rows(data: bytes) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Header and rows of a Parquet file."""
    import duckdb

    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(data)
        file.flush()
        answer = duckdb.connect().execute("SELECT * FROM read_parquet(?)", [file.name])
        return [column[0] for column in answer.description], answer.fetchall()


def parquet_table(data: bytes) -> dict[str, Reading]:
    """Columns by header; a stack is a list of frames."""
    header, rows = parquet_rows(data)
    assert header[0] == "stack"
    return {
        measure: Reading("", {tuple(row[0]): row[place] for row in rows})
        for place, measure in enumerate(header[1:], 1)
    }


def json_table(data: bytes) -> dict[str, Reading]:
    """Rows by measure; totals and dollars are compared with the integers."""
    document = json.loads(data)
    assert document["schema_version"] == 1
    found = {}
    for measure in document["measures"]:
        unit = document["units"][measure]
        values = {tuple(row["stack"]): row[measure] for row in document["rows"]}
        assert document["total"][measure] == sum(values.values())
        for row in (*document["rows"], document["total"]):
            assert (f"{measure}_dollars" in row) == (unit == "picodollars")
            if unit == "picodollars":
                assert Decimal(row[f"{measure}_dollars"]) * 10**12 == row[measure]
        found[measure] = Reading(unit, values)
    return found


def speedscope(data: bytes) -> dict[str, Reading]:
    """Sampled profiles by measure, after the schema and the rules that a schema cannot say."""
    document = json.loads(data)
    jsonschema.validate(document, SPEEDSCOPE)
    names = [frame["name"] for frame in document["shared"]["frames"]]
    assert document["activeProfileIndex"] < len(document["profiles"])
    found = {}
    for profile in document["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] == profile["startValue"] + sum(profile["weights"])
        named = re.fullmatch(r"(\S+)(?: \((\w+)\))?", profile["name"])
        assert named is not None
        measure, unit = named[1], named[2] or profile["unit"]
        values = {
            tuple(names[i] for i in stack): weight
            for stack, weight in zip(profile["samples"], profile["weights"], strict=True)
        }
        found[measure] = Reading(measure if unit == "none" else unit, values)
    return found


_SVG = "{http://www.w3.org/2000/svg}"


def html_data(data: bytes) -> dict[str, Any]:
    """The data of a page's only flame graph."""
    (text,) = re.findall(r'<script type="application/json" data-flame>(.*?)</script>', data.decode())
    found: dict[str, Any] = json.loads(text)
    return found


def html(data: bytes) -> dict[str, Reading]:
    """Own values of the tree's nodes by measure."""
    found = html_data(data)
    paths: list[tuple[str, ...]] = [()]
    for name, parent in zip(found["name"][1:], found["parent"][1:], strict=True):
        paths.append((*paths[parent], found["names"][name]))
    return {
        column["key"]: Reading(
            column["unit"],
            {
                path: int(word)
                for path, word in zip(paths, column["values"].split(" "), strict=True)
                if word not in ".-"
            },
        )
        for column in found["columns"]
    }


def svg_frames(data: bytes) -> list[dict[str, Any]]:
    """Drawn frames in document order: title lines, value, and the rectangle they fill."""
    page = ElementTree.fromstring(data)
    return [
        {
            "title": frame.findtext(f"{_SVG}title", "").split("\n"),
            "value": int(frame.attrib["data-value"]),
            "x": float(frame.attrib["x"]),
            "y": float(frame.attrib["y"]),
            "width": float(frame.attrib["width"]),
            "height": float(frame.attrib["height"]),
            "class": frame.attrib["class"],
        }
        for frame in page.findall(f"{_SVG}svg")
    ]


def svg(data: bytes) -> dict[str, Reading]:
    """Own value of every frame, found by which frame lies under which."""
    values: dict[tuple[str, ...], int] = {}
    path: list[dict[str, Any]] = []
    for frame in svg_frames(data):
        while path and path[-1]["y"] >= frame["y"]:
            path.pop()
        if path:
            # One row below its parent and inside it; coordinates have two decimals.
            assert frame["y"] - path[-1]["y"] == frame["height"] + 1
            assert path[-1]["x"] - 0.02 <= frame["x"]
            assert frame["x"] + frame["width"] <= path[-1]["x"] + path[-1]["width"] + 0.02
            values[tuple(f["title"][0] for f in path[1:])] -= frame["value"]
        path.append(frame)
        values[tuple(f["title"][0] for f in path[1:])] = frame["value"]
    assert all(value >= 0 for value in values.values())
    return {"": Reading("", {stack: value for stack, value in values.items() if value})}


@dataclass
class PprofFile:
    """A decoded profile.proto, strings in place of their numbers."""

    types: list[tuple[str, str]] = field(default_factory=list)
    samples: list[tuple[tuple[str, ...], tuple[int, ...], tuple[tuple[str, str], ...]]] = field(
        default_factory=list
    )
    comments: list[str] = field(default_factory=list)
    mappings: list[dict[int, Any]] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    default: str = ""
    period: tuple[str, str, int] = ("", "", 0)
    times: tuple[int, int] = (0, 0)


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """(field number, varint or bytes) pairs of one message."""
    found: list[tuple[int, int | bytes]] = []
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
            continue
        assert key & 7 == 2, "profile.proto has varints and length-delimited fields only"
        size = varint()
        assert at + size <= len(data)
        found.append((key >> 3, data[at : at + size]))
        at += size
    return found


def _numbers(parts: list[tuple[int, int | bytes]], number: int) -> list[int]:
    """A repeated integer field, packed or not."""
    found: list[int] = []
    for n, value in parts:
        if n == number and isinstance(value, int):
            found.append(value)
        elif n == number:
            # A varint ends with the first byte below 128; a dummy key makes each one a field.
            for piece in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", value):
                found += [v for _, v in _fields(b"\x08" + piece) if isinstance(v, int)]
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def pprof_file(data: bytes) -> PprofFile:
    """Decode a .pb.gz without protobuf and check what pprof's own CheckValid checks."""
    assert data[:2] == b"\x1f\x8b"
    assert data[3:8] == bytes(5), "no name, and no time"
    parts = _fields(zlib.decompress(data, 31))
    sub = {n: [dict(_fields(v)) for m, v in parts if m == n and isinstance(v, bytes)] for n in (1, 3, 5, 11)}
    strings = [v.decode() for n, v in parts if n == 6 and isinstance(v, bytes)]
    assert strings[0] == ""
    one = {n: v for n, v in parts if isinstance(v, int)}
    functions = {f[1]: strings[f.get(2, 0)] for f in sub[5]}
    assert len(functions) == len(sub[5])
    assert 0 not in functions
    mappings = {m[1] for m in sub[3]}
    locations: dict[int, str] = {}
    for n, value in parts:
        if n == 4 and isinstance(value, bytes):
            body = dict(_fields(value))
            assert body[2] in mappings
            locations[body[1]] = functions[dict(_fields(body[4]))[1]]
    file = PprofFile(
        types=[(strings[t[1]], strings[t[2]]) for t in sub[1]],
        comments=[strings[i] for i in _numbers(parts, 13)],
        mappings=sub[3],
        strings=strings,
        default=strings[one.get(14, 0)],
        period=(strings[sub[11][0][1]], strings[sub[11][0][2]], one.get(12, 0)),
        times=(one.get(9, 0), one.get(10, 0)),
    )
    for n, value in parts:
        if n == 2 and isinstance(value, bytes):
            body = _fields(value)
            values = tuple(_signed(v) for v in _numbers(body, 2))
            assert len(values) == len(file.types)
            labels = [dict(_fields(v)) for m, v in body if m == 3 and isinstance(v, bytes)]
            stack = tuple(locations[i] for i in reversed(_numbers(body, 1)))
            file.samples.append((stack, values, tuple((strings[x[1]], strings[x[2]]) for x in labels)))
    return file


def pprof(data: bytes) -> dict[str, Reading]:
    """Values by sample type, summed over samples."""
    file = pprof_file(data)
    found = {measure: Reading(unit, {}) for measure, unit in file.types}
    for stack, values, _ in file.samples:
        for (measure, _), value in zip(file.types, values, strict=True):
            found[measure].values[stack] = found[measure].values.get(stack, 0) + value
    return found
