"""Is bad input counted, located and reported, with the good records kept and nothing lost or crashed?"""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from claude import Transcript, used
from strange import VALUES, spots
from tracelode.files import Records, head
from tracelode.model.operation import Operation
from tracelode.model.ports import Line, Skip
from tracelode.model.report import ImportReport, Totals
from tracelode.sources.claude_code import ClaudeCode


def good() -> Transcript:
    t = Transcript().user("go")
    t.assistant("a", tools=[("Bash", {"command": "ls"})], usage=used(10, output=1)).advance(1)
    t.result(t.calls[0], "ok").assistant("b", usage=used(20, output=2))
    return t


def run(folder: Path, data: bytes, name: str = "file.jsonl") -> tuple[ImportReport, Totals]:
    path = folder / "h" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    workspace = tracelode.open(folder / "s", tz="UTC")
    return workspace.add(folder / "h"), workspace.totals()


def edited(change: Any) -> bytes:
    t = good()
    for record in t.records:
        change(record)
    return t.bytes()


def usage(**counts: Any) -> Any:
    def change(record: dict[str, Any]) -> None:
        if record["type"] == "assistant":
            record["message"]["usage"].update(counts)

    return change


LINES = good().bytes().splitlines(keepends=True)
CASES: dict[str, tuple[bytes, list[str], int, int]] = {
    # data, reasons, calls, fresh input
    "truncated": (b"".join(LINES)[:-20], ["truncated last line"], 1, 10),
    "garbage line": (LINES[0] + b"\x00\xff\xfe not json\n" + b"".join(LINES[1:]), ["not valid JSON"], 2, 30),
    "array line": (b"[1, 2]\n" + b"".join(LINES), ["record is not an object"], 2, 30),
    "bom": (b"\xef\xbb\xbf" + b"".join(LINES), [], 2, 30),
    "crlf": (b"".join(LINES).replace(b"\n", b"\r\n"), [], 2, 30),
    "blank lines": (b"\n\n".join(LINES), [], 2, 30),
    "lone surrogate": (b"".join(LINES).replace(b'"a"', b'"\\ud800"'), [], 2, 30),
    "nan": (b"".join(LINES).replace(b'"service_tier":"standard"', b'"service_tier":NaN'),
        ["number that is none left out"], 2, 30),
    "infinite": (b"".join(LINES).replace(b'"input_tokens":10,', b'"input_tokens":Infinity,'),
        ["number that is none left out"], 2, 20),
    "whole number with a point": (b"".join(LINES).replace(b'"input_tokens":10,', b'"input_tokens":10.0,'),
        [], 2, 30),
    "unknown type": (b"".join(LINES) + b'{"type":"tomorrow","x":1}\n', ["unknown record type"], 2, 30),
    "no type": (b"".join(LINES) + b'{"x":1}\n', ["record without a type"], 2, 30),
    "no message": (b"".join(LINES) + b'{"type":"assistant"}\n',
        ["assistant record without a message"], 2, 30),
    "deep": (
        b"".join(LINES) + b'{"type":"user","x":' + b"[" * 100_000 + b"\n", ["nested too deep"], 2, 30,
    ),
    "text for a count": (
        edited(usage(input_tokens="10")), ["wrong type in field message.usage.input_tokens"], 2, 0,
    ),
    "negative": (edited(usage(input_tokens=-5)), ["negative token count left out"], 2, 0),
    "absurd": (edited(usage(input_tokens=10**15)), ["absurd token count left out"], 2, 0),
    "beyond 64 bits": (edited(usage(input_tokens=10**40)), ["absurd token count left out"], 2, 0),
    "bad moment": (
        edited(lambda r: r.update(timestamp="yesterday")), ["timestamp is not a moment"], 2, 30,
    ),
    "before the calendar": (
        edited(lambda r: r.update(timestamp="0001-01-01T00:00:00Z")), ["moment out of range left out"], 2, 30,
    ),
    "after the calendar": (
        edited(lambda r: r.update(timestamp="9999-12-31T23:59:59Z")), ["moment out of range left out"], 2, 30,
    ),
    "input nested too deep": (
        b"".join(LINES).replace(b'"input":{"command":"ls"}', b'"input":' + b'{"x":[' * 5000 + b"]}" * 5000),
        ["nested too deep"], 2, 30,
    ),
    "more objects than are read": (
        b"".join(LINES) + b'{"type":"progress"}' * 10_001 + b"\n",
        ["more objects on one line than are read", "several objects on one line, all read"], 2, 30,
    ),
    "result without call": (
        LINES[0] + LINES[3] + b"".join(LINES[1:3]) + LINES[4], ["tool result without a call"], 2, 30,
    ),
    "message is a list": (b"".join(LINES) + b'{"type":"user","message":[1]}\n',
        ["user record without a message", "wrong type in field message"], 2, 30),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_broken_content(tmp_path: Path, case: str) -> None:
    data, reasons, calls, fresh = CASES[case]
    report, totals = run(tmp_path, data)
    assert sorted({s.reason for s in report.skipped}) == reasons
    assert all(s.line > 0 and s.count > 0 for s in report.skipped)
    assert (totals.calls, totals.tokens["input_fresh"]) == (calls, fresh)


def test_a_call_that_lost_a_count_is_a_lower_bound(tmp_path: Path) -> None:
    _, totals = run(tmp_path, edited(usage(input_tokens=-5)))
    assert totals.calls_lower_bound == 2


HUGE = [b"1e400", b"1e19", b"18446744073709551616", b"9" * 400, b"-9223372036854775809"]


@pytest.mark.parametrize("count", HUGE)
def test_counts_beyond_what_can_be_stored(tmp_path: Path, count: bytes) -> None:
    sample = Path(__file__).parent / "samples" / "codex-exec.jsonl"
    wanted = rb'("(?:input|output|cached_input)_tokens": ?)\d+'
    report, totals = run(tmp_path, re.sub(wanted, rb"\g<1>" + count, sample.read_bytes()))
    assert (totals.tokens["input_fresh"], totals.tokens["output"]) == (0, 0)
    assert report.skipped
    data = b"".join(LINES).replace(b'"input_tokens":10,', b'"input_tokens":' + count + b",")
    report, totals = run(tmp_path / "c", data)
    assert (totals.calls, totals.tokens["input_fresh"]) == (2, 20)
    assert report.skipped


def test_ids_missing_and_repeated(tmp_path: Path) -> None:
    t = good()
    for record in t.records:
        record.pop("uuid")
        record["message"].pop("id", None)
    report, totals = run(tmp_path, t.bytes() + t.bytes())
    assert report.skipped == []
    assert totals.calls == 6  # without any id, two records of one message cannot be told apart
    t = good()
    report, totals = run(tmp_path / "b", t.bytes() + t.bytes())
    assert totals.calls == 2


def test_clock_going_back_counts_zero(tmp_path: Path) -> None:
    t = (
        Transcript()
        .user("go")
        .advance(5)
        .assistant("a")
        .advance(-3600)
        .assistant("b")
        .advance(3610)
        .assistant("c")
    )
    _, totals = run(tmp_path, t.bytes())
    assert totals.time_us["model"] == 15_000_000
    assert sum(totals.time_us.values()) == 15_000_000


@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 5000, os.urandom(5000), b"hello\nworld\n", b'{"a": 1}\n', b"PK\x03\x04"]
)
def test_files_of_no_known_format_are_counted_as_such(tmp_path: Path, data: bytes) -> None:
    report, totals = run(tmp_path, data)
    assert [s.reason for s in report.skipped] in (["unknown format"], ["empty file"])
    assert totals.operations == 0


def test_damaged_archives(tmp_path: Path) -> None:
    whole = good().bytes() + b"".join(b'{"type":"progress","n":%d}\n' % i for i in range(20_000))
    for name, packed in (("a.jsonl.gz", gzip.compress(whole)), ("a.jsonl.zst", zstandard.compress(whole))):
        _, totals = run(tmp_path / name / "whole", packed, name)
        assert totals.calls == 2
        report, _ = run(tmp_path / name / "cut", packed[: len(packed) // 2], name)
        assert report.skipped


@pytest.mark.parametrize("make", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_the_head_of_a_damaged_archive_is_what_stands_before_the_damage(tmp_path: Path, make: Any) -> None:
    plain = random.Random(5).randbytes(400_000)
    packed = make(plain)
    for place in range(0, len(packed), 9_973):
        path = tmp_path / ("a.gz" if make is gzip.compress else "a.zst")
        path.write_bytes(packed[:place] + bytes([packed[place] ^ 0xFF]) + packed[place + 1 :])
        found = head(path, 300_000)
        assert place < 200_000 or len(found) > 50_000
        path.write_bytes(packed[:place])
        assert plain.startswith(head(path, 300_000))


def test_links_in_a_circle_and_strange_paths(tmp_path: Path) -> None:
    folder = tmp_path / "h" / "new\nline \x1b[31m"
    folder.mkdir(parents=True)
    (folder / f"{good().session}.jsonl").write_bytes(good().bytes())
    (folder / "loop").symlink_to(tmp_path / "h")
    (folder / "dangling.jsonl").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe.jsonl")
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    report = workspace.add(tmp_path / "h", tmp_path / "missing")
    assert workspace.totals().calls == 2
    assert report.files == 1
    assert [s.reason for s in report.skipped] == ["cannot be read: it is not there"] * 2


def test_a_line_of_100_mb_and_one_above_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    huge = json.dumps({"type": "user", "uuid": "x" * 36, "message": {"role": "user", "content": "y" * 10**8}})
    path.write_bytes(LINES[0] + huge.encode() + b"\n" + b"".join(LINES[1:]))
    workspace = tracelode.open(tmp_path / "s", tz="UTC")
    workspace.add(path)
    assert (workspace.totals().calls, workspace.totals().operations) == (2, 5)
    records = Records(path, max_line=1_000_000)
    assert [line.number for line in records] == [1, *range(3, len(LINES) + 2)]
    assert [(b.line, b.reason) for b in records.broken] == [(2, "line above the size limit")]


def lines_of(data: bytes) -> list[Line]:
    found, offset = [], 0
    for number, text in enumerate(data.split(b"\n"), 1):
        if text.strip():
            found.append(Line(number, offset, text))
        offset += len(text) + 1
    return found


@given(seed=st.integers(0, 2**32), value=VALUES)
@settings(max_examples=300)
def test_any_field_may_hold_anything(seed: int, value: Any) -> None:
    rng = random.Random(seed)
    t = good()
    spoiled = 0
    for record in t.records:
        if rng.random() < 0.5:
            node, key = rng.choice(spots(record))
            node[key] = copy.deepcopy(value)
            spoiled += 1
    data = b"".join(json.dumps(r).encode() + b"\n" for r in t.records)
    source = ClaudeCode()
    items = list(source.read(lines_of(data), source.fresh(), "x.jsonl"))
    if not spoiled:
        assert not [i for i in items if isinstance(i, Skip)]
    for item in items:
        if isinstance(item, Operation):
            item.arguments.encode()
            assert all(isinstance(v, str) for v in item.fields.values())
            assert all(isinstance(v, int) and v >= 0 for v in item.measures.values())


@given(data=st.binary(max_size=300), place=st.integers(0, 2000), cut=st.integers(0, 50))
@settings(max_examples=300)
def test_damaged_bytes_anywhere(data: bytes, place: int, cut: int) -> None:
    whole = good().bytes()
    source = ClaudeCode()
    damaged = whole[:place] + data + whole[place + cut :]
    for item in source.read(lines_of(damaged), source.fresh(), "x.jsonl"):
        assert item is not None


@pytest.mark.parametrize("make", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["one line", "many lines"])
def test_an_archive_that_unpacks_without_end_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any, end: bytes
) -> None:
    monkeypatch.setattr("tracelode.files.MAX_UNPACKED", 4 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(make(good().bytes() + (b"0" * 1023 + end) * 65_536))
    records = Records(path, max_line=1 << 20)
    kept = [line.data for line in records][: len(LINES)]
    assert kept == [line.strip() for line in LINES]
    assert records.broken[-1].reason == "unpacks to more than is read; unpack it first"
    assert records.bytes_read < 8 << 20


@pytest.mark.parametrize("count", [2**63 - 1, 10**11, -1])
def test_counts_that_cannot_be_summed_are_left_out_wherever_a_format_tells_them(
    tmp_path: Path, count: int
) -> None:
    sample = Path(__file__).parent / "samples" / "claude-stream.jsonl"
    told = b'"cacheReadInputTokens":%d' % count
    spoiled = re.sub(rb'"cacheReadInputTokens": ?\d+', told, sample.read_bytes())
    assert spoiled != sample.read_bytes()
    report, totals = run(tmp_path, spoiled)
    assert any("left out" in s.reason for s in report.skipped)
    assert 0 <= totals.tokens["cache_read"] < 10**9
    assert totals.total_tokens == sum(row.total_tokens for row in totals.by["model"].values())


def test_a_document_of_a_known_format_that_holds_nothing_is_said(tmp_path: Path) -> None:
    sample = (Path(__file__).parent / "samples" / "langfuse.json").read_bytes()
    spoiled = sample.replace(b'"observations"', b'"observed"').replace(b'\\"user\\"', b'\\"nobody\\"')
    assert spoiled != sample
    report, totals = run(tmp_path, spoiled, "trace.json")
    assert totals.operations == 0
    assert [(s.reason, s.line) for s in report.skipped] == [("trace without an observation", 1)]
    sample = (Path(__file__).parent / "samples" / "agentsight.json").read_bytes()
    spoiled = re.sub(rb'"(process_nodes|sessions|resources|[a-z_]+)": ?\[', rb'"x_\1":[', sample)
    report, totals = run(tmp_path / "b", spoiled, "snapshot.json")
    assert (totals.operations, bool(report.skipped)) == (0, True)


def test_the_beginning_of_a_line_of_text_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for cut, whole in ((b"70", False), (b"-", False), (b"null", False), (b'{"a": 1}', True), (b"[1]", True)):
        path.write_bytes(b"700 1791280800.100000 exit_group(0) = ?\n" + cut)
        records = Records(path)
        assert len(list(records)) == 1 + whole
        assert [(b.line, b.reason) for b in records.broken] == ([] if whole else [(2, "truncated last line")])


@pytest.mark.parametrize(
    "ident", ["/home/sammy77/src/app.py", "C:\\Users\\sammy77\\x", "person77@example.org"]
)
@pytest.mark.parametrize("name", ["recorded.jsonl", "strace.strace"])
def test_no_key_hides_a_path_behind_a_word(tmp_path: Path, name: str, ident: str) -> None:
    sample = (Path(__file__).parent / "samples" / name).read_bytes()
    tracer = b"proc" if name.startswith("recorded") else b"strace"
    first = b'{"tracelode_record":1,"id":%s,"tracer":"%s"}\n' % (json.dumps(ident).encode(), tracer)
    rest = sample.split(b"\n", 1)[1] if name.startswith("recorded") else sample
    _, totals = run(tmp_path, first + rest, name)
    assert totals.operations > 3
    stored = b"".join(p.read_bytes() for p in (tmp_path / "s").rglob("*") if p.is_file())
    answers = repr(tracelode.open(tmp_path / "s", tz="UTC").sessions())
    assert b"sammy77" not in stored
    assert b"person77" not in stored
    assert "sammy77" not in answers
    assert "person77" not in answers


def test_a_session_whose_key_is_not_kept_as_it_is_grows_as_if_read_once(tmp_path: Path) -> None:
    sample = (Path(__file__).parent / "samples" / "codex-exec.jsonl").read_bytes()
    ident = re.search(rb'"thread_id": ?"([^"]+)"', sample)
    assert ident is not None
    data = sample.replace(ident[1], b"/home/sammy77/rollout")
    lines = data.splitlines(keepends=True)
    _, once = run(tmp_path / "once", data)
    for count in range(1, len(lines)):
        run(tmp_path / f"{count}", b"".join(lines[:count]))
        _, grown = run(tmp_path / f"{count}", data)
        assert grown == once, count
