"""Are figures of training those of sessions that were not learned from, and is chance told from skill?"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from signals.build import session
from tracelode.errors import MissingExtra
from tracelode.model.training import Lift
from tracelode.profile.score.partition import from_cuts
from tracelode.profile.train import forest
from tracelode.profile.train.examples import Chances, Example, examples, firsts
from tracelode.profile.train.labelled import Labelled
from tracelode.profile.train.pairs import BayesTrainer
from tracelode.profile.train.trial import FOLDS, Trial, lacking, out_of_fold, trainer_of, trial
from tracelode.statistics.folds import folds

LOOK, CHANGE = ["Read a.py", "Grep src", "Read b.py"], ["Edit a.py", "Edit b.py", "$ pytest"]


def skilled(number: int, chance: random.Random) -> Labelled:
    """A session in which a stage ends wherever looking turns into changing or back."""
    calls: list[str] = []
    cuts: list[int] = []
    for stage in range(8):
        if calls:
            cuts.append(len(calls))
        kind = (LOOK, CHANGE)[stage % 2]
        calls += [chance.choice(kind) for _ in range(chance.randint(2, 7))]
    return _session(number, calls, cuts)


def blind(number: int, chance: random.Random) -> Labelled:
    """A session whose stages begin anywhere."""
    calls = [chance.choice(LOOK + CHANGE) for _ in range(40)]
    return _session(number, calls, sorted(chance.sample(range(1, 40), 7)))


def _session(number: int, calls: Sequence[str], cuts: Sequence[int]) -> Labelled:
    operations = session(*calls)
    places = [i for i, operation in enumerate(operations) if operation.kind == "tool"]
    return Labelled(f"s{number}", f"task {number % 7}", operations, places, from_cuts(cuts, len(calls)))


def many(kind: Any, n: int = 20) -> list[Labelled]:
    chance = random.Random(5)
    return [kind(number, chance) for number in range(n)]


class Spy:
    """A trainer that writes down what it learned from and what it was asked."""

    name = "spy"

    def __init__(self) -> None:
        self.rounds: list[tuple[set[int], list[int]]] = []
        self._made = 0

    def prepare(self, rows: Sequence[Any]) -> Any:
        self._made += 1
        return self._made, len(rows)

    def fit(self, given: Sequence[Example], seed: int = 0) -> Chances:
        asked: list[int] = []
        self.rounds.append(({one.given[0] for one in given}, asked))

        def chances(row: Any) -> Any:
            asked.append(row[0])
            return np.zeros(row[1])

        return chances

    def keep(self, given: Sequence[Example]) -> tuple[bytes, str]:
        return b"", ""


def test_nothing_is_scored_that_was_learned_from() -> None:
    spy = Spy()
    given = examples(spy, many(blind))
    task = {one.given[0]: one.session.task for one in given}
    assert len(task) == len(given)
    tallies = out_of_fold(spy, given, shuffles=2)
    assert len(spy.rounds) == 2 * FOLDS
    for learned, asked in spy.rounds:
        assert not {task[key] for key in learned} & {task[key] for key in asked}
    for rounds in (spy.rounds[:FOLDS], spy.rounds[FOLDS:]):
        assert sorted(key for _, asked in rounds for key in asked) == sorted(task)
    # nobody cut anything
    assert {tally.predicted for tally in tallies} == {0}
    assert [tally.true for tally in tallies] == [7] * len(given)


def test_skill_is_told_from_chance() -> None:
    trainer = BayesTrainer()
    good = trial(trainer, examples(trainer, many(skilled)), times=200)
    assert good.better
    assert good.rows[0].method == "bayes, out of fold"
    assert (good.rows[0].boundary or 0) > 0.8
    assert good.b3.interval is not None
    assert good.b3.interval[0] <= (good.b3.value or 0) <= good.b3.interval[1]
    none = trial(trainer, examples(trainer, many(blind)), times=200)
    assert not none.better


@pytest.mark.parametrize("bounds", [None, (0.0, 0.1), (-0.1, 0.2)])
def test_a_gain_that_chance_may_give_is_none(bounds: tuple[float, float] | None) -> None:
    sure, unsure = Lift(value=0.1, interval=(0.01, 0.2)), Lift(value=0.1, interval=bounds)
    assert Trial((), sure, sure).better
    assert not Trial((), sure, unsure).better
    assert not Trial((), unsure, sure).better


def test_too_few_labels() -> None:
    enough = many(skilled, 10)
    assert lacking(enough) == ""
    assert "there are 9 of 7" in lacking(enough[:9])
    assert "of 1 with" in lacking([one._replace(task="t") for one in enough])
    assert "with 0" in lacking([one._replace(truth=[0] * len(one.truth)) for one in enough])
    assert lacking([]).endswith("there are 0 of 0 with 0")


def test_turns_and_their_labelled_operations() -> None:
    assert firsts([0, 3, 6], [1, 2, 4, 7]) == [0, 2, 3]
    # turns after the last labelled operation have none
    assert firsts([0, 3, 6], [1, 4]) == [0, 1]
    [one] = examples(Spy(), [_session(0, ["Read a.py", "Edit a.py", "Edit a.py"], [1])])
    assert (one.first, one.cuts) == ([0, 1, 2], [0, 1, 0])


def test_folds_are_filled_and_few_tasks_leave_some_empty() -> None:
    assert set(folds(["a", "b"], 5, 0)) == {0, 1}
    assert folds([], 5, 0) == []


def test_a_trainer_of_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trainer_of("bayes").name == "bayes"
    with pytest.raises(KeyError):
        trainer_of("phase")
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(
        MissingExtra, match=r"lightgbm is not installed; run: pip install 'tracelode\[train\]'"
    ):
        trainer_of("learned")


def test_the_same_labels_give_the_same_counts() -> None:
    trainer = BayesTrainer()
    given = examples(trainer, many(skilled))
    content, version = trainer.keep(given)
    assert trainer.keep(given) == (content, version)
    assert trainer.keep(given[1:])[1] != version


def test_the_same_labels_give_the_same_weights() -> None:
    pytest.importorskip("lightgbm", reason="the training library is not installed")
    trainer = forest.LearnedTrainer()
    given = examples(trainer, many(skilled))
    content, version = trainer.keep(given)
    assert trainer.keep(given) == (content, version)
    assert b"a.py" not in content
    assert trial(trainer, given, times=100).better
