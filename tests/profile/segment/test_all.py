"""Do all segmenters keep the promises of their port?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutters import NAMES, made
from signals.build import call, raw, session
from tracelode import registry
from tracelode.errors import UsageError
from tracelode.profile.label import label
from tracelode.profile.name.stage import is_evidence, vocabulary
from tracelode.profile.turns import turns

CALLS = ["Read a.py", "Grep src", "Edit a.py", "Write b.py", "$ pytest", "$ git push"]

TURNS = st.lists(
    st.one_of(
        st.sampled_from(CALLS),
        st.lists(st.sampled_from(CALLS), max_size=3).map(lambda row: [call(x) for x in row]),
        st.sampled_from(["prompt", "note", "model"]).map(lambda kind: raw(kind, id=kind)),
        st.sampled_from(CALLS).map(call),
    ),
    max_size=40,
)


@pytest.mark.parametrize("name", NAMES)
@given(built=TURNS)
@settings(deadline=None, max_examples=60)
def test_the_laws_of_a_segmentation(name: str, built: list) -> None:  # type: ignore[type-arg]
    operations = session(*built)
    segmenter = made(name)
    segmentation, names = label(operations, segmenter)[:2]
    segmentation.check(len(operations))
    assert (segmentation.segmenter, bool(segmentation.version)) == (name, True)
    assert len(names) == len(operations)
    assert set(names) <= vocabulary()
    # a pure function of the session
    assert segmenter.segment(list(operations)) == segmentation
    leaf = max((s.level for s in segmentation.segments), default=0)
    leaves = [s for s in segmentation.segments if s.level == leaf]
    for segment in leaves:
        assert any(map(is_evidence, operations[segment.start : segment.stop])) or len(leaves) == 1
    # a turn is never split
    assert {s.start for s in leaves} - {0} <= {turn.start for turn in turns(operations)}


SCRIPT = """
from cutters import NAMES, made
from signals.build import session
from tracelode.profile.label import label
letters = {"l": "Read a.py", "d": "Read a.md", "s": "Grep src", "e": "Edit a.py", "x": "Edit b.md"}
letters["t"] = "$ pytest"
for name in NAMES:
    print(label(session(*(letters[x] for x in "ldsldslexexexttelldsexx" * 3)), made(name)))
"""


def test_the_hash_seed_does_not_matter() -> None:
    outputs = set()
    for seed in ("0", "1", "2", "7"):
        path = os.pathsep.join(
            [os.path.dirname(sys.modules["signals.build"].__file__ or "") + "/..", *sys.path]
        )
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert "Segment(" in outputs.pop()


def test_what_needs_something_says_so() -> None:
    for name in NAMES:
        segmenter = registry.load("segmenters", name)
        if missing := getattr(segmenter, "missing", ""):
            with pytest.raises(UsageError, match=missing):
                segmenter.segment(session("Read a.py"))
