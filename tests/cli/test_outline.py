"""Does the outline of a session sum to the session, and say where people were and what has no price?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claude import Transcript, used
from cli import fake
from tracelode import workspace
from tracelode.workspace import Workspace
from workspaces import stored

KEY = "0000000a-1111-4222-8333-444444444444"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace.demo(tmp_path_factory.mktemp("outline") / "store", tz="UTC")


def test_segments_of_one_level_sum_to_the_session(demo: Workspace) -> None:
    for session in demo.sessions():
        own = [o for o in demo.operations(session.key) if not o.inherited]
        outer = [one for one in demo.outline(session.key) if one.level == 0]
        assert sum(one.operations for one in outer) == len(own)
        assert sum(one.measures["cost"] for one in outer) == sum(o.measures.get("cost", 0) for o in own)
        assert sum(sum(one.people.values()) for one in outer) == sum("human" in o.fields for o in own)
        assert [one.start for one in outer] == [0, *(one.stop for one in outer)][:-1]


def test_a_line_a_stretch(demo: Workspace, run: fake.Run) -> None:
    code, out, _ = run("show", "de000003", "--outline", "--store", str(demo.path), "--tz", "UTC")
    assert code == 0
    lines = [line.split() for line in out.splitlines() if line.lstrip().startswith("#")]
    assert lines[0] == ["#0", "08:31:02", "delegate", "subtask", "3", "16k", "$0.061", "9.5", "s", "prompt"]
    assert lines[-1][-1] == "denial"
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = run("show", "de000003", "--outline", "--json", "--store", str(demo.path))
    answer = json.loads(out)
    assert len(answer["outline"]) == len(lines)
    assert answer["outline"][0]["people"] == {"prompt": 1}


def test_it_is_of_whole_sessions(demo: Workspace, run: fake.Run) -> None:
    code, _, err = run("show", "de000003#2", "--outline", "--store", str(demo.path))
    assert code == 2
    assert "--outline shows a whole session" in err


def test_what_has_no_price_is_not_nothing(run: fake.Run, tmp_path: Path) -> None:
    made = Transcript(KEY, "/home/sam/src/p", start="2026-10-24T21:30:00Z", model="home-made").user("go on")
    for _ in range(3):
        made.advance(5).assistant("x", tools=[("Read", {"file_path": "a.py"})], usage=used(10, output=5))
        made.advance(1).result(made.calls[0], "ok")
    store = stored(tmp_path, made).path
    _, out, _ = run("show", KEY[:8], "--outline", "--store", str(store))
    assert "unpriced" in out.splitlines()[-1]
    assert "$0" not in out.splitlines()[-1]
