"""Does the learned segmenter keep its promises: nesting, granularity, confidence, strangers, leaks?"""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.build import call, raw, replace, session
from tracelode.errors import ModelError, UsageError
from tracelode.model.operation import Operation
from tracelode.profile.learned import features
from tracelode.profile.learned.features import matrix, readings
from tracelode.profile.learned.model import Model, shifted, shipped, sigmoid
from tracelode.profile.learned.reading import _SENTENCE, CLASS_NAMES, CLASSES
from tracelode.profile.learned.weights import AGENT, PEOPLE, digest, expert_of
from tracelode.profile.segment.learned import LearnedSegmenter
from tracelode.signals.lexicon import load

CALLS = [
    "Read a.py",
    "Read b.md",
    "Grep src",
    "Edit a.py",
    "Write b.py",
    "$ pytest",
    "$ git push",
    "$ ls -la",
]
SESSIONS = st.lists(st.sampled_from(CALLS), min_size=1, max_size=60)


def cuts(operations: list[Operation], level: int = 1, **options: object) -> list[int]:
    made = LearnedSegmenter(**options).segment(operations)  # type: ignore[arg-type]
    return [s.start for s in made.segments if s.level == level and s.start]


@given(SESSIONS)
@settings(deadline=None, max_examples=40)
def test_coarse_cuts_are_fine_cuts_and_have_a_confidence(calls: list[str]) -> None:
    operations = session(*calls)
    made = LearnedSegmenter().segment(operations)
    made.check(len(operations))
    assert {s.level for s in made.segments} == {0, 1}
    for segment in made.segments:
        assert (segment.confidence is None) == (segment.start == 0)
        assert segment.confidence is None or 0 <= segment.confidence <= 1


@given(SESSIONS)
@settings(deadline=None, max_examples=40)
def test_every_feature_is_a_number_for_every_turn(calls: list[str]) -> None:
    rows = readings(session(*calls))
    names, table = matrix(rows)
    assert names == shipped().weights.features
    assert table.shape == (len(rows), len(names))
    assert np.isfinite(table).all()
    assert (np.round(table, 4) == table).all()


def test_more_granularity_more_cuts() -> None:
    operations = session(*(CALLS[i * i % 8] for i in range(120)))
    counts = [len(cuts(operations, granularity=g)) for g in (0.05, 0.3, 1.0, 3.0, 30.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert len({LearnedSegmenter(granularity=g).version for g in (0.5, 1.0)}) == 2


def test_one_level_is_the_fine_one() -> None:
    operations = session(*(CALLS[i * i % 8] for i in range(60)))
    assert cuts(operations, 0, levels=1) == cuts(operations, 1)


@pytest.mark.parametrize(
    "options",
    [
        {"granularity": 0.0}, {"granularity": float("nan")}, {"granularity": float("inf")}, {"shrink": 1.5},
        {"shrink": -0.1}, {"levels": 3}, {"expert": "nobody"},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        LearnedSegmenter(**options)  # type: ignore[arg-type]


def test_time_and_keys_do_not_matter() -> None:
    operations = session(*(CALLS[i * i % 8] for i in range(60)))
    moved = [replace(op, started=(i * 7_919) % 1_000, ended=None) for i, op in enumerate(operations)]
    renamed = [msgspec.structs.replace(op, session="another") for op in operations]
    assert cuts(operations) == cuts(moved) == cuts(renamed)


def test_words_about_a_to_do_list_are_not_read() -> None:
    told = "Let me update the todo list. Now I write the parser."
    turn = raw("model", id="m", output=told)
    [reading] = readings(session(turn, call("Write b.py", call="m")))
    assert "parser" in reading.said
    assert not {"todo", "list", "update"} & set(reading.said)


def test_the_rate_of_a_stranger_is_drawn_to_that_of_the_labelled() -> None:
    logits = np.array([-4.0, -3.5, -2.0, -5.0])
    own = sigmoid(logits).mean()
    for share in (0.25, 0.5, 1.0):
        moved = shifted(logits, share, 0.2)
        assert sigmoid(moved).mean() == pytest.approx((1 - share) * own + share * 0.2, abs=1e-5)
        assert (np.diff(moved) == pytest.approx(np.diff(logits))) is True
    assert shifted(logits, 0.0, 0.2) is logits


def test_who_is_asked() -> None:
    assert expert_of(["Bash", "x"]) == AGENT
    assert expert_of(["bash", "str_replace_editor"]) == expert_of([]) == PEOPLE


def test_weights_of_other_features_are_refused() -> None:
    weights = msgspec.structs.replace(shipped().weights, features=["x"])
    with pytest.raises(ModelError):
        Model(weights).chances(readings(session("Read a.py", "$ pytest")), PEOPLE)


def test_every_verb_has_a_class() -> None:
    assert set(CLASSES) <= set(load().verbs)
    assert set(load().verbs) - set(CLASSES) == {"use"}
    assert len(CLASS_NAMES) == len(set(CLASS_NAMES))


def test_the_weights_say_nothing_of_the_data() -> None:
    weights = shipped().weights
    # names of features are ours; of the sessions only digests are kept
    assert all(len(one) == 8 and not set(one) - set("0123456789abcdef") for one in weights.trained)
    assert digest("a") != digest("b")
    assert set(weights.experts) == {PEOPLE, AGENT}


def test_work_grows_with_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is compared with a fixed number of others, however long the session is."""
    compared = []
    real = features._overlap

    def counted(one: object, other: object) -> float:
        compared.append(1)
        return real(one, other)

    monkeypatch.setattr(features, "_overlap", counted)
    counts = []
    for n in (200, 400):
        compared.clear()
        matrix(readings(session(*(CALLS[i * i % 8] for i in range(n)))))
        counts.append(len(compared) / n)
    assert counts[1] < counts[0] * 1.05


@given(st.text(alphabet="ab .!?\n:tod-", max_size=60))
def test_sentences_cover_what_was_said(text: str) -> None:
    assert "".join(_SENTENCE.findall(text)) == text
    turn = raw("model", id="m", output=text)
    [reading] = readings(session(turn, call("Write b.py", call="m")))
    assert "todo" not in " ".join(reading.said)
    if "todo" not in text and "to-do" not in text:
        assert reading.spoken == len(text.strip())
