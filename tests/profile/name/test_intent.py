"""Does a session get one of the twenty intents?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, raw
from tracelode.profile.name import grammar
from tracelode.profile.name.intent import intent, vocabulary

ROWS = [
    # nothing edited
    (["Read a.py", "Grep src"], "How does it work?", "understand code"),
    ([], "Hello", "understand code"),
    (["Read a.py"], "Please review the last change", "review changes"),
    (["$ git diff", "$ gh pr view 7", "Read a.py"], "Have a look", "review changes"),
    (["$ git status", "$ git diff", "$ git commit -m x", "$ git push"], "Go on", "ship changes"),
    (["$ git checkout main", "$ git pull", "Read a.py"], "Go on", "ship changes"),
    (["$ pip install a", "$ docker compose up -d", "Read a.md"], "Go on", "set up environment"),
    (["$ pytest -q", "$ make", "Read a.py"], "Go on", "run checks"),
    # most edits have one role
    (["Edit a.md", "Edit docs/b", "Read c.py"], "Go on", "change docs"),
    (["Edit a.yml"], "Fix it", "change config"),
    (["Edit .github/workflows/a.yml"], "Go on", "change ci"),
    (["Edit pyproject.toml"], "Go on", "change dependencies"),
    (["Write Dockerfile"], "Go on", "change build file"),
    (["Write a.csv"], "Go on", "change data"),
    (["Write a.html", "Edit a.css"], "Go on", "change web page"),
    (["Write plans/a.md"], "Go on", "plan work"),
    (["Edit tests/test_a.py"], "More cases", "write tests"),
    (["Edit tests/test_a.py"], "The test is broken", "fix bug"),
    # one file edited often is one file
    (["Edit a.md", "Edit a.md", "Edit a.md", "Edit b.py", "Edit c.py"], "Go on", "change code"),
    # else the prompt decides
    (["Edit a.py"], "The login is broken\nadd nothing", "fix bug"),
    (["Edit a.py"], "Fix the crash and add a test", "fix bug"),
    (["Edit a.py"], "Add a dark mode", "add feature"),
    (["Edit a.py"], "Implement the parser", "add feature"),
    (["Edit a.py"], "Rename the class", "refactor code"),
    (["Edit a.py"], "Go on\nfix it", "change code"),
    (["Edit a.py"], "<ide_opened_file>fix.py</ide_opened_file>Add a flag", "add feature"),
    (["Edit a.py"], "```\nfix\n```\nAdd a flag", "add feature"),
    (["Edit a.py"], "", "change code"),
    # deployments and training runs
    (["$ kubectl apply -f a", "Edit a.yml", "$ ls"], "Go on", "deploy service"),
    (["Read a.yml"], "Deploy the shop to staging", "deploy service"),
    (["Edit deploy.py"], "Fix the deploy script", "fix bug"),
    (["$ python train.py", "Edit a.py", "Read b.py"], "Go on", "train model"),
    (["Read a.py"], "Train a small classifier", "train model"),
]


@pytest.mark.parametrize(("calls", "prompt", "expected"), ROWS)
def test_an_intent(calls: list[str], prompt: str, expected: str) -> None:
    operations = [raw("prompt"), *(call(text) for text in calls), raw("model")]
    assert intent(operations, prompt) == expected


def test_all_twenty_have_a_row() -> None:
    assert {expected for *_, expected in ROWS} == vocabulary()
    assert len(vocabulary()) == 20
    assert all(grammar.well_formed(name) for name in vocabulary())


@given(
    st.text(max_size=80),
    st.lists(st.sampled_from(["Read a.py", "Edit b.md", "$ git push", "Task"]), max_size=5),
)
def test_every_intent_is_in_the_vocabulary(prompt: str, calls: list[str]) -> None:
    assert intent([call(text) for text in calls], prompt) in vocabulary()
