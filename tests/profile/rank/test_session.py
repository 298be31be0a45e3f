"""Scores of one session: signals by hand, shapes, and laws."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.build import call, raw
from tracelode.errors import ModelError
from tracelode.model.operation import Operation
from tracelode.profile.rank.controls import CONTROLS, places, store_controls, trivial
from tracelode.profile.rank.features import PLACE_FEATURES, SHAPE_FEATURES, SHAPES, features, shape
from tracelode.profile.rank.session import scored
from tracelode.profile.rank.signals import WEIGHTS, WORDS, signals
from tracelode.profile.rank.spectrum import spectrum
from tracelode.profile.rank.weights import decoded, shipped


def person(kind: str) -> Operation:
    return raw("prompt", "prompt", actor="human", fields={"human": kind})


def test_signals_by_hand() -> None:
    failing = call("$ pytest", "nonzero", "E assert 1 == 2")
    operations = [
        call("$ grep -c x a.py", "nonzero"),
        failing,
        failing,
        call("Edit a.py"),
        person("interrupt"),
        call("$ rm a.py", "denied"),
        person("prompt"),
        call("Read b.py", stage_declared="test code", stage_observed="edit code"),
    ]
    assert signals(operations).names == [
        ("nonzero",), ("error",), ("error", "retry"), ("corrected",), (), ("corrected",), (), ("deviation",),
    ]  # fmt: skip
    assert set(WEIGHTS) == set(WORDS) - {"poll", "recheck"}


def test_a_failure_outweighs_every_place() -> None:
    quiet = [call(f"Read {n}.py") for n in range(30)]
    for place in (0, 7, 29):
        operations = [*quiet[:place], call("$ make", "error"), *quiet[place + 1 :]]
        scores = scored(operations).scores
        assert max(range(30), key=lambda i: scores[i]) == place


def test_groups_of_failed_sessions_come_first_and_are_said() -> None:
    operations = [call("Read a.py"), call("Read b.py")]
    bad, fine = spectrum(4, 0, 4, 6), spectrum(0, 6, 4, 6)
    found = scored(operations, [bad, fine])
    alone = scored(operations)
    assert found.scores[0] - alone.scores[0] == pytest.approx(1.0)
    assert found.scores[1] == alone.scores[1]
    assert found.reasons[0][0] == "its group is in 4 of 4 failed and 0 of 6 succeeded sessions"


def test_without_succeeded_sessions_groups_do_not_count() -> None:
    operations = [call("Read a.py"), call("Read b.py")]
    assert scored(operations, [spectrum(4, 0, 4, 0)] * 2) == scored(operations)


def test_shapes() -> None:
    talk = [raw("model", name) for name in ("Planner", "Coder")]
    service = [person("prompt"), raw("tool", "book_flight", fields={"tool": "book_flight"})]
    assert shape([]) == shape([call("Read a.py")]) == "work"
    assert shape(talk) == "team"
    models = [raw("model", name, fields={"model": name}) for name in ("m-1", "m-2")]
    assert shape(models) == "work"
    assert shape([raw("model", "m", fields={"trace": "t"})]) == "spans"
    assert shape(service) == "service"
    assert shape([*service, call("$ ls")]) == "work"


def test_people_are_ranked_only_where_they_take_part_in_the_talk() -> None:
    assert scored([person("prompt"), call("Read a.py")]).candidates == [1]
    service = [person("prompt"), raw("tool", "book", fields={"tool": "book"})]
    assert scored(service).candidates == [0, 1]


def test_shipped_weights_are_whole() -> None:
    weights = shipped()
    assert set(weights.shapes) == set(SHAPES)
    assert set(weights.shapes["work"].weights) <= set(PLACE_FEATURES)
    assert all(fitted.licence and fitted.data and fitted.sessions for fitted in weights.shapes.values())


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"not json",
        b'{"version":"1","ridge":1,"shapes":{"x":{"bias":0,"weights":{},"sessions":1,"data":"d","licence":"l"}}}',
        b'{"version":"1","ridge":1,"shapes":{"work":{"bias":0,"weights":{"y":1},"sessions":1,"data":"d",'
        b'"licence":"l"}}}',
    ],
)
def test_broken_weights_are_refused(data: bytes) -> None:
    with pytest.raises(ModelError):
        decoded(data)


hostile = st.text(max_size=30)
operations = st.lists(
    st.builds(
        lambda kind, name, text, out, status: raw(
            kind, name, actor="human" if kind == "prompt" else "agent", arguments=text, output=out,
            status=status, fields={"tool": name} if kind == "tool" else {},
        ),
        st.sampled_from(["tool", "model", "prompt", "note", "subagent"]),
        hostile, hostile, hostile,
        st.sampled_from(["ok", "error", "nonzero", "denied", "unknown"]),
    ),
    max_size=12,
)  # fmt: skip


@given(operations)
def test_scores_are_pure_and_whole(session: list[Operation]) -> None:
    found = scored(session)
    assert found == scored(list(session))
    assert len(found.scores) == len(found.reasons) == len(session)
    assert all(score == score and abs(score) < 1e6 for score in found.scores)
    assert all(len(row) == len(SHAPE_FEATURES) for row in features(session))
    for scores in (found.scores, *trivial(session).values()):
        assert sorted(places(scores)) == list(range(1, len(session) + 1))
    assert set(store_controls(session, [0.0] * len(session))) == set(CONTROLS)


@given(operations)
def test_names_of_sessions_do_not_count(session: list[Operation]) -> None:
    renamed = [msgspec.structs.replace(o, session="other", id=f"x{i}") for i, o in enumerate(session)]
    assert scored(renamed) == scored(session)
