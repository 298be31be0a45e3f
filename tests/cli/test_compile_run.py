"""Does a compiled workflow run from the command line, on tools of every sort; and when does it not?"""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from cli.fake import Run
from compile.chats import travel
from tracelode.samples import desk as tools

REQUEST = (
    "Find the cheapest flight leaving from Dublin, going to Riga, on 2027-03-02. Hold a seat for traveller "
    "T-9001 and mail the confirmation."
)
FLIGHTS = tools.search_flights("DUB", "RIX", "2027-03-02")["flights"]
CHEAPEST = min(FLIGHTS, key=lambda one: one["price"])["flight"]
PYTHON = "tracelode.samples.desk:TOOLS"
WRITES = "hold_seat#1,mail_traveller#1"
MCP = f"desk=mcp:{sys.executable} -m tracelode.samples.desk"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    workspace = travel(folder)
    (one,) = workspace.compile("mail traveller")
    workspace.save(one, folder / "flow")
    return folder


@pytest.fixture
def flow(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A compiled workflow in the working folder; what its tools write goes to desk.log."""
    shutil.copytree(made / "flow", tmp_path / "flow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRAVEL_DESK", str(tmp_path / "desk.log"))
    monkeypatch.setenv("TRACELODE_STORE", str(made / "store"))
    return "flow"


def written() -> list[dict[str, str]]:
    path = Path("desk.log")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_person_says_yes_to_each_write(run: Run, flow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\nyes\n"))
    code, out, err = run("run", flow, "--request", REQUEST, "--tools", PYTHON, "--ask")
    assert code == 0
    assert "5 of 5 steps, 5 calls, 2 questions answered" in out
    assert "search_flights: done" in err
    assert "may it be called with" in err
    assert [sorted(line) for line in written()] == [
        ["flight", "hold", "traveller"],
        ["mail", "text", "traveller"],
    ]
    assert written()[0]["flight"] == CHEAPEST
    assert written()[1]["mail"] == f"Your hold {written()[0]['hold']}"


def test_a_no_or_nobody_leaves_the_run_standing_and_it_goes_on_later(
    run: Run, flow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run("run", flow, "--request", REQUEST, "--tools", PYTHON, "--no-ask", "--json")
    found = json.loads(out)
    assert code == 4
    assert found["status"] == "escalated"
    assert found["escalation"]["code"] == "approval_required"
    assert written() == []
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\nyes\n"))
    code, out, err = run("run", flow, "--resume", found["run"], "--tools", PYTHON, "--ask")
    assert code == 0
    assert "5 of 5 steps" in out
    # what was read before is not read again
    assert "search_flights: done" not in err
    assert len(written()) == 2
    code, _, err = run("run", flow, "--resume", found["run"], "--tools", PYTHON)
    assert code == 1
    assert "has ended" in err
    assert len(written()) == 2


def test_a_shadow_run_writes_nothing(run: Run, flow: str) -> None:
    code, out, _ = run("run", flow, "--request", REQUEST, "--tools", PYTHON, "--shadow")
    assert code == 0
    assert written() == []
    assert f'would     hold_seat#1 with {{"flight": "{CHEAPEST}", "traveller": "T-9001"}}' in out
    assert "mail_traveller#1: needs what only a write would have given" in " ".join(out.split())


def test_a_shadow_run_beside_a_recorded_one(run: Run, flow: str) -> None:
    said = REQUEST.replace("Dublin", "Lisbon").replace("Riga", "Oslo").replace("2027-03-02", "2026-11-12")
    said = said.replace("T-9001", "T-1042")
    words = ("run", flow, "--tools", PYTHON, "--shadow", "--recorded", "travel-hold-run-01", "--json")
    found = json.loads(run(*words, "--request", said)[1])
    assert [(p["step"], p["verdict"]) for p in found["proposed"]] == [
        ("hold_seat#1", "same"),
        ("mail_traveller#1", "same"),
    ]
    found = json.loads(run(*words, "--request", REQUEST)[1])
    assert found["proposed"][0]["verdict"] == "different"
    assert found["proposed"][0]["differing"] == ["flight", "traveller"]
    assert written() == []


def test_it_runs_on_a_real_mcp_server(run: Run, flow: str) -> None:
    pytest.importorskip("mcp")
    words = ("run", flow, "--request", REQUEST, "--tools", MCP, "--yes-write", WRITES)
    code, out, err = run(*words, "--pass-env", "TRAVEL_DESK")
    assert code == 0, err
    assert "5 of 5 steps" in out
    assert len(written()) == 2


def test_it_runs_on_commands(run: Run, flow: str) -> None:
    script = (
        "import json, sys; from tracelode.samples import desk; "
        "print(json.dumps(getattr(desk, sys.argv[1])(*sys.argv[2:])))"
    )
    forms = {
        "find_airport": ["city"], "search_flights": ["origin", "destination", "date"],
        "hold_seat": ["flight", "traveller"], "mail_traveller": ["traveller", "subject", "text"],
    }  # fmt: skip
    commands = [
        {"name": name, "words": [sys.executable, "-c", script, name, *(f"{{{one}}}" for one in names)],
         "output": "json", "environment": ["TRAVEL_DESK", "PYTHONPATH"]}
        for name, names in forms.items()
    ]  # fmt: skip
    Path("desk.json").write_text(json.dumps({"commands": commands}))
    words = ("run", flow, "--request", REQUEST, "--tools", "shell:desk.json", "--yes-write", WRITES)
    code, _, err = run(*words)
    assert code == 0, err
    assert written()[0]["flight"] == CHEAPEST


def test_the_last_word_on_an_input_counts(run: Run, flow: str) -> None:
    Path("in.json").write_text(json.dumps({"origin_city": "Porto", "date": "2027-04-04"}))
    words = (
        "run",
        flow,
        "--request",
        REQUEST,
        "--inputs",
        "in.json",
        "--input",
        "origin_city=Rome",
        "--tools",
        PYTHON,
    )
    found = json.loads(run(*words, "--shadow", "--json")[1])
    assert found["outputs"]["find_airport#1"]["city"] == "Rome"
    assert found["outputs"]["search_flights#1"]["date"] == "2027-04-04"
    assert found["outputs"]["find_airport#2"]["city"] == "Riga"


def test_missing_inputs_are_named_or_asked_for(run: Run, flow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = run("run", flow, "--tools", PYTHON, "--input", "origin_city=Rome", "--no-ask")
    assert code == 2
    flat = " ".join(err.split())
    assert "3 inputs missing: destination_city (string: city of find_airport#2); date (date: " in flat
    monkeypatch.setattr(sys, "stdin", io.StringIO("Riga\n2027-03-02\nT-1\n"))
    code, out, err = run("run", flow, "--tools", PYTHON, "--input", "origin_city=Dublin", "--ask", "--shadow")
    assert code == 0
    assert "destination_city (string): " in err
    assert CHEAPEST in out


def test_a_request_for_something_else_is_not_run(run: Run, flow: str) -> None:
    said = REQUEST.replace("Find", "Cancel")
    code, _, err = run("run", flow, "--request", said, "--tools", PYTHON)
    assert code == 4
    assert "the request is not for this workflow: it says cancel" in " ".join(err.split())
    assert not Path("flow/journal.sqlite").exists()


def test_a_word_that_no_request_said_is_named_with_the_way_on(run: Run, flow: str) -> None:
    code, _, err = run("run", flow, "--request", f"{REQUEST[:-1]} to my boss.", "--tools", PYTHON, "--no-ask")
    plain = " ".join(err.split())
    assert code == 4
    assert "it says my, boss, which the recorded requests did not" in plain
    assert "leave out --request and give each input as --input NAME=VALUE" in plain
    assert written() == []


def test_both_readings_of_a_date_are_told(run: Run, flow: str) -> None:
    said = REQUEST.replace("2027-03-02", "02/03/2027")
    code, _, err = run("run", flow, "--request", said, "--tools", PYTHON, "--no-ask")
    assert code == 2
    assert "the request may mean 2027-02-03 or 2027-03-02" in " ".join(err.split())
    words = ("run", flow, "--request", said, "--input", "date=2027-03-02", "--tools", PYTHON, "--shadow")
    assert run(*words)[0] == 0


def test_an_input_is_given_once(run: Run, flow: str) -> None:
    twice = ("--input", "traveller=T-1", "--input", "traveller=T-2")
    code, _, err = run("run", flow, *twice, "--tools", PYTHON, "--no-ask")
    assert code == 2
    assert "--input gives traveller twice" in err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "a workflow needs tools"),
        (("--tools", "nothing"), "--tools cannot be"),
        (("--tools", "mcp:"), "--tools cannot be"),
        (("--tools", 'mcp:"half'), "has no end"),
        (("--tools", "no_such_module_here:f"), "cannot be imported: ModuleNotFoundError"),
        (("--tools", "tracelode.samples.desk:fly"), "has no fly"),
        (("--tools", "tracelode.samples.desk:CITIES"), "is no function"),
        (("--tools", "openapi:api.json"), "needs the address"),
        (("--tools", "openapi:none.json@https://example.org"), "none.json cannot be read"),
        (("--tools", "shell:words.json"), "lists no commands"),
        (("--tools", PYTHON, "--yes-write", "all"), "no step of this name needs a yes"),
        (("--tools", PYTHON, "--yes-write", "find_airport#1"), "no step of this name needs a yes"),
        (("--tools", PYTHON, "--input", "town=Rome"), "'town' is no input"),
        (("--tools", PYTHON, "--input", "Rome"), "is no NAME=VALUE"),
        (("--tools", PYTHON, "--inputs", "words.json"), "holds no object"),
        (("--tools", PYTHON, "--recorded", "travel-hold-run-01"), "give --shadow"),
        (("--tools", PYTHON, "--model", "m"), "go with --backend"),
        (("--tools", PYTHON, "--engine", "dbos"), "needs --journal"),
    ],
)  # fmt: skip
def test_words_that_mean_nothing(run: Run, flow: str, words: tuple[str, ...], why: str) -> None:
    Path("words.json").write_text('["a", "b"]')
    code, _, err = run("run", flow, "--no-ask", *words)
    assert code == 2
    assert why in " ".join(err.split())


def test_tools_that_are_not_there(run: Run, flow: str) -> None:
    words = ("run", flow, "--request", REQUEST, "--no-ask", "--tools")
    code, out, _ = run(*words, "tracelode.samples.desk:find_airport")
    assert code == 4
    assert "schema_changed" in out
    assert "there is no such tool now" in " ".join(out.split())


def test_a_tool_that_takes_other_arguments_now(
    run: Run, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    then = [{"name": "find_airport", "inputSchema": schema}]
    Path("tools.json").write_text(json.dumps({"tools": then}))
    words = ("compile", "mail traveller", "-o", "flow", "--declare", "tools.json")
    assert run(*words, "--store", str(made / "store"))[0] == 0
    Path("desk_now.py").write_text(
        "from tracelode.samples.desk import search_flights, hold_seat, mail_traveller\n"
        "def find_airport(town: str) -> dict: return {}\n"
        "TOOLS = (find_airport, search_flights, hold_seat, mail_traveller)\n"
    )
    code, out, _ = run("run", "flow", "--request", REQUEST, "--tools", "desk_now:TOOLS", "--no-ask")
    assert code == 4
    assert "schema_changed: the tool takes other arguments than when the workflow was learned" in " ".join(
        out.split()
    )
    assert run("run", "flow", "--request", REQUEST, "--tools", PYTHON, "--shadow")[0] == 0


def test_a_tool_that_breaks(run: Run, flow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("broken.py").write_text(
        "from tracelode.samples.desk import find_airport, hold_seat, mail_traveller\n"
        "def search_flights(origin: str, destination: str, date: str) -> dict:\n"
        "    raise OSError('secret words')\n"
        "TOOLS = (find_airport, search_flights, hold_seat, mail_traveller)\n"
    )
    code, out, err = run("run", flow, "--request", REQUEST, "--tools", "broken:TOOLS", "--no-ask")
    assert code == 4
    assert "search_flights#1" in out
    assert "secret words" not in out + err
    assert "search_flights: may be done, or not (failed)" in err


def test_the_budget_of_calls(run: Run, flow: str) -> None:
    code, out, _ = run("run", flow, "--request", REQUEST, "--tools", PYTHON, "--calls", "2", "--no-ask")
    assert code == 4
    assert "budget" in out
