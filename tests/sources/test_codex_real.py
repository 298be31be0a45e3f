"""Do real Codex files give what is in them, and what other programs measured?"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import tracelode
from rollouts import KEYS, facts, tokens
from shared import need
from tracelode.files import Records
from tracelode.model.ports import Change
from tracelode.sources.codex import Codex


def meter(path: Path) -> tuple[list[int], list[int], int]:
    """(last total, sum of last usages, changed totals) straight from the JSON of one file without resets."""
    decoder = json.JSONDecoder()
    total, summed, changed = [0] * 5, [0] * 5, 0
    keys = (*KEYS, "total_tokens")
    for line in path.read_text(encoding="utf-8").splitlines():
        at = 0
        while at < len(line):
            record, at = decoder.raw_decode(line, at)
            if record["type"] != "event_msg" or record["payload"]["type"] != "token_count":
                continue
            info = record["payload"]["info"]
            if info is None:
                continue
            new = [info["total_token_usage"][key] for key in keys]
            summed = [a + info["last_token_usage"][k] for a, k in zip(summed, keys, strict=True)]
            changed += new != total
            assert all(a >= b for a, b in zip(new, total, strict=True))
            total = new
    return total, summed, changed


def test_b3_fork_family_019d7d08_116538695_tokens_not_224918769_by_last_totals(tmp_path: Path) -> None:
    folder = need("data", "native", "codex", "entireio+git-sync", "fork_family_019d7d08")
    files = sorted(folder.glob("2026-04-29_*.jsonl"))
    finals = {path.stem[11:]: meter(path)[0][4] for path in files}
    parent = "019d7d08-46c9-7f73-affe-4e6ca9852d56"
    children = sum(finals.values()) - finals[parent]
    assert (finals[parent], children, len(files)) == (61_054_470, 163_864_299, 9)
    assert sum(finals.values()) == 224_918_769
    workspace = tracelode.open(tmp_path, tz="UTC")
    workspace.add(folder)
    assert tokens(workspace, parent) == 116_538_695 == finals[parent] + 55_484_225
    assert children - 55_484_225 == 108_380_074  # replayed by the children, counted in the parent
    own = {s.key: s for s in workspace.sessions() if s.root == parent}
    assert sum(s.calls for s in own.values()) == 849
    assert all(s.inherited and s.fork_of == parent for s in own.values() if s.key != parent)
    assert all(s.parent_operation for s in own.values() if s.key != parent)


def test_b5_9_reviews_of_real_threads_count_from_zero(tmp_path: Path) -> None:
    folder = need("data", "native", "codex", "entireio+git-sync")
    files = list(folder.rglob("2026-06-17_*.jsonl"))
    assert len(files) == 9
    for path in files:
        workspace = tracelode.open(tmp_path / path.stem, tz="UTC")
        workspace.add(path)
        (session,) = workspace.sessions()
        assert (session.role, session.inherited) == ("subagent", 0)
        assert tokens(workspace) == meter(path)[0][4]


def test_every_real_file_sums_to_its_last_total_and_one_line_is_odd(tmp_path: Path) -> None:
    folder = need("data", "native", "codex")
    files = [p for p in sorted(folder.rglob("*.jsonl")) if "fork_family" not in str(p)]
    workspace = tracelode.open(tmp_path, tz="UTC")
    reasons: dict[str, int] = {}
    wanted, calls = 0, 0
    for path in files:
        for skip in workspace.add(path).skipped:
            reasons[skip.reason] = reasons.get(skip.reason, 0) + skip.count
        total, _, changed = meter(path)
        wanted, calls = wanted + total[4], calls + changed
    assert reasons == {"several objects on one line, all read": 1}
    assert (tokens(workspace), workspace.totals().calls) == (wanted, calls)
    assert len(files) == 25


@pytest.mark.parametrize(
    "series", ["019ddeed-72de-7371-bf67-ac505f4386ba", "019e27f2-b7de-71c3-a0f9-70d6539231ba"]
)
def test_snapshots_of_a_growing_file_equal_the_last_one_and_read_only_what_is_new(
    tmp_path: Path, series: str
) -> None:
    folder = need("data", "native", "snapshot_series", "entireio+git-sync", f"series_{series}")
    snapshots = sorted(folder.glob("*.jsonl"))
    path = tmp_path / "grown" / f"rollout-{series}.jsonl"
    path.parent.mkdir()
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    before = b""
    for snapshot in snapshots:
        data = snapshot.read_bytes()
        assert data.startswith(before)
        shutil.copy(snapshot, path)
        report = workspace.add(path)
        assert report.bytes_read == len(data) - len(before)
        before = data
    fresh = tracelode.open(tmp_path / "fresh", tz="UTC")
    fresh.add(path)
    assert facts(workspace) == facts(fresh)
    assert tokens(workspace) == meter(snapshots[-1])[0][4]


class Window(NamedTuple):
    """What another program's meter describes of a file, and how it counts."""

    after: int = 0
    """Lines up to this one are not in it."""
    until: int | None = None
    """Later lines came after it was read; None for the whole file."""
    cached: bool = False
    """It counts cached input as fresh too, and reasoning once more beside output (case B8)."""
    repeats: bool = False
    """It counts repeated token counts as calls (case B1)."""
    lost: int = 0
    """Token counts on lines that it could not read."""


METERS = {
    "019ed836": Window(),
    "019ed99c": Window(1497, repeats=True),
    "019ed9f4": Window(until=429),
    "019eef3d": Window(),
    "019efedf": Window(239, 316),
    "019f05f8": Window(until=439),
    "019f15f7": Window(),
    "019d95a4": Window(cached=True, repeats=True),
    "019ddba6": Window(until=302, repeats=True),
    "019ddcb1": Window(351, repeats=True),
    "019ddda4": Window(repeats=True),
    "019df213": Window(repeats=True),
    "019dfead": Window(225, 235, repeats=True),
    "019ed6c3": Window(repeats=True),
    "019d7d08": Window(2605, 2763, cached=True, repeats=True),
    "019d7e2f": Window(cached=True, repeats=True),  # with what it replays: case B3
    "019d7e30": Window(until=507, cached=True, repeats=True),
    "019d7e3a": Window(cached=True, repeats=True),
    "019d7e3e": Window(cached=True, repeats=True),
    "019d7e48": Window(2028, cached=True, repeats=True),
    "019ed6d3": Window(),
    "019d6d29": Window(until=3395, cached=True, repeats=True, lost=1),
    "019d78fc": Window(cached=True, repeats=True),
    "019dc0d3": Window(until=2808, cached=True, repeats=True),
    "019dd4b9": Window(repeats=True),
}
"""Start of a file's thread id to the window. Four of them agree as they stand."""


def metered(path: Path, window: Window) -> dict[str, int]:
    """What the source says of a window of a file, in the way the other meter counts."""
    sums: Counter[str] = Counter()
    calls = 0
    lines = list(Records(path))
    source, state = Codex(), Codex().fresh()
    for line in lines:
        for item in source.read([line], state, path.name):
            inside = window.after < line.number <= (window.until or line.number)
            if isinstance(item, Change) and "calls" in item.measures and inside:
                sums.update(item.measures)
                calls += 1
    told = (b'"token_count"', b'"total_token_usage"')
    events = [line.number for line in lines if all(word in line.data for word in told)]
    repeats = sum(window.after < n <= (window.until or n) for n in events) - window.lost
    fresh, read = sums["tokens.input_fresh"], sums["tokens.cache_read"]
    output, reasoning = sums["tokens.output"] + sums["tokens.reasoning"], sums["tokens.reasoning"]
    return {
        "input_tokens": fresh + (read if window.cached else 0),
        "cache_creation_tokens": 0,
        "cache_read_tokens": read,
        "output_tokens": output + (reasoning if window.cached else 0),
        "api_call_count": repeats if window.repeats else calls,
    }


def test_all_25_independent_meters_agree_once_what_they_count_otherwise_is_taken_into_account() -> None:
    folder = need("data", "native", "codex")
    agreed = []
    for side in sorted(folder.rglob("*.entire-meta.json")):
        told = json.loads(side.read_text())["tok"]
        if not told:
            continue
        path = Path(str(side).removesuffix(".entire-meta.json"))
        key = path.name[11:19]
        assert metered(path, METERS[key]) == {k: v for k, v in told.items() if "sub" not in k}, path.name
        agreed.append(key)
    assert sorted(agreed) == sorted(METERS)
    assert sum(window == Window() for window in METERS.values()) == 4
