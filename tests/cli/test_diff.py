"""What does tracelode diff answer: sets, pairs, proxies, files, and refusals?"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tracelode
from cli import fake
from paired_runs import Told, paired
from tracelode.profile.label import stages
from tracelode.profile.segment.chain import ChainSegmenter

OK, BAD = ("git status", "pytest -q", "git commit -m x"), ("git status", "!curl x", "!curl x", "!curl x")
SESSIONS = [
    *(Told(f"ok{t}{i}", f"task-{t}", "success", OK, hour=10 * t + i) for t in range(6) for i in range(2)),
    *(Told(f"bad{t}", f"task-{t}", "failure", BAD, hour=10 * t + 5) for t in range(6)),
    Told("alone", "task-9", "failure", BAD),
    Told("untasked", None, "success", OK),
    Told("unknown", "task-0", None, OK),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("pairs")
    paired(folder, SESSIONS)
    return str(folder / "store")


def ask(run: fake.Run, store: str, *words: str, code: int = 0) -> dict[str, object]:
    got, out, err = run("diff", *words, "--json", "--store", store, "--tz", "UTC")
    assert (got, err) == (code, "")
    answer: dict[str, object] = json.loads(out)
    return answer


def test_failed_minus_succeeded(run: fake.Run, store: str) -> None:
    answer = ask(run, store, "--by", "outcome", "--stack", "tool", "--measure", "operations")
    assert answer["names"] == {"base": "succeeded", "other": "failed"}
    assert (answer["per"], answer["weight"], answer["tasks"], answer["pairs"]) == ("task", 6, 6, 12)
    assert answer["sessions"] == {"base": 12, "other": 6}
    assert answer["left_out"] == {"without a task": 1, "of tasks on one side only": 1}
    rows = {row["stack"][0]: row for row in answer["rows"]}  # type: ignore[attr-defined]
    # 3 calls of curl in each failed run, one task of six at a time
    assert (rows["Bash:curl"]["net"], rows["Bash:curl"]["net_each"]) == (18, 3.0)
    assert (rows["Bash:curl"]["only"], rows["Bash:curl"]["low"]) == ("other", pytest.approx(3.0))
    assert rows["Bash:git"]["net"] == -6
    assert rows["Bash:pytest"]["only"] == "base"
    assert sum(row["net"] for row in rows.values()) == answer["total"]["net"]  # type: ignore[index]


def test_totals_per_total_are_those_of_top(run: fake.Run, store: str) -> None:
    answer = ask(run, store, "--by", "outcome", "--per", "total", "--measure", "tokens.output")
    for side, word in (("base", "succeeded"), ("other", "failed")):
        words = ("--outcome", word, "--measure", "tokens.output", "--json", "--store", store)
        assert answer["total"][side] == json.loads(run("top", *words)[1])["total"]  # type: ignore[index]


def test_two_sets_are_swapped(run: fake.Run, store: str) -> None:
    one = ask(run, store, "outcome=failed", "outcome=succeeded", "--per", "session")
    two = ask(run, store, "outcome=succeeded", "outcome=failed", "--per", "session")
    nets = [{tuple(r["stack"]): r["net"] for r in a["rows"]} for a in (one, two)]  # type: ignore[attr-defined]
    assert nets[0] == {stack: -net for stack, net in nets[1].items()}
    assert one["names"] == {"base": "failed", "other": "succeeded"}


def test_dates_terms_and_wheres(run: fake.Run, store: str) -> None:
    early, late = "..2026-09-22", "2026-09-23.."
    answer = ask(run, store, early, late, "--stack", "tool")
    assert answer["names"] == {"base": early, "other": late}
    # the same tasks do not run before and after: sessions are compared
    assert answer["per"] == "session"
    words = ("--base-where", "tool=Bash:git", "--other-where", "tool=Bash:curl", "--stack", "tool")
    rows = ask(run, store, *words, "--measure", "operations")["rows"]
    assert {tuple(r["stack"]) for r in rows} == {("Bash:git",), ("Bash:curl",)}  # type: ignore[attr-defined]
    both = ask(run, store, "outcome=failed,task=task-1", "outcome=success,task=task-1", "--per", "session")
    assert both["sessions"] == {"base": 1, "other": 2}


def test_a_field_with_two_values(run: fake.Run, store: str) -> None:
    answer = ask(run, store, "--by", "kind", "--measure", "calls", "--stack", "kind")
    assert answer["names"] == {"base": "model", "other": "tool"}


def test_what_is_asked_amiss(run: fake.Run, store: str) -> None:
    def fails(code: int, what: str, *words: str) -> None:
        got, out, err = run("diff", *words, "--store", store)
        assert (got, out) == (code, "")
        assert what in " ".join(err.split())

    fails(2, "name two sets or one field")
    fails(2, "name two sets or one field", "outcome=failed", "outcome=success", "--by", "outcome")
    fails(2, "OTHER is missing", "outcome=failed")
    fails(2, "'failed' is no set of sessions", "failed", "outcome=success")
    fails(2, "has an empty term", "outcome=failed,", "outcome=success")
    fails(2, "has no moment", "..", "outcome=success")
    fails(2, "both sets are the same", "outcome=failed", "outcome=failed")
    fails(2, "task has 7 values here", "--by", "task")
    fails(2, "unknown field 'nonsense'", "--by", "nonsense")
    fails(2, "one --measure", "--by", "outcome", "--measure", "cost,tokens")
    fails(2, "sessions are paired by", "--by", "outcome", "--pair", "model")
    fails(2, "goes with no --since", "2026-09-01..", "..2026-09-02", "--since", "2026-08-01")
    fails(2, "-o writes the whole", "--by", "outcome", "--vanished", "-o", "x.svg")
    fails(2, "use one of .pb.gz", "--by", "outcome", "-o", "x.parquet")
    fails(2, "goes with -o", "--by", "outcome", "--format", "svg")
    fails(2, "--held-out goes with", "outcome=failed", "outcome=success", "--held-out")
    fails(3, "only 1 task has sessions on both sides", "--by", "outcome", "--where", "task=task-1")
    fails(
        3, "no session matches 'succeeded' (1 matches 'failed')", "--by", "outcome", "--where", "task=task-9"
    )
    fails(3, "no session matches 'model=none'", "model=none", "outcome=failed")


def test_an_empty_store(run: fake.Run, tmp_path: Path) -> None:
    tracelode.open(tmp_path / "none")
    code, out, err = run("diff", "--by", "outcome", "--store", str(tmp_path / "none"))
    assert (code, out) == (3, "")
    assert "nothing imported" in err


def test_proxies_are_named_as_proxies(run: fake.Run, tmp_path: Path) -> None:
    tests = [Told(f"p{t}", f"t{t}", None, ("pytest -q",)) for t in range(3)]
    tests += [Told(f"f{t}", f"t{t}", None, ("!pytest -q", "!pytest -q")) for t in range(3)]
    paired(tmp_path, tests)
    store = str(tmp_path / "store")
    answer = ask(run, store, "--by", "outcome")
    assert answer["names"] == {"base": "seem to have succeeded", "other": "seem to have failed"}
    assert answer["proxy"] is True
    assert "proxies" in answer["notes"][0]  # type: ignore[index]
    out = run("diff", "--by", "outcome", "--store", store)[1]
    assert "seem to have failed" in out
    # one outcome that somebody said ends that: proxies are never mixed with outcomes
    tracelode.open(store).judge("p0", "success")
    code, _, err = run("diff", "--by", "outcome", "--store", store)
    assert code == 3
    assert "no session matches 'failed'" in " ".join(err.split())
    assert ask(run, store, "--by", "proxy")["proxy"] is True


def test_share_tells_no_names(run: fake.Run, store: str) -> None:
    words = ("task=task-1", "task=task-2", "--share", "--stack", "task,tool", "--per", "session")
    answer = json.dumps(ask(run, store, *words))
    assert "task-1" not in answer
    assert "task-2" not in answer
    assert ask(run, store, *words)["names"] == {"base": "base", "other": "other"}


@pytest.mark.parametrize("columns", ["80", "40"])
def test_lines_fit_the_screen(
    columns: str, run: fake.Run, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for more in ((), ("--vanished",), ("--sensitivity",), ("--held-out",)):
        code, out, err = run("diff", "--by", "outcome", "--store", store, *more)
        assert (code, err) == (0, "")
        assert max(map(len, out.splitlines())) <= int(columns)
    assert "more in failed" in " ".join(run("diff", "--by", "outcome", "--store", store)[1].split())
    assert "cause" not in out


def test_files(run: fake.Run, store: str, tmp_path: Path) -> None:
    for name in ("d.pb.gz", "d.svg", "d.folded", "d.csv", "d.json"):
        code, out, err = run("diff", "--by", "outcome", "--store", store, "-o", str(tmp_path / name))
        assert (code, out) == (0, "")
        assert "wrote" in err
        assert (tmp_path / name).stat().st_size > 50
    done = subprocess.run(
        [sys.executable, "-m", "tracelode", "diff", "--by", "outcome", "--store", store, "-o", "-",
         "--format", "folded"],
        capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == (tmp_path / "d.folded").read_bytes()


def test_shares_under_the_stores_own_segmenter_are_those_of_its_frames(store: str) -> None:
    ws = tracelode.open(store)
    query = ws.query(stack=("stage",), measure="operations", lane="separate")
    found = ws.sensitivity(by="outcome", query=query, per="session")
    assert found.cuts[0].segmenters[0] == ws.segmenter == "chain"
    made = ws.difference(by="outcome", query=query, per="session")
    totals = made.totals
    for row in made.rows:
        cut = next(cut for cut in found.cuts if (cut.stage,) == row.stack)
        assert cut.base[0] == pytest.approx(row.base / totals[0])
        assert cut.other[0] == pytest.approx(row.other / totals[1])
    for place in range(len(found.cuts[0].segmenters)):
        assert sum(cut.base[place] for cut in found.cuts) == pytest.approx(1.0)
    assert found.sessions == 13 + 7


def test_contiguity_of_a_session_and_of_all(run: fake.Run, store: str, tmp_path: Path) -> None:
    ws = tracelode.open(store)
    operations = ws.operations("ok00")
    named = stages(operations, ChainSegmenter())
    tools = [name for name, o in zip(named, operations, strict=True) if o.kind == "tool"]
    found = ws.contiguity("ok00")
    assert found is not None
    assert found.operations == len(tools) == 3
    assert found.adjacent == sum(a == b for a, b in itertools.pairwise(tools)) / 2
    answer = json.loads(run("sessions", "--json", "--store", store)[1])
    one = next(s for s in answer["sessions"] if s["key"] == "ok00")
    assert one["contiguity"] == {"index": found.index, "marks": list(found.marks)}


def test_held_out_pairs(run: fake.Run, store: str) -> None:
    found = ask(run, store, "--by", "outcome", "--held-out")["held_out"]
    assert (found["value"], found["pairs"], found["tasks"]) == (1.0, 12, 6)  # type: ignore[index]
    assert found["p"] < 0.1  # type: ignore[index]


@pytest.mark.parametrize("columns", ["200", "80", "60", "40"])
@pytest.mark.parametrize("measure", ["tokens.output", "tokens", "operations", "cost"])
def test_both_sides_are_shown_at_every_width(
    columns: str, measure: str, run: fake.Run, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words, titles in (
        (("--by", "outcome"), ("succeeded", "failed")),
        (("outcome=failed,agent=bot", "outcome=succeeded,agent=bot"), ("base", "other")),
    ):
        code, out, _ = run("diff", *words, "--measure", measure, "--store", store)
        lines = out.splitlines()
        assert code == 0
        assert max(map(len, lines)) <= int(columns)
        heading = next(line for line in lines if line.split()[:1] == ["net"] and line.endswith("tool"))
        shown = heading.split()[1:3] if "95%" not in heading else heading.split()[3:5]
        for title, cell in zip(titles, shown, strict=True):
            first, _, last = cell.partition("…")
            assert title.startswith(first)
            assert title.endswith(last)
            assert len(first) >= 2
