"""Do a user's own rules cut where they say, and is every mistake in them named with its place?"""

from __future__ import annotations

import pytest

from signals.build import call, raw, session
from tracelode.errors import UsageError
from tracelode.model.operation import Operation
from tracelode.profile.rulebook import LARGEST, PLACES, read
from tracelode.profile.segment.rules import RulesSegmenter

TEST = '[[segment]]\ncommand = "pytest|make test"\nstage = "test code"\n'
PUSH = '[[segment]]\ntool = "^Bash$"\ncommand = "git (commit|push)"\nonly = true\n'


def cut(rules: str, operations: list[Operation]) -> list[tuple[int, str]]:
    """Start and name of each segment."""
    made = RulesSegmenter(rules.encode()).segment(operations)
    made.check(len(operations))
    return [(segment.start, segment.name) for segment in made.segments]


def test_a_run_of_matches_begins_one_segment_that_lasts() -> None:
    operations = session("Read a.py", "$ pytest", "$ make test", "Edit a.py", "$ pytest", "Read b.py")
    # two neighbouring tests are one beginning; an edit between, and a test begins another one
    assert cut(TEST, operations) == [(0, "explore code"), (2, "test code"), (8, "test code")]


def test_only_ends_with_the_run() -> None:
    operations = session("$ git commit -m x", "$ git push", "Read a.py", "Read b.py")
    assert [start for start, _ in cut(PUSH, operations)] == [0, 4]
    assert [start for start, _ in cut(PUSH.replace("only = true\n", ""), operations)] == [0]


def test_the_first_rule_of_the_file_counts() -> None:
    wide = '[[segment]]\ntool = "Bash"\nstage = "run program"\n'
    operations = session("Read a.py", "$ pytest")
    assert cut(TEST + wide, operations)[1] == (2, "test code")
    assert cut(wide + TEST, operations)[1] == (2, "run program")


def test_a_prompt_begins_a_segment_and_a_turn_is_not_split() -> None:
    prompt = raw("prompt", id="p")
    turn = [call("Read a.py"), call("$ pytest"), call("Read b.py")]
    operations = session("Read a.py", prompt, turn, "Read c.py")
    assert [start for start, _ in cut('[[segment]]\nkind = "prompt"\n', operations)] == [0, 2]
    # the test is in the middle of a turn: the segment begins with the turn
    assert [start for start, _ in cut(TEST, operations)] == [0, 3]


def test_a_segment_without_a_tool_call_joins_the_next() -> None:
    rules = '[[segment]]\nkind = "prompt"\n' + TEST
    operations = session(raw("prompt", id="p"), "$ pytest", "Read a.py", raw("prompt", id="q"))
    assert cut(rules, operations) == [(0, "test code")]
    assert cut(rules, session(raw("prompt", id="p"))) == [(0, "answer user")]
    assert cut(rules, []) == []


def test_every_pattern_must_be_found_and_names_are_those_of_the_rule_of_names() -> None:
    rules = '[[segment]]\ntool = "Bash"\ntext = "boom"\nstatus = "error"\n'
    failed = call("$ make", status="error", output="went boom")
    assert [start for start, _ in cut(rules, session("Read a.py", [failed], "Read b.py"))] == [0, 2]
    assert [s for s, _ in cut(rules, session("Read a.py", [call("$ make", output="went boom")]))] == [0]


def test_what_rules_claim_leaves_the_rest_to_others() -> None:
    operations = session("Read a.py", "$ git push", "Read b.py", "$ git push")
    segmenter = RulesSegmenter(PUSH.encode())
    assert [(s.start, s.stop) for s in segmenter.claim(operations)] == [(2, 4), (6, 8)]
    assert segmenter.claim(session("Read a.py")) == []


def test_the_version_is_that_of_the_content() -> None:
    versions = {RulesSegmenter(rules.encode()).version for rules in (TEST, PUSH, TEST)}
    assert len(versions) == 2


def test_without_rules_it_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="run: tracelode segment --rules FILE"):
        RulesSegmenter().claim(session("Read a.py"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"at least one table that begins with \[\[segment\]\]"),
        ("[[segment]]\ncommand = \n", "no valid TOML at line 2, column 11"),
        ("[segment]\ncommand = 'a'", "at least one table"),
        ("[[segment]]\ncommand = 'a'\n[other]\n", "it has 'other'"),
        ("[[segment]]\nonly = true", "rule 1 of the rule file has no pattern"),
        (
            TEST + "[[segment]]\ncomand = 'a'",
            "rule 2 of the rule file: no 'comand' to look at; known: command",
        ),
        ("[[segment]]\ncommand = 3", "rule 1 of the rule file: command takes a regular expression"),
        ("[[segment]]\ncommand = ''", "command takes a regular expression"),
        ("[[segment]]\ncommand = '('", "command is no regular expression of RE2: missing"),
        ("[[segment]]\ncommand = 'a(?=b)'", "no regular expression of RE2"),
        ("[[segment]]\nkind = 'prompts'", "kind matches none of prompt, model, tool"),
        ("[[segment]]\ncommand = 'a'\nonly = 1", "only is true or false"),
        ("[[segment]]\ncommand = 'a'\nstage = 'Test the code'", "closed list of stages, such as test code"),
        ("[[segment]]\ncommand = 'a'\nstage = 'test everything'", "closed list of stages"),
        ("[[segment]]\ncommand = 'a'\nstage = 7", "closed list of stages"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read(text.encode())


def test_no_text_no_rules() -> None:
    with pytest.raises(UsageError, match="not UTF-8"):
        read(b"[[segment]]\ncommand = '\xff'")
    with pytest.raises(UsageError, match="larger than"):
        read(b"#" * (LARGEST + 1))
    with pytest.raises(UsageError, match="at most 1,000"):
        read(b"[[segment]]\ncommand = 'a'\n" * 1001)
    assert len(read(b"\xef\xbb\xbf" + TEST.encode()).rules) == 1


@pytest.mark.parametrize("place", sorted(PLACES))
def test_every_place_can_be_looked_at(place: str) -> None:
    word = {"kind": "prompt", "status": "error", "actor": "human"}.get(place, "quagga")
    rule = read(f'[[segment]]\n{place} = "^{word}$"\n'.encode()).rules[0]
    attributes = {
        key: word for key in ("kind", "status", "actor", "name", "arguments", "output") if key == place
    }
    fields = {} if attributes else {"command" if place == "text" else place: word}
    assert rule.matches(raw(**{"kind": "tool", "fields": fields, **attributes}))
    assert not rule.matches(raw("tool"))
