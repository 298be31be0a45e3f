"""show --whole: whole texts of one operation, from the archive or read again, redacted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tracelode
from claude import Transcript
from cli import fake

TEXT = "\n".join(f"line {i} of a long answer" for i in range(400))
SECRET = "ghp_" + "A1b2C3d4E5f6" * 3


@pytest.fixture
def history(tmp_path: Path) -> Path:
    t = Transcript().user("go").assistant("x", tools=[("Bash", {"command": f"echo {SECRET}; cat notes"})])
    t.result(t.calls[0], TEXT).assistant("done")
    return t.write(tmp_path / "history")


@pytest.mark.parametrize("archive", [True, False])
def test_whole_texts_of_one_operation(tmp_path: Path, history: Path, run: fake.Run, archive: bool) -> None:
    store = ["--store", str(tmp_path / "store")]
    workspace = tracelode.open(tmp_path / "store")
    workspace.add(tmp_path / "history", archive=archive)
    if archive:
        history.unlink()
    (session,) = workspace.sessions()
    (tool,) = [o for o in workspace.operations(session.key) if o.name == "Bash"]
    place = f"{session.key}#{tool.index}"
    assert "line 200 of" not in run("show", place, *store)[1]
    code, out, err = run("show", place, "--whole", *store)
    assert (code, err) == (0, "")
    assert "line 200 of" in out
    assert "(redacted)" in out
    assert SECRET not in out
    answer = json.loads(run("show", place, "--whole", "--json", *store)[1])
    assert answer["operation"]["output"] == TEXT


def test_texts_that_are_gone_are_said(tmp_path: Path, history: Path, run: fake.Run) -> None:
    store = ["--store", str(tmp_path / "store")]
    workspace = tracelode.open(tmp_path / "store")
    workspace.add(tmp_path / "history")
    history.unlink()
    (session,) = workspace.sessions()
    code, out, err = run("show", f"{session.key}#2", "--whole", *store)
    assert code == 0
    assert "no longer on disk; a preview is shown" in " ".join(err.split())
    assert "line 1 of" in out
    assert run("show", session.key, "--whole", *store)[0] == 2
