"""Is every microsecond of a span spent on exactly one thing?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracelode.ingest.timeline import Mark, Piece, pack, pieces_of, sweep, unpack
from tracelode.model.ports import Tick

S = 1_000_000


def spent(*threads: list[Mark]) -> dict[str, int]:
    total: dict[str, int] = {}
    for times in sweep([pieces_of(t) for t in threads]).values():
        for name, amount in times.items():
            total[name] = total.get(name, 0) + amount
    return total


def test_the_five_kinds() -> None:
    marks = [
        Mark(0, 2, 0),
        Mark(4 * S, 1, 1, opens=(2,)),
        Mark(9 * S, 3, 2, closes=(2,)),
        Mark(10 * S, 0, 3),
        Mark(400 * S, 0, 3),
        Mark(401 * S, 1, 4),
        Mark(1000 * S, 2, 5),
    ]
    assert spent(marks) == {
        "time.model": 5 * S,
        "time.tool": 5 * S,
        "time.unknown": 1 * S,
        "time.idle": 390 * S + 299 * S,
        "time.blocked": 300 * S,
    }


def test_two_tools_at_once_share() -> None:
    marks = [
        Mark(0, 1, 0, opens=(1, 2)),
        Mark(2 * S, 3, 1, closes=(1,)),
        Mark(7, 3, 1),
        Mark(3 * S, 3, 2, closes=(2,)),
    ]
    shares = sweep([pieces_of(marks)])
    assert shares[(0, 1)] == {"time.tool": 1 * S}
    assert shares[(0, 2)] == {"time.tool": 2 * S}


def test_a_sub_agent_takes_its_parents_waiting_tools_place() -> None:
    parent = [Mark(0, 1, 0, opens=(1,)), Mark(10 * S, 3, 1, closes=(1,))]
    child = [Mark(2 * S, 0, 0), Mark(9 * S, 1, 1)]
    pieces = [pieces_of(parent, covered={1: [(2 * S, 9 * S)]}), pieces_of(child)]
    shares = sweep(pieces)
    assert shares == {(0, 1): {"time.tool": 3 * S}, (1, 1): {"time.model": 7 * S}}


def test_a_background_agent_halves_the_time_with_its_parent() -> None:
    parent = [Mark(0, 1, 0), Mark(10 * S, 1, 1)]
    child = [Mark(0, 0, 0), Mark(10 * S, 1, 1)]
    shares = sweep([pieces_of(parent), pieces_of(child)])
    assert shares == {(0, 1): {"time.model": 5 * S}, (1, 1): {"time.model": 5 * S}}


def test_waiting_for_another_session_of_the_family_is_idle_only_where_none_works() -> None:
    parent = [Mark(0, 1, 0), Mark(10 * S, 4, 1), Mark(14 * S, 1, 2)]
    child = [Mark(2 * S, 0, 0), Mark(9 * S, 1, 1)]
    shares = sweep([pieces_of(parent), pieces_of(child)])
    assert shares == {
        (0, 1): {"time.idle": 3 * S},
        (0, 2): {"time.model": 4 * S},
        (1, 1): {"time.model": 7 * S},
    }


moments = st.integers(0, 10**9)


@st.composite
def threads(draw: st.DrawFn) -> list[Mark]:
    marks = []
    running: list[int] = []
    for place in range(draw(st.integers(0, 25))):
        opens = (place,) if draw(st.booleans()) else ()
        closes = ()
        if running and draw(st.booleans()):
            closes = (running.pop(draw(st.integers(0, len(running) - 1))),)
        running.extend(opens)
        own = draw(st.none() | st.integers(0, 10**8)) if closes else None
        marks.append(Mark(draw(moments), draw(st.integers(0, 4)), place, opens, closes, own))
    return marks


@given(threads())
def test_pieces_partition_the_span(marks: list[Mark]) -> None:
    pieces = pieces_of(marks)
    at = marks[0].at if marks else 0
    for piece in pieces:
        assert piece.start == at
        assert piece.stop > piece.start
        assert piece.charges
        at = piece.stop
    assert at == (max([m.at for m in marks if m.at >= marks[0].at]) if marks else 0)


@given(st.lists(threads(), max_size=4))
def test_the_parts_sum_to_the_span(family: list[list[Mark]]) -> None:
    given_pieces = [pieces_of(marks) for marks in family]
    covered: list[tuple[int, int]] = sorted((p.start, p.stop) for pieces in given_pieces for p in pieces)
    span, end = 0, -1
    for start, stop in covered:
        span += max(0, stop - max(start, end))
        end = max(end, stop)
    assert sum(sum(times.values()) for times in sweep(given_pieces).values()) == span


@given(threads())
def test_marks_survive_storage(marks: list[Mark]) -> None:
    assert unpack(pack(marks)) == marks


def test_names_of_the_ends_are_those_of_ticks() -> None:
    assert Tick(0, "model", None).ends == "model"
    assert Piece(0, 1, ()).stop == 1
