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
    (["Glob"], "find files"),
    (["$ find . -name a"], "find files"),
    (["Read a.py", "Read notes"], "explore files"),
    (["Read a.py", "Read b.py", "Read notes"], "explore code"),
    (["Read notes", "Read b", "Read c.py", "Read d"], "explore files"),
    (["$ ls"], "explore files"),
    (["Edit tests/test_a.py"], "edit tests"),
    (["Edit a.unknown"], "edit files"),
    (["Edit a.py", "Edit b.sh", "Edit c.md"], "edit code"),
    (["Edit a.md", "Edit b.md", "Edit c.py"], "edit docs"),
    (["Write a.py", "Edit a.py"], "create code"),
    (["Write a.py", "Edit b.py"], "edit code"),
    (["Read a.py", "Write a.py"], "edit code"),
    (["Write a.py", "Write b.py", "Edit a.py"], "create code"),
    (["Write a"], "create files"),
    (["Write ci/Dockerfile"], "create build file"),
    (["$ diff a.csv b.csv"], "compare data"),
    (["$ pytest -q", "Read a.py"], "test code"),
    (["$ pip install a"], "install dependencies"),
    (["$ make"], "build project"),
    (["$ ruff check ."], "lint code"),
    (["$ which git"], "check tools"),
    (["$ npm --version"], "check tools"),
    (["$ df -h"], "check environment"),
    (["$ df -h", "$ which git"], "check environment"),
    (["$ git add -A", "$ git commit -m x", "$ git status"], "commit changes"),
    (["$ git push"], "push changes"),
    (["$ git status", "$ git diff"], "review changes"),
    (["$ git checkout main"], "sync branch"),
    (["$ gh pr create"], "open pull request"),
    (["$ gh pr view 7"], "review pull request"),
    (["$ git clone url"], "clone repository"),
    (["$ git clone url && cd a && git checkout v1"], "clone repository"),
    (["$ mkdir a"], "manage files"),
    (["$ useradd sam"], "configure system"),
    (["CronCreate"], "configure agent"),
    (["$ docker compose up -d"], "start service"),
    (["$ kill 1"], "stop process"),
    (["$ sleep 5", "BashOutput"], "wait for process"),
    (["Task"], "delegate subtask"),
    (["TodoWrite"], "plan work"),
    (["AskUserQuestion"], "ask user"),
    (["Skill"], "load skill"),
    (["ToolSearch"], "load tools"),
    (["WebSearch", "WebFetch"], "research web"),
    (["$ curl https://example.org/a"], "call endpoint"),
    (["$ ssh box uptime"], "connect host"),
    (["finish"], "report result"),
    (["$ python train.py"], "train model"),
    (["$ sqlite3 a.db"], "query data"),
    (["$ tar xf a.tar"], "extract archive"),
    (["$ ffmpeg -i a b"], "convert files"),
    (["$ strings a"], "inspect binary"),
    (["$ rm a"], "clean files"),
    (["$ python report.py"], "run script"),
    (["$ ./report"], "run program"),
    (["$ python -c 'print(1)'"], "run snippet"),
    (["$ ./report", "$ ./report", "$ python report.py", "$ python -c 'print(1)'"], "run program"),
    (["$ ./a", "$ python a.py", "$ python -c 'print(1)'"], "run code"),
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
EDIT_DENIED = call("Edit a.py", "error", "String to replace not found")

CONTEXT = [
    ([FAILED_TEST], ["Edit a.py"], "fix tests"),
    ([FAILED_BUILD], ["Edit a.c"], "fix build"),
    ([FAILED_LINT], ["Edit a.py"], "fix lint"),
    ([FAILED_INSTALL], ["Edit requirements.txt"], "fix dependencies"),
    ([FAILED_INSTALL], ["Edit a.md"], "edit docs"),
    # after a failed run, the file that the call or its output names, or the same kind of call again
    ([FAILED_RUN], ["Edit src/report.py"], "fix value error"),
    ([FAILED_RUN], ["Edit a.py"], "edit code"),
    ([FAILED_RUN], ["Edit a.py", "$ python b.py"], "fix value error"),
    # of what class it failed is not known, or an edit cannot mend it
    ([SILENT_RUN], ["Edit report.py"], "edit code"),
    ([FAILED_DEPLOY], ["Edit a"], "edit files"),
    ([HIDDEN_TEST], ["Edit a.py"], "fix tests"),
    ([FAILED_TEST, LOOK, LOOK], ["Edit a.py"], "fix tests"),
    # only the three operations before are looked at
    ([FAILED_TEST, LOOK, LOOK, LOOK], ["Edit a.py"], "edit code"),
    # the last exercising operation counts
    ([FAILED_TEST, GOOD_TEST], ["Edit a.py"], "edit code"),
    ([GOOD_TEST, FAILED_RUN], ["Edit report.py"], "fix value error"),
    # an edit that failed mends nothing, a look does not either, a new file is no fix
    ([FAILED_TEST], [EDIT_DENIED], "edit code"),
    ([FAILED_TEST], ["Read a.py"], "diagnose test failure"),
    # the edits must be what the segment is about
    ([FAILED_TEST], ["Edit a.py", "$ git add -A", "$ git push"], "commit changes"),
    ([FAILED_TEST], ["Write a.py"], "create code"),
    ([FAILED_RUN], ["Grep src"], "diagnose value error"),
    ([SILENT_RUN], ["Read a.py"], "explore code"),
    ([FAILED_DEPLOY], ["Read a.yml"], "diagnose authentication error"),
    ([GOOD_TEST], ["Read a.py"], "explore code"),
    # operations without a tool do not use up the context
    ([FAILED_TEST, raw("model"), raw("prompt"), raw("model"), raw("note")], ["Edit a.py"], "fix tests"),
]


@pytest.mark.parametrize(("before", "calls", "name"), CONTEXT)
def test_a_failure_before_gives_the_edit_or_look_its_name(
    before: list[object], calls: list[str], name: str
) -> None:
    segment = [call(text) if isinstance(text, str) else text for text in calls]
    assert stage(segment, before) == name  # type: ignore[arg-type]


def test_a_failure_inside_makes_the_edits_after_it_a_fix() -> None:
    edits = [call("Edit a.py") for _ in range(3)]
    assert stage([FAILED_TEST, *edits]) == "fix tests"
    assert stage([LOOK, FAILED_BUILD, *edits]) == "fix build"
    # what was edited before anything failed was no fix
    assert stage([*edits, FAILED_TEST]) == "edit code"
    assert stage([*edits, FAILED_TEST, call("Edit a.py")]) == "edit code"
    assert stage([*edits[:2], FAILED_TEST, *edits[:2], GOOD_TEST]) == "fix tests"


def test_many_failed_looks_or_runs_are_a_diagnosis() -> None:
    missing = call("$ ls a", "error", "ls: a: No such file or directory")
    good = call("$ ls b")
    assert stage([missing, missing, good, good]) == "diagnose missing file"
    assert stage([missing, missing, good, good, good]) == "explore files"
    assert stage([missing, good]) == "explore files"
    assert stage([FAILED_RUN, FAILED_RUN]) == "diagnose value error"
    # of no known class, and each of another
    assert stage([SILENT_RUN, SILENT_RUN]) == "run script"
    assert stage([FAILED_RUN, missing, LOOK, LOOK]) == "explore code"
    # stopping what has ended already finds nothing out
    gone = call("KillShell", "error", "No such file or directory")
    assert stage([gone, gone]) == "stop process"


REFUSED = call("$ ssh box true", "nonzero", "Exit code 255\nbox: Permission denied (publickey).")
OTHER_REFUSED = call("$ curl https://box/a", "error", "HTTP 404")


@pytest.mark.parametrize(
    ("calls", "name"),
    [
        # three of one class, a quarter of all: what the segment is about, whatever it tries in between
        ([REFUSED] * 3 + ["Read a.yml"] * 9, "diagnose authentication error"),
        ([REFUSED] * 3 + ["Read a.yml"] * 10, "explore config"),
        ([REFUSED] * 2 + ["Read a.yml"] * 4, "explore config"),
        (["$ curl https://box/a"] * 6 + [REFUSED] * 4, "diagnose authentication error"),
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


CARRIED = [
    # a kind of work with half of the calls, or a third where most others only serve it
    (["Edit a.py", "$ ruff check ."], "lint code"),
    (["Edit a.py", "Edit b.py", "$ ruff check ."], "edit code"),
    (["Edit a.py", "Edit b.py", "Read a.py", "Read b.py", "$ make"], "edit code"),
    (["$ git diff", "$ git status", "$ git commit -m x"], "review changes"),
    (["$ git diff", "$ git commit -m x", "$ git push"], "commit changes"),
    # one command among many names nothing
    (["Read a.py"] * 7 + ["$ git push"], "explore code"),
    (["$ tar xf a.tar", "Read a.py", "Read b.py", "Grep src"], "explore code"),
    # two kinds that share it
    (["Edit a.py", "Edit b.py", "$ pytest", "$ ruff check .", "$ make", "Task"], "write and test"),
    (["Write a.py", "Write b.py", "$ ./a", "$ ./a", "$ ./b", "Task", "$ git push"], "write and run"),
    (["Read a.py"] * 3 + ["Edit a.py"] * 2 + ["$ make", "$ which a"], "explore and write"),
    # a mixture
    (["Read a.py"] * 3 + ["Edit a.py"] * 2 + ["$ make", "$ pytest", "$ ./a", "$ git diff"], "develop code"),
    (["$ sqlite3 a", "$ strings a", "Task", "$ ffmpeg a", "WebFetch"], "do mixed work"),
    # waiting and lists of work to do say nothing beside work, and much where there is nothing else
    (["TodoWrite"] * 5 + ["Read a.py"], "explore code"),
    (["$ make", "BashOutput", "BashOutput", "TodoWrite"], "wait for process"),
    (["$ make", "BashOutput", "$ make"], "build project"),
    (["Task", "TaskOutput", "Read a.md", "Task"], "delegate subtask"),
    # a role has more than half of the paths, alone or with those that are like it
    (["Read a.py", "Read b.sh", "Read c.md", "Read d.vue"], "explore code"),
    (["Read a.py", "Read b.md", "Read c.csv"], "explore files"),
    (["Edit Makefile", "Edit package.json", "Edit .github/workflows/a.yml"], "edit config"),
]


@pytest.mark.parametrize(("calls", "name"), CARRIED)
def test_most_calls_carry_the_name(calls: list[str], name: str) -> None:
    assert stage([call(text) for text in calls]) == name
    assert stage([call(text) for text in reversed(calls)]) == name


UPDATED = "The file a.py has been updated. Here is the result"


def test_only_a_new_file_is_created() -> None:
    new = call("Write a.py", "ok", "File created successfully at: a.py")
    old = call("Write a.py", "ok", UPDATED)
    assert stage([new]) == "create code"
    assert stage([old]) == "edit code"
    assert stage([new, old, call("Edit a.py")]) == "create code"
    assert stage([call("Write a.py")], [call("Read a.py")]) == "edit code"
    assert stage([call("Write a.py")], [call("Read b.py")]) == "create code"
    # a look that failed shows that there was nothing
    assert stage([call("Read a.py", "error", "ENOENT"), call("Write a.py")]) == "create code"
    # the shell, which answers nothing
    shell = call("$ cat > a.py <<E\nE")
    assert stage([shell]) == "create code"
    assert stage([call("$ cat a.py"), shell, shell]) == "edit code"


def test_words_about_a_run_count_where_they_can_be_believed() -> None:
    assert stage([call("$ ./game", description="Move north")]) == "run program"
    assert stage([call("$ python explore_maze.py")]) == "run script"
    assert stage([call("$ ./game", description="Test the eastern door")]) == "try program"
    assert stage([call("$ ./totals", description="Verify the totals")]) == "verify result"
    assert stage([call("$ python -c 'print(1)'", description="Look at the table")]) == "run snippet"
    assert stage([call("$ python shrink.py", description="Convert the pictures")]) == "convert files"


def test_failed_attempts_to_open_an_archive_guess_its_password() -> None:
    wrong = call("$ 7z x a.7z -pa", "error", "Wrong password?")
    assert stage([wrong, wrong, wrong]) == "crack password"
    assert stage([wrong, wrong]) == "extract archive"
    assert stage([wrong] * 3 + [call("$ tar xf a.tar")] * 4) == "extract archive"


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
