"""Does a segment get the stage that its operations show, and never anything else?"""

from __future__ import annotations

import itertools
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, raw, replace
from signals.tables import commands
from tracelode.errors import ModelError
from tracelode.profile.name import grammar
from tracelode.profile.name.declared import declared
from tracelode.profile.name.stage import segment_verb, stage, vocabulary
from tracelode.signals.lexicon import load

LEXICON = load()

NAMES = [
    (["Read a.py", "Read b.py"], "explore code"),
    (["Read a.py", "Grep src"], "explore code"),
    (["Grep src", "Grep src", "Read a.md"], "search code"),
    (["Grep"], "search code"),
    (["Read a.py", "Read notes"], "explore code"),
    (["Read notes", "Read b", "Read c.py", "Read d"], "explore files"),
    (["$ ls"], "explore files"),
    (["Edit tests/test_a.py"], "edit tests"),
    (["Edit a.unknown"], "edit code"),
    (["Edit a.md", "Edit b.md", "Edit c.py"], "edit docs"),
    (["Write a.py", "Edit a.py"], "edit code"),
    (["Write a.py", "Write b.py", "Edit a.py"], "create code"),
    (["Write a"], "create files"),
    (["Write ci/Dockerfile"], "create build file"),
    (["$ diff a.csv b.csv"], "compare data"),
    (["$ pytest -q", "Read a.py"], "test code"),
    (["$ pip install a"], "install dependencies"),
    (["$ make"], "build project"),
    (["$ ruff check ."], "lint code"),
    (["$ which git"], "check environment"),
    (["$ git add -A", "$ git commit -m x", "$ git status"], "commit changes"),
    (["$ git push"], "push changes"),
    (["$ git status", "$ git diff"], "review changes"),
    (["$ git checkout main"], "sync branch"),
    (["$ gh pr create"], "open pull request"),
    (["$ gh pr view 7"], "review pull request"),
    (["$ git clone url"], "clone repository"),
    (["$ mkdir a"], "configure system"),
    (["$ docker compose up -d"], "start service"),
    (["$ kill 1"], "stop process"),
    (["$ sleep 5", "BashOutput"], "wait for process"),
    (["Task"], "delegate subtask"),
    (["TodoWrite"], "plan work"),
    (["AskUserQuestion"], "ask user"),
    (["Skill"], "load skill"),
    (["WebSearch", "WebFetch"], "research web"),
    (["$ curl https://example.org/a"], "call endpoint"),
    (["finish"], "report result"),
    (["$ python train.py"], "train model"),
    (["$ sqlite3 a.db"], "query data"),
    (["$ tar xf a.tar"], "extract archive"),
    (["$ ffmpeg -i a b"], "convert files"),
    (["$ strings a"], "inspect binary"),
    (["$ rm a"], "clean files"),
    (["$ python report.py"], "run script"),
    (["$ ./report"], "run program"),
    (["$ ./report", "$ python report.py"], "run script"),
    (["$ kubectl apply -f a"], "deploy service"),
    (["$ wget https://example.org/a"], "download files"),
    (["$ hyperfine ./a"], "profile code"),
    (["$ john a"], "crack password"),
    (["think"], "reason about task"),
    (["frobnicate"], "use tool"),
    (["$ echo a"], "note progress"),
    (["browser_navigate", "browser_click", "browser_click"], "click page"),
    (["analyze_table"], "analyze data"),
]


@pytest.mark.parametrize(("calls", "name"), NAMES, ids=[name + "/" + calls[0] for calls, name in NAMES])
def test_a_segment_has_its_stage(calls: list[str], name: str) -> None:
    assert stage([call(text) for text in calls]) == name


def test_no_tool_no_evidence() -> None:
    silent = [raw("prompt"), raw("model"), raw("note")]
    assert stage(silent) == "answer user"
    assert stage([]) == "answer user"
    assert stage([*silent, call("Read a.py"), *silent]) == "explore code"


FAILED_TEST = call("$ pytest -q", "nonzero", "2 failed")
FAILED_BUILD = call("$ make", "error", "make: *** [all] Error 2")
FAILED_LINT = call("$ ruff check .", "nonzero", "found 2")
FAILED_INSTALL = call("$ pip install a", "error", "No matching distribution")
FAILED_RUN = call("$ python report.py", "error", "KeyError: 'a'")
FAILED_DEPLOY = call("$ kubectl apply -f a", "error", "error: You must be logged in: 401 Unauthorized")
HIDDEN_TEST = call("$ pytest -q | tail -3", "ok", "1 failed, 3 passed")
SILENT_RUN = call("$ python report.py", "error", "")
GOOD_TEST = call("$ pytest -q", "ok", "3 passed")
LOOK = call("Read a.py")

CONTEXT = [
    ([FAILED_TEST], ["Edit a.py"], "fix tests"),
    ([FAILED_BUILD], ["Edit a.c"], "fix build"),
    ([FAILED_LINT], ["Edit a.py"], "fix lint"),
    ([FAILED_INSTALL], ["Edit a.txt"], "fix dependencies"),
    ([FAILED_RUN], ["Edit a.py"], "fix value error"),
    ([SILENT_RUN], ["Edit a.py"], "fix error"),
    ([HIDDEN_TEST], ["Edit a.py"], "fix tests"),
    ([FAILED_TEST, LOOK, LOOK], ["Edit a.py"], "fix tests"),
    # only the three operations before are looked at
    ([FAILED_TEST, LOOK, LOOK, LOOK], ["Edit a.py"], "edit code"),
    # the last exercising operation counts
    ([FAILED_TEST, GOOD_TEST], ["Edit a.py"], "edit code"),
    ([GOOD_TEST, FAILED_RUN], ["Edit a.py"], "fix value error"),
    # a new file is no fix
    ([FAILED_TEST], ["Write a.py"], "create code"),
    ([FAILED_TEST], ["Read a.py"], "diagnose test failure"),
    ([FAILED_RUN], ["Grep src"], "diagnose value error"),
    ([SILENT_RUN], ["Read a.py"], "diagnose failure"),
    ([FAILED_DEPLOY], ["Read a.yml"], "diagnose authentication error"),
    ([GOOD_TEST], ["Read a.py"], "explore code"),
    # operations without a tool do not use up the context
    ([FAILED_TEST, raw("model"), raw("prompt"), raw("model"), raw("note")], ["Edit a.py"], "fix tests"),
]


@pytest.mark.parametrize(("before", "calls", "name"), CONTEXT)
def test_a_failure_before_gives_the_edit_or_look_its_name(
    before: list[object], calls: list[str], name: str
) -> None:
    assert stage([call(text) for text in calls], before) == name  # type: ignore[arg-type]


def test_a_failure_inside_makes_an_edit_a_fix() -> None:
    edits = [call("Edit a.py") for _ in range(3)]
    assert stage([*edits, FAILED_TEST]) == "fix tests"
    assert stage([*edits, FAILED_BUILD]) == "fix build"
    # a failed run inside does not: it may be what the edit was tried with
    assert stage([*edits, FAILED_RUN]) == "edit code"


def test_many_failed_looks_or_runs_are_a_diagnosis() -> None:
    missing = call("$ ls a", "error", "ls: a: No such file or directory")
    good = call("$ ls b")
    assert stage([missing, missing, good, good]) == "diagnose missing file"
    assert stage([missing, missing, good, good, good]) == "explore files"
    assert stage([missing, good]) == "explore files"
    assert stage([FAILED_RUN, FAILED_RUN]) == "diagnose value error"
    assert stage([SILENT_RUN, SILENT_RUN]) == "diagnose failure"


REFUSED = call("$ ssh box true", "nonzero", "Exit code 255\nbox: Permission denied (publickey).")
OTHER_REFUSED = call("$ curl https://box/a", "error", "HTTP 404")


@pytest.mark.parametrize(
    ("calls", "name"),
    [
        # three of one class, a quarter of all: what the segment is about, whatever it tries in between
        ([REFUSED] * 3 + ["Read a.yml"] * 9, "diagnose authentication error"),
        ([REFUSED] * 3 + ["Read a.yml"] * 10, "explore config"),
        ([REFUSED] * 2 + ["Read a.yml"] * 4, "explore config"),
        (["$ curl https://box/a"] * 9 + [REFUSED] * 4, "diagnose authentication error"),
        (
            [REFUSED, REFUSED, OTHER_REFUSED, *["Read a.yml"] * 6],
            "explore config",
        ),
        # what builds or edits something is not called after what went wrong on the way
        (["$ pip install a"] * 6 + [REFUSED] * 3, "install dependencies"),
    ],
)
def test_a_segment_that_keeps_failing_in_one_way_is_a_diagnosis(calls: list[object], name: str) -> None:
    assert stage([call(c) if isinstance(c, str) else c for c in calls]) == name  # type: ignore[arg-type]


SALIENCE = [
    (["explore"] * 3 + ["commit"], "commit"),
    (["explore"] * 4 + ["commit"], "explore"),
    (["explore", "search", "review", "test"], "review"),
    (["explore", "search", "test"], "test"),
    (["explore", "explore", "search", "test"], "explore"),
    (["create", "edit"], "edit"),
    (["create", "create", "edit"], "create"),
    (["plan"] * 20 + ["explore"], "plan"),
    (["plan"] * 10 + ["explore"], "explore"),
    (["build", "serve"], "build"),
    (["nonsense"], "use"),
    ([], "use"),
]


@pytest.mark.parametrize(("verbs", "expected"), SALIENCE)
def test_the_verb_of_a_segment(verbs: list[str], expected: str) -> None:
    assert segment_verb(verbs) == expected


@given(st.lists(st.sampled_from(sorted(LEXICON.verbs)), min_size=1, max_size=7))
def test_the_verb_does_not_depend_on_the_order(verbs: list[str]) -> None:
    expected = segment_verb(verbs)
    for order in itertools.islice(itertools.permutations(verbs), 0, 200, 17):
        assert segment_verb(order) == expected


def test_facts_are_worked_out_where_an_import_set_none() -> None:
    bare = raw(
        "tool", "Bash", fields={"tool": "Bash", "command": "pytest -q"}, status="nonzero", output="1 failed"
    )
    assert stage([call("Edit a.py")], [bare]) == "fix tests"
    assert "verb" not in bare.fields


def test_the_vocabulary_is_closed_and_well_formed() -> None:
    names = vocabulary()
    assert 100 < len(names) < 220
    assert not [name for name in names if not grammar.well_formed(name)]
    for _, name in NAMES:
        assert name in names
    for *_, name in CONTEXT:
        assert name in names


def test_a_name_outside_the_vocabulary_is_refused_without_quoting_it() -> None:
    with pytest.raises(ModelError) as caught:
        grammar.check("edit swordfish", vocabulary())
    assert "swordfish" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "Edit code",
        "edit a/b",
        "edit 3 files",
        "code edit",
        "edit",
        "",
        "edit  code",
        "edit code now and then",
    ],
)
def test_grammar_refuses(name: str) -> None:
    assert grammar.well_formed(name) == (name == "edit")


CALLS = st.one_of(
    st.sampled_from([command for _, command in commands()]).map(lambda command: "$ " + command),
    st.sampled_from(["Read", "Edit", "Write", "Grep"]).flatmap(
        lambda tool: st.text(string.printable, max_size=30).map(lambda path: f"{tool} {path}")
    ),
    st.sampled_from(sorted(LEXICON.tools)),
    st.text(max_size=12),
)
OPERATIONS = st.lists(
    st.builds(
        call,
        CALLS,
        st.sampled_from(["ok", "error", "nonzero", "denied", "running", "unknown"]),
        st.sampled_from(["", "KeyError: a", "1 failed", "bash: a: command not found", "fine"]),
    ),
    max_size=6,
)


@given(OPERATIONS, OPERATIONS)
def test_every_stage_is_in_the_vocabulary_and_the_same_again(segment: list, before: list) -> None:  # type: ignore[type-arg]
    name = stage(segment, before)
    assert name in vocabulary()
    assert stage(segment, before[-3:]) == name
    # nothing else about an operation changes its name
    moved = [replace(o, session="other", index=o.index + 9, id="x" + o.id, started=1) for o in segment]
    assert stage(moved, before) == name


DECLARED = [
    ("Implement the parser", ["Read a.py"], "create code"),
    ("Fix the failing tests", ["Read a.py"], "fix error"),
    ("Look for the config loader", ["Read a.py"], "search code"),
    ("Set up the database", [], "configure system"),
    ("Make sure all tests pass", ["$ pytest"], "verify result"),
    ("Update swordfish handling", ["Edit a.md"], "edit docs"),
    ("Debug the crash", [], "diagnose failure"),
    ("Run the script", [], "run script"),
    ("swordfish", ["Read a.py"], None),
]


@pytest.mark.parametrize(("item", "calls", "name"), DECLARED)
def test_a_plan_item_declares_a_stage(item: str, calls: list[str], name: str | None) -> None:
    assert declared(item, [call(text) for text in calls]) == name
