"""What do intents, compile, explain and verify print, how wide, and with which code do they end?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.fake import Run
from compile.chats import SAMPLES, orders, store, talk, travel
from tracelode.cli.text import width

TOOLS = str(SAMPLES / "tools.json")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("travel")
    travel(folder)
    return folder / "store"


@pytest.fixture
def desk(imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The samples in a store, and an empty folder to work in."""
    shutil.copytree(imported, tmp_path / "store")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("TRACELODE_STORE", str(tmp_path / "store"))
    return str(tmp_path / "store")


def answer(out: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out)
    assert found["schema_version"] == 1
    return found


def test_intents_are_a_table(run: Run, desk: str) -> None:
    code, out, _ = run("intents")
    assert code == 0
    assert "2 intents of 12 runs; 0 runs alone" in out
    row = next(line for line in out.split("\n") if "mail traveller" in line)
    assert row.split() == ["i_a8de694a", "mail", "traveller", "7", "7/0/0", "4", "mail_traveller"]
    assert "travel-cancel-run-01 0.01" in run("intents", "--near")[1]
    assert run("intents", "--limit", "1")[1].count("\ni_") == 1


def test_intents_as_json(run: Run, desk: str) -> None:
    found = answer(run("intents", "--json")[1])
    first = found["intents"][0]
    assert first["tools"] == {"find_airport": 7, "hold_seat": 7, "mail_traveller": 7, "search_flights": 7}
    assert first["outcomes"] == {"succeeded": 7, "failed": 0, "unknown": 0}
    assert len(first["near"]) == 3
    assert found["reading"]["runs"] == 12


def test_compile_says_where_every_argument_comes_from(run: Run, desk: str) -> None:
    code, out, _ = run("compile", "mail traveller")
    assert code == 0
    assert "flight = flight of the element with the least price in flights of" in out
    assert "origin = airports[0].code of find_airport#1  [proven 7 of 7]" in out
    assert 'subject = text of "Your hold " + hold of hold_seat#1  [proven 7 of 7]' in out
    assert "a person must say yes first" in out
    assert "35 of 35 calls bound" in out
    assert "no wrong write" in out
    assert "learning  1 run" in out
    assert "7 other orders tried, 0 broken" in out
    assert "35 of 35 calls need no model; 1 more call that did nothing is not made" in " ".join(out.split())
    assert "it has paid after 1 run" in out
    folder = next(Path("tracelode-workflows").iterdir())
    assert sorted(p.name for p in folder.iterdir()) == ["evidence.jsonl", "workflow.json"]
    assert (
        f"tracelode run {folder} --shadow \\\n            --tools TOOLS \\\n            --request REQUEST\n"
        in out
    )


def test_a_refusal_ends_with_four_and_says_what_lifts_it(run: Run, desk: str) -> None:
    code, out, _ = run("compile", "cancel trip")
    assert code == 4
    assert "refused   cancel trip" in out
    assert "cancel_trip destroys, and its argument trip has no rule" in out
    assert out.count("lifted by") == len([line for line in out.split("\n") if line[:1] == "R"])
    assert not Path("tracelode-workflows").exists()
    assert run("compile", "cancel trip", "-o", "made")[0] == 4
    assert Path("made/refused.json").exists()


def test_all_intents_are_a_line_each(run: Run, desk: str) -> None:
    code, out, _ = run("compile", "--all", "-o", "made")
    assert code == 0
    assert "2 intents: 1 compiled, 1 refused" in out
    assert next(line for line in out.split("\n") if "cancel trip" in line).endswith("R1, R6")
    assert len(list(Path("made").iterdir())) == 2


def test_with_json_nothing_is_written_unless_a_folder_is_named(run: Run, desk: str) -> None:
    found = answer(run("compile", "mail traveller", "--json")[1])
    assert found["verdict"] == "compiled"
    assert found["wrote"] == []
    assert not list(Path().iterdir())
    for metric in found["metrics"].values():
        assert {"value", "numerator", "denominator", "unit", "n", "reason"} <= metric.keys()
        assert metric["value"] is not None or metric["reason"]
    money = found["metrics"]["cost_saved_per_run"]
    assert money["unit"] == "picodollars per run"
    assert money["value_string"] == str(money["value"])
    assert money["dollars"].startswith("0.03")
    assert [fold["end"] for fold in found["verification"]["folds"]] == ["complete"] * 7
    found = answer(run("compile", "cancel trip", "--json", "-o", "made")[1])
    assert found["verdict"] == "refused"
    assert found["workflow"] is None
    assert {Path(path).name for path in found["wrote"]} == {"refused.json", "evidence.jsonl"}
    assert [r["code"] for r in found["refusals"]] == ["R1", "R6"]
    assert all(r["lifts"] for r in found["refusals"])


def test_one_intent_needs_no_name_and_several_need_one(run: Run, desk: str, tmp_path: Path) -> None:
    code, _, err = run("compile")
    assert code == 2
    assert "there are 2 intents" in err
    (tmp_path / "one").mkdir()
    store(tmp_path / "one", orders(6))
    code, out, _ = run("compile", "--store", str(tmp_path / "one" / "store"))
    assert code == 0
    assert "open ticket" in out
    assert run("compile", "--all", "mail traveller")[0] == 2
    assert run("compile", "mail traveller", "--emit", "paper")[0] == 2


def test_every_artefact_is_made(run: Run, desk: str) -> None:
    code, out, _ = run("compile", "mail traveller", "--emit", "all", "-o", "made")
    assert code == 0
    made = {path.name for path in Path("made").rglob("*") if path.is_file()}
    assert {"workflow.json", "evidence.jsonl", "workflow.schema.json", "SKILL.md", "workflow.html"} <= made
    assert "not made  arazzo: " in out


def test_explain_leads_to_file_and_line(run: Run, desk: str) -> None:
    run("compile", "mail traveller")
    folder = str(next(Path("tracelode-workflows").iterdir()))
    code, out, _ = run("explain", "hold_seat#1.flight")
    assert code == 0
    flat = " ".join(out.split())
    assert "hold_seat#1 takes flight from search_flights#1 at flights[*].flight: proven." in flat
    assert "runs.jsonl:1, run travel-hold-run-01" in flat
    assert run("explain", "hold_seat#1.flight", "mail traveller")[1] == out
    found = answer(run("explain", "e1", folder, "--json")[1])
    assert found["edge"] == "e1"
    assert len(found["lines"]) > 5
    code, _, err = run("explain", "e77", folder)
    assert code == 3
    assert "no edge 'e77'" in err


def test_verify_needs_no_store(run: Run, desk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run("compile", "mail traveller")
    code, out, _ = run("verify")
    assert code == 0
    assert out.startswith("holds     mail traveller")
    assert "its runs give the same workflow" in out
    code, out, _ = run("verify", "--declare", TOOLS)
    assert code == 4
    assert "differs   hold_seat#1: effect" in out
    monkeypatch.setenv("TRACELODE_STORE", "/nowhere/at/all")
    code, out, _ = run("verify")
    assert code == 0
    assert "not compiled again: there is no store with its runs" in out
    found = answer(run("verify", "--json")[1])
    assert found["holds"]
    assert found["same"] is None
    assert found["compiled"] is None


def test_nothing_on_the_way_is_wider_than_the_terminal(
    run: Run, desk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("compile", "mail traveller")
    for columns in (40, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        for words in (
            ("intents", "--near"),
            ("compile", "cancel trip"),
            ("compile", "--all", "-o", "m"),
            ("explain", "e1"),
            ("verify",),
        ):
            out = run(*words)[1]
            assert max(map(width, out.split("\n"))) <= columns, (words, columns)
        # commands to copy stay whole
        lines = run("compile", "mail traveller")[1].split("\n")
        assert max(width(line) for line in lines if "tracelode " not in line) <= columns


def test_what_traces_say_is_neutralised(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    evil = "\x1b]0;owned\x07\u202e"
    talks = []
    for n in range(5):
        look = (f"look{evil}", {f"at{evil}": n * 7 + 40, "how": evil}, {"a": evil})
        talks.append(
            talk(f"{n}", f"Look {n * 7 + 40} up", [look, ("tell", {"what": f"x{n}", "why": evil}, "ok")])
        )
    store(tmp_path, talks)
    for words in (("intents",),):
        _, out, err = run(*words, "--store", str(tmp_path / "store"))
        assert "\x1b]" not in out + err
        assert "\u202e" not in out + err
        assert "\x07" not in out + err


def test_commands_without_a_workflow_say_so(run: Run, desk: str) -> None:
    for words in (("verify",), ("explain", "e1"), ("run",)):
        code, _, err = run(*words)
        assert code == 2
        assert "there is no workflow in ./tracelode-workflows" in err
    for words in (("verify", "nowhere/workflow.json"), ("run", "nowhere")):
        code, _, err = run(*words)
        assert code == 1
        assert "no" in err
    Path("empty").mkdir()
    code, _, err = run("verify", "empty")
    assert code == 1
    assert "there is no workflow.json in this folder" in err
