"""Is a word that must not enter a name out of every name at once, wherever it stood, whatever comes later?"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from claude import Transcript, used
from edited import WHERE, edits, focuses, key, names, opened, planned, put
from tracelode.model.query import Query
from tracelode.workspace import Workspace


def test_a_ban_takes_a_stored_word_at_once(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    both = ("cart/voucher_rate.py",)
    workspace.add(put(tmp_path / "h", edits(1, *both), edits(2, *both), edits(3, "mail/rate.py")))
    assert focuses(workspace) == {"write voucher rate", "write rate"}
    workspace.add(put(tmp_path / "i", edits(5, "src/index.py", prompt="the token is voucher")))
    assert focuses(workspace) == {"write rate"}
    assert ("00000001", "write rate") in names(workspace)
    assert "voucher" not in stored_words(workspace)
    workspace.rename()
    assert focuses(workspace) == {"write rate"}


def test_a_ban_holds_when_its_session_is_read_again(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.add(put(tmp_path / "h", edits(1, "src/gem.py", prompt="secret gem"), edits(2, "src/gem.py")))
    workspace.add(put(tmp_path / "i", edits(3, "src/gem.py"), edits(4, "src/gem.py")))
    assert focuses(workspace) == set()


def stored_words(workspace: Workspace) -> str:
    """Everything the catalog and the frames keep for names."""
    database = workspace._catalog.db
    texts = [
        repr(database.execute(f"SELECT * FROM {table}").fetchall())
        for table in ("ladders", "seen", "objects", "bans")
    ]
    frames = duckdb.sql(f"SELECT * FROM read_parquet('{workspace.path}/frames/*.parquet')").fetchall()
    return " ".join([*texts, repr([row[6:20] for row in frames])]).lower()


PASSWORD, USER = "correcthorse", "annabelmuster"
HOMES = (f"/home/{USER}", f"/Users/{USER}", f"C:\\Users\\{USER}", f"/c/Users/{USER}", f"/mnt/c/Users/{USER}")


def seeded() -> list[Transcript]:
    """Sessions with a password of letters and a user's name wherever text stands."""
    sessions = []
    for number in range(12):
        home = HOMES[number % len(HOMES)]
        sessions.append(edits(number, f"{PASSWORD}.py"))
        sessions.append(edits(20 + number, f"src/{USER}_notes.py"))
        sessions.append(edits(40 + number, f"{PASSWORD}/{PASSWORD}_rate.py", kinds="Write"))
        sessions.append(planned(60 + number, f"Rewrite the {PASSWORD} password", "a.py"))
        sessions.append(planned(80 + number, f"Test {USER} {PASSWORD}"))
        t = Transcript(key(100 + number), WHERE).user(
            f"the staging password is {PASSWORD}, ask {USER}@example.org"
        )
        for path in (f"{home}/{PASSWORD}.py", f"{home}/src/{USER}.py", f"-Users-{USER}-src/{PASSWORD}.py"):
            t.advance(1).assistant("x", tools=[("Read", {"file_path": path})], usage=used())
            t.advance(1).result(t.calls[0], f"Author: {USER} <{USER}@example.org>")
        line = {"command": f"export PASSWORD={PASSWORD}; python {PASSWORD}.py --token {PASSWORD}"}
        t.advance(1).assistant("x", tools=[("Bash", line)], usage=used())
        sessions.append(t.advance(1).result(t.calls[0], "ok"))
    return [*sessions, edits(200, "src/rate.py"), edits(201, "src/rate.py")]


def test_no_secret_reaches_a_stored_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary of the naming rules, and that it sings: without the bans both words get through."""
    folder = put(tmp_path / "h", *seeded())
    workspace = opened(tmp_path)
    workspace.add(folder)
    found = focuses(workspace)
    assert "write rate" in found
    text = f"{found} {stored_words(workspace)}"
    assert PASSWORD not in text
    assert USER not in text
    monkeypatch.setattr("tracelode.ingest.naming.Naming.ban", lambda self, words: None)
    unguarded = opened(tmp_path, "unguarded")
    unguarded.add(folder)
    leaked = " ".join(focuses(unguarded))
    assert PASSWORD in leaked
    assert USER in leaked


@pytest.mark.parametrize("home", HOMES)
def test_a_user_name_is_banned_from_every_spelling_of_a_home(tmp_path: Path, home: str) -> None:
    workspace = opened(tmp_path)
    sessions = [edits(n, f"src/{USER}_rate.py") for n in (1, 2)]
    sessions[0].user(f"see {home}/src for more")
    workspace.add(put(tmp_path / "h", *sessions))
    assert focuses(workspace) == {"write rate"}


def test_shared_output_has_no_focus_word(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.add(put(tmp_path / "h", edits(1, "src/rate.py"), edits(2, "src/rate.py")))
    query = Query(stack=("stage", "focus"), measures=("operations",), share=True)
    profile = workspace.profile(query)
    frames = {frame for stack in profile.totals for frame in stack}
    assert "edit code" in frames
    assert not [frame for frame in frames if "rate" in frame]
