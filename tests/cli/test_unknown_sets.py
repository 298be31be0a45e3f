"""What is unknown, unpaired, shared or empty: do diff and compare refuse it in their own words?"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

import tracelode
from cli import fake
from paired_runs import Told, paired
from tracelode.errors import QueryError, UsageError
from tracelode.model.measure import known
from written import added, lines

ALWAYS = {"operations", "calls", "calls.lower_bound", "tokens.unpriced"}
"""What every source tells: it is counted."""


def bare(keys: Iterable[str]) -> Iterable[dict[str, Any]]:
    """Sessions of a source that tells no time, no tokens and nothing below the tool calls."""
    yield {"type": "tracelode", "version": 1}
    for key in keys:
        common = {"session": key, "root": key}
        good = "success" if key.startswith("a") else "failure"
        yield {"type": "session", **common, "agent": f"bot-{key[0]}", "role": "main",
               "task": f"t{key[1:]}", "outcome": good}  # fmt: skip
        both = {"type": "operation", **common, "actor": "agent", "status": "ok",
                "origin": {"adapter": "made", "path": "made", "line": 1, "offset": 0}}  # fmt: skip
        yield {**both, "index": 0, "id": f"{key}-0", "kind": "model", "name": "m", "fields": {"model": "m"},
               "measures": {"calls": 1}}  # fmt: skip
        yield {**both, "index": 1, "id": f"{key}-1", "kind": "tool", "name": "Bash",
               "fields": {"tool": "Bash", "command": "git status", "call": f"{key}-0"}}  # fmt: skip


@pytest.fixture(scope="module")
def untold(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("untold")
    keys = [f"{side}{n}" for side in "ab" for n in range(6)]
    added(folder, {"runs.jsonl": lines(bare(keys))})
    return str(folder / "store")


@pytest.mark.parametrize("measure", sorted(set(known()) - ALWAYS))
@pytest.mark.parametrize("command", [("diff", "--by", "outcome"), ("compare", "agent=bot-a", "agent=bot-b")])
def test_what_no_operation_tells_is_not_0(
    run: fake.Run, untold: str, command: tuple[str, ...], measure: str
) -> None:
    code, out, err = run(*command, "--measure", measure, "--store", untold)
    assert (code, out) == (3, "")
    said = " ".join(err.split())
    assert f"{measure} is unknown in every session of both sets (6 and 6:" in said
    assert "unknown is not 0" in said


@pytest.mark.parametrize("measure", sorted(ALWAYS))
def test_what_every_source_tells_is_compared(run: fake.Run, untold: str, measure: str) -> None:
    assert run("diff", "--by", "outcome", "--measure", measure, "--store", untold)[0] == 0
    assert run("compare", "agent=bot-a", "agent=bot-b", "--measure", measure, "--store", untold)[0] == 0


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """8 tasks: one run that failed and one that succeeded, on its side one run more without a price."""
    folder = tmp_path_factory.mktemp("mixed")
    runs = [Told(f"a{t}", f"t{t}", "success", ("git status",)) for t in range(8)]
    runs += [Told(f"b{t}", f"t{t}", "failure", ("git log",)) for t in range(8)]
    runs += [Told("c0", "t0", "failure", ("git log",), model="nobodys-model-1")]
    paired(folder, runs)
    return str(folder / "store")


def test_what_some_sessions_do_not_tell_is_left_out_and_counted(run: fake.Run, mixed: str) -> None:
    for command in (("diff", "--by", "outcome"), ("compare", "outcome=succeeded", "outcome=failed")):
        code, out, _ = run(*command, "--measure", "cost", "--json", "--store", mixed)
        answer = json.loads(out)
        assert code == 0
        assert answer["left_out"] == {"with cost unknown (calls without a price)": 1}
        assert answer["sessions"] == {"base": 8, "other": 8}
        text = " ".join(run(*command, "--measure", "cost", "--store", mixed)[1].split())
        assert "left out 1 with cost unknown (calls without a price)" in text


def test_one_set_that_does_not_tell_is_named(run: fake.Run, mixed: str) -> None:
    for command in ("diff", "compare"):
        words = ("model=nobodys-model-1", "outcome=succeeded", "--measure", "cost", "--store", mixed)
        code, _, err = run(command, *words)
        assert code == 3
        assert "cost is unknown in every session of 'model=nobodys-model-1' (1:" in " ".join(err.split())


def test_pairs_that_were_asked_for_and_are_not_there(run: fake.Run, untold: str) -> None:
    words = ("agent=bot-a", "agent=bot-b", "--measure", "operations", "--store", untold)
    assert run("diff", *words)[0] == 0
    for command, way in (("diff", True), ("compare", False)):
        code, out, err = run(command, *words, "--pair", "agent")
        said = " ".join(err.split())
        assert (code, out) == (3, "")
        assert "no two sessions share a value of agent across the sets" in said
        assert "agent=bot-a has 1 in 6 sessions, agent=bot-b 1 in 6 sessions" in said
        assert ("--per session" in said) is way
    # asked for by the field that there is: pairs, though --by is none that pairs by itself
    code, out, _ = run("diff", *words, "--pair", "task", "--json")
    assert (code, json.loads(out)["per"], json.loads(out)["pairs"]) == (0, "task", 6)


def test_sets_that_share_sessions_are_no_before_and_after(run: fake.Run, mixed: str) -> None:
    for hold in ((), ("--hold", "success")):
        words = ("compare", "all", "outcome=failed", "--measure", "tokens", *hold, "--store", mixed)
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert "the sets share 9 sessions" in " ".join(err.split())
    opened = tracelode.open(mixed, tz="UTC")
    both = [opened.query(), opened.query(where={"outcome": "failure"})]
    with pytest.raises(UsageError, match="the sets share 9 sessions"):
        opened.comparison(*both, measure="tokens")


DIFF_ONLY = ("--per", "--least-tasks", "--least-sessions", "--by", "--vanished")


@pytest.mark.parametrize(
    "words",
    [
        ("model=none", "outcome=failed"),
        ("outcome=failed", "model=none"),
        ("model=none", "model=other"),
        ("task=t1,outcome=failed", "task=t1,outcome=succeeded"),
        ("task=t1,outcome=failed", "task=t2,outcome=succeeded"),
        ("outcome=failed", "outcome=succeeded", "--pair", "project"),
        ("outcome=failed", "outcome=succeeded", "--measure", "bytes.read"),
    ],
)
def test_compare_names_no_option_that_it_has_not(run: fake.Run, mixed: str, words: tuple[str, ...]) -> None:
    measure = () if "--measure" in words else ("--measure", "tokens")
    code, out, err = run("compare", *words, *measure, "--store", mixed)
    assert (code, out) == (3, "")
    assert not [option for option in DIFF_ONLY if option in err]


@pytest.mark.parametrize("columns", ["80", "40"])
def test_refusals_fit_the_screen(
    run: fake.Run, mixed: str, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words in (
        ("compare", "all", "outcome=failed"),
        ("compare", "outcome=failed", "outcome=succeeded", "--measure", "bytes.read"),
        ("diff", "outcome=failed", "outcome=succeeded", "--pair", "project"),
        ("diff", "--by", "nonsense"),
        ("show", "nobody"),
        ("top", "--measure", "nonsense"),
    ):
        code, out, err = run(*words, "--store", mixed)
        assert (code in (2, 3), out) == (True, "")
        assert max(map(len, err.splitlines())) <= int(columns)


@pytest.mark.parametrize("command", ["diff", "compare"])
def test_an_empty_set_is_called_empty(run: fake.Run, mixed: str, command: str) -> None:
    def said(*words: str) -> str:
        code, _, err = run(command, *words, "--measure", "tokens", "--store", mixed)
        assert code == 3
        return " ".join(err.split())

    assert "no session matches 'model=none' (9 match 'failed'); loosen its filters" in said(
        "model=none", "outcome=failed"
    )
    assert "no session matches 'model=none' (8 match 'succeeded')" in said("outcome=succeeded", "model=none")
    assert "no session matches 'model=none', and none 'model=x'" in said("model=none", "model=x")


def test_sensitivity_and_held_out_refuse_too(run: fake.Run, untold: str) -> None:
    for option in ("--sensitivity", "--held-out"):
        words = ("diff", "--by", "outcome", option, "--measure", "time.active", "--store", untold)
        assert run(*words)[0] == 3
    opened = tracelode.open(untold, tz="UTC")
    with pytest.raises(QueryError, match="is unknown in every session"):
        opened.difference(by="outcome", query=opened.query(measure="time.active"))
    with pytest.raises(QueryError, match="is unknown in every session"):
        opened.sensitivity(by="outcome", query=opened.query(measure="time.active"))


def test_a_margin_without_a_quality_is_refused(run: fake.Run, mixed: str) -> None:
    words = ("compare", "outcome=succeeded", "outcome=failed", "--measure", "tokens", "--store", mixed)
    for margin in ("2", "0.1"):
        code, out, err = run(*words, "--margin", margin)
        assert (code, out) == (2, "")
        assert "--margin" in err
