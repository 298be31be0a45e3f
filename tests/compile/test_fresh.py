"""Is it learned until when a copied value holds, wherever all runs tell it in one form, and nowhere else?"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from compile import fixtures
from compile.emitting import bookings
from tracelode.compile.align import align
from tracelode.compile.assemble import steps_of
from tracelode.compile.bind import bind
from tracelode.compile.control import control
from tracelode.compile.denoise import denoise
from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.execute.sound import problems
from tracelode.compile.execute.start import identity
from tracelode.compile.files import load
from tracelode.compile.gate import gate
from tracelode.compile.lasting import SECOND, held, kind_of, until
from tracelode.compile.sealing import digest, sealed
from tracelode.compile.work import Work
from tracelode.errors import EditedWorkflow
from tracelode.model import binding as b
from tracelode.model.workflow import Fresh, Step
from tracelode.workspace.compiling_words import explained

SPRING = 1_772_359_200 * SECOND
"""2026-03-01T10:00:00Z."""


def steps(work: Work) -> tuple[Step, ...]:
    for one in (gate, denoise, align, evidence, effects, bind, control):
        work = one(work)
    return steps_of(work)


def told(work: Work) -> str:
    return "\n".join(
        f"{step.slot} {one.step} {one.kind}{' always' if one.always else ''} "
        f"{msgspec.json.encode(one.value).decode()}"
        for step in steps(work)
        for one in step.fresh
    )


@pytest.mark.parametrize("case", fixtures.cases("fresh"))
def test_what_tells_an_expiry(case: fixtures.Case) -> None:
    assert told(case.work()) == case.expected


def timed(values: list[Any], start: int | None = SPRING) -> str:
    """What is learned where get_quote tells these values as `exp`, its calls a second long."""
    case = fixtures.case(fixtures.FOLDER / "fresh" / "seconds.txt")
    runs = []
    for run, value in zip(case.runs, values, strict=True):
        quote, order = run.calls
        output = {"id": quote.output["quote"]["id"], "exp": value}
        ended = None if start is None else start + SECOND
        runs.append(
            replace_calls(
                run, (msgspec.structs.replace(quote, output=output, started=start, ended=ended), order)
            )
        )
    return told(fixtures.work(runs))


def replace_calls(run: Any, calls: Any) -> Any:
    return msgspec.structs.replace(run, calls=calls)


LATER = SPRING // SECOND + 60


@pytest.mark.parametrize(
    ("values", "start", "learned"),
    [
        ([LATER + n for n in range(5)], SPRING, True),
        ([(LATER + n) * 1_000 for n in range(5)], SPRING, True),
        ([float(LATER + n) + 0.5 for n in range(5)], SPRING, True),
        ([LATER + n for n in range(5)], None, False),
        ([LATER + n for n in range(4)] + [(LATER + 9) * 1_000], SPRING, False),
        ([LATER + n for n in range(4)] + [SPRING // SECOND], SPRING, False),
        ([LATER + n for n in range(4)] + [900], SPRING, False),
        ([f"2026-03-01T11:00:0{n}+01:00" for n in range(5)], SPRING, False),
        ([f"2026-03-01T11:00:1{n}+01:00" for n in range(5)], SPRING, True),
        ([f"2026-03-01T10:00:0{n}" for n in range(5)], SPRING, True),
        (["2026-02-27"] * 5, SPRING, False),
        (["2026-03-01"] * 5, SPRING, True),
        (["2026-02-30T10:00:00Z"] * 5, SPRING, False),
        (["soon"] * 5, SPRING, False),
        ([True] * 5, SPRING, False),
        ([[LATER]] * 5, SPRING, False),
        ([None] * 5, SPRING, False),
    ],
)
def test_a_moment_lies_after_its_call(values: list[Any], start: int | None, learned: bool) -> None:
    assert bool(timed(values, start)) == learned


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("expires_in", "seconds"),
        ("expiresIn", "seconds"),
        ("Max-Age", "seconds"),
        ("ttlSeconds", "seconds"),
        ("TTL_ms", "milliseconds"),
        ("expires_at", "moment"),
        ("validUntil", "moment"),
        ("valid_to", "moment"),
        ("not_after", "moment"),
        ("expirationDate", "moment"),
        ("refresh_token_expires_in", ""),
        ("expires_in_minutes", ""),
        ("experience", ""),
        ("created_at", ""),
        ("", ""),
    ],
)
def test_names_of_fields(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("kind", "value", "end"),
    [
        ("seconds", 60, SPRING + 60 * SECOND),
        ("milliseconds", 1_500, SPRING + 1_500_000),
        ("moment", "2026-03-01T10:00:00Z", SPRING),
        ("moment", "2026-03-01 11:00:00.000+0100", SPRING),
        ("moment", "2026-02-28T22:00:00", SPRING),
        ("moment", "2026-02-27", SPRING - 22 * 3_600 * SECOND),
        ("moment", SPRING // SECOND, SPRING),
        ("moment", SPRING // 1_000, SPRING),
        ("moment", "9999-12-31T23:59:59Z", 253_402_300_799 * SECOND),
        ("seconds", 0, None),
        ("seconds", 10**12, None),
        ("seconds", "60", None),
        ("moment", 900, None),
        ("moment", float("inf"), None),
        ("moment", "never", None),
        ("moment", {}, None),
    ],
)
def test_the_end_of_what_a_value_tells(kind: str, value: Any, end: int | None) -> None:
    assert until(kind, value, SPRING) == end
    if end is not None:
        assert held(kind, value, SPRING, end) == (True, "")
        assert held(kind, value, SPRING, end + 3 * 86_400 * SECOND) == (False, "it ran out 3 days ago")
    else:
        assert held(kind, value, SPRING, SPRING)[0] is None


def test_a_clock_that_went_back_and_a_beginning_that_nobody_noted_tell_nothing() -> None:
    assert held("seconds", 60, SPRING, SPRING - 1)[0] is None
    assert held("seconds", 60, None, SPRING)[0] is None
    assert held("moment", "2026-03-01T10:00:00Z", None, SPRING - 1) == (True, "")


def test_a_workflow_of_before_keeps_its_digest(tmp_path: Any) -> None:
    """The figure is the one that the code gave before a step could be fresh."""
    work = bookings()
    assert digest(work) == identity(work) == "f1c91bbf31380629aa35a8994ec240bb"
    limit = Fresh("get_offer#1", b.Copy("get_offer#1", "offer.ttl"), "seconds")
    held_ = bookings(steps=(*work.steps[:-1], msgspec.structs.replace(work.steps[-1], fresh=(limit,))))
    assert digest(held_) != digest(work)
    path = tmp_path / "workflow.json"
    path.write_bytes(msgspec.json.encode(sealed(held_)))
    assert load(path) == sealed(held_)
    path.write_bytes(path.read_bytes().replace(b'"offer.ttl"', b'"offer.age"'))
    with pytest.raises(EditedWorkflow):
        load(path)


def test_a_limit_must_lie_in_the_output_of_a_step_before() -> None:
    work = bookings()

    def wrong(limit: Fresh) -> list[str]:
        last = msgspec.structs.replace(work.steps[-1], fresh=(limit,))
        return [at for at, _ in problems(bookings(steps=(*work.steps[:-1], last)))]

    assert wrong(Fresh("get_offer#1", b.Copy("get_offer#1", "ttl"), "seconds")) == []
    assert wrong(Fresh("nobody#1", b.Copy("get_offer#1", "ttl"), "seconds")) == ["steps[5].fresh[0].step"]
    assert wrong(Fresh("get_offer#1", b.Copy("nobody#1", "ttl"), "seconds")) == ["steps[5].fresh[0].value"]
    assert wrong(Fresh("get_offer#1", b.Constant(60), "seconds")) == ["steps[5].fresh[0].value"]
    assert wrong(Fresh("get_offer#1", b.Copy("get_offer#1", "a..b"), "seconds")) == [
        "steps[5].fresh[0].value"
    ]


def test_why_an_edge_is_there_tells_until_when_it_holds() -> None:
    work = bookings()
    limit = Fresh("get_offer#1", b.Copy("get_offer#1", "offer.ttl"), "seconds")
    last = msgspec.structs.replace(work.steps[-1], fresh=(limit,))
    limited = bookings(steps=(*work.steps[:-1], last))
    said = (
        "book#1 is not called once what it copies no longer holds, by offer.ttl of get_offer#1 (in seconds, "
        "counted from the call of get_offer#1)."
    )
    assert said in explained("e5", limited, limited.edges, ())
    assert said not in explained("e7", limited, limited.edges, ())
    assert said not in explained("e5", work, work.edges, ())
