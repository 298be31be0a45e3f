"""Are the bundled samples what they claim: reproducible, well-formed, and worth what truth.json says?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tracelode.samples import projects

Record = dict[str, Any]

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "tools" / "make_samples.py"
TRUTH: dict[str, Any] = json.loads((HERE / "truth.json").read_text(encoding="utf-8"))
KINDS = ("input_fresh", "cache_read", "cache_write_5m", "cache_write_1h", "output")
DOLLARS = {
    "claude-opus-4-5-20251101": ("5", "0.5", "6.25", "10", "25"),
    "claude-sonnet-4-5-20250929": ("3", "0.3", "3.75", "6", "15"),
    "claude-haiku-4-5-20251001": ("1", "0.1", "1.25", "2", "5"),
}
"""Public prices per million tokens, in the order of KINDS."""
FILES = sorted(projects().rglob("*.jsonl"))
MAIN = [path for path in FILES if path.parent.name != "subagents"]
AGENTS = [path for path in FILES if path.parent.name == "subagents"]
DENIED = "Permission denied (publickey)"


@cache
def records(path: Path) -> tuple[Record, ...]:
    """All records of a transcript, in file order."""
    return tuple(json.loads(line) for line in path.read_bytes().decode().splitlines())


def number(n: int) -> Path:
    """The main transcript of a demo session."""
    return next(path for path in MAIN if path.name.startswith(f"de0000{n:02d}"))


def blocks(path: Path, role: str, kind: str) -> Iterator[tuple[Record, Record]]:
    """(record, block) of one kind in a transcript."""
    for record in records(path):
        content = record["message"]["content"] if record["type"] == role else ""
        for block in content if isinstance(content, list) else ():
            if block["type"] == kind:
                yield record, block


@cache
def calls() -> tuple[tuple[str, Record], ...]:
    """(session, last record) of every model call, each message id once, owned by the session told first."""
    last: dict[str, tuple[str, Record]] = {}
    for path in sorted(FILES, key=lambda p: (p.name.startswith("de000009"), p.as_posix())):
        own = {}
        for record in records(path):
            if record["type"] == "assistant" and record["message"]["model"] != "<synthetic>":
                own[record["message"]["id"]] = (record["sessionId"], record)
        last = own | last
    return tuple(last.values())


def worth(chosen: list[Record]) -> dict[str, Any]:
    """Calls, tokens and cost of call records, computed from the records alone."""
    tokens: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
    cost = Fraction(0)
    for record in chosen:
        usage = record["message"]["usage"]
        writes = usage["cache_creation"]
        counts = (usage["input_tokens"], usage["cache_read_input_tokens"])
        counts += (writes["ephemeral_5m_input_tokens"], writes["ephemeral_1h_input_tokens"])
        counts += (usage["output_tokens"],)
        tokens.update(dict(zip(KINDS, counts, strict=True)))
        prices = DOLLARS[record["message"]["model"]]
        cost += sum(n * Fraction(price) for n, price in zip(counts, prices, strict=True))
    return {"calls": len(chosen), "tokens": dict(tokens), "cost_picodollars": int(cost * 10**6)}


def stated(row: Record) -> Record:
    """The part of a row of truth.json that worth() gives."""
    return {key: row[key] for key in ("calls", "tokens", "cost_picodollars")}


def test_the_script_writes_the_same_bytes(tmp_path: Path) -> None:
    if not SCRIPT.exists():
        pytest.skip("tools/ is not part of this copy")
    words = [sys.executable, str(SCRIPT), "--out", str(tmp_path), "--truth", str(tmp_path / "truth.json")]
    subprocess.run(
        words, check=True, env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}, cwd=tmp_path
    )
    here, there = projects(), tmp_path / "projects"
    names = sorted(p.relative_to(here) for p in here.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(there) for p in there.rglob("*") if p.is_file())
    for name in names:
        assert (here / name).read_bytes() == (there / name).read_bytes(), name
    assert (HERE / "truth.json").read_bytes() == (tmp_path / "truth.json").read_bytes()


def test_size_and_number() -> None:
    assert sum(p.stat().st_size for p in projects().rglob("*") if p.is_file()) <= 450_000
    assert (len(MAIN), len(AGENTS)) == (TRUTH["sessions"], TRUTH["subagents"]) == (13, 3)
    assert sorted(path.stem for path in MAIN) == TRUTH["session_ids"]
    assert 4_000_000 <= sum(TRUTH["tokens"].values()) <= 6_000_000
    assert 5 * 10**12 <= TRUTH["cost_picodollars"] <= 9 * 10**12


def test_totals_are_those_of_the_records() -> None:
    assert worth([record for _, record in calls()]) == stated(TRUTH)


@pytest.mark.parametrize("dimension", ["model", "day_utc", "project", "session", "role"])
def test_every_split_is_that_of_the_records(dimension: str) -> None:
    groups: dict[str, list[Record]] = defaultdict(list)
    for session, record in calls():
        role = "subagent" if record["isSidechain"] else "main"
        key = {"model": record["message"]["model"], "day_utc": record["timestamp"][:10], "role": role}
        key |= {"project": record["cwd"], "session": session}
        groups[key[dimension]].append(record)
    assert {k: worth(v) for k, v in groups.items()} == {
        k: stated(v) for k, v in TRUTH["by"][dimension].items()
    }
    if dimension in ("session", "role"):
        assert sum(v["operations"] for v in TRUTH["by"][dimension].values()) == TRUTH["operations"]


def test_operations_are_those_of_the_records() -> None:
    kinds: Counter[str] = Counter(model=len(calls()))
    plans = {"TaskCreate", "TaskUpdate", "ExitPlanMode"}
    uses = {b["id"]: b["name"] for path in FILES for _, b in blocks(path, "assistant", "tool_use")}
    kinds.update("subagent" if n == "Agent" else "plan" if n in plans else "tool" for n in uses.values())
    said: dict[str, str] = {}
    for record in (r for path in FILES for r in records(path)):
        text = record["message"]["content"] if record["type"] == "user" else None
        told = record.get("subtype") in ("compact_boundary", "api_error")
        if told or record.get("isApiErrorMessage"):
            said[record["uuid"]] = "note"
        elif isinstance(text, str):
            harness = record.get("isCompactSummary") or text.startswith("<")
            said[record["uuid"]] = "note" if harness else "prompt"
        elif text and text[0]["type"] == "text":
            said[record["uuid"]] = "note"
        elif record["type"] == "attachment":
            said[record["uuid"]] = "prompt"
    kinds.update(said.values())
    assert dict(kinds) == TRUTH["kinds"]
    assert sum(kinds.values()) == TRUTH["operations"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:12])
def test_chain_and_clock(path: Path) -> None:
    seen: set[str] = set()
    roots = 0
    before = ""
    for record in records(path):
        if "timestamp" in record:
            assert record["timestamp"] >= before
            before = record["timestamp"]
        if "uuid" not in record:
            continue
        assert record["uuid"] not in seen
        seen.add(record["uuid"])
        if record["parentUuid"] is None:
            roots += 1
            assert roots == 1 or record["logicalParentUuid"] in seen
        else:
            assert record["parentUuid"] in seen
    assert before[:10] >= "2026-10-02"
    assert before[:10] <= "2026-10-19"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:12])
def test_usage_of_a_message(path: Path) -> None:
    messages: dict[str, list[Record]] = defaultdict(list)
    for record in records(path):
        if record["type"] == "assistant" and record["message"]["model"] != "<synthetic>":
            messages[record["message"]["id"]].append(record)
    for parts in messages.values():
        assert len({r["requestId"] for r in parts}) == 1
        assert [r["message"]["stop_reason"] is None for r in parts] == [True] * (len(parts) - 1) + [False]
        usages = [r["message"]["usage"] for r in parts]
        outputs = [u["output_tokens"] for u in usages]
        assert outputs == sorted(outputs)
        for usage in usages:
            assert sum(usage["cache_creation"].values()) == usage["cache_creation_input_tokens"]
            for name in ("input_tokens", "cache_read_input_tokens", "cache_creation"):
                assert usage[name] == usages[-1][name]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:12])
def test_every_call_has_one_result(path: Path) -> None:
    uses = [block["id"] for _, block in blocks(path, "assistant", "tool_use")]
    results = [block["tool_use_id"] for _, block in blocks(path, "user", "tool_result")]
    assert sorted(uses) == sorted(results)
    assert len(set(uses)) == len(uses)


def test_repeated_usage_would_mislead() -> None:
    naive = sum(
        r["message"]["usage"]["cache_read_input_tokens"]
        for path in FILES
        for r in records(path)
        if r["type"] == "assistant"
    )
    assert naive > 1.3 * TRUTH["tokens"]["cache_read"]


def test_fork() -> None:
    parent, fork = records(number(8)), records(number(9))
    shared = {r["uuid"] for r in parent if "uuid" in r} & {r["uuid"] for r in fork if "uuid" in r}
    old, new = ([r for r in side if r.get("uuid") in shared] for side in (parent, fork))
    assert len(old) == len(new) > 8
    assert [r | {"sessionId": ""} for r in old] == [r | {"sessionId": ""} for r in new]
    own_old, own_new = ([r for r in s if "uuid" in r and r["uuid"] not in shared] for s in (parent, fork))
    assert old[-1]["timestamp"] < own_old[0]["timestamp"] < own_new[0]["timestamp"]
    assert own_old[0]["parentUuid"] == own_new[0]["parentUuid"] == old[-1]["uuid"]


def test_subagents_hang_on_their_call() -> None:
    for path in AGENTS:
        agent = path.stem.removeprefix("agent-")
        meta = json.loads(path.with_suffix(".meta.json").read_text(encoding="utf-8"))
        parent = path.parents[1].with_suffix(".jsonl")
        assert {(r["agentId"], r["sessionId"], r["isSidechain"]) for r in records(path)} == {
            (agent, parent.stem, True)
        }
        record = next(
            r for r, b in blocks(parent, "user", "tool_result") if b["tool_use_id"] == meta["toolUseId"]
        )
        assert record["toolUseResult"]["agentId"] == agent
        spent = [r for s, r in calls() if r.get("agentId") == agent]
        assert record["toolUseResult"]["totalTokens"] < sum(worth(spent)["tokens"].values())
        assert worth(spent)["tokens"]["cache_write_1h"] == 0


def test_what_the_sessions_show() -> None:
    everything = [r for path in FILES for r in records(path)]
    kinds = Counter(r.get("subtype", r["type"]) for r in everything)
    assert kinds["compact_boundary"] == kinds["queue-operation"] == kinds["api_error"] == 1
    assert sum(r.get("isCompactSummary", False) for r in everything) == 1
    assert sum(r.get("isApiErrorMessage", False) for r in everything) == 1
    assert sum("toolDenialKind" in r for r in everything) == TRUTH["human"]["denial"] == 1
    steer = next(r for r in everything if r["type"] == "attachment")["attachment"]
    assert steer["prompt"] == next(r for r in everything if r["type"] == "queue-operation")["content"]
    names = Counter(b["name"] for path in FILES for _, b in blocks(path, "assistant", "tool_use"))
    assert names["WebSearch"] >= 2
    assert names["mcp__postgres__query"] >= 5
    assert names["TaskCreate"] == 3
    assert names["ExitPlanMode"] == 1
    texts = [str(b["content"]) for path in FILES for _, b in blocks(path, "user", "tool_result")]
    assert sum("[Request interrupted by user" in text for text in texts) == 1
    assert sum(text.startswith("Exit code") for text in texts) == TRUTH["tool_statuses"]["nonzero"]


def test_parallel_results_come_out_of_order() -> None:
    use = [block["id"] for _, block in blocks(number(1), "assistant", "tool_use")]
    result = [block["tool_use_id"] for _, block in blocks(number(1), "user", "tool_result")]
    assert use != result


def test_three_attempts_fail_at_the_same_step() -> None:
    step = TRUTH["by"]["step"]["deploy git server: ssh authentication"]
    assert step["sessions"] == [number(n).stem for n in (2, 5, 7)]
    for n in (2, 5, 7):
        failed = [b for _, b in blocks(number(n), "user", "tool_result") if DENIED in b["content"]]
        assert len(failed) >= 3
        assert all(block["is_error"] for block in failed)
    assert 0.18 <= step["operations"] / TRUTH["operations"] <= 0.24
    assert 0.43 <= sum(step["tokens"].values()) / sum(TRUTH["tokens"].values()) <= 0.50


def test_nothing_private_but_one_planted_token() -> None:
    text = "\n".join(p.read_text(encoding="utf-8") for p in projects().rglob("*") if p.is_file())
    planted = re.findall(r"ghp_\w{36}", text)
    assert set(planted) == {"ghp_" + "FAKEdemo" * 4 + "0000"}
    assert set(re.findall(r"/(?:home|Users)/(\w+)", text)) <= {"sam", "git"}
    assert not re.search(r"[\w.]+@[\w-]+\.(?:com|org|net|de)\b", text.replace(f"{planted[0]}@github.com", ""))
    assert not re.search(r"BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}|sk-[A-Za-z0-9]{20}", text)
