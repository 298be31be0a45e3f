"""Does a policy let through whom it names, and does the log tell when somebody changed it?"""

from __future__ import annotations

import grp
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli import fake
from tracelode.__main__ import main
from tracelode.errors import StoreError
from tracelode.governance import access
from tracelode.governance.policy import SUGGESTED, read
from tracelode.model.governing import may
from tracelode.workspace import demo
from tracelode.workspace import open as opened

ME = access.user()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    return fake.commands(capsys, flat=True)


def _policy(store: Path, role: str, log: bool = True) -> None:
    text = f"access:\n  default: reader\n  log: {str(log).lower()}\n  roles:\n    {role}: [{ME}]\n"
    (store / "policy.yaml").write_text(text)


SESSION = "de000003"
COMMANDS = {
    ("top",): "reader",
    ("tree",): "reader",
    ("flame",): "reader",
    ("plan", "metrics"): "reader",
    ("sessions",): "analyst",
    ("show", SESSION): "analyst",
    ("plan", "metrics", SESSION): "analyst",
    ("plan", "timeline"): "analyst",
    ("export", "--detail", "-o", "OUT.pb.gz"): "analyst",
    ("export", "--warehouse", "OUT"): "analyst",
    ("doctor",): "analyst",
    ("show", f"{SESSION}#3", "--whole"): "owner",
    ("export", "--operations", "-o", "OUT.jsonl"): "owner",
    ("gc", "--dry-run"): "owner",
    ("access", "log"): "owner",
}


@pytest.mark.parametrize("role", ["reader", "analyst", "owner"])
def test_each_role_may_what_it_may(store: Path, run: fake.Run, role: str, tmp_path: Path) -> None:
    _policy(store, role)
    for words, needed in COMMANDS.items():
        given = [w.replace("OUT", str(tmp_path / "out")) for w in words]
        code, said, err = run(*given, "--store", str(store))
        allowed = may(role, needed)  # type: ignore[arg-type]
        assert (code in (0, 4)) is allowed, (words, err)
        if not allowed:
            assert said == ""
            assert f"needs the role {needed}" in err
    log = access.entries(store)
    assert [e.allowed for e in log] == [may(role, n) for n in COMMANDS.values()]  # type: ignore[arg-type]
    assert {(e.user, e.role) for e in log} == {(ME, role)}
    assert log[0].command == "top --store"
    # values of options never get into it
    assert str(tmp_path) not in (store / "access.log").read_text()
    assert SESSION not in (store / "access.log").read_text()


def test_a_reader_sees_closed_words_only(store: Path, run: fake.Run) -> None:
    _policy(store, "owner")
    _, owner, _ = run("top", "--stack", "project", "--store", str(store))
    _policy(store, "reader")
    code, reader, _ = run("top", "--stack", "project", "--store", str(store))
    assert code == 0
    assert "shop-api" in owner
    assert "shop-api" not in reader
    assert "name-" in reader


def test_without_a_policy_nothing_is_asked(store: Path, run: fake.Run) -> None:
    assert run("sessions", "--store", str(store))[0] == 0
    assert not (store / "access.log").exists()
    (store / "policy.yaml").write_text(SUGGESTED)
    assert run("sessions", "--store", str(store))[0] == 0
    assert not (store / "access.log").exists()


def test_a_broken_policy_lets_nobody_through(store: Path, run: fake.Run) -> None:
    (store / "policy.yaml").write_text("access:\n  defaul: reader\n")
    code, said, err = run("top", "--store", str(store))
    assert (code, said) == (1, "")
    assert "policy.yaml:2: unknown key" in err


def test_who_cannot_write_the_log_is_not_let_through(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _policy(store, "owner")
    (store / "access.log").mkdir()
    assert main(["top", "--store", str(store)]) == 1


def _logged(store: Path, count: int) -> None:
    policy = read("access: {log: true}")
    for number in range(count):
        access.write(store, policy, f"top {number}", True, "sam")


@pytest.mark.parametrize(
    ("how", "line", "said"),
    [
        ("change", 3, "it was changed"),
        ("drop", 3, "it does not follow the line before"),
        ("swap", 3, "it does not follow the line before"),
        ("cut", None, "lines at its end are missing"),
        ("garble", 3, "the line is no entry"),
        ("behead", None, "its head is missing"),
    ],
)
def test_every_change_is_noticed(tmp_path: Path, how: str, line: int | None, said: str) -> None:
    _logged(tmp_path, 6)
    path = tmp_path / "access.log"
    assert access.verify(tmp_path).sound
    lines = path.read_bytes().splitlines(keepends=True)
    if how == "change":
        lines[2] = lines[2].replace(b'"allowed":true', b'"allowed":false')
    elif how == "drop":
        del lines[2]
    elif how == "swap":
        lines[2], lines[3] = lines[3], lines[2]
    elif how == "cut":
        lines = lines[:4]
    elif how == "garble":
        lines[2] = b"{}\n"
    else:
        (tmp_path / "access.head").unlink()
    path.write_bytes(b"".join(lines))
    found = access.verify(tmp_path)
    assert (found.sound, found.line) == (False, line)
    assert said in found.reason


def test_the_command_says_so_and_takes_an_earlier_head(store: Path, run: fake.Run) -> None:
    _policy(store, "owner")
    for _ in range(3):
        run("top", "--store", str(store))
    code, said, _ = run("access", "verify", "--store", str(store), "--json")
    head = json.loads(said)["head"]
    assert code == 0
    assert run("access", "verify", "--head", head, "--store", str(store))[0] == 0
    # written anew as a whole: sound in itself, and not the log that was there
    for name in ("access.log", "access.head"):
        (store / name).unlink()
    _logged(store, 5)
    assert run("access", "verify", "--store", str(store))[0] == 0
    assert run("access", "verify", "--head", head, "--store", str(store))[0] == 4
    text = (store / "access.log").read_text().replace("sam", "bob", 1)
    (store / "access.log").write_text(text)
    assert run("access", "verify", "--store", str(store))[0] == 4


def test_a_writer_that_was_killed_between_log_and_head(tmp_path: Path) -> None:
    _logged(tmp_path, 3)
    head = (tmp_path / "access.head").read_bytes()
    _logged(tmp_path, 1)
    (tmp_path / "access.head").write_bytes(head)
    assert access.verify(tmp_path).sound
    _logged(tmp_path, 1)
    assert (access.verify(tmp_path).entries, access.verify(tmp_path).sound) == (5, True)


def test_many_writers_make_one_chain(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tracelode.governance import access\n"
        "from tracelode.governance.policy import read\n"
        "for n in range(25): access.write(Path(sys.argv[1]), read('access: {log: true}'), 'top', True, 'sam')"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(4)]
    assert [w.wait(timeout=60) for w in writers] == [0] * 4
    found = access.verify(tmp_path)
    assert (found.entries, found.sound) == (100, True)
    assert (tmp_path / "access.log").stat().st_mode & 0o777 == 0o600


def test_a_group_may_read_the_files(tmp_path: Path) -> None:
    own = grp.getgrgid(os.getgid()).gr_name
    demo(tmp_path / "s", tz="UTC")._catalog.close()
    (tmp_path / "s" / "policy.yaml").write_text(f"access: {{group: {own}, log: true}}\n")
    opened(tmp_path / "s", tz="UTC").add(tmp_path)
    modes = {p.name: p.stat().st_mode & 0o777 for p in (tmp_path / "s").rglob("*")}
    assert modes["operations"] == 0o750
    assert {mode for name, mode in modes.items() if name.endswith(".parquet")} == {0o640}
    (tmp_path / "s" / "policy.yaml").write_text("access: {group: no-such-group-here}\n")
    with pytest.raises(StoreError, match="no-such-group-here"):
        opened(tmp_path / "s", tz="UTC").add(tmp_path)


def test_what_a_policy_may_say_is_printed(store: Path, run: fake.Run) -> None:
    code, said, _ = run("gc", "--policy", "--store", str(store))
    assert code == 0
    assert said.startswith(f"# {store}/policy.yaml\n")
    lines = [
        line for line in said.splitlines() if not line.startswith("# ") or line.startswith(("# ret", "# acc"))
    ]
    assert read("\n".join(lines)).there
    switched = "\n".join(
        line.removeprefix("# ")
        for line in SUGGESTED.splitlines()
        if line.startswith(("# retention", "#   r", "#   agg"))
    )
    assert read(switched.split("roles")[0]).retention.raw == 30
