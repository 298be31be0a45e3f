"""Are held-out pairs told apart by what differs, and by nothing where nothing does?"""

from __future__ import annotations

import random

import pytest

from tracelode.errors import QueryError
from tracelode.profile.pairs_told import Trial, concordance, dealt, features, told_apart


def made(tasks: int, extra: int, seed: int) -> list[Trial]:
    chance = random.Random(seed)
    found = []
    for task in range(tasks):
        for run in range(4):
            failed = run < 2
            frames = {"edit": chance.randrange(5, 9), "test": chance.randrange(5, 9)}
            frames["retry"] = chance.randrange(1, 3) + (extra if failed else 0)
            found.append(Trial(str(task), failed, frames, 0))
    return found


def test_a_cause_in_every_task_is_found_on_the_others() -> None:
    trials = made(10, 6, 1)
    assert concordance(told_apart(features(trials), trials), trials).value == 1.0


def test_without_a_cause_it_is_about_half() -> None:
    found = []
    for seed in range(20):
        trials = made(10, 0, seed)
        found.append(concordance(told_apart(features(trials), trials), trials).value or 0.0)
    assert 0.4 < sum(found) / len(found) < 0.6


def test_dealing_keeps_every_tasks_failures() -> None:
    trials = made(6, 2, 1)
    shuffled = dealt(trials, random.Random(3))
    assert [t.frames for t in shuffled] == [t.frames for t in trials]
    assert [t.failed for t in shuffled] != [t.failed for t in trials]
    for task in {t.task for t in trials}:
        assert sum(t.failed for t in shuffled if t.task == task) == 2


def test_ties_count_half_and_pairs_are_pooled() -> None:
    trials = [Trial("a", True, {}, 0), Trial("a", False, {}, 0), Trial("a", False, {}, 0)]
    found = concordance([1.0, 1.0, 0.0], trials)
    assert (found.value, found.pairs, found.by_task) == (0.75, 2, {"a": (1.5, 2)})
    assert concordance([1.0], [Trial("a", True, {}, 0)]).value is None


def test_without_pairs_there_is_no_score() -> None:
    with pytest.raises(QueryError, match="no pairs"):
        told_apart([[1.0]], [Trial("a", True, {}, 0)])
