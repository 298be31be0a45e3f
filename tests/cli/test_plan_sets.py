"""Do plan study, forecast, policy and bench say what they found, fit the screen, and end right?"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from cli import fake
from plan.arms import write
from tracelode.cli import plan_sets_text
from tracelode.workspace import demo, planning


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arms")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sets") / "store"
    demo(folder, tz="UTC")._catalog.close()
    return str(folder)


@pytest.fixture
def before(run: fake.Run, arms: Path, tmp_path: Path) -> str:
    path = tmp_path / "before.json"
    path.write_text(run("plan", "metrics", str(arms / "plain"), "--json")[1])
    return str(path)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_lines_fit(
    run: fake.Run, arms: Path, store: str, before: str, tmp_path: Path, width: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("COLUMNS", str(width))
    bench = str(tmp_path / "b.jsonl")
    for words in (
        ("plan", "study", str(arms / "study.yaml")),
        ("plan", "metrics", str(arms / "plain")),
        ("plan", "metrics", str(arms / "rules"), "--against", before),
        ("plan", "forecast", str(arms / "plain")),
        ("plan", "forecast", "--store", store, "--at", "5,10m"),
        ("plan", "policy", str(arms / "plain")),
        ("plan", "policy", "--store", store, "--for", "codex"),
        ("plan", "bench", str(arms / "plain"), "-o", bench),
    ):
        _, said, _ = run(*words)
        assert said
        assert max(map(len, said.splitlines())) <= width, words


def test_sessions_that_only_their_sub_agents_tell_of_are_counted_apart(arms: Path) -> None:
    report = planning.measure_files([arms / "plain"])
    assert report.subagents == 0
    plain = plan_sets_text.drawn(msgspec.structs.replace(report, cluster="session", clusters=32))
    assert "over 32 sessions, " in plain
    more = plan_sets_text.drawn(msgspec.structs.replace(report, cluster="session", clusters=34))
    assert "over 34 sessions (2 known through sub-agents alone), " in more


def test_study(run: fake.Run, arms: Path) -> None:
    code, said, _ = run("plan", "study", str(arms / "study.yaml"), "--json")
    answer = json.loads(said)
    assert (code, answer["sound"], answer["metrics_version"]) == (0, True, 1)
    row = next(c for c in answer["contrasts"] if (c["family"], c["metric"]) == ("all", "rollback_rate"))
    assert row["net"] == pytest.approx(row["after"] - row["before"])
    said = run("plan", "study", str(arms / "study.yaml"))[1]
    assert "rules minus plain, task by task" in said
    assert "power" in said


def test_a_design_that_fails_is_a_gate_that_failed(run: fake.Run, arms: Path) -> None:
    path = arms / "off.yaml"
    path.write_text((arms / "study.yaml").read_text().replace("{family: domain}", "{family: explore}", 9))
    code, said, _ = run("plan", "study", str(path))
    assert code == 4
    assert "error    1 task of family domain; 5 are needed" in said
    assert "no differences are told" in said
    assert "coverage" in run("plan", "study", str(path), "--describe")[1]
    path.write_text("arms: {a: {files: x}}\ntasks: 3\n")
    code, said, err = run("plan", "study", str(path))
    assert (code, said) == (2, "")
    assert "off.yaml:1:" in err
    assert run("plan", "study")[0] == 2
    assert run("plan", "study", str(arms / "none.yaml"))[0] == 2


def test_arms_of_the_store(run: fake.Run, store: str, tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("metrics: 1\narms:\n  a: {where: {project: x}}\n  b: {until: 2020-01-01}\n"
                    "tasks:\n  t: {family: explore}\n")  # fmt: skip
    code, said, _ = run("plan", "study", str(path), "--store", store)
    assert code == 4
    assert "arm a has no run of t" in said


def test_against(run: fake.Run, arms: Path, before: str) -> None:
    code, said, _ = run("plan", "metrics", str(arms / "rules"), "--against", before, "--json")
    answer = json.loads(said)
    assert (code, answer["sessions"], answer["cluster"]) == (0, [32, 32], "task")
    assert answer["positions"]["divergence"] > answer["positions"]["chance"]
    code, said, _ = run("plan", "metrics", str(arms / "rules"), "--against", before, "--metric", "unplanned")
    assert code == 0
    assert "unplanned" in said
    assert "coverage" not in said
    old = json.loads(Path(before).read_text())
    Path(before).write_text(json.dumps({**old, "metrics_version": 3}))
    code, _, err = run("plan", "metrics", str(arms / "rules"), "--against", before)
    assert code in (1, 3)
    assert "metrics of version 3" in err


def test_intervals_are_in_the_json(run: fake.Run, arms: Path) -> None:
    answer = json.loads(run("plan", "metrics", str(arms / "plain"), "--json")[1])
    assert (answer["cluster"], answer["clusters"], answer["resamples"]) == ("task", 16, 2000)
    row = next(p for p in answer["pooled"] if p["name"] == "rollback_rate")
    assert row["pooled_interval"][0] < row["pooled"] < row["pooled_interval"][1]
    words = ("plan", "metrics", str(arms / "plain"), "--json", "--cluster", "session", "--seed", "3")
    again = json.loads(run(*words)[1])
    assert (again["cluster"], again["clusters"], again["seed"]) == ("session", 32, 3)


def test_forecast_says_no(run: fake.Run, arms: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    words = ("plan", "forecast", str(arms / "plain"), "--label", "correction", "--at", "5", "-o", str(model))
    code, said, _ = run(*words)
    assert code == 4
    assert "no skill on your data" in said
    assert "no model is written" in said
    assert not model.exists()
    answer = json.loads(run(*words, "--json")[1])
    (trial,) = answer["trials"]
    assert (trial["skill"], answer["kept"]) == (False, None)
    assert run("plan", "forecast", str(arms / "plain"), "--with", str(arms / "study.yaml"))[0] == 1
    assert run("plan", "forecast", str(arms / "plain"), "--at", "soon")[0] == 2
    assert run("plan", "forecast", str(arms / "plain"), "--alarms", "3")[0] == 2


def test_policy(run: fake.Run, arms: Path) -> None:
    code, said, _ = run("plan", "policy", str(arms / "plain"))
    assert code == 0
    assert "Before you plan, list the business rules" in said
    assert '"Read"' in said
    answer = json.loads(run("plan", "policy", str(arms / "plain"), "--json")[1])
    assert {p["code"] for p in answer["proposals"]} >= {"constraints", "candidates"}
    assert all(not r["irreversible"] for r in answer["rules"] if r["advice"] == "auto")
    assert run("plan", "policy", str(arms / "plain"), "--human-seconds", "0")[0] == 2


def test_bench(run: fake.Run, arms: Path, store: str, tmp_path: Path) -> None:
    bench, plans = tmp_path / "b.jsonl", tmp_path / "plans.jsonl"
    code, said, _ = run("plan", "bench", str(arms / "plain"), "-o", str(bench), "--json")
    made = json.loads(said)
    assert (code, made["items"] > 10) == (0, True)
    ids = [json.loads(line)["id"] for line in bench.read_text().splitlines()[1:]]
    plans.write_text("".join(json.dumps({"id": i, "steps": ["look at the data"]}) + "\n" for i in ids))
    code, said, _ = run("plan", "bench", str(bench), "--score", str(plans))
    assert code == 0
    assert "recall" in said
    answer = json.loads(run("plan", "bench", str(bench), "--score", str(plans), "--json")[1])
    assert answer["answered"] == len(ids)
    assert run("plan", "bench", str(arms / "plain"))[0] == 2
    assert run("plan", "bench", str(arms / "plain"), "--score", str(plans))[0] == 1
    assert run("plan", "bench", "-o", str(tmp_path / "d.jsonl"), "--store", store)[0] == 0


@pytest.mark.parametrize(
    "words",
    [("metrics", "--describe"), ("check", "--cluster", "task"), ("study", "--label", "failure"),
     ("policy", "--against", "x"), ("forecast", "--score", "x"), ("bench", "--for", "codex")],
)  # fmt: skip
def test_options_go_with_their_action(run: fake.Run, words: tuple[str, ...]) -> None:
    code, _, err = run("plan", *words)
    assert code == 2
    assert f"{words[1]} goes with plan" in err
