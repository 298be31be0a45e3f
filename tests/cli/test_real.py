"""The command line on real workspaces: the bundled samples, and public transcripts where they are."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli import fake
from tracelode import workspace
from tracelode.cli.text import width

VIEWS = [
    [],
    ["sessions", "--all"],
    ["top"],
    ["top", "--measure", "tokens,time.active,cost", "--stack", "project,model"],
    ["top", "--share", "--stack", "project,intent,tool"],
    ["tree"],
    ["tree", "--lane", "separate", "--tagroot", "agent", "--tagleaf", "model"],
    ["peek", "Bash"],
    ["flame"],
]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the bundled samples."""
    store = tmp_path_factory.mktemp("samples") / "store"
    workspace.demo(store)
    return store


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a few public transcripts."""
    data = Path(__file__).parents[3] / "shared" / "data" / "native" / "claude_code"
    if not data.is_dir():
        pytest.skip("no public transcripts beside the project")
    store = tmp_path_factory.mktemp("public") / "store"
    folders = sorted(p for p in data.iterdir() if p.is_dir())[:4]
    workspace.open(store).add(*folders)
    return store


@pytest.fixture(params=["samples", "public"])
def store(request: pytest.FixtureRequest) -> str:
    """Folder of a workspace."""
    return str(request.getfixturevalue(request.param))


@pytest.mark.parametrize("words", VIEWS, ids=" ".join)
def test_screens_fit_eighty_columns(words: list[str], store: str, run: fake.Run) -> None:
    code, out, err = run(*words, "--store", store, *([] if words else ["--no-import"]))
    assert (code, err) == (0, "")
    lines = out.split("\n")
    assert len(lines) > 4
    # A command that is there to be copied is not broken.
    assert [line for line in lines if width(line) > 80 and "export TRACELODE_STORE=" not in line] == []
    assert [line for line in lines if line != line.rstrip()] == []


def test_all_answers_agree(store: str, run: fake.Run) -> None:
    def ask(*words: str) -> dict[str, object]:
        code, out, _ = run(*words, "--json", "--store", store)
        assert code == 0
        return json.loads(out)

    first = ask("--no-import")
    cost = first["totals"]["cost_picodollars"]
    assert cost > 0
    for dimension, rows in first["by"].items():
        assert sum(row["cost_picodollars"] for row in rows.values()) == cost, dimension
    assert sum(row["cost"] for row in first["top"]) == cost
    top, tree, flame = ask("top"), ask("tree"), ask("flame")
    assert top["total"] == tree["total"] == flame["root"]["value"] == cost
    assert sum(row["flat"] for row in top["rows"]) == cost
    assert sum(node["flat"] for node in tree["nodes"]) == cost
    assert ask("top", "--lane", "separate", "--stack", "project,model,day")["total"] == cost
    sessions = ask("sessions")["sessions"]
    assert sum(s["totals"]["cost_picodollars"] for s in sessions) == cost
    assert len(sessions) == first["totals"]["sessions"]
    operations = [o for s in sessions for o in own(ask("show", s["key"], "--nested"))]
    assert len(operations) == first["totals"]["operations"]
    assert sum(o["measures"].get("cost", 0) for o in operations) == cost


def test_where_takes_what_views_show(samples: Path, run: fake.Run) -> None:
    def ask(*words: str) -> dict[tuple[str, ...], int]:
        more = ["--json", "--lane", "separate", "--measure", "operations", "--store", str(samples)]
        rows = json.loads(run("top", *words, *more)[1])["rows"]
        return {tuple(row["stack"]): row["flat"] for row in rows}

    errors = ask("--stack", "error")
    assert ("(none)",) in errors
    for (value,), count in errors.items():
        assert sum(ask("--where", f"error={value}").values()) == count
    shell = {tool: n for (tool,), n in ask("--stack", "tool").items() if tool.partition(":")[0] == "Bash"}
    assert len(shell) > 2
    assert sum(ask("--where", "tool=Bash").values()) == sum(shell.values())
    assert sum(ask("--where", "tool=Bash:git").values()) == shell["Bash:git"]


def own(answer: dict) -> list[dict]:  # type: ignore[type-arg]
    """Operations of a shown family that count here."""
    parts = [answer, *answer["subagents"]]
    return [o for part in parts for o in part["operations"] if not o["inherited"]]


def test_what_the_screen_names_can_be_shown(samples: Path, run: fake.Run) -> None:
    out = run("--no-import", "--store", str(samples))[1]
    (command,) = [part.strip() for part in out.replace("|", "\n").split("\n") if "tracelode show" in part]
    place = command.rpartition(" ")[2]
    code, shown, _ = run("show", place, "--store", str(samples))
    assert code == 0
    assert place.rpartition("#")[2] in shown.splitlines()[0]
    for line in run("sessions", "--store", str(samples))[1].splitlines()[1:]:
        code, shown, _ = run("show", line.split()[0], "--store", str(samples))
        assert code == 0
        assert [s for s in shown.split("\n") if width(s) > 80] == []


def test_every_format_is_written(samples: Path, run: fake.Run, tmp_path: Path) -> None:
    for suffix in (".pb.gz", ".folded", ".speedscope.json", ".svg", ".json", ".csv", ".parquet"):
        target = tmp_path / f"p{suffix}"
        code, _, err = run("export", "--store", str(samples), "-o", str(target))
        assert code == 0, err
        assert target.stat().st_size > 100
    total = json.loads(run("top", "--json", "--store", str(samples))[1])["total"]
    lines = (tmp_path / "p.folded").read_text(encoding="utf-8").splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == total
    target = tmp_path / "d.pb.gz"
    assert run("export", "--detail", "--store", str(samples), "-o", str(target))[0] == 0
    assert b"session" in gzip.decompress(target.read_bytes())


def test_a_pipe_to_head(samples: Path) -> None:
    command = f'"{sys.executable}" -m tracelode top --store "{samples}" | head -1'
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("cost  $")


def test_the_first_minute(tmp_path: Path, samples: Path) -> None:
    """A home folder with a history: one line, one screen, no question; and one without."""
    from importlib.resources import as_file, files

    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    with as_file(files("tracelode.samples") / "projects") as folder:
        (home / ".claude" / "projects").symlink_to(folder.resolve(), target_is_directory=True)
        first, again = (start(home) for _ in range(2))
    assert first.returncode == again.returncode == 0, first.stderr
    assert first.stderr.startswith("reading ")
    assert "of ~/.claude/projects into ~/.local/share/tracelode\n" in first.stderr
    assert first.stdout == again.stdout
    assert again.stderr == ""
    assert first.stdout.startswith("tracelode   ")
    nobody = start(tmp_path)
    assert (nobody.returncode, nobody.stdout) == (3, "")
    assert "tracelode demo" in nobody.stderr


def start(home: Path) -> subprocess.CompletedProcess[str]:
    """Run the bare command as a person with that home folder."""
    environment = {"HOME": str(home), "TZ": "Europe/Berlin", "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "tracelode"]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_what_nobody_tells_is_unknown(samples: Path, run: fake.Run) -> None:
    store = ["--store", str(samples)]
    screens = [run(view, "--measure", "tokens.reasoning", *store)[1] for view in ("top", "tree")]
    for screen in screens:
        assert screen.startswith("tokens.reasoning  unknown, ")
        assert not [line for line in screen.splitlines()[1:] if " 0 " in line]
    for view, rows in (("top", "rows"), ("tree", "nodes")):
        answer = json.loads(run(view, "--json", "--measure", "tokens.reasoning", *store)[1])
        assert answer["total"] is None
        assert {row["cum"] for row in answer[rows]} == {None}
    peek = run("peek", "Bash:git", "--measure", "tokens.reasoning", *store)[1]
    assert " unknown " in next(line for line in peek.splitlines() if line.endswith(" Bash:git"))
    (frame,) = json.loads(run("peek", "^Bash:git$", "--json", "--measure", "tokens.reasoning", *store)[1])[
        "nodes"
    ]
    assert (frame["flat"], frame["cum"]) == (None, None)
    both = run("top", "--measure", "cost,tokens.reasoning", *store)[1]
    assert " unknown " in both.splitlines()[-2]
