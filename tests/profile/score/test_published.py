"""Do the two controls that need no method give what was published, and their closed forms on real sets?"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from shared import need
from tracelode.profile.score.partition import cuts
from tracelode.profile.score.tally import figures, tally, total

SETS = {"codetrace": ("gold_stage", 44), "plan-silver": ("groups", 110)}


def test_every_step_of_osworld_human() -> None:
    """287 sessions, 3,978 operations; published for each step its own group: B3 .678, boundary .645.

    Precision is 1 and recall groups / operations, so the B3 figure tells the number of groups, and this the
    boundary figure: the two are those of one counting only if both metrics mean what was published.
    """
    sessions, operations = 287, 3_978
    recall = 0.678 / (2 - 0.678)
    groups = round(recall * operations)
    per, more = divmod(groups, sessions)
    sizes = [operations // sessions + (i < operations % sessions) for i in range(sessions)]
    truths = []
    for i, n in enumerate(sizes):
        count = per + (i < more)
        truths.append([min(place * count // n, count - 1) for place in range(n)])
    assert sum(len(set(truth)) for truth in truths) == groups
    found = figures(total(tally(range(len(truth)), truth) for truth in truths))
    assert found.b3.f1 == pytest.approx(0.678, abs=0.0005)
    assert found.exact.f1 == pytest.approx(0.645, abs=0.001)


def truths(name: str) -> list[list[int]]:
    field, least = SETS[name]
    path: Path = need("data", "segmentation", f"{name}.dev.jsonl.gz")
    held = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            try:
                held.append(json.loads(line)[field])
            except ValueError:  # some lines of the sets are broken on purpose
                continue
    assert len(held) >= least
    return held


@pytest.mark.parametrize("name", SETS)
def test_every_step_its_own_group(name: str) -> None:
    held = truths(name)
    found = figures(total(tally(range(len(truth)), truth) for truth in held))
    operations = sum(map(len, held))
    groups = sum(len(set(truth)) for truth in held)
    true = sum(len(cuts(truth)) for truth in held)
    assert found.b3.precision == pytest.approx(1)
    assert found.b3.recall == pytest.approx(groups / operations)
    assert found.exact.recall == pytest.approx(1)
    assert found.exact.precision == pytest.approx(true / (operations - len(held)))
    assert found.near.recall == pytest.approx(1)


@pytest.mark.parametrize("name", SETS)
def test_one_group(name: str) -> None:
    held = truths(name)
    found = figures(total(tally([0] * len(truth), truth) for truth in held))
    operations = sum(map(len, held))
    # an operation's group is the session: its precision is the share of its stage in it
    mean = sum(sum((truth.count(group) ** 2) for group in set(truth)) / len(truth) for truth in held)
    assert found.b3.precision == pytest.approx(mean / operations)
    assert found.b3.recall == pytest.approx(1)
    assert (found.exact.precision, found.exact.recall, found.exact.f1) == (None, 0.0, 0.0)


def test_blind_cuts_every_few_operations_reach_what_was_published() -> None:
    """Published of CodeTraceBench: blind cuts every 7 or 8 operations reach .67 to .69."""
    held = truths("codetrace")
    for size in (7, 8, 9):
        found = figures(total(tally([i // size for i in range(len(truth))], truth) for truth in held))
        assert found.b3.f1 is not None
        assert 0.65 < found.b3.f1 < 0.70
