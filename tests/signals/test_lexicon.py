"""Is the lexicon closed, quick to load, and extendable without opening?"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tracelode.errors import UsageError
from tracelode.signals import lexicon as module
from tracelode.signals.lexicon import load
from tracelode.signals.shell import command_verb, first_word
from tracelode.signals.tools import operation_verb


def test_loading_is_cheap() -> None:
    times = []
    for _ in range(5):
        module._load.cache_clear()
        start = time.process_time()
        found = load()
        for patterns in (found.roles, found.failures, found.failures_alone, found.snippets, found.asks):
            patterns.first("a")
        times.append(time.process_time() - start)
    assert min(times) < 0.015


def test_the_same_content_is_the_same_object(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[[verb]]\nname = "test"\ncommands = "frobtest"\n')
    assert load() is load()
    assert load(file) is load(file)
    assert load(file) is not load()


def test_every_reference_names_a_known_verb() -> None:
    lexicon = load()
    verbs = set(lexicon.verbs)
    tables = (lexicon.tools, lexicon.commands, lexicon.scripts, lexicon.stems, lexicon.says, lexicon.modules)
    for table in tables:
        assert set(table.values()) <= verbs
    assert {verb for _, verb in lexicon.tool_words} <= verbs
    assert {verb.removeprefix("?") for verb in lexicon.pairs.values()} - {""} <= verbs
    assert set(lexicon.snippets.names) <= verbs
    for table in lexicon.subcommands.values():
        assert {*table.verbs.values(), table.default} <= verbs
    for name in ("settles", "ambiguous"):
        assert lexicon.words[name] <= verbs


def test_the_verbs_of_a_shell_have_a_rank_of_their_own() -> None:
    lexicon = load()
    order = (
        "pull push deploy commit test train sync build lint install clone download edit create serve run "
        "convert extract request query inspectpr review inspect compare manage clean stop search check wait "
        "explore note"
    )
    ranks = [lexicon.verbs[verb].priority for verb in order.split()]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)


def test_the_version_names_the_content(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[[verb]]\nname = "test"\ncommands = "frobtest"\n')
    first = load(file).version
    file.write_text('[[verb]]\nname = "test"\ncommands = "frobtests"\n')
    assert len({load().version, first, load(file).version}) == 3
    assert load().version.startswith("2+")


def test_a_file_of_the_user_adds_words(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('[[verb]]\nname = "deploy"\ntools = "ShipIt"\ncommands = "shipctl ls"\n')
    own = load(file)
    assert command_verb("shipctl all", own) == "deploy"
    assert first_word("shipctl all", own) == "shipctl"
    assert command_verb("ls", own) == "deploy"
    assert operation_verb("shipit", lexicon=own) == "deploy"
    # the built-in words do not change
    assert command_verb("shipctl all") == "run"
    assert command_verb("ls") == "explore"
    assert set(own.verbs) == set(load().verbs)


@pytest.mark.parametrize(
    "content",
    [
        '[[verb]]\nname = "swordfish"\ncommands = "a"\n',
        '[[verb]]\nname = "test"\nstage = "swordfish"\n',
        '[stages]\nno_tool = "swordfish"\n',
        'verb = "swordfish"\n',
        'verb = ["swordfish"]\n',
        "swordfish = = 1",
        '[[verb]]\ncommands = "swordfish"\n',
    ],
)
def test_a_file_cannot_open_the_vocabulary(tmp_path: Path, content: str) -> None:
    file = tmp_path / "a.toml"
    file.write_text(content)
    with pytest.raises(UsageError) as caught:
        load(file)
    assert "swordfish" not in str(caught.value)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "none.toml")
