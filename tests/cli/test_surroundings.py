"""What if the machine is odd? No usable HOME, a damaged shard, a line of no width or of very much."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli import fake
from tracelode import workspace
from tracelode.cli.text import NARROWEST, width
from tracelode.errors import UsageError
from tracelode.workspace.places import default_store, home_folder


@pytest.mark.parametrize("home", ["", "relative/folder", "."])
def test_an_odd_home_is_replaced_by_what_the_machine_knows(
    home: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_dir=str(tmp_path)))
    assert home_folder() == tmp_path
    assert default_store() == tmp_path / ".local" / "share" / "tracelode"


@pytest.mark.parametrize("home", ["", "relative/folder"])
def test_no_home_at_all_is_said(home: str, monkeypatch: pytest.MonkeyPatch, run: fake.Run) -> None:
    def nobody(_: int) -> None:
        raise KeyError

    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(UsageError, match="no home folder"):
        home_folder()
    code, out, err = run("sessions")
    assert (code, out) == (2, "")
    assert "HOME is no absolute path; set HOME to one" in err
    assert run("top", "--help")[0] == 0


def test_an_odd_home_makes_nothing_below_the_working_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": "odd", "XDG_DATA_HOME": "odd", "XDG_CACHE_HOME": "odd"}
    environment.pop("TRACELODE_STORE", None)
    # The account's own home is not for tests: only what must not be there is looked at.
    code = (
        "import pwd, sys, types; home = types.SimpleNamespace(pw_dir=sys.argv.pop(1));"
        "pwd.getpwuid = lambda _: home;"
        "from tracelode.__main__ import main; sys.exit(main())"
    )
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    words = [sys.executable, "-c", code, str(home)]
    for command in (["--import"], ["demo"]):
        subprocess.run(
            [*words, *command], env=environment, cwd=here, capture_output=True, timeout=60, check=False
        )
    made = {path.name for path in here.iterdir()}
    assert made <= {"tracelode-demo.svg", "demo.svg"}
    assert (home / ".local" / "share" / "tracelode").is_dir()
    assert (home / ".cache" / "tracelode").is_dir()


@pytest.mark.parametrize("command", [["audit", "cost"], ["show", "de000001"], ["top", "--stack", "path"]])
def test_a_damaged_shard_is_told_by_every_view(command: list[str], tmp_path: Path, run: fake.Run) -> None:
    store = workspace.demo(tmp_path / "store").path
    for shard in (store / "operations").glob("*.parquet"):
        raw = bytearray(shard.read_bytes())
        # The first page's header; the footer stays as it was.
        raw[4:400] = b"\xff" * 396
        shard.write_bytes(raw)
    code, out, err = run(*command, "--store", str(store))
    assert (code, out) == (1, "")
    assert "a shard of the store in" in err
    assert "run the import again to rebuild it" in " ".join(err.split())


def test_a_wide_line_leaves_names_and_bars_together(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert max(map(width, run("--no-import")[1].splitlines())) <= 120


@pytest.mark.parametrize("columns", ["1", "20", "39"])
def test_narrow_lines_are_as_those_of_forty_cells(
    columns: str, run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (["--no-import"], ["top"], ["show", "aaaa1111"], ["flame"]):
        monkeypatch.setenv("COLUMNS", str(NARROWEST))
        expected = run(*words)
        monkeypatch.setenv("COLUMNS", columns)
        assert run(*words) == expected
