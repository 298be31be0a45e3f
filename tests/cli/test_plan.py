"""Does `tracelode plan` say what it found, in text, JSON, SARIF and as a picture, and with the right code?"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from cli import fake
from plan.article import rows
from plan.traces import steps, written
from tracelode.workspace import demo


@pytest.fixture
def article(tmp_path: Path) -> str:
    return str(written(tmp_path, rows()))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("plan") / "store"
    demo(folder, tz="UTC")._catalog.close()
    return str(folder)


@pytest.mark.parametrize(
    ("words", "code"),
    [((), 4), (("--fail-on", "error"), 4), (("--strict",), 4), (("--fail-on", "info"), 4)],
)
def test_findings_fail(run: fake.Run, article: str, words: tuple[str, ...], code: int) -> None:
    assert run("plan", "check", article, *words)[0] == code


def test_what_fails_is_the_users_choice(run: fake.Run, tmp_path: Path) -> None:
    path = str(written(tmp_path, steps("plan A; start A; ok A")))
    assert run("plan", "check", path)[0] == 0
    assert run("plan", "check", path, "--strict")[0] == 4
    code, said, _ = run("plan", "check", path, "--json")
    answer = json.loads(said)
    assert code == 0
    assert answer["counts"]["error"] == 0 < answer["counts"]["warning"]


def test_unreadable_is_an_error(run: fake.Run, tmp_path: Path) -> None:
    code, said, err = run("plan", "check", str(tmp_path / "none.jsonl"))
    assert (code, said) == (1, "")
    assert "it is not there" in err


def test_sarif(run: fake.Run, article: str) -> None:
    code, said, _ = run("plan", "check", article, "--sarif")
    log = json.loads(said)
    assert (code, log["version"]) == (4, "2.1.0")
    assert {r["ruleId"] for r in log["runs"][0]["results"]} >= {"PT080", "PT090"}


def test_metrics_as_json(run: fake.Run, article: str) -> None:
    code, said, _ = run("plan", "metrics", article, "--json")
    answer = json.loads(said)
    assert (code, answer["metrics_version"]) == (0, 1)
    (one,) = answer["sessions"]
    rate = one["metrics"]["rollback_rate"]
    assert (rate["numerator"], rate["denominator"], rate["events"]) == (1, 6, ["e12"])
    assert one["metrics"]["work_in_plan"]["applicable"] is False
    assert one["rollbacks"][0]["cost_us"] == 60_000_000


def test_one_metric_with_its_events(run: fake.Run, article: str) -> None:
    code, said, _ = run("plan", "metrics", article, "--metric", "unplanned")
    assert code == 0
    assert "1/6" in said
    assert "e19" in said
    assert run("plan", "metrics", article, "--metric", "luck")[0] == 2


@pytest.mark.parametrize("width", ["40", "80"])
@pytest.mark.parametrize("action", ["check", "metrics", "timeline", "alerts"])
def test_lines_fit(
    run: fake.Run, article: str, store: str, action: str, width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    for words in ((article,), ("--store", store)):
        _, said, _ = run("plan", action, *words)
        assert said
        assert max(map(len, said.splitlines())) <= int(width)


def test_a_picture(run: fake.Run, article: str, tmp_path: Path) -> None:
    out = tmp_path / "plan.svg"
    assert run("plan", "timeline", article, "-o", str(out))[0] == 0
    root = ET.fromstring(out.read_text())
    bars = [e for e in root.iter() if e.tag.endswith("rect") and e.get("class") == "succeeded"]
    assert len(bars) == 6
    before = out.read_bytes()
    assert run("plan", "timeline", article, "-o", str(out))[0] == 0
    assert out.read_bytes() == before


def test_hostile_text_steers_nothing(run: fake.Run, tmp_path: Path) -> None:
    listed = steps("plan A; start A; ok A; human review A")
    nasty = "\x1b[31m</text><script>\u202e\n"
    for row in listed:
        row["node_id"] = row["node_id"] + nasty
        row["session_id"] = "s" + nasty
        row["payload"] = {"description": nasty}
    path = str(written(tmp_path, listed))
    for action in ("check", "metrics", "timeline"):
        _, said, err = run("plan", action, path)
        assert "\x1b" not in said + err
        assert "\u202e" not in said + err
    out = tmp_path / "plan.svg"
    run("plan", "timeline", path, "-o", str(out))
    ET.fromstring(out.read_text())
    assert "<script" not in out.read_text()


def test_the_store_and_its_export_tell_the_same_plan(run: fake.Run, store: str, tmp_path: Path) -> None:
    out = str(tmp_path / "events.jsonl")
    assert run("plan", "export", "--store", store, "-o", out)[0] == 0
    told = []
    for words in (("--store", store), (out,)):
        answer = json.loads(run("plan", "metrics", *words, "--json")[1])
        told.append({p["name"]: p["pooled"] for p in answer["pooled"]})
    for name in ("coverage", "completion", "deviation", "human_rate", "rollback_rate"):
        assert told[0][name] == pytest.approx(told[1][name])


def test_words_that_do_not_go_together(run: fake.Run, article: str, store: str) -> None:
    assert run("plan", "metrics", article, "--sarif")[0] == 2
    assert run("plan", "metrics", article, "abc")[0] == 2
    assert run("plan", "metrics", "--parent-as", "depends_on", "--store", store)[0] == 2
    assert run("plan", "export", article, "-o", "x.jsonl")[0] == 2
    assert run("plan", "schema", article)[0] == 2
    code, said, _ = run("plan", "schema")
    assert code == 0
    assert json.loads(said)["required"][0] == "session_id"


def test_parents_as_the_user_says(run: fake.Run, article: str) -> None:
    _, said, _ = run("plan", "check", article, "--parent-as", "depends_on", "--json")
    assert "PT031" not in {f["code"] for f in json.loads(said)["findings"]}
    _, said, _ = run("plan", "metrics", article, "--parent-as", "hierarchy", "--json")
    assert json.loads(said)["sessions"][0]["metrics"]["deviation_seed"]["value"] is None


RULES = """
rules:
  - {name: again, metric: restarts, condition: ">= 1", severity: error}
  - {name: quiet, metric: failed_attempts, condition: ">= 1"}
"""


def test_alerts_tell_event_and_lead_time(run: fake.Run, article: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(RULES)
    code, said, _ = run("plan", "alerts", article, "--rules", str(rules))
    assert code == 4
    assert "event e12 (12)" in said
    assert "9 events and 9 min before the end, which succeeded" in said
    code, said, _ = run("plan", "alerts", article, "--rules", str(rules), "--json")
    (alert,) = json.loads(said)["alerts"]
    assert (code, alert["event_id"], alert["events"], alert["left_us"]) == (4, "e12", ["e12"], 540_000_000)
    assert alert["rule_text"].startswith("name: again; metric: restarts; condition: >= 1")
    rules.write_text(RULES.replace("error", "warning"))
    assert run("plan", "alerts", article, "--rules", str(rules))[0] == 0
    assert run("plan", "alerts", article, "--rules", str(rules), "--fail-on", "warning")[0] == 4


def test_alerts_as_opentelemetry_logs(run: fake.Run, article: str, tmp_path: Path) -> None:
    from google.protobuf.json_format import Parse
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData

    rules, out = tmp_path / "rules.yaml", tmp_path / "alerts.otlp.json"
    rules.write_text(RULES)
    assert run("plan", "alerts", article, "--rules", str(rules), "-o", str(out))[0] == 4
    (record,) = Parse(out.read_text(), LogsData()).resource_logs[0].scope_logs[0].log_records
    told = {pair.key: pair.value for pair in record.attributes}
    assert (record.severity_number, told["tracelode.event_id"].string_value) == (17, "e12")
    assert record.time_unix_nano == 1_772_442_660_000_000_000


def test_the_built_in_rules_are_a_file_to_start_from(run: fake.Run, article: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    code, said, _ = run("plan", "alerts", "--rules", "default")
    rules.write_text(said)
    assert code == 0
    told = [run("plan", "alerts", article, *words, "--json")[1] for words in ((), ("--rules", str(rules)))]
    assert told[0] == told[1]
    assert len(json.loads(told[0])["rules"]) == 10


def test_rules_with_a_mistake(run: fake.Run, article: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules:\n  - name: a\n    metric: restarts\n    condition: more than 3\n")
    code, said, err = run("plan", "alerts", article, "--rules", str(rules))
    assert (code, said) == (1, "")
    assert "rules.yaml:4: condition cannot be read" in " ".join(err.split())
    assert run("plan", "check", article, "--rules", str(rules))[0] == 2


def test_alerts_of_the_store(run: fake.Run, store: str) -> None:
    code, said, _ = run("plan", "alerts", "--store", store, "--json")
    answer = json.loads(said)
    assert (code, answer["sessions"]) == (0, 16)
    assert {a["rule"] for a in answer["alerts"]} == {"no-plan"}
    assert all(a["place"] > 15 and len(a["events"]) == 15 for a in answer["alerts"])


@pytest.mark.parametrize("words", [("metrics",), ("timeline",), ("alerts",), ("metrics", "-o", "x.html")])
def test_a_file_of_other_lines_is_not_called_empty(
    run: fake.Run, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.jsonl").write_text("[1]\nnot json\n")
    code, said, err = run("plan", words[0], "notes.jsonl", *words[1:])
    assert (code, said) == (3, "")
    assert "2 lines cannot be used" in " ".join(err.split())
    assert "plan check" in err


def test_a_timeline_says_what_it_could_not_read(run: fake.Run, tmp_path: Path) -> None:
    path = written(tmp_path, [*steps("plan A; start A; ok A"), "{broken"])
    code, said, _ = run("plan", "timeline", str(path))
    assert code == 0
    assert "1 line cannot be used; tracelode plan check says why" in " ".join(said.split())
    assert json.loads(run("plan", "timeline", str(path), "--json")[1])["unusable"] == 1
    code, said, err = run("plan", "timeline", str(path), "-o", str(tmp_path / "x.svg"))
    assert (code, "1 line cannot be used" in " ".join(err.split())) == (0, True)
