"""Does a workflow write what nobody asked for, or write it twice, when callers and tools misbehave?"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from compile.chats import travel
from compile.execution import WRITE, Box, bound, resume, start, step, workflow
from tracelode.compile.execute import journal as journal_
from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.errors import Repeated, StoreError, TracelodeError
from tracelode.model import binding as b
from tracelode.model.execution import Policy
from tracelode.model.run import ToolSpec
from tracelode.model.workflow import Workflow
from tracelode.providers.tools_python import PythonTools
from tracelode.samples import desk

GIVEN = {"origin_city": "Dublin", "destination_city": "Riga", "date": "2027-03-02", "traveller": "T-9001"}
YES = Policy(approved=("hold_seat#1", "mail_traveller#1"))


@pytest.fixture(scope="module")
def trip(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    (found,) = travel(tmp_path_factory.mktemp("trip")).compile("mail traveller")
    assert isinstance(found.workflow, Workflow)
    return found.workflow


def tools(wrote: list[str], hold: object = None, flights: Any = desk.search_flights) -> PythonTools:
    def hold_seat(flight: str, traveller: str) -> object:
        wrote.append("hold")
        return hold or desk.hold_seat(flight, traveller)

    def mail_traveller(traveller: str, subject: str, text: str) -> object:
        wrote.append(subject)
        return {"status": "sent"}

    def search_flights(origin: str, destination: str, date: str) -> object:
        return flights(origin, destination, date)

    made = (desk.find_airport, search_flights, hold_seat, mail_traveller)
    return PythonTools({one.__name__: one for one in made})


def once(trip: Workflow, place: Path, box: Any, given: Any = None) -> Any:
    made = EmbeddedEngine().start(trip, box, given or GIVEN, place=str(place), policy=YES)
    return asyncio.run(made)


def test_of_two_runs_of_the_same_inputs_at_once_one_is_not_begun(trip: Workflow, tmp_path: Path) -> None:
    wrote: list[str] = []
    place = str(tmp_path / "journal")

    async def both() -> list[Any]:
        made = [EmbeddedEngine().start(trip, tools(wrote), GIVEN, place=place, policy=YES) for _ in range(4)]
        return await asyncio.gather(*made, return_exceptions=True)

    ended = asyncio.run(both())
    assert wrote.count("hold") == 1
    assert [type(one) for one in ended].count(Repeated) == 3


@pytest.mark.parametrize("hold", [None, "", "  ", True, 7, "H-1\nBcc: x"])
def test_a_value_of_another_form_is_not_written_into_a_text(
    trip: Workflow, tmp_path: Path, hold: object
) -> None:
    wrote: list[str] = []
    box = tools(wrote, {"status": "held", "hold": hold, "confirmation": "Seat held."})
    assert once(trip, tmp_path / "journal", box).status == "escalated"
    assert wrote == ["hold"]


@pytest.mark.parametrize("price", [None, 0, -500, "cheap"])
def test_what_no_run_had_is_not_picked_by(trip: Workflow, tmp_path: Path, price: object) -> None:
    def flights(origin: str, destination: str, date: str) -> Any:
        found: Any = desk.search_flights(origin, destination, date)
        rows = found if isinstance(found, list) else next(v for v in found.values() if isinstance(v, list))
        rows[-1]["price"] = price
        return found

    wrote: list[str] = []
    assert once(trip, tmp_path / "journal", tools(wrote, flights=flights)).status == "escalated"
    assert wrote == []


@pytest.mark.parametrize("traveller", ["", "  ", "T-1\nBcc: x", "T-1\u202e"])
def test_an_input_that_is_empty_or_of_several_lines_is_not_taken(
    trip: Workflow, tmp_path: Path, traveller: str
) -> None:
    wrote: list[str] = []
    with pytest.raises(TracelodeError, match="input traveller"):
        once(trip, tmp_path / "journal", tools(wrote), {**GIVEN, "traveller": traveller})
    assert wrote == []


def test_a_run_whose_end_cannot_be_noted_is_resumed_and_writes_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = workflow(step("send#1", effect=WRITE, arguments=bound(to=b.Constant("x"))))
    box, place = Box(send=lambda to: {"status": "ok"}), tmp_path / "journal"

    with monkeypatch.context() as patched:
        patched.setattr(journal_.Journal, "_forget", lambda self, run: self._do("SELECT * FROM nowhere"))
        with pytest.raises(StoreError, match="can be resumed once it can"):
            start(work, box, place, run="r")
    with pytest.raises(Repeated, match="run r "):
        start(work, box, place, run="s")
    assert resume(work, box, place, run="r").status == "done"
    assert box.names() == ["send"]


def test_a_tool_that_takes_other_arguments_than_at_the_last_run_stands_still(tmp_path: Path) -> None:
    work = workflow(step("send#1", effect=WRITE, arguments=bound(to=b.Constant("x"))))
    place = tmp_path / "journal"

    def box(*more: str) -> Box:
        made = Box(send=lambda to: {"status": "ok"})
        fields = {name: {"type": "string"} for name in ("to", *more)}
        spec = ToolSpec(name="send", parameters={"properties": fields, "required": ["to"]})

        async def describe() -> list[ToolSpec]:
            return [spec]

        made.describe = describe  # type: ignore[method-assign]
        return made

    assert start(work, box(), place, run="a").status == "done"
    assert start(work, box(), place, run="b").status == "done"
    changed = box("cc_all")
    outcome = start(work, changed, place, run="c")
    assert outcome.escalation is not None
    assert outcome.escalation.code == "schema_changed"
    assert changed.names() == []
