"""Does a rewritten file hold what its profile allows, and nothing planted anywhere, under the same ids?"""

from __future__ import annotations

import copy
import gzip
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plan.article import rows as article
from plan.traces import written
from tracelode.errors import UsageError
from tracelode.plan.checks import check
from tracelode.plan.metrics import measure
from tracelode.plan.read import load, stories
from tracelode.record import Recorder
from tracelode.workspace.redacting import check_files, pseudonyms_of, redact_files

PROFILES = ("summary", "metadata", "full")
SECRETS = (
    ("ghp_{n:036d}", "ghp_{n:036d}"),
    ("https://bob:hunter{n:05d}xyz@example.org/repo.git", "hunter{n:05d}xyz"),
    ("Authorization: Bearer tok{n:05d}QWERTYuiop1234567890", "tok{n:05d}QWERTY"),
    ("write to person{n:05d}@example.org today", "person{n:05d}"),
    ("/home/sammy{n:05d}/src/app.py", "sammy{n:05d}"),
    ("PASSWORD=correcthorse{n:05d}", "correcthorse{n:05d}"),
    ("AKIA{n:016d}", "AKIA{n:016d}"),
)
"""(what is planted, the part of it that must be found nowhere)."""
RICH: dict[str, Any] = {
    "session_id": "s", "event_id": "e1", "timestamp": "2026-03-02T09:00:00.000000Z", "actor": "agent",
    "event_type": "execute", "node_id": "1/1", "parent_node_id": "goal", "status": "succeeded",
    "payload": {
        "description": "look at it", "reason": "because", "tool": "Bash", "input_summary": "ls",
        "result_summary": "ok", "error_type": "none", "native_status": "done", "shape": ["a", "b"],
        "statistics": {"column": {"top": "x"}}, "measures": {"auc": 0.8},
        "diff": {"before": "a", "after": ["b"]},
        "order": ["1/1"], "nested": {"deep": [{"er": "text", "list": [["inner"]]}]}, "args": ["-p", "word"],
        "host": "web1", "path": "src/a.py", "user": "bob", "repo": "acme/shop", "by": "planner",
    },
    "schema": 1, "seq": 0, "writer": "web1-12-0a1b2c3d", "evidence": "declared", "task_id": "t",
    "actor_id": "sub", "depends_on": ["1/0"], "source": {"adapter": "x", "file": "a.jsonl", "line": 1},
    "foreign": {"note": "kept"},
}  # fmt: skip


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "pseudonyms.key"


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Paths of all texts, and of all keys."""
    for name, child in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(node, dict) and len(path) > 0:
            yield (*path, name), True
        if isinstance(child, str):
            yield (*path, name), False
        elif isinstance(child, dict | list):
            yield from _places(child, (*path, name))


def _planted(path: tuple[Any, ...], is_key: bool, text: str) -> dict[str, Any]:
    made = copy.deepcopy(RICH)
    at: Any = made
    for name in path[:-1]:
        at = at[name]
    if is_key:
        at[text] = at.pop(path[-1])
    else:
        at[path[-1]] = text
    return made


def _bytes(folder: Path) -> bytes:
    return b"\n".join(p.read_bytes() + str(p).encode() for p in sorted(folder.rglob("*")) if p.is_file())


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_planted_anywhere_reaches_the_disk(
    profile: str, names: bool, tmp_path: Path, key: Path
) -> None:
    listed, hidden = [], []
    for number, (path, is_key) in enumerate(_places(RICH)):
        for kind, (text, part) in enumerate(SECRETS):
            n = 100 * number + kind
            listed.append(_planted(path, is_key, text.format(n=n)))
            hidden.append((part.format(n=n), path))
    # an event that is none, and a line that is no JSON, are no way around
    lines = [*listed, "PASSWORD=correcthorse99999 and ghp_" + "9" * 36]
    source = written(tmp_path, lines)
    out = tmp_path / "out" / "trace.jsonl"
    report = redact_files([source], profile, out, names=names, key=key)
    assert (report.events, report.unusable, report.left) == (len(listed), 1, [])
    data = _bytes(tmp_path / "out").decode()
    assert [(part, path) for part, path in hidden if part in data] == []
    assert "correcthorse" not in data
    assert not check_files([out], profile).left
    assert report.replaced["secret:password"] > 0


@pytest.mark.parametrize("names", [False, True])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_second_time_changes_nothing(profile: str, names: bool, tmp_path: Path, key: Path) -> None:
    source = written(tmp_path, [RICH, {**RICH, "payload": {"description": "bob@acme.org at /home/bob/a.py"}}])
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    redact_files([source], profile, first, names=names, key=key)
    redact_files([first], profile, second, names=names, key=key)
    assert second.read_bytes() == first.read_bytes()


_VALUES = st.recursive(
    st.sampled_from([text.format(n=7) for text, _ in SECRETS])
    | st.text(max_size=30)
    | st.integers()
    | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(payload=st.dictionaries(st.text(max_size=12), _VALUES, max_size=6), profile=st.sampled_from(PROFILES))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_payload_stays_clean(payload: dict[str, Any], profile: str, tmp_path: Path) -> None:
    source = written(tmp_path, [{**RICH, "payload": payload}])
    out = tmp_path / "out.jsonl"
    report = redact_files([source], profile, out, names=True, key=tmp_path / "k")
    assert report.left == []
    row = json.loads(out.read_text())
    assert row["event_id"] == "e1"
    for _, part in SECRETS:
        assert part.format(n=7) not in out.read_text()


@pytest.mark.parametrize("profile", PROFILES)
def test_ids_and_figures_stay(profile: str, tmp_path: Path, key: Path) -> None:
    source = written(tmp_path, article())
    out = tmp_path / "out.jsonl"
    redact_files([source], profile, out, key=key)
    before, after = (next(iter(stories(load([p]))))[1] for p in (source, out))
    ids = [("event_id", "session_id", "node_id", "parent_node_id", "timestamp", "status", "event_type")]
    for names in ids:
        assert [[getattr(e, n) for n in names] for e in before] == [
            [getattr(e, n) for n in names] for e in after
        ]
    told = [{m.name: m.value for m in measure(events).metrics} for events in (before, after)]
    assert told[0] == told[1]


def test_metadata_keeps_no_word(tmp_path: Path, key: Path) -> None:
    out = tmp_path / "out.jsonl"
    redact_files([written(tmp_path, article())], "metadata", out, key=key)
    data = out.read_text()
    for word in ("classify", "median first", "business", "boosted"):
        assert word not in data
    told = [json.loads(line)["payload"] for line in data.splitlines()]
    assert told[7]["rows"] == 10000
    # the same wording is the same mark: joins survive
    twice = written(tmp_path, [{**RICH, "payload": {"description": "one"}}] * 2, "twice.jsonl")
    redact_files([twice], "metadata", tmp_path / "t.jsonl", key=key)
    assert len(set((tmp_path / "t.jsonl").read_text().splitlines())) == 1


def test_pseudonyms_are_keyed_and_join(tmp_path: Path, key: Path) -> None:
    texts = [
        {"description": "ask bob@acme.org about git@github.com:acme/shop.git"},
        {
            "description": "Bob@acme.org pushed https://github.com/acme/shop to 10.1.2.3",
            "user": "bob@acme.org",
        },
        {
            "description": "see https://web.acme.org/a/b?x=1",
            "path": "~/src/a.py",
            "result_summary": "~/src/a.py: ok",
        },
    ]
    source = written(tmp_path, [{**RICH, "event_id": f"e{n}", "payload": p} for n, p in enumerate(texts)])
    out, other = tmp_path / "out.jsonl", tmp_path / "other.jsonl"
    report = redact_files([source], "summary", out, names=True, key=key)
    first, second, third = (json.loads(line)["payload"] for line in out.read_text().splitlines())
    person = second["user"]
    assert person.startswith("person-")
    assert person in first["description"]
    assert person in second["description"]
    repo = first["description"].split()[-1]
    assert repo.startswith("repo-")
    assert repo in second["description"]
    assert third["result_summary"] == f"{third['path']}: ok"
    assert "acme" not in out.read_text()
    assert "10.1.2.3" not in out.read_text()
    assert person in pseudonyms_of("bob@acme.org", key)
    assert report.replaced["person pseudonym"] >= 3
    assert key.stat().st_mode & 0o777 == 0o600
    redact_files([source], "summary", other, names=True, key=tmp_path / "second.key")
    assert person not in other.read_text()


def test_a_recorded_folder_keeps_its_form(tmp_path: Path, key: Path) -> None:
    traces = tmp_path / "traces"
    with Recorder(traces, redact="full").session("s1") as session:
        session.goal("ship it for bob@acme.org")
        node = session.plan("x" * 3000)
        with session.execute(node):
            pass
    out = tmp_path / "out"
    report = redact_files([traces], "summary", out, key=key)
    (manifest,) = out.rglob("manifest.json")
    told = json.loads(manifest.read_text())
    assert (told["redaction"], told["events"]) == ("summary", report.events)
    (data,) = out.rglob("*.jsonl")
    assert max(len(line) for line in data.read_text().splitlines()) < 2600
    assert data.stat().st_mode & 0o777 == 0o600
    assert not list(out.rglob("*.key"))
    # the same in place
    redact_files([traces], "summary", None, in_place=True, key=key)
    (here,) = traces.rglob("*.jsonl")
    assert here.read_bytes() == data.read_bytes()


def test_what_is_still_written_to_is_left_alone(tmp_path: Path, key: Path) -> None:
    source = written(tmp_path, article())
    report = redact_files([source], "metadata", None, in_place=True, key=key)
    assert (report.files, report.skipped[0].reason) == (0, "may still be written to")
    old = time.time() - 3600
    os.utime(source, (old, old))
    assert redact_files([source], "metadata", None, in_place=True, key=key).files == 1


def test_transcripts_can_still_be_read(tmp_path: Path, key: Path) -> None:
    from tracelode import samples
    from tracelode.workspace import open as opened

    projects = Path(samples.__file__).parent / "projects"
    out = tmp_path / "out"
    report = redact_files([projects], "summary", out, names=True, key=key)
    assert report.records > 400
    assert "ghp_FAKE" not in _bytes(out).decode()
    totals = []
    for number, place in enumerate((projects, out)):
        workspace = opened(tmp_path / f"store{number}", tz="UTC")
        workspace.add(place)
        totals.append(workspace.totals())
    assert totals[0].tokens == totals[1].tokens
    assert totals[0].sessions == totals[1].sessions
    # metadata would take what a transcript is read by
    report = redact_files([projects], "metadata", tmp_path / "bare", key=key)
    assert report.files == 0
    assert "needs its texts" in report.skipped[0].reason


def test_packed_files_stay_packed(tmp_path: Path, key: Path) -> None:
    source = tmp_path / "a.jsonl.gz"
    source.write_bytes(gzip.compress(written(tmp_path, article()).read_bytes()))
    out = tmp_path / "out" / "a.jsonl.gz"
    redact_files([source], "metadata", out, key=key)
    assert len(gzip.decompress(out.read_bytes()).splitlines()) == 21


def test_the_check_finds_what_goes_beyond(tmp_path: Path) -> None:
    rows = [
        RICH,
        {**RICH, "payload": {"result_summary": "y" * 600}},
        {**RICH, "payload": {"a": "password: hunter2x"}},
    ]
    source = written(tmp_path, rows)
    assert [one.line for one in check_files([source], "summary").left] == [2, 3]
    assert [one.line for one in check_files([source], "full").left] == [3]
    assert {f.code for f in check(load([source])).findings} >= {"PT100"}


def test_words_that_do_not_go_together(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        redact_files([tmp_path], "summary", None)
    (tmp_path / "in").mkdir()
    with pytest.raises(UsageError, match="inside what is read"):
        redact_files([tmp_path / "in"], "summary", tmp_path / "in" / "out", key=tmp_path / "k")


def test_the_recorder_names_hosts_and_people_as_redact_does(tmp_path: Path) -> None:
    told = {}
    for mode in ("metadata", "full"):
        traces = tmp_path / mode
        with Recorder(traces, redact=mode).session("s1") as session:
            session.record("human", "review", "goal", None, "updated", {"decision": "note"}, actor_id="bob")
        key = tmp_path / "metadata" / "pseudonyms.key"
        if mode == "full":
            redact_files([traces], "metadata", tmp_path / "out", key=key)
            traces = tmp_path / "out"
        (path,) = traces.rglob("*.jsonl")
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        told[mode] = (rows[0]["actor_id"], rows[0]["writer"].rsplit("-", 2)[0])
    assert told["metadata"] == told["full"]
    assert told["full"][0] == pseudonyms_of("bob", key)[0]
    assert os.uname().nodename not in (tmp_path / "metadata").rglob("*.jsonl").__next__().read_text()


def test_the_recorder_s_own_pseudonyms_are_those_of_redact(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t", redact="full", pseudonyms=True).session("s1") as session:
        session.goal("ask bob@acme.org about /srv/shop/a.py", actor="human")
    text = next((tmp_path / "t").rglob("*.jsonl")).read_text()
    key = tmp_path / "t" / "pseudonyms.key"
    assert set(pseudonyms_of("bob@acme.org", key)) & set(text.split())
    assert "/srv/shop" not in text
    assert os.uname().nodename not in text
