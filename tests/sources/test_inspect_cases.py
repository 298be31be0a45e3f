"""Does the Inspect source read both layouts, and refuse archives that were made to do harm?"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from shared import need
from tracelode.model.ports import Line
from tracelode.sources.inspect import Inspect, archive
from written import added, every

LOG: dict[str, Any] = json.loads((Path(__file__).parent / "samples" / "inspect.json").read_text())
HEADER = {k: v for k, v in LOG.items() if k != "samples"}
SAMPLE = LOG["samples"][0]
KINDS = (
    "input_tokens", "output_tokens", "total_tokens", "input_tokens_cache_read", "input_tokens_cache_write",
    "reasoning_tokens",
)  # fmt: skip


def packed(*members: tuple[str, Any], method: int = zipfile.ZIP_DEFLATED, header: bool = True) -> bytes:
    """An archive with a header and some members; what is no bytes is written as JSON."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive_:
        for name, content in [("_journal/start.json", HEADER), *members]:
            archive_.writestr(name, content if isinstance(content, bytes) else json.dumps(content))
        if header:
            archive_.writestr("header.json", json.dumps(HEADER))
    return stream.getvalue()


def reasons(folder: Path, data: bytes) -> list[tuple[str, int]]:
    workspace, report = added(folder, {"log.eval": data})
    assert workspace.totals().operations >= 0
    return sorted((s.reason, s.count) for s in report.skipped)


def usage(**counts: int) -> dict[str, Any]:
    event = {"event": "model", "model": "m", "timestamp": "2026-10-11T09:00:00Z", "output": {"usage": counts}}
    return HEADER | {"samples": [{"id": 1, "epoch": 1, "events": [event]}]}


def test_both_layouts_give_the_same(tmp_path: Path) -> None:
    one, _ = added(tmp_path / "a", {"log.json": LOG})
    samples = [(f"samples/{s['id']}_epoch_1.json", s) for s in LOG["samples"]]
    two, report = added(
        tmp_path / "b", {"log.eval": packed(*samples, ("summaries.json", []), ("reductions.json", []))}
    )
    assert [s.reason for s in report.skipped] == ["unknown kind of event"]
    assert [(o.id, o.name, o.measures) for o in every(one)] == [
        (o.id, o.name, o.measures) for o in every(two)
    ]
    assert one.totals() == two.totals()
    assert two.totals().sessions == 2


def test_an_evaluation_that_still_runs_has_only_a_journal(tmp_path: Path) -> None:
    data = packed(("samples/total-1_epoch_1.json", SAMPLE), header=False)
    workspace, _ = added(tmp_path, {"log.eval": data})
    (session,) = workspace.sessions()
    assert (session.task, session.outcome, session.agent) == ("invoices/total-1", "success", "basic_agent")


def test_epochs_of_a_sample_are_sessions_of_their_own(tmp_path: Path) -> None:
    events = [e | {"uuid": None} for e in SAMPLE["events"]]
    samples = [SAMPLE | {"epoch": n, "uuid": None, "events": events} for n in (1, 2)]
    data = packed(*((f"samples/total-1_epoch_{s['epoch']}.json", s) for s in samples))
    workspace, _ = added(tmp_path, {"log.eval": data})
    assert [s.key for s in workspace.sessions()][-1].endswith("total-1/2")
    assert (workspace.totals().sessions, workspace.totals().calls) == (2, 6)


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        # input, output, total, cache read, cache write, reasoning: the total shows what is part of what
        ((15_235, 281, 15_516, 9_088, None, None), (6_147, 9_088, 0, 281, None)),
        ((50, 90, 5_640, 5_000, 500, None), (50, 5_000, 500, 90, None)),
        ((9_000, 9, 10_009, 1_000, None, None), (9_000, 1_000, 0, 9, None)),
        ((10, 100, 110, None, None, 70), (10, 0, 0, 30, 70)),
        ((10, 30, 110, None, None, 70), (10, 0, 0, 30, 70)),
        ((10, 3, None, 90, None, None), (10, 90, 0, 3, None)),
    ],
)
def test_what_is_part_of_what_is_told_by_the_total(tmp_path: Path, counts: Any, wanted: Any) -> None:
    told = {name: count for name, count in zip(KINDS, counts, strict=True) if count is not None}
    tokens = added(tmp_path, {"log.json": usage(**told)})[0].totals().tokens
    names = ("input_fresh", "cache_read", "cache_write_5m", "output", "reasoning")
    assert tuple(tokens[name] for name in names) == wanted


def test_answers_kept_from_earlier_are_no_calls(tmp_path: Path) -> None:
    workspace, _ = added(tmp_path, {"log.json": HEADER | {"samples": [SAMPLE]}})
    assert workspace.totals().calls == 3
    assert [o.name for o in every(workspace) if o.kind == "note"] == ["cached answer"]


def test_attachments_are_put_in_once_and_missing_ones_counted(tmp_path: Path) -> None:
    one, two = "a" * 32, "b" * 32
    sample = SAMPLE | {
        "input": f"see attachment://{one} and attachment://{'c' * 32}",
        "attachments": {one: f"text with attachment://{two}", two: "never"},
    }
    workspace, report = added(tmp_path, {"log.json": HEADER | {"samples": [sample]}})
    prompt = next(o for o in every(workspace) if o.kind == "prompt")
    assert prompt.arguments == f"see text with attachment://{two} and attachment://{'c' * 32}"
    assert "attachment that the log does not hold" in [s.reason for s in report.skipped]


def test_a_model_inside_a_tool_stands_in_for_the_tools_time(tmp_path: Path) -> None:
    time = added(tmp_path, {"log.json": HEADER | {"samples": [SAMPLE]}})[0].totals().time_us
    # three calls of 3, 2 and 2.5 seconds; tools of 2 seconds and of 4 seconds around one of the calls
    assert (time["model"], time["tool"]) == (7_500_000, 4_000_000)


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ({"a": {"value": "C"}}, "success"), ({"a": {"value": 0}}, "failure"), ({"a": {"value": "P"}}, None),
        ({"a": {"value": 1.0}, "b": {"value": "C"}}, "success"),
        ({"a": {"value": 1}, "b": {"value": 0}}, None),
        ({}, None), ({"a": {"value": {"x": 1}}}, None),
    ],
)  # fmt: skip
def test_scores_are_a_verdict_where_they_agree(tmp_path: Path, scores: Any, outcome: str | None) -> None:
    workspace, _ = added(tmp_path, {"log.json": HEADER | {"samples": [SAMPLE | {"scores": scores}]}})
    assert workspace.sessions()[0].outcome == outcome


def test_samples_without_events_are_read_from_their_messages(tmp_path: Path) -> None:
    call = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}
    messages = [
        {"role": "user", "content": "list"},
        {"role": "assistant", "content": "so", "tool_calls": [call], "model": "m"},
        {"role": "tool", "tool_call_id": "c1", "content": "", "error": {"type": "approval", "message": "no"}},
        {"role": "assistant", "content": [{"type": "text", "text": "no"}], "model": "m"},
    ]
    told = {"p/m": {"input_tokens": 11, "output_tokens": 4, "total_tokens": 15}}
    sample = {"id": "x", "epoch": 1, "messages": messages, "model_usage": told}
    workspace, _ = added(tmp_path, {"log.json": HEADER | {"samples": [sample]}})
    found = [(o.kind, o.status, o.measures.get("tokens.output")) for o in every(workspace)]
    assert found == [("prompt", "ok", None), ("model", "ok", None), ("tool", "denied", 2), ("model", "ok", 2)]
    assert workspace.totals().tokens["input_fresh"] == 11


def test_sums_that_exceed_the_calls_are_counted(tmp_path: Path) -> None:
    sample = SAMPLE | {"model_usage": {"m": {"input_tokens": 10**6, "output_tokens": 1}}}
    _, report = added(tmp_path, {"log.json": HEADER | {"samples": [sample]}})
    assert "usage of a sample exceeds that of its calls, calls kept" in [s.reason for s in report.skipped]


GOOD = ("samples/total-1_epoch_1.json", SAMPLE)
OWN = ("unknown kind of event", 1)


@pytest.mark.parametrize(
    "name", ["../../etc/cron.d/x.json", "/etc/x.json", "samples/../../x.json", "C:\\x.json"]
)
def test_names_that_lead_out_of_the_archive_are_refused(tmp_path: Path, name: str) -> None:
    found = reasons(tmp_path, packed(GOOD, (name, SAMPLE)))
    assert found == [("name that leads out of the archive, refused", 1), OWN]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["history", "store"]


def test_a_member_that_grows_above_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBER", 100_000)
    data = packed(GOOD, ("samples/bomb_epoch_1.json", b" " * 10_000_000))
    assert len(data) < 30_000
    assert reasons(tmp_path, data) == [("member above the size limit, refused", 1), OWN]


def test_a_member_written_twice_is_read_once(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = packed((GOOD[0], {"id": "early"}), GOOD)
    assert reasons(tmp_path, data) == [("member written twice, the last one is read", 1), OWN]


def test_members_that_lie_about_their_size_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBER", 100_000)
    data = packed(GOOD, ("samples/bomb_epoch_1.json", b" " * 10_000_000))
    lying = data.replace(struct.pack("<I", 10_000_000), struct.pack("<I", 10))
    assert lying != data
    assert reasons(tmp_path, lying) == [("damaged member, refused", 1), OWN]


def test_the_sum_of_all_members_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL", 50_000)
    more = [(f"samples/{n}_epoch_1.json", b" " * 20_000) for n in range(9)]
    found = dict(reasons(tmp_path, packed(*more)))
    assert found["member above the size limit, refused"] >= 7


def test_absurd_counts_of_members_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = packed(GOOD)
    end = data.rfind(b"PK\x05\x06")
    claimed = data[: end + 8] + struct.pack("<HH", 60_000, 60_000) + data[end + 12 :]
    monkeypatch.setattr(archive, "MAX_MEMBERS", 50_000)
    assert reasons(tmp_path / "a", claimed) == [("archive with too many members, refused", 1)]
    monkeypatch.setattr(archive, "MAX_MEMBERS", 2)
    assert reasons(tmp_path / "b", data) == [("archive with too many members, refused", 1)]
    monkeypatch.undo()
    monkeypatch.setattr(archive, "MAX_DIRECTORY", 10)
    assert reasons(tmp_path / "c", data) == [("archive with too many members, refused", 1)]


def test_damaged_and_unfinished_archives_are_refused(tmp_path: Path) -> None:
    data = packed(GOOD)
    assert reasons(tmp_path / "cut", data[:-40]) == [("damaged or unfinished archive", 1)]
    spoiled = bytearray(data)
    spoiled[data.index(b"samples/total-1") + 60] ^= 0xFF
    assert reasons(tmp_path / "spoiled", bytes(spoiled)) == [("damaged member, refused", 1)]


def test_encrypted_and_strangely_packed_members_are_refused(tmp_path: Path) -> None:
    def changed(offset: int, value: int) -> bytes:
        """Change two bytes of a member's entry in the directory."""
        data = bytearray(packed(GOOD))
        entry = data.rfind(b"PK\x01\x02", 0, data.rfind(b"samples/total-1"))
        data[entry + offset : entry + offset + 2] = struct.pack("<H", value)
        return bytes(data)

    assert reasons(tmp_path / "a", changed(8, 1)) == [("encrypted member, refused", 1)]
    assert reasons(tmp_path / "b", changed(10, 97)) == [("member of an unknown compression, refused", 1)]


def test_members_packed_with_zstandard_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zstandard

    text = json.dumps(SAMPLE).encode()
    stored = packed((GOOD[0], text), method=zipfile.ZIP_STORED)
    small = zstandard.compress(text)
    at = stored.index(text)
    data = bytearray(stored[:at] + small + stored[at + len(text) :])
    moved = len(text) - len(small)
    name = GOOD[0].encode()
    local = data.index(name) - 30
    data[local + 8 : local + 10] = struct.pack("<H", 93)
    data[local + 18 : local + 22] = struct.pack("<I", len(small))
    entry = data.rindex(name) - 46
    data[entry + 10 : entry + 12] = struct.pack("<H", 93)
    data[entry + 20 : entry + 24] = struct.pack("<I", len(small))
    follows = data.index(b"PK\x01\x02", entry + 46)
    old = struct.unpack_from("<I", data, follows + 42)[0]
    data[follows + 42 : follows + 46] = struct.pack("<I", old - moved)
    end = data.rfind(b"PK\x05\x06")
    old = struct.unpack_from("<I", data, end + 16)[0]
    data[end + 16 : end + 20] = struct.pack("<I", old - moved)
    assert reasons(tmp_path / "a", bytes(data)) == [OWN]
    monkeypatch.setattr(archive, "MAX_MEMBER", 3_000)
    assert ("member above the size limit, refused", 1) in reasons(tmp_path / "b", bytes(data))


@given(place=st.integers(0, 5_000), data=st.binary(max_size=20), cut=st.integers(0, 20))
@settings(max_examples=200, deadline=None)
def test_damaged_archives_end_nothing(place: int, data: bytes, cut: int) -> None:
    whole = packed(GOOD)
    damaged = b"PK\x03\x04" + (whole[:place] + data + whole[place + cut :])[4:]
    source = Inspect()
    for item in source.read([Line(1, 0, damaged)], source.fresh(), "log.eval"):
        assert item is not None


def samples_of(folder: Path) -> Iterator[dict[str, Any]]:
    """Samples of all logs, each once, with their evaluation's id."""
    seen = set()
    for file in sorted(folder.rglob("*")):
        header: dict[str, Any] = {}
        found: list[dict[str, Any]] = []
        if file.suffix == ".eval":
            with zipfile.ZipFile(file) as log:
                header = json.loads(log.read("header.json"))
                found = [json.loads(log.read(n)) for n in log.namelist() if n.startswith("samples/")]
        elif file.suffix == ".json":
            header = json.loads(file.read_text())
            found = (header.get("samples") or []) if "eval" in header else []
        for sample in found:
            spec = header["eval"]
            key = sample.get("uuid") or (
                spec.get("run_id"),
                spec.get("task_id"),
                sample["id"],
                sample["epoch"],
            )
            if key not in seen:
                seen.add(key)
                yield sample


def meter(folder: Path) -> tuple[int, int, Counter[str]]:
    """(samples, calls, tokens) straight from the files."""
    count, calls, sums = 0, 0, Counter[str]()
    for sample in samples_of(folder):
        events = sample.get("events") or (sample.get("transcript") or {}).get("events") or []
        models = [e for e in events if e["event"] == "model"]
        if not events:
            calls += sum(1 for m in sample["messages"] if m["role"] == "assistant")
            used = list((sample.get("model_usage") or {}).values())
        else:
            calls += len(models)
            used = [e["output"]["usage"] for e in models if e["output"].get("usage")]
        count += bool(events or sample["messages"] or sample["input"])
        for found in used:
            read = found.get("input_tokens_cache_read") or 0
            assert found["input_tokens"] + found["output_tokens"] == found["total_tokens"]
            sums["fresh"] += found["input_tokens"] - read
            sums["read"] += read
            sums["output"] += found["output_tokens"]
    return count, calls, sums


def test_real_logs_agree_with_an_independent_meter(tmp_path: Path) -> None:
    folder = need("data", "native", "inspect_ai")
    count, calls, sums = meter(folder)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(folder)
    totals = workspace.totals()
    assert {s.reason for s in report.skipped} <= {
        "unknown format",
        "nothing in it that can be used",  # a log without samples
        "usage of a sample exceeds that of its calls, calls kept",
    }
    assert (totals.sessions, totals.calls) == (count, calls)
    assert (totals.tokens["input_fresh"], totals.tokens["cache_read"]) == (sums["fresh"], sums["read"])
    assert (totals.tokens["output"] or 0) + (totals.tokens["reasoning"] or 0) == sums["output"]
