"""Arguments that make no sense: one line that says what is meant, and the exit code of usage errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import fake
from tracelode import workspace

HUGE = "1" + "0" * 30
VIEWS = ["top", "tree", "peek x", "flame"]
NO_COUNTS = ["1.5", "1e3", "0x10", "1_000", "", " ", "abc", "-1", "0", "nan", "inf", "-inf", "\u0663"]
NO_SHARES = ["", "abc", "-1", "1.5", "nan", "inf", "-inf", HUGE, "10%"]


def refused(run: fake.Run, *words: str) -> str:
    """Assert that a command line is a usage error of one line.

    Args:
        run: the fixture.
        words: the command line.

    Returns:
        What was said.
    """
    code, out, err = run(*words)
    assert (code, out) == (2, ""), words
    assert err.startswith("tracelode: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("number", NO_COUNTS)
@pytest.mark.parametrize("option", [*(f"{view} --nodecount" for view in VIEWS), "audit cost --limit"])
def test_counts_are_whole_numbers_from_one_on(
    option: str, number: str, run: fake.Run, small: fake.FakeWorkspace
) -> None:
    *words, name = option.split()
    for given in ([name, number], [f"{name}={number}"]):
        assert f"{name} {number!r} is no whole number from 1 on" in refused(run, *words, *given)


@pytest.mark.parametrize("option", [*(f"{view} --nodecount" for view in VIEWS), "audit cost --limit"])
@pytest.mark.parametrize("number", ["1", "007", HUGE])
def test_counts_may_be_as_large_as_you_like(
    option: str, number: str, run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    audit = small.audit
    monkeypatch.setattr(small, "audit", lambda *a, **k: asked.append(a[2]) or audit(*a, **k))
    assert run(*option.replace(" x ", " edit ").split(), number)[0] == 0
    # what the store is asked for fits into its integers
    assert all(0 < n < 2**31 for n in asked)


@pytest.mark.parametrize("share", NO_SHARES)
@pytest.mark.parametrize("view", VIEWS)
def test_shares_lie_between_nothing_and_all(
    view: str, share: str, run: fake.Run, small: fake.FakeWorkspace
) -> None:
    assert "is no share from 0 to 1" in refused(run, *view.split(), f"--nodefraction={share}")


@pytest.mark.parametrize(
    "moment", ["", "abc", "-1d", "nan", f"{HUGE}d", "999999999d", "0000-00-00", "2026-10-01T99", "\u0663d"]
)
@pytest.mark.parametrize(
    "option", ["top --since", "sessions --until", "import x --since", "audit cost --since"]
)
def test_moments(option: str, moment: str, run: fake.Run, small: fake.FakeWorkspace) -> None:
    *words, name = option.split()
    assert "is no moment" in refused(run, *words, f"{name}={moment}")


@pytest.mark.parametrize("tz", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("option", ["--since", "--until"])
def test_the_first_and_the_last_day_are_days(
    option: str, day: str, tz: str, run: fake.Run, small: fake.FakeWorkspace
) -> None:
    code, _, err = run("top", option, day, "--tz", tz)
    assert code in (0, 3)
    assert "unexpected" not in err


@pytest.mark.parametrize("length", ["", "abc", "-1", "-1m", "0", "nan", f"{HUGE}d", "1e3s", "\u0663m"])
def test_idle(length: str, run: fake.Run, small: fake.FakeWorkspace) -> None:
    assert "is no length of time" in refused(run, "top", f"--idle={length}")


EMPTY_PATHS = [
    "top --store",
    "import x --store",
    "--store",
    "demo --store",
    "demo --output",
    "top --price-file",
    "import x --map",
    "top --output",
    "flame -o",
    "export --output",
    "export --operations --output",
]


@pytest.mark.parametrize("option", EMPTY_PATHS)
def test_an_empty_path_is_not_the_working_folder(
    option: str, run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(workspace, "demo", lambda *a, **k: small)
    monkeypatch.chdir(tmp_path)
    *words, name = option.split()
    for given in ([name, ""], [f"{name}="]):
        assert f"{name} needs a path" in refused(run, *words, *given)
    assert list(tmp_path.iterdir()) == []
    assert small.added == []


@pytest.mark.parametrize("words", [["import", ""], ["import", "x", ""], ["outcome", "import", ""]])
def test_an_empty_argument_is_no_path(words: list[str], run: fake.Run, small: fake.FakeWorkspace) -> None:
    assert "needs a path" in refused(run, *words)
    assert small.added == []


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["top", "--measure", ""], "--measure names no measure"),
        (["top", "--measure", ","], "--measure names no measure"),
        (["top", "--tagroot", ","], "--tagroot names no field"),
        (["top", "--tagleaf", ""], "--tagleaf names no field"),
        (["top", "--format", "svg"], "--format goes with -o"),
        (["tree", "--format", "svg"], "--format goes with -o"),
        (["flame", "--format", ""], "--format goes with -o"),
        (["top", "extra"], "unexpected argument 'extra'; see tracelode top --help"),
        (["--", "top"], "unexpected argument 'top'; see tracelode --help"),
        (["top", "--store"], "--store requires an argument; see tracelode top --help"),
        (["--store"], "--store requires an argument; see tracelode --help"),
        (["top", "--json=maybe"], "--json"),
        (["outcome", "set", "aaaa1111", "--task", ""], "--task is empty"),
        (["outcome", "set", "", "success"], "names no session"),
        (["show", ""], "names no session"),
        (["demo", "-o", "x.docx"], "no format by the suffix of 'x.docx'"),
    ],
)
def test_words_that_say_nothing(
    words: list[str],
    part: str,
    run: fake.Run,
    small: fake.FakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workspace, "demo", lambda *a, **k: small)
    assert part in refused(run, *words)


@pytest.mark.parametrize("command", ["top", "tree", "peek x", "flame", "export -o x.json"])
@pytest.mark.parametrize("option", ["--stack", "--tagroot", "--tagleaf"])
def test_a_thousand_fields_are_refused_at_once(
    command: str,
    option: str,
    run: fake.Run,
    small: fake.FakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small, "profile", lambda *a, **k: pytest.fail("the store was asked"))
    fields = ",".join(["stage", "tool"] * 500)
    err = refused(run, *command.split(), option, fields)
    assert "at most 32 fields" in err
    assert len(err) < 200


def test_the_limit_of_fields_is_in_the_help(run: fake.Run) -> None:
    assert "at most 32" in " ".join(run("top", "--help")[1].split())


def test_thirty_two_fields_are_a_stack(run: fake.Run, small: fake.FakeWorkspace) -> None:
    fields = ["stage", "tool"] * 15
    words = ["--stack", ",".join(fields), "--tagroot", "project", "--tagleaf", "model"]
    assert run("top", *words)[0] == 0
    assert "at most 32 fields" in refused(run, "top", *words, "--tagleaf", "agent")


@pytest.mark.parametrize("measures", ["cost,cost", "cost,tokens,cost"])
def test_a_measure_named_twice_is_shown_once(measures: str, run: fake.Run, small: fake.FakeWorkspace) -> None:
    head = run("top", "--measure", measures)[1].splitlines()[1].split()
    assert head.count("cost") == 1
