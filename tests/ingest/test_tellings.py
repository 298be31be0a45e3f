"""Does a session that several files or formats tell count once, whatever the order and the batches?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import tracelode
from claude import Transcript, used
from rollouts import PARENT, Rollout, tokens
from shared import need
from sources.test_claude_stream_cases import beside
from sources.test_codex_exec_cases import completed, item, started
from tracelode.ingest.jobs import FamilyJob
from tracelode.model.report import Totals
from tracelode.workspace import Workspace
from written import added, every, lines

MODEL = "claude-sonnet-4-5-20250929"


def view(workspace: Workspace) -> tuple[Any, ...]:
    totals: Totals = workspace.totals()
    measures = ["tokens", "time", "calls", "operations"]
    return totals, workspace.profile(stack=["session", "stage", "tool"], measures=measures).totals


def talk(number: int) -> Transcript:
    t = Transcript(f"{number:08x}-1111-4222-8333-444444444444", model=MODEL).user("go")
    t.assistant("a", tools=[("Bash", {"command": "ls"})], usage=used(10, output=1))
    return t.advance(2).result(t.calls[0], "ok").assistant("b", usage=used(20, output=4))


def trial(t: Transcript) -> dict[str, Any]:
    """The same run as a converter tells it."""
    steps: list[dict[str, Any]] = [{"step_id": 1, "source": "user", "message": "go", "timestamp": t.stamp()}]
    for number, (fresh, output) in enumerate(((10, 1), (20, 4)), 2):
        step = {"step_id": number, "source": "agent", "message": "x", "timestamp": t.stamp()}
        steps.append(step | {"metrics": {"prompt_tokens": fresh, "completion_tokens": output}})
    agent = {"name": "claude-code", "version": "2", "model_name": MODEL}
    return {"schema_version": "ATIF-v1.5", "session_id": t.session, "agent": agent, "steps": steps}


def rollout_and_output() -> dict[str, bytes]:
    r = Rollout().turn().user("fix the test").says("Done.").tokens(900, 600, 40)
    events = [*started(PARENT), item(0, "agent_message", text="Done."), completed(900, 600, 40)]
    return {"rollout.jsonl": lines(r.records), "output.jsonl": lines(events)}


def tellings() -> dict[str, tuple[dict[str, bytes], int, int]]:
    """Files that tell one session, its tokens, its calls."""
    t = talk(1)
    stream, atif = beside(t, 0.5).bytes(), json.dumps(trial(t)).encode()
    transcript = {f"{t.session}.jsonl": t.bytes()}
    return {
        "rollout, exec": (rollout_and_output(), 940, 1),
        "transcript, stream": (transcript | {"run.jsonl": stream}, 35, 2),
        "transcript, atif": (transcript | {"trajectory.json": atif}, 35, 2),
        "stream, atif": ({"run.jsonl": stream, "trajectory.json": atif}, 35, 2),
        "all three": (transcript | {"run.jsonl": stream, "trajectory.json": atif}, 35, 2),
    }


@pytest.mark.parametrize("case", tellings())
def test_a_session_that_several_formats_tell_counts_once(tmp_path: Path, case: str) -> None:
    files, wanted, calls = tellings()[case]
    seen = []
    for number, order in enumerate(permutations(files)):
        for at_once in (True, False):
            folder = tmp_path / f"{number}{at_once}"
            if at_once:
                # names decide what is read first
                workspace, _ = added(folder, {f"{i}/{name}": files[name] for i, name in enumerate(order)})
            for name in () if at_once else order:
                workspace, _ = added(folder, {name: files[name]})
            totals = workspace.totals()
            assert (totals.sessions, totals.total_tokens, totals.calls) == (1, wanted, calls)
            assert len({o.id for o in every(workspace)}) == len(every(workspace))
            assert sum(totals.time_us.values()) == seen[0] if seen else True
            seen = seen or [sum(totals.time_us.values())]


def test_alone_a_retelling_counts(tmp_path: Path) -> None:
    files = rollout_and_output()
    workspace, _ = added(tmp_path / "a", {"output.jsonl": files["output.jsonl"]})
    assert tokens(workspace) == 940
    workspace, _ = added(tmp_path / "b", {"t.json": json.dumps(trial(talk(1))).encode()})
    assert workspace.totals().total_tokens == 35


@pytest.mark.parametrize("first", [["transcript"], ["stream"]])
def test_a_family_that_two_pieces_of_one_import_bring_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: list[str]
) -> None:
    """The second piece holds other families beside the one that is joined."""

    def pieces(jobs: Any, size: int = 0) -> list[list[FamilyJob]]:
        given: Sequence[FamilyJob] = sorted(jobs, key=lambda job: job.root)
        ours = [job for job in given if (job.root == talk(1).session) == (first == ["transcript"])]
        return [ours, [job for job in given if job not in ours]]

    for t in (talk(1), talk(2)):
        t.write(tmp_path / "history")
    for number in (1, 3, 4):
        (tmp_path / "history" / f"{number}.jsonl").write_bytes(beside(talk(number), 0.5).bytes())
    wanted = tracelode.open(tmp_path / "one", tz="UTC")
    for path in sorted((tmp_path / "history").rglob("*.jsonl")):
        wanted.add(path)
    monkeypatch.setattr("tracelode.ingest.plan.units", pieces)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    workspace.add(tmp_path / "history")
    assert view(workspace)[0].total_tokens == 4 * 35
    assert view(workspace) == view(wanted)
    assert len({(o.session, o.id) for o in every(workspace)}) == len(every(workspace))


def test_output_that_grows_in_any_steps_equals_reading_it_once(tmp_path: Path) -> None:
    events = [*started(), item(0, "agent_message", text="a"), completed(1_000, 600, 50)]
    events += [{"type": "turn.started"}, item(1, "agent_message", text="b"), completed(2_500, 1_600, 80)]
    data = lines(events)
    wanted, _ = added(tmp_path / "once", {"run.jsonl": data})
    ends = [place + 1 for place, byte in enumerate(data) if byte == 10]
    for end in ends[:-1]:
        folder = tmp_path / str(end)
        added(folder, {"run.jsonl": data[:end]})
        workspace, report = added(folder, {"run.jsonl": data})
        assert (report.skipped, view(workspace)) == ([], view(wanted)), end
    for end in ends:
        workspace, report = added(tmp_path / "steps", {"run.jsonl": data[:end]})
        assert report.skipped == []
    assert view(workspace) == view(wanted)


def test_public_trials_in_two_formats_count_once_in_one_import_or_two(tmp_path: Path) -> None:
    folders = [need("data", "native", name) for name in ("atif", "claude_stream_json")]
    alone = [tracelode.open(tmp_path / f"alone{i}", tz="UTC") for i in range(2)]
    for workspace, folder in zip(alone, folders, strict=True):
        workspace.add(folder)
    both = {s.root for s in alone[0].sessions()} & {s.root for s in alone[1].sessions()}
    once = tracelode.open(tmp_path / "once", tz="UTC")
    once.add(*folders)
    twice = tracelode.open(tmp_path / "twice", tz="UTC")
    for folder in reversed(folders):
        twice.add(folder)
    assert view(once) == view(twice)
    told = sum(alone[0].totals().by["session"][root].total_tokens for root in both)
    assert len(both) == 30
    assert once.totals().total_tokens == sum(w.totals().total_tokens for w in alone) - told
