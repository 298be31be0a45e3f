"""Short names of sessions: unique, never wide, and accepted by show."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import fake
from tracelode.cli.keys import WIDEST, place, resolve, short_keys
from tracelode.cli.text import clean, width
from tracelode.errors import TracelodeError
from tracelode.model.session import Session

ODD = {
    "long, alike at the start": [f"nightly-run-of-the-big-pipeline-{i:04d}" for i in range(12)],
    "long, alike at both ends": [
        f"github-actions-run-{i:04d}-attempt-1-of-the-nightly-job" for i in range(12)
    ],
    "one odd among short ones": ["aaaa1111-x", "bbbb2222-y", "q" * 300 + "1", "q" * 300 + "2"],
    "a start of another": ["w" * 40, "w" * 41, "w" * 42],
    "wide characters": ["漢" * 30 + str(i) for i in range(3)],
    "with a hash": ["org/repo#12", "org/repo#1", "org/repo#123", "org/repo"],
    "with a hash inside": ["build#12-linux-x86", "build#12-linux-arm", "build", "build#1"],
    "with the marks of short keys": ["a" * 30 + "..b", "a" * 30 + "..c", "a" * 30 + "~0f0f0f0f"],
    "with blanks and control characters": ["my first session", "my  first session", "my\x1bfirst session"],
}


def sessions(keys: list[str]) -> list[Session]:
    """Root sessions of these keys."""
    return [fake.session(key, [fake.operation(key, 0)]) for key in keys]


@pytest.mark.parametrize("name", ODD)
def test_short_keys_are_short_unique_and_accepted(
    name: str, run: fake.Run, empty: fake.FakeWorkspace
) -> None:
    for key in ODD[name]:
        operations = [fake.operation(key, i, fields={"intent": "fix bug"}) for i in range(3)]
        empty.store[key] = (fake.session(key, operations), operations)
    short = short_keys(empty.sessions())
    assert len(set(short.values())) == len(ODD[name])
    assert max(map(width, short.values())) <= WIDEST
    code, out, _ = run("sessions", "--all")
    assert code == 0
    assert "fix bug" in out
    for key in ODD[name]:
        assert f"\n{clean(short[key])} " in out
        assert json.loads(run("show", short[key], "--json")[1])["session"]["key"] == key
        answer = json.loads(run("show", f"{short[key]}#2", "--json")[1])
        assert (answer["session"], answer["operation"]["index"]) == (key, 2)
        assert json.loads(run("show", key, "--json")[1])["session"]["key"] == key


def test_sub_agents_of_odd_keys_have_short_names_too(run: fake.Run, empty: fake.FakeWorkspace) -> None:
    for root in ODD["long, alike at both ends"][:3]:
        for key in (root, *(f"{root}/agent-of-some-considerable-length-{i}" for i in range(3))):
            operations = [fake.operation(key, 0)]
            more = {"root": root} if key != root else {}
            empty.store[key] = (fake.session(key, operations, **more), operations)
    short = short_keys(empty.sessions())
    assert len(set(short.values())) == 12
    for key, name in short.items():
        assert json.loads(run("show", name, "--json")[1])["session"]["key"] == key


keys = st.lists(st.text(alphabet="ab/#.~1 ", min_size=1, max_size=40), min_size=1, max_size=12, unique=True)


@given(keys)
def test_every_short_key_leads_back(names: list[str]) -> None:
    everything = sessions(names)
    for key, short in short_keys(everything).items():
        assert resolve(short, everything).key == key
        assert place(short, everything) == (resolve(key, everything), None)
        if not any(clean(name) == f"{short}#1" for name in names):
            assert place(f"{short}#1", everything) == (resolve(key, everything), 1)
        assert width(short) <= WIDEST


@pytest.mark.parametrize(
    ("text", "key", "index"),
    [
        ("org/repo#12", "org/repo#12", None),
        ("org/repo#12#3", "org/repo#12", 3),
        ("org/repo#1", "org/repo#1", None),
        ("org/repo#1#0", "org/repo#1", 0),
        ("org/repo#7", "org/repo", 7),
        ("org/repo#123", "org/repo#123", None),
        ("org/repo", "org/repo", None),
        ("aaaa1111#2", "aaaa1111-x", 2),
        ("aaaa", "aaaa1111-x", None),
        ("ticket#4", "ticket#42-b", None),
        ("ticket#42-b#0", "ticket#42-b", 0),
        ("ticket#42#0", "ticket#42-b", 0),
    ],
)
def test_a_key_may_hold_what_marks_an_operation(text: str, key: str, index: int | None) -> None:
    everything = sessions(
        ["org/repo#12", "org/repo#1", "org/repo#123", "org/repo", "aaaa1111-x", "ticket#42-b"]
    )
    session, found = place(text, everything)
    assert (session.key, found) == (key, index)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "names no session"),
        ("#", "is not SESSION#N"),
        ("#3", "names no session"),
        ("aaaa1111#x", "is not SESSION#N"),
        ("aaaa1111#-1", "is not SESSION#N"),
        ("aaaa1111#1.5", "is not SESSION#N"),
        ("aaaa1111#\N{SUPERSCRIPT TWO}", "is not SESSION#N"),
        ("zz", "no session starts with 'zz'"),
        ("zz#3", "no session starts with 'zz'"),
        ("aaaa", "starts 2 sessions"),
        ("aa..q", "no session starts with 'aa..q'"),
    ],
)
def test_what_names_no_session_is_said(text: str, part: str) -> None:
    with pytest.raises(TracelodeError) as caught:
        place(text, sessions(["aaaa1111", "aaaa2222"]))
    assert part in str(caught.value)


def test_an_index_of_any_length_is_no_operation(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, _, err = run("show", "aaaa1111#1" + "0" * 30)
    assert code == 3
    assert "its last is #3" in err


def test_outcome_takes_the_short_key(
    run: fake.Run, empty: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ODD["long, alike at both ends"]:
        empty.store[key] = (fake.session(key, [fake.operation(key, 0)]), [fake.operation(key, 0)])
    judged = []
    monkeypatch.setattr(empty, "judge", lambda key, *more: judged.append((key, *more)) or key, raising=False)
    for key, short in short_keys(empty.sessions()).items():
        assert run("outcome", "set", short, "success")[0] == 0
        assert judged.pop() == (key, "success", None)
