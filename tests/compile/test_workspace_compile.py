"""What becomes of runs in a store when they are compiled through the workspace?"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import tracelode
from compile.chats import SAMPLES, orders, store, talk, travel
from tracelode.compile import work as compiler
from tracelode.errors import QueryError, UsageError, WorkflowError
from tracelode.ingest.content import Contents
from tracelode.model.compiled import Compiled
from tracelode.workspace import Workspace

TOOLS = SAMPLES / "tools.json"


def one(workspace: Workspace, *names: str, **how: Any) -> Compiled:
    (found,) = workspace.compile(*names, **how)
    return found


def test_intents_read_no_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = travel(tmp_path)

    def never(*given: object) -> None:
        raise AssertionError("content was read")

    monkeypatch.setattr(Contents, "of", never)
    monkeypatch.setattr("tracelode.ingest.wholes.wholes", never)
    found = workspace.intents()
    assert [(i.name, len(i.runs)) for i in found.intents] == [("mail traveller", 7), ("cancel trip", 5)]
    assert found.outcomes[found.intents[0].id] == (7, 0, 0)
    assert (found.alone, found.reading.sessions, found.reading.empty) == (0, 12, 0)


def test_the_samples_compile_and_the_other_intent_is_refused(tmp_path: Path) -> None:
    held, cancelled = travel(tmp_path).compile()
    assert held.workflow is not None
    assert [step.slot for step in held.workflow.steps] == [
        "find_airport#1", "find_airport#2", "search_flights#1", "hold_seat#1", "mail_traveller#1",
    ]  # fmt: skip
    assert held.whole
    assert held.workflow.trust == "proven"
    assert held.dropped == {"redundant": 1}
    assert held.reading.gone == 0
    assert cancelled.workflow is None
    assert [r.code for r in cancelled.verdict.refusals][:1] == ["R1"]
    assert all(r.lifts for r in cancelled.verdict.refusals)


def test_the_figures_add_up_to_what_the_store_holds(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    held = one(workspace, "mail traveller")
    found = held.metrics
    assert (found["calls_bound"].value, found["calls_bound"].denominator) == (1.0, 35)
    assert (found["calls_removable"].numerator, found["calls_removable"].denominator) == (36, 36)
    # every model call that asked for a tool is spared; the last words of each run are not
    tokens = workspace.totals(workspace.query(where={"session": held.sessions[0]})).tokens
    assert (
        found["tokens_saved_per_run"].numerator
        == held.verification.saved["tokens.input_fresh"] + (held.verification.saved["tokens.output"])
    )
    assert sum(v or 0 for v in tokens.values()) > found["tokens_saved_per_run"].value  # type: ignore[operator]
    assert found["break_even"].value == 1
    assert found["wrong_writes"].value == 0
    assert found["orders_broken"].value == 0
    assert held.orders > 0


def test_it_is_the_same_on_one_core_and_on_two(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    alone = workspace.compile(options=compiler.Options(workers=1))
    pooled = workspace.compile(options=compiler.Options(workers=2))
    for a, z in zip(alone, pooled, strict=True):
        assert msgspec.json.encode(a.verdict) == msgspec.json.encode(z.verdict)
        assert msgspec.json.encode(a.evidence) == msgspec.json.encode(z.evidence)
        assert msgspec.json.encode(a.edges) == msgspec.json.encode(z.edges)


def test_it_tells_how_far_it_is(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    travel(tmp_path).compile(told=lambda done, every: seen.append((done, every)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_intents_are_named_by_id_beginning_and_name(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    ident = workspace.intents().intents[1].id
    assert {one(workspace, name).intent.id for name in (ident, ident[:5], ident[2:6], "cancel trip")} == {
        ident
    }
    with pytest.raises(QueryError, match="no such intent"):
        workspace.compile("book a ship")
    with pytest.raises(QueryError, match="2 intents go by that name"):
        workspace.compile("i_")


def test_filters_choose_the_runs(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    query = workspace.query(where={"session": "travel-cancel-run-01"})
    assert workspace.intents(query).reading.sessions == 1
    assert workspace.compile(query=query) == []


def test_runs_have_whole_texts_and_what_was_said(tmp_path: Path) -> None:
    long = "x" * 5_000
    workspace = store(tmp_path, [talk("long", "Look it up", [("look", {"what": long}, {"text": long})])])
    (run,) = workspace.runs()
    assert run.calls[0].arguments == {"what": long}
    assert run.calls[0].output == {"text": long}
    assert run.request == "Look it up"
    assert run.outcome == "success"


def test_a_line_that_is_read_alone_tells_what_the_whole_file_tells(tmp_path: Path) -> None:
    talks = orders(6)
    # two that are equal to the letter have keys that hang on all lines before them
    twin = {"messages": talks[0]["messages"]}
    workspace = store(tmp_path, [*talks, twin, twin])
    runs = {run.key: run for run in workspace.runs()}
    assert len(runs) == 8
    for key, run in runs.items():
        (again,) = workspace.runs(sessions=[key])
        assert again == run
        assert not any(call.missing for call in again.calls)


def test_an_archive_stands_in_for_sources_that_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in orders(4)))
    kept, bare = tracelode.open(tmp_path / "kept", tz="UTC"), tracelode.open(tmp_path / "bare", tz="UTC")
    kept.add(path, archive=True)
    bare.add(path)
    path.unlink()
    assert [call.output for run in kept.runs() for call in run.calls][:2] == [
        {"customer": "K-4100", "tier": "gold"},
        {"ticket": "T0"},
    ]
    (found,) = bare.compile()
    assert found.reading.sources == {str(path): "no longer on disk"}


def test_contents_that_are_gone_are_counted(tmp_path: Path) -> None:
    long = json.dumps({"customer": "K-1", "text": "y" * 4_000})
    workspace = store(tmp_path, orders(4, long))
    (tmp_path / "runs.jsonl").unlink()
    assert sum(call.missing for run in workspace.runs() for call in run.calls) == 4
    found = one(workspace)
    assert found.reading.gone == 4
    assert list(found.reading.sources.values()) == ["no longer on disk"]


def test_only_one_intent_is_in_memory_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tracelode.ingest import wholes

    asked: list[set[str]] = []
    real = wholes.wholes

    def watched(contents: Any, sessions: Any) -> Any:
        asked.append(set(sessions))
        return real(contents, sessions)

    monkeypatch.setattr(wholes, "wholes", watched)
    workspace = travel(tmp_path)
    workspace.compile(options=compiler.Options(workers=1))
    assert sorted(map(len, asked)) == [5, 7]


def test_what_is_declared_counts_and_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    (tmp_path / "mine.toml").write_text(
        '[effects]\nhold_seat = "idempotent_write"\nmail_traveller = "sends"\n'
    )
    held = one(workspace, workspace.intents().intents[0].id, declare=[TOOLS, tmp_path / "mine.toml"])
    assert held.workflow is not None
    assert held.workflow.step("hold_seat#1").effect.basis == "configured"
    assert [(Path(path).name, "effect must be one of" in why) for path, _, why in held.reading.troubles] == [
        ("mine.toml", True)
    ]
    with pytest.raises(UsageError, match="is not there"):
        workspace.intents(declare=[tmp_path / "nothing"])


@pytest.mark.parametrize(("given", "why"), [({"similarity": 1.5}, "similarity"), ({"fewest": 2}, "3 runs")])
def test_settings_that_cannot_be_taken(tmp_path: Path, given: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        travel(tmp_path).compile(options=compiler.Options(**given))


def test_a_folder_is_written_read_and_explained(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    held = one(workspace, "mail traveller", emit=["python", "mermaid"])
    paths = workspace.save(held, tmp_path / "made")
    assert {path.name for path in paths} >= {"workflow.json", "evidence.jsonl", "workflow.mmd"}
    told = workspace.explain("hold_seat#1.flight", tmp_path / "made")
    assert told == workspace.explain("hold_seat#1.flight", "mail traveller")
    assert "hold_seat#1 takes flight from search_flights#1 at flights[*].flight: proven." in told
    assert any("runs.jsonl:1, run travel-hold-run-01" in line for line in told)
    # the other kinds of edges have words of their own
    effect = next(e for e in held.edges if e.kind == "effect_hard")
    assert "may not be moved before" in workspace.explain(effect.id, tmp_path / "made")[1]
    with pytest.raises(QueryError, match="no edge 'e99'"):
        workspace.explain("e99", tmp_path / "made")


def test_values_are_in_the_evidence_only_where_they_are_kept(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    plain, kept = (
        workspace.save(
            one(workspace, "mail traveller", options=compiler.Options(keep_values=keep)), tmp_path / name
        )
        for keep, name in ((False, "plain"), (True, "kept"))
    )
    assert b"T-1042" not in plain[1].read_bytes()
    assert b"T-1042" in kept[1].read_bytes()


def test_a_refusal_is_written_as_what_it_is(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    workspace.save(one(workspace, "cancel trip"), tmp_path / "made")
    told = json.loads((tmp_path / "made" / "refused.json").read_text())
    assert told["refusals"][0]["code"] == "R1"
    with pytest.raises(WorkflowError, match="the intent was refused"):
        workspace.verify(tmp_path / "made")


def test_an_edited_workflow_is_not_overwritten(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    held = one(workspace, "mail traveller")
    workspace.save(held, tmp_path / "made")
    workspace.save(held, tmp_path / "made")
    file = tmp_path / "made" / "workflow.json"
    file.write_text(file.read_text().replace('"retries": 2', '"retries": 1', 1))
    with pytest.raises(UsageError, match=r"it was edited after it was compiled.*--force"):
        workspace.save(held, tmp_path / "made")
    workspace.save(held, tmp_path / "made", force=True)
    assert workspace.verify(tmp_path / "made").holds


def test_verify_compiles_the_same_runs_again(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    workspace.save(one(workspace, "mail traveller"), tmp_path / "made")
    found = workspace.verify(tmp_path / "made")
    assert found.same
    assert found.holds
    assert found.compiled is not None
    assert found.compiled.sessions == tuple(f"travel-hold-run-0{n}" for n in range(1, 8))
    # declared effects make another workflow, and it is said which step differs
    other = workspace.verify(tmp_path / "made", declare=[TOOLS])
    assert other.same is False
    assert any(phrase.startswith("hold_seat#1: ") for phrase in other.differs)
    empty = tracelode.open(tmp_path / "empty", tz="UTC")
    assert empty.verify(tmp_path / "made").reason == "7 of 7 runs are not in this store"
    (tmp_path / "made" / "evidence.jsonl").unlink()
    assert "no evidence.jsonl" in workspace.verify(tmp_path / "made").reason


def test_verify_of_an_intent(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    assert workspace.verify("mail traveller").holds
    with pytest.raises(QueryError, match=r"was refused \(R1"):
        workspace.verify("cancel trip")


def test_broken_evidence_is_named_with_its_line(tmp_path: Path) -> None:
    workspace = travel(tmp_path)
    workspace.save(one(workspace, "mail traveller"), tmp_path / "made")
    file = tmp_path / "made" / "evidence.jsonl"
    lines = file.read_text().split("\n")
    file.write_text("\n".join([lines[0], '{"v": 1}', *lines[2:]]))
    with pytest.raises(WorkflowError, match=r"evidence.jsonl: line 2: it is no evidence"):
        workspace.verify(tmp_path / "made")


def test_what_is_removable_is_a_profile_for_pprof(tmp_path: Path) -> None:
    (found,) = travel(tmp_path).compile("mail traveller", emit=["pprof"])
    assert not found.unmade
    text = gzip.decompress(found.files["removable.pb.gz"])
    assert b"mail_traveller" in text
    assert b"removable cost of 7 runs" in text
