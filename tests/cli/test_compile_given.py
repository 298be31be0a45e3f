"""What does the command line do with inputs that are none, and with secrets among them?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.fake import Run
from compile.chats import store, talk, travel

PYTHON = "tracelode.samples.desk:TOOLS"
REQUEST = (
    "Find the cheapest flight leaving from Dublin, going to Riga, on 2027-03-02. Hold a seat for traveller "
    "T-9001 and mail the confirmation."
)
KEY = "AKIA" + "Q3EXAMPLE7ZK2WVT"
"""Shaped like a key, and nobody's."""
WORDS = ("run", "flow", "--tools", PYTHON, "--no-ask")
GIVEN = ("--input", "origin_city=Dublin", "--input", "destination_city=Riga", "--input", "date=2027-03-02")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    workspace = travel(folder)
    (one,) = workspace.compile("mail traveller")
    workspace.save(one, folder / "flow")
    return folder


@pytest.fixture(autouse=True)
def flow(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiled workflow in the working folder; what its tools write goes to desk.log."""
    shutil.copytree(made / "flow", tmp_path / "flow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRAVEL_DESK", str(tmp_path / "desk.log"))
    monkeypatch.setenv("TRACELODE_STORE", str(made / "store"))
    return tmp_path / "flow"


@pytest.mark.parametrize("value", ["tomorrow", "2027-13-45", "2027-02-30", "02.03.2027"])
@pytest.mark.parametrize("way", ["input", "file"])
def test_a_date_that_is_none_is_refused(run: Run, value: str, way: str) -> None:
    Path("given.json").write_text(json.dumps({"date": value}))
    words = ("--input", f"date={value}") if way == "input" else ("--inputs", "given.json")
    code, _, err = run(*WORDS, "--request", REQUEST, *words)
    assert code == 2
    assert "input date must be of type date: a date that there is" in " ".join(err.split())
    assert not Path("flow/journal.sqlite").exists()
    assert not Path("desk.log").exists()


def test_control_characters_are_refused(run: Run) -> None:
    code, _, err = run(*WORDS, "--request", REQUEST, "--input", "traveller=T-1\x1b[2J")
    assert code == 2
    assert "input traveller must be of type string: a text must hold no control characters" in " ".join(
        err.split()
    )


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("Hold", "Do not hold", "not"),
        ("the cheapest", "the most expensive, not the cheapest,", "most, not"),
        ("confirmation.", "confirmation. No, wait, leave it.", "leave it, no, wait"),
    ],
)
def test_a_request_that_is_turned_is_not_run(run: Run, old: str, new: str, word: str) -> None:
    code, _, err = run(*WORDS, "--request", REQUEST.replace(old, new))
    assert code == 4
    told = " ".join(err.split())
    assert "the request is not for this workflow: it says " in told
    assert all(one in told for one in word.split(", "))
    assert not Path("flow/journal.sqlite").exists()


def test_two_travellers_are_not_one(run: Run) -> None:
    code, _, err = run(*WORDS, "--request", REQUEST.replace("T-9001", "T-9001 and T-9002"))
    assert code == 2
    assert "the request tells several" in " ".join(err.split())
    assert not Path("flow/journal.sqlite").exists()


@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_an_input_that_looks_like_a_secret_is_written_and_printed_nowhere(
    run: Run, flow: Path, json_: tuple[str, ...]
) -> None:
    code, out, err = run(*WORDS, *GIVEN, "--input", f"traveller={KEY}", *json_)
    assert code == 4
    assert KEY not in out + err
    assert all(KEY.encode() not in path.read_bytes() for path in flow.iterdir() if path.is_file())
    again = json.loads(run(*WORDS, *GIVEN, "--input", f"traveller={KEY}", "--json")[1])["run"]
    code, out, err = run(*WORDS, "--resume", again, *json_)
    assert code == 1
    assert "needed once more: traveller" in " ".join((out + err).split())
    more = ("--resume", again, "--input", f"traveller={KEY}", "--yes-write", "hold_seat#1,mail_traveller#1")
    code, out, err = run(*WORDS, *more, *json_)
    assert code == 0
    assert KEY not in out + err
    assert KEY in Path("desk.log").read_text()
    assert all(KEY.encode() not in path.read_bytes() for path in flow.iterdir() if path.is_file())


@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_a_tool_that_repeats_a_secret_does_not_print_it(
    run: Run, flow: Path, monkeypatch: pytest.MonkeyPatch, json_: tuple[str, ...]
) -> None:
    Path("echoing.py").write_text(
        "from tracelode.samples import desk\n"
        "def hold_seat(flight: str, traveller: str) -> dict:\n"
        "    return {**desk.hold_seat(flight, traveller), 'note': f'for {traveller}'}\n"
        "TOOLS = {one.__name__: one for one in desk.TOOLS} | {'hold_seat': hold_seat}\n"
        "HINTS = desk.HINTS\n"
    )
    monkeypatch.syspath_prepend(".")
    words = (
        "run",
        "flow",
        "--tools",
        "echoing:TOOLS",
        "--no-ask",
        "--yes-write",
        "hold_seat#1,mail_traveller#1",
    )
    code, out, err = run(*words, *GIVEN, "--input", f"traveller={KEY}", *json_)
    assert code == 0
    assert KEY not in out + err
    assert "for [secret:traveller]" in out
    assert all(KEY.encode() not in path.read_bytes() for path in flow.iterdir() if path.is_file())


@pytest.mark.parametrize("number", ["NaN", "1e999", "-Infinity", "1e300", "99999999999999999999"])
def test_numbers_beyond_all_bounds_end_in_a_verdict(run: Run, tmp_path: Path, number: str) -> None:
    code, out, err = _compiled(run, tmp_path, [number] * 6)
    assert code in (0, 4)
    assert "unexpected" not in err
    refused = "R1" in out
    assert refused or number in ("1e300", "99999999999999999999")


def test_numbers_of_all_sorts_end_in_a_verdict(run: Run, tmp_path: Path) -> None:
    code, _, err = _compiled(run, tmp_path, ["NaN", "1e999", "1e300", "1", "2.5", "1e19"])
    assert code in (0, 4)
    assert "unexpected" not in err


def test_half_a_character_is_no_constant(run: Run, tmp_path: Path) -> None:
    code, out, _ = _compiled(run, tmp_path, ['"bad\\ud800x"'] * 6)
    assert code in (0, 4)
    assert "R1 " in out
    assert "cannot be written as" in out


def _compiled(run: Run, tmp_path: Path, numbers: list[str]) -> tuple[int, str, str]:
    talks = []
    for n, number in enumerate(numbers):
        found = {"ident": f"{0x5EED1234 + 7919 * n:08x}", "total": 10.5 + n}
        calls = [
            ("find_order", {"number": f"SO-{3141 + 977 * n}"}, found),
            ("pay_order", {"order": found["ident"], "amount": "HERE"}, {"state": "booked"}),
        ]
        one = talk(f"{n:02}", f"Please pay order SO-{3141 + 977 * n}.", calls)
        talks.append(json.loads(json.dumps(one).replace(r"\"HERE\"", json.dumps(number)[1:-1])))
    folder = tmp_path / "odd"
    folder.mkdir()
    store(folder, talks)
    code, out, err = run("compile", "pay order", "--store", str(folder / "store"), "-o", str(folder / "made"))
    return code, out, err
