"""Are Codex files found and read right: all grammars, compressed, growing, broken? Case B11."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import tracelode
from rollouts import PARENT, facts, moment, stored, tokens, working
from tracelode.ingest.discover import local_roots
from tracelode.model.ports import About, Line, Skip
from tracelode.sources.codex import Codex
from tracelode.sources.codex_exec import CodexExec
from written import added, every, lines


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".jsonl.zst"])
def test_b11_archived_and_compressed_rollouts_are_1_session_of_3000_tokens_not_6000(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    pack = {".jsonl": bytes, ".jsonl.gz": gzip.compress, ".jsonl.zst": zstandard.ZstdCompressor().compress}
    for number, folder in enumerate(("sessions/2026/11/03", "archived_sessions")):
        place = home / folder / f"rollout-2026-11-03T08-00-0{number}-{PARENT}{ending}"
        place.parent.mkdir(parents=True)
        place.write_bytes(pack[ending](working().bytes()))
    monkeypatch.setenv("CODEX_HOME", str(home))
    assert {folder for name, folder in local_roots() if name == "codex"} == {
        home / "sessions",
        home / "archived_sessions",
    }
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add()
    assert report.files_read == 2
    assert (tokens(workspace), workspace.totals().sessions) == (3_000, 1)
    written = working().total
    assert report.files_read * (written["input_tokens"] + written["output_tokens"]) == 6_000
    assert all(o.origin.path.startswith("codex:") for o in every(workspace))


def test_b11_a_rollout_that_is_compressed_later_adds_nothing_3000_tokens_not_6000(tmp_path: Path) -> None:
    workspace = stored(tmp_path, working())
    (path,) = (tmp_path / "history").rglob("*.jsonl")
    before = [(o.id, o.measures, o.status) for o in every(workspace)]
    path.with_name(path.name + ".zst").write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    path.unlink()
    workspace.add(tmp_path / "history")
    assert [(o.id, o.measures, o.status) for o in every(workspace)] == before
    anew = tracelode.open(tmp_path / "anew", tz="UTC")
    anew.add(tmp_path / "history")
    assert (tokens(workspace), tokens(workspace) + tokens(anew)) == (3_000, 6_000)


def flat() -> bytes:
    """A thread in the old grammar: two responses, the first with two calls."""
    git = {"branch": "dev"}
    head = {"id": PARENT, "timestamp": "2025-08-01T10:00:00.000Z", "instructions": None, "git": git}
    place = "<environment_context>\n<cwd>/home/sam/src/old</cwd>\n</environment_context>"
    state = {"record_type": "state"}

    def message(role: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}

    def call(number: int) -> list[dict[str, Any]]:
        native = f"call_{number:024d}"
        arguments = json.dumps({"command": ["bash", "-lc", f"ls {number}"]})
        output = json.dumps({"output": "a\n", "metadata": {"exit_code": number, "duration_seconds": 0.1}})
        return [
            {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": native},
            {"type": "function_call_output", "call_id": native, "output": output},
        ]

    asked = [head, state, message("user", place), state, message("user", "list the files"), state]
    return lines([*asked, {"type": "reasoning"}, *call(0), *call(1), state, message("assistant", "Two.")])


def test_b11_the_old_flat_grammar_counts_2_responses_and_knows_0_tokens(tmp_path: Path) -> None:
    workspace, report = added(tmp_path, {f"sessions/rollout-{PARENT}.jsonl": flat()})
    assert report.skipped == []
    totals = workspace.totals()
    assert (totals.calls, tokens(workspace), totals.tokens["reasoning"]) == (2, 0, None)
    found = every(workspace)
    assert [(o.kind, o.status) for o in found] == [
        ("prompt", "ok"),
        ("model", "ok"),
        ("tool", "ok"),
        ("tool", "nonzero"),
        ("model", "ok"),
    ]
    assert [o.fields["command"] for o in found if o.kind == "tool"] == ["ls 0", "ls 1"]
    assert {o.started for o in found} == {None}
    (session,) = workspace.sessions()
    assert (session.key, session.project) == (PARENT, "~/src/old")


def test_b11_other_grammars_of_codex_are_not_taken_for_rollouts(tmp_path: Path) -> None:
    log = {
        "ts": "2026-11-03T08:00:00Z",
        "dir": "to_tui",
        "kind": "codex_event",
        "payload": {"msg": {"type": "x"}},
    }
    stream = {"type": "thread.started", "thread_id": PARENT}
    _, report = added(tmp_path, {"log.jsonl": log, "stream.jsonl": stream})
    assert [(s.path.rsplit("/")[-1], s.reason) for s in report.skipped] == [("log.jsonl", "unknown format")]


def test_a_file_read_in_any_two_pieces_is_the_file_read_at_once(tmp_path: Path) -> None:
    whole = working().turn().user("more").shell("make").result("", session=4).tokens(50, 0, 5)
    whole.call("write_stdin", {"session_id": 4}).result("", 1).tokens(60, 0, 6)
    rows = whole.bytes().splitlines(keepends=True)
    wanted = facts(stored(tmp_path / "whole", whole))
    (name,) = whole.files()
    for cut in range(1, len(rows), 3):
        folder = tmp_path / str(cut)
        added(folder, {name: b"".join(rows[:cut])})
        workspace, report = added(folder, {name: b"".join(rows)})
        # before the first operation nothing was kept, so the file is read from its start
        assert report.bytes_read == sum(map(len, rows[cut if cut > 4 else 0 :]))
        assert facts(workspace) == wanted, cut


def broken() -> bytes:
    """A rollout with damage of every kind between its good records."""
    good = working().bytes().splitlines(keepends=True)
    bad = [
        b"not json\n",
        b"[1]\n",
        b"{}\n",
        b'{"type":"response_item"}\n',
        b'{"type":"event_msg","payload":[]}\n',
        b'{"timestamp":"x","type":"event_msg","payload":{"type":7,"info":{"total_token_usage":7}}}\n',
        b'{"type":"response_item","payload":{"type":"function_call_output","call_id":"nobody","output":"x"}}\n',
        b'{"type":"response_item","payload":{"type":"function_call","name":3,"arguments":5}}\n',
        b'{"type":"session_meta","payload":{"id":4,"source":{"subagent":{"thread_spawn":7}}}}\n',
    ]
    rows = good[:1]
    for n, line in enumerate(good[1:]):
        rows += [bad[n % len(bad)], line]
    return b"".join(rows)


def test_broken_records_are_counted_and_the_good_ones_kept(tmp_path: Path) -> None:
    workspace, report = added(tmp_path, {"r.jsonl": broken()})
    assert tokens(workspace) == 3_000
    reasons = {s.reason for s in report.skipped}
    assert {
        "not valid JSON",
        "record is not an object",
        "record without a type",
        "tool result without a call",
        "timestamp is not a moment",
        "unknown response item",
        "unknown event",
    } <= reasons
    assert all(s.line > 0 for s in report.skipped)


def test_a_moment_inside_a_version_7_id_is_read() -> None:
    assert moment(PARENT) == 1_793_692_800.0


def test_a_last_line_without_an_end_keeps_its_number_when_the_file_grows(tmp_path: Path) -> None:
    rows = working().bytes().splitlines()
    (name,) = working().files()
    added(tmp_path, {name: b"\n".join(rows[:8])})
    grown, _ = added(tmp_path, {name: b"\n".join(rows) + b"\n"})
    assert facts(grown) == facts(stored(tmp_path / "whole", working()))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values inside a decoded one."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


SAMPLES = Path(__file__).parent / "samples"
STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=9),
    st.just("\ud800"),
    st.just([[]]),
    st.just({"a": {}}),
)


@pytest.mark.parametrize(
    ("source", "name"), [(Codex(), "codex.jsonl"), (CodexExec(), "codex-exec.jsonl"), (Codex(), "flat")]
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_values_of_any_type_anywhere_do_no_harm(source: Any, name: str, data: st.DataObject) -> None:
    content = flat() if name == "flat" else (SAMPLES / name).read_bytes()
    records = [json.loads(line) for line in content.splitlines()]
    for _ in range(data.draw(st.integers(1, 6))):
        record = data.draw(st.sampled_from(records))
        place = data.draw(st.sampled_from(places(record)[1:] or [("x",)]))
        for key in place[:-1]:
            record = record[key]
        record[place[-1]] = copy.deepcopy(data.draw(STRANGE))
    rows = [Line(n, 0, json.dumps(record).encode()) for n, record in enumerate(records, 1)]
    state = source.fresh()
    items = list(source.read(rows, state, "x.jsonl"))
    assert isinstance(items[0], About | Skip)
    assert type(state) is type(source.fresh())
    msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=type(state))


def test_totals_beyond_all_bounds_name_the_same_records_when_read_on(tmp_path: Path) -> None:
    rows = working().tokens(17 * 10**17, 0, 5).turn().user("more").bytes().splitlines(keepends=True)
    (name,) = working().files()
    wanted, _ = added(tmp_path / "whole", {name: b"".join(rows)})
    for cut in range(5, len(rows)):
        added(tmp_path / str(cut), {name: b"".join(rows[:cut])})
        grown, _ = added(tmp_path / str(cut), {name: b"".join(rows)})
        assert [o.id for o in every(grown)] == [o.id for o in every(wanted)], cut
