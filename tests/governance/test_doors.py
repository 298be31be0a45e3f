"""Do the command line and the Python API close the same doors?"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tracelode
from cli import fake
from tracelode.errors import AccessDenied
from tracelode.governance import access
from tracelode.model.governing import ROLES, Role, may
from tracelode.workspace import Workspace
from tracelode.workspace.doors import METHODS, UNASKED

ME = access.user()
SESSION = "de000003"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> fake.Run:
    return fake.commands(capsys, flat=True)


def _policy(store: Path, role: Role) -> None:
    text = f"access:\n  default: reader\n  log: true\n  roles:\n    {role}: [{ME}]\n"
    (store / "policy.yaml").write_text(text)


def _study(store: Path) -> str:
    path = store.parent / "study.yaml"
    path.write_text("name: x\narms: {a: {where: {agent: x}}, b: {where: {agent: y}}}\ntasks: []\n")
    return str(path)


DOORS: list[tuple[str, Role, tuple[str, ...], Callable[[Workspace, Path], object]]] = [
    ("profile", "reader", ("top",), lambda ws, out: ws.profile(stack=["intent"], measure="cost")),
    ("difference", "reader", ("diff", "--by", "outcome"), lambda ws, out: ws.difference(by="outcome")),
    ("plan metrics of all", "reader", ("plan", "metrics"), lambda ws, out: ws.plan_metrics()),
    (
        "profile to a file", "reader", ("export", "-o", "OUT.csv"),
        lambda ws, out: ws.export(ws.profile(stack=["intent"], measure="cost"), f"{out}.csv"),
    ),
    (
        "samples", "analyst", ("export", "--detail", "-o", "OUT.pb.gz"),
        lambda ws, out: ws.profile(stack=["intent"], measure="cost", detail=True),
    ),
    ("metrics of one", "analyst", ("plan", "metrics", SESSION), lambda ws, out: ws.plan_metrics(SESSION)),
    ("sessions", "analyst", ("sessions",), lambda ws, out: ws.sessions()),
    ("operations", "analyst", ("show", SESSION), lambda ws, out: ws.operations(SESSION)),
    ("warehouse", "analyst", ("export", "--warehouse", "OUT"), lambda ws, out: ws.export_warehouse(out)),
    ("what the store lacks", "analyst", ("doctor",), lambda ws, out: ws.doctor()),
    ("study", "analyst", ("plan", "study", "STUDY"), lambda ws, out: ws.plan_study(_study(ws.path))),
    ("whole texts", "owner", ("show", f"{SESSION}#3", "--whole"), lambda ws, out: ws.contents(SESSION)),
    (
        "operations to a file", "owner", ("export", "--operations", "-o", "OUT.jsonl"),
        lambda ws, out: ws.export_operations(f"{out}.jsonl"),
    ),
    ("gc", "owner", ("gc", "--dry-run"), lambda ws, out: ws.gc(dry=True)),
    ("the log", "owner", ("access", "log"), lambda ws, out: ws.access_log()),
    ("import", "owner", ("import", "EMPTY"), lambda ws, out: ws.add(out.parent / "empty")),
    (
        "settings", "owner", ("top", "--idle", "10m"),
        lambda ws, out: tracelode.open(ws.path, tz="UTC", idle=600),
    ),
]  # fmt: skip
"""What is done, the least role, and how: by a command and by a call."""


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("name", "needed", "words", "call"), DOORS, ids=[row[0] for row in DOORS])
def test_both_doors_let_the_same_through(
    store: Path, run: fake.Run, tmp_path: Path, role: Role, name: str, needed: Role,
    words: tuple[str, ...], call: Callable[[Workspace, Path], object],
) -> None:  # fmt: skip
    _policy(store, role)
    (tmp_path / "empty").mkdir()
    places = {"OUT": str(tmp_path / "out"), "EMPTY": str(tmp_path / "empty"), "STUDY": _study(store)}
    given = []
    for word in words:
        for old, new in places.items():
            word = word.replace(old, new)
        given.append(word)
    _, _, err = run(*given, "--store", str(store))
    assert (f"needs the role {needed}" in err) is not may(role, needed), err
    workspace = tracelode.open(store, tz="UTC")
    if may(role, needed):
        try:
            call(workspace, tmp_path / "out")
        except AccessDenied:
            raise
        except tracelode.TracelodeError:
            assert name in ("difference", "study")
    else:
        with pytest.raises(AccessDenied, match=f"needs the role {needed} in .*; {ME} is {role}"):
            call(workspace, tmp_path / "out")
    log = access.entries(store)
    assert [e.allowed for e in (log[0], log[-1])] == [may(role, needed)] * 2
    assert log[-1].command.startswith("python ")
    assert access.verify(store).sound


def test_every_method_has_a_role() -> None:
    public = {
        name for name in dir(Workspace)
        if not name.startswith("_") and callable(inspect.getattr_static(Workspace, name))
    }  # fmt: skip
    assert public == {*METHODS, *UNASKED}
    assert not set(METHODS) & UNASKED


@pytest.mark.parametrize("name", sorted(METHODS))
def test_every_method_asks(store: Path, name: str) -> None:
    """Whatever it takes: the policy is asked before anything is done with it."""
    _policy(store, "reader")
    workspace = tracelode.open(store, tz="UTC")
    method = getattr(workspace, name)
    needs = [
        p for p in inspect.signature(method).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]  # fmt: skip
    by_name: dict[str, Any] = {p.name: "x" for p in needs if p.kind == p.KEYWORD_ONLY}
    if may("reader", METHODS[name]):
        return
    with pytest.raises(AccessDenied):
        method(*["x" for p in needs if p.kind != p.KEYWORD_ONLY], **by_name)


def test_a_readers_profile_is_a_shared_one(store: Path) -> None:
    _policy(store, "owner")
    workspace = tracelode.open(store, tz="UTC")
    own = {stack[0] for stack in workspace.profile(stack=["project"], measure="cost").totals}
    assert "~/src/shop-api" in own
    _policy(store, "reader")
    workspace = tracelode.open(store, tz="UTC")
    query = workspace.query(stack=["project"], measure="cost")
    for profile in (
        workspace.profile(query),
        workspace.profile(query=query),
        workspace.profile(stack=["project"], measure="cost", share=False),
    ):
        found = {stack[0] for stack in profile.totals}
        assert not found & own
        assert any(name.startswith("name-") for name in found)
    with pytest.raises(AccessDenied, match="profile needs the role analyst"):
        workspace.profile(tracelode.Query(stack=("project",), measures=("cost",), detail=True))


def test_what_a_call_calls_is_not_asked_again_and_other_threads_are(store: Path) -> None:
    _policy(store, "owner")
    workspace = tracelode.open(store, tz="UTC")
    seen: list[object] = []

    def other() -> None:
        reader = tracelode.open(store, tz="UTC")
        try:
            reader.sessions()
        except AccessDenied as error:
            seen.append(error)

    def told(_: object) -> None:
        if not seen:
            _policy(store, "reader")
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()

    workspace.add(Path(tracelode.__file__).parent / "samples" / "projects", progress=told)
    told(None)
    assert len(seen) == 1
    assert [e.command for e in access.entries(store)] == ["python add", "python sessions"]


def test_without_a_policy_nothing_is_asked(store: Path) -> None:
    workspace = tracelode.open(store, tz="UTC", idle=600)
    assert workspace.door is None
    assert workspace.sessions()
    assert not (store / "access.log").exists()


def test_a_broken_policy_lets_nobody_through(store: Path) -> None:
    (store / "policy.yaml").write_text("access:\n  defaul: reader\n")
    with pytest.raises(tracelode.TracelodeError, match=r"policy\.yaml:2: unknown key"):
        tracelode.open(store, tz="UTC")
