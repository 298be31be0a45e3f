"""Do our trees say what the training library's say?"""

from __future__ import annotations

import numpy as np
import pytest

from tracelode.profile.learned.trees import Forest, Tree
from tracelode.profile.train import forest
from tracelode.statistics import logistic
from tracelode.statistics.folds import folds


def test_a_tree_by_hand() -> None:
    #      x0 > 1 ?
    #   no: x1 > 5 ?      yes: leaf 2 (30)
    #   no: 10  yes: 20
    tree = Tree([0, 1], [1.0, 5.0], [0b11111100, 0b11111110], [10.0, 20.0, 30.0])
    rows = np.array([[1.0, 5.0], [1.0, 6.0], [2.0, 0.0], [2.0, 9.0]])
    assert Forest([tree]).score(rows).tolist() == [10.0, 20.0, 30.0, 30.0]
    # trees of different size add up; a tree without splits is a constant
    assert Forest([tree, Tree([], [], [], [0.5])]).score(rows).tolist() == [10.5, 20.5, 30.5, 30.5]


def test_no_trees_and_no_rows() -> None:
    assert Forest([]).score(np.zeros((3, 2))).tolist() == [0.0, 0.0, 0.0]
    assert Forest([Tree([0], [0.0], [0b11111110], [1.0, 2.0])]).score(np.zeros((0, 1))).tolist() == []


def test_equal_to_the_training_library() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="the training library is not installed")
    chance = np.random.default_rng(3)
    table = np.round(chance.normal(size=(400, 6)), 2)
    cuts = (table[:, 0] + table[:, 1] * table[:, 2] + chance.normal(size=400) > 0.5).astype(int)
    booster = lightgbm.train({**forest.SETTINGS, "seed": 0}, lightgbm.Dataset(table, cuts), forest.TREES)
    theirs = booster.predict(table, raw_score=True)
    ours = Forest(forest.grown(table, cuts, 0)).score(table)
    # leaves are written with five digits
    assert np.abs(ours - theirs).max() < 1e-4 * forest.TREES * np.abs(theirs).max()
    assert np.corrcoef(ours, theirs)[0, 1] > 0.999999


def test_the_linear_part_is_where_the_slope_is_level() -> None:
    chance = np.random.default_rng(4)
    table = chance.normal(size=(300, 3)) * [1.0, 10.0, 0.1] + 5
    table = np.column_stack([table, np.ones(300)])  # a column that never changes weighs nothing
    cuts = (table[:, 0] + chance.normal(size=300) > 5.5).astype(int)
    plain, constant = logistic.ridge(table, cuts, forest.RIDGE)
    assert plain[3] == 0
    scale = np.where(table.std(0) > 0, table.std(0), np.inf)
    gap = 1 / (1 + np.exp(-(table @ plain + constant))) - cuts
    slope = (table - table.mean(0)).T @ gap / scale + forest.RIDGE * plain * table.std(0)
    assert np.abs(slope).max() < 1e-6
    assert abs(gap.sum()) < 1e-6


def test_folds_keep_a_task_together() -> None:
    tasks = [f"task {i % 11}" for i in range(40)]
    placed = folds(tasks, 5, seed=1)
    assert len({(task, fold) for task, fold in zip(tasks, placed, strict=True)}) == 11
    counts = [placed.count(fold) for fold in range(5)]
    assert max(counts) - min(counts) <= 4
    assert placed == folds(tasks, 5, seed=1)
