"""Do totals equal an independent truth to the token and the cent, along every dimension?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tracelode
from shared import generated, need
from tracelode.files import Records
from tracelode.model.operation import Operation
from tracelode.model.report import Sums
from tracelode.sources.claude_code import ClaudeCode

_KINDS = {
    "input": "input_fresh",
    "output": "output",
    "cache5m": "cache_write_5m",
    "cache1h": "cache_write_1h",
    "cache_read": "cache_read",
}


def same(truth: dict[str, Any], sums: Sums, where: str) -> None:
    assert sums.calls == truth["messages"], where
    for theirs, ours in _KINDS.items():
        assert sums.tokens[ours] == truth[theirs], (where, ours)
    assert abs(sums.cost_picodollars / 1e12 - truth["cost"]) < 1e-6, where


@pytest.mark.parametrize("layout", ["new", "old"])
@pytest.mark.parametrize("seed", [7, 11, 23])
def test_generated_history_equals_its_truth(tmp_path: Path, seed: int, layout: str) -> None:
    projects, truth = generated(tmp_path / "made", 10, seed, layout)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(projects)
    totals = workspace.totals()
    same(truth["total"], totals, "total")
    assert totals.unpriced == {}
    assert totals.sessions == truth["sessions"]
    assert totals.subagents == truth["subagents"]
    assert sum(s.count for s in report.skipped) == truth["truncated_last_lines"]
    for theirs, ours in (("model", "model"), ("day", "day"), ("project", "project"), ("kind", "role")):
        found = {key: sums for key, sums in totals.by[ours].items() if sums.calls}
        wanted = {key.replace("/home/dev/", "~/"): row for key, row in truth["by"][theirs].items()}
        assert set(found) == set(wanted), ours
        for key, row in wanted.items():
            same(row, found[key], f"{ours} {key}")
    by_session(workspace, truth, totals.by["session"])


def by_session(workspace: Any, truth: dict[str, Any], found: dict[str, Sums]) -> None:
    """Sessions outside fork families one by one, inside by the family's sum."""
    links = {s.key: s.fork_of.split("/")[0] for s in workspace.sessions() if s.key == s.root and s.fork_of}
    head: dict[str, str] = {}
    for key in truth["by"]["session"]:
        top = key
        while top in links:
            top = links[top]
        head[key] = top
    families: dict[str, list[str]] = {}
    for key, top in head.items():
        families.setdefault(top, []).append(key)
    assert sum(s["forked"] for s in truth["session_list"]) >= len(links)
    for members in families.values():
        rows = [truth["by"]["session"][key] for key in members]
        sums = [found[key] for key in members if key in found]
        assert sum(s.calls for s in sums) == sum(r["messages"] for r in rows)
        for theirs, ours in _KINDS.items():
            assert sum(s.tokens[ours] or 0 for s in sums) == sum(r[theirs] for r in rows)


def _metered(path: Path, after: int) -> dict[str, int]:
    """What the source says of a main session's calls whose first record lies after a line."""
    calls: dict[str, dict[str, int]] = {}
    source = ClaudeCode()
    for item in source.read(Records(path), source.fresh(), path.name):
        if not isinstance(item, Operation) or "/" in item.session:
            # the meters leave sub-agents out
            continue
        if item.kind == "model" and item.origin.line > after:
            old = calls.get(item.id)
            if old is None or item.measures["tokens.output"] >= old["tokens.output"]:
                calls[item.id] = item.measures
    total = {name: sum(c.get(name, 0) for c in calls.values()) for name in next(iter(calls.values()), {})}
    return {
        "input_tokens": total.get("tokens.input_fresh", 0),
        "cache_creation_tokens": total.get("tokens.cache_write_5m", 0)
        + total.get("tokens.cache_write_1h", 0),
        "cache_read_tokens": total.get("tokens.cache_read", 0),
        "output_tokens": total.get("tokens.output", 0),
        "api_call_count": len(calls),
    }


APART = {
    "acc53d32": "the file grew after the meter was read",
    "f6b7329a": "the file grew after the meter was read",
    "12f1f541": "the file grew after the meter was read",
    "53ea19c1": "the meter counts one synthetic error message, without tokens, as a call",
}


def test_independent_meters_agree_where_they_describe_the_same_file() -> None:
    folder = need("data", "native", "claude_code")
    agreed: list[str] = []
    for side in sorted(folder.rglob("*.entire-meta.json")):
        meter = json.loads(side.read_text())
        if not meter["tok"]:
            continue
        path = Path(str(side).removesuffix(".entire-meta.json"))
        if any(part in path.name for part in APART):
            continue
        wanted = {k: v for k, v in meter["tok"].items() if k.endswith(("tokens", "count")) and "sub" not in k}
        found = [_metered(path, 0), _metered(path, meter["start"] or 0)]
        assert wanted in found, path.name
        agreed.append(path.name)
    assert len(agreed) >= 22
