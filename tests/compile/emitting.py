"""Workflows written by hand, and the tools they call: what the emitted artefacts are tried on."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import msgspec

from tracelode.compile.emit.module import module
from tracelode.model import binding as b
from tracelode.model import workflow as model
from tracelode.model.evidence import Edge
from tracelode.model.workflow import (
    Argument,
    Check,
    Effect,
    ForEach,
    Guard,
    Input,
    Refusal,
    Step,
    Wait,
    Workflow,
)

READ = Effect("read", "declared", family="hotels")
WRITE = Effect("append", "declared", resource=("hotel",), family="hotels")


def arg(path: str, binding: b.Binding, proof: str = "hard", **more: Any) -> Argument:
    """An argument that nine of ten runs pass."""
    return Argument(path, binding, support=9, runs=10, proof=proof, **more)


STEPS = (
    Step(
        slot="find_city#1",
        tool="find_city",
        server="hotels",
        arguments=(arg("query", b.FromInput("city", (b.Transform("squeeze"),)), "given"),),
        effect=READ,
        order=0,
        retries=2,
        checks=(Check("no_error", ""), Check("type", "", "object"), Check("required", "results[*].id")),
        support=10,
    ),
    Step(
        slot="search_hotels#1",
        tool="search_hotels",
        server="hotels",
        arguments=(
            arg(
                "city",
                b.Selected(
                    "find_city#1",
                    "results",
                    (b.Where("kind", "eq", b.Constant("city")), b.At(0)),
                    "id",
                ),
                edges=("e1",),
            ),
            arg("arrival", b.FromInput("check_in", (b.Transform("date", "YYYY-MM-DD"),)), "given"),
            arg(
                "departure",
                b.Derived(
                    "days",
                    (b.FromInput("check_in", (b.Transform("date", "YYYY-MM-DD"),)), b.FromInput("nights")),
                ),
                "given",
            ),
            arg("currency", b.Constant("EUR"), "given"),
            arg("rooms[0].adults", b.Default(2), "given"),
        ),
        effect=READ,
        after=("find_city#1",),
        order=1,
        checks=(Check("no_error", ""), Check("nonempty", "hotels")),
        support=10,
    ),
    Step(
        slot="get_hotel#1",
        tool="get_hotel",
        server="hotels",
        arguments=(arg("id", b.Each("id"), edges=("e2",)), arg("lang", b.Constant("en"), "given")),
        effect=READ,
        after=("search_hotels#1",),
        order=2,
        each=ForEach(b.Copy("search_hotels#1", "hotels"), most=5, top=3),
        support=10,
    ),
    Step(
        slot="get_offer#1",
        tool="get_offer",
        server="hotels",
        arguments=(
            arg("hotel", b.Selected("search_hotels#1", "hotels", (b.Least("price"),), "id"), edges=("e3",)),
        ),
        effect=READ,
        after=("search_hotels#1",),
        order=3,
        wait=Wait("status", ("ready",), 0, 4),
        support=9,
    ),
    Step(
        slot="add_note#1",
        tool="add_note",
        server="hotels",
        arguments=(
            arg(
                "text",
                b.Template(
                    (
                        "Late arrival of ",
                        b.FromInput("guest"),
                        ", offer ",
                        b.Span("get_offer#1", "text", r"offer ([\w-]+)"),
                    )
                ),
                "suspected",
            ),
        ),
        effect=Effect("read", "configured"),
        after=("get_offer#1",),
        order=4,
        when=Guard((model.Test(b.FromInput("late"), "eq", b.Constant(True)),), 4, 6),
        support=4,
    ),
    Step(
        slot="book#1",
        tool="book",
        server="hotels",
        arguments=(
            arg("hotel", b.Copy("get_offer#1", "hotel"), edges=("e4",)),
            arg("offer", b.Copy("get_offer#1", "offer.id"), edges=("e5",)),
            arg("guest", b.FromInput("guest"), "given"),
        ),
        effect=WRITE,
        after=("get_offer#1",),
        order=5,
        approval=True,
        checks=(Check("equals", "status", "booked", "success"),),
        read_back="get_booking",
        support=10,
    ),
)

EDGES = (
    Edge(
        id="e1",
        before="find_city#1",
        after="search_hotels#1",
        kind="data_hard",
        arg="city",
        gpath="results[*].id",
        basis="cross_run",
        support=10,
        runs=10,
        numbers={"support": 1.0, "lift": 0.9, "distinct": 6},
    ),
    Edge(
        id="e2",
        before="search_hotels#1",
        after="get_hotel#1",
        kind="data_hard",
        arg="id",
        gpath="hotels[*].id",
        basis="single_run",
        support=10,
        runs=10,
    ),
    Edge(
        id="e3",
        before="search_hotels#1",
        after="get_offer#1",
        kind="data_hard",
        arg="hotel",
        gpath="hotels[*].id",
        basis="cross_run",
        support=9,
        runs=9,
        numbers={"support": 1.0, "lift": 0.8, "distinct": 7},
    ),
    Edge(
        id="e4",
        before="get_offer#1",
        after="book#1",
        kind="data_hard",
        arg="hotel",
        gpath="hotel",
        basis="single_run",
        support=9,
        runs=9,
    ),
    Edge(
        id="e5",
        before="get_offer#1",
        after="book#1",
        kind="data_hard",
        arg="offer",
        gpath="offer.id",
        basis="single_run",
        support=9,
        runs=9,
    ),
    Edge(
        id="e6",
        before="search_hotels#1",
        after="add_note#1",
        kind="data_suspected",
        arg="text",
        gpath="note",
        reason="in_prompt",
        basis="single_run",
        support=2,
        runs=4,
    ),
    Edge(
        id="e7", before="get_offer#1", after="book#1", kind="effect_hard", resource="hotels", basis="declared"
    ),
)

INPUTS = (
    Input(name="city", type="string", description="query of find_city"),
    Input(name="check_in", type="date", description="arrival of search_hotels"),
    Input(name="nights", type="integer"),
    Input(name="guest", type="string", description="guest of book"),
    Input(name="late", type="boolean", required=False),
)

REFUSAL = Refusal(
    code="R1",
    message="the recipient of send_mail is not bound by proof",
    lifts="3 more runs that send to different people",
    slot="send_mail#1",
    arg="to",
)


def bookings(**changes: Any) -> Workflow:
    """Books the cheapest hotel of a city."""
    fields: dict[str, Any] = {
        "id": "wf_0123456789ab",
        "name": "book hotel",
        "intent": "i_00c0ffee",
        "description": "Calls find_city, search_hotels, get_hotel, get_offer, add_note, book.",
        "inputs": INPUTS,
        "steps": STEPS,
        "edges": EDGES,
        "trust": "proven",
        "runs": 10,
        "variants": 2,
        "compiler": "1",
    }
    return Workflow(**{**fields, **changes})


def partial() -> Workflow:
    """The same up to the write."""
    slots = {s.slot for s in STEPS[:-1]}
    edges = tuple(e for e in EDGES if {e.before, e.after} <= slots)
    return bookings(steps=STEPS[:-1], edges=edges, partial=True, refusals=(REFUSAL,))


BAD = "x\"'</style></script><img src=x onerror=alert(1)>`\n]|--{{}}; rm -rf / ../../etc\\\u202e"
"""What a trace may hold at worst."""


def hostile() -> Workflow:
    """All that comes from a trace is hostile."""
    step = Step(
        slot=BAD,
        tool=BAD,
        server=BAD,
        arguments=(
            arg(
                '["' + BAD.replace("\\", "").replace('"', "").replace("\n", "") + '"]', b.Constant({BAD: BAD})
            ),
        ),
        effect=Effect("unknown", "default"),
        after=("book#1",),
        order=6,
    )
    edge = Edge(id="e9", before="book#1", after=BAD, kind="data_hard", arg=BAD, gpath=BAD, support=1, runs=1)
    return bookings(
        id="wf_" + BAD,
        name=BAD,
        description=BAD,
        inputs=(*INPUTS, Input(name=BAD, type="string", description=BAD)),
        steps=(*STEPS, step),
        edges=(*bookings().edges, edge),
        refusals=(msgspec.structs.replace(REFUSAL, slot=BAD, arg=BAD, message=BAD, lifts=BAD),),
    )


GIVEN = {"city": " Oslo ", "check_in": "2026-03-03", "nights": 2, "guest": "Jo", "late": True}
HOTELS = [
    {"id": "h1", "price": "120.00"},
    {"id": "h2", "price": 99.5},
    {"id": "h3", "price": 140},
    {"id": "h4", "price": 180},
]


class Hotels:
    """A small booking service."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.polls = 0
        self.answers: dict[str, Any] = {}

    async def __call__(self, name: str, arguments: Any) -> Any:
        """Call one of its tools."""
        self.calls.append((name, arguments))
        if name in self.answers:
            answer = self.answers[name]
            if isinstance(answer, Exception):
                raise answer
            return answer
        if name == "find_city":
            return {"results": [{"id": "r1", "kind": "region"}, {"id": "c1", "kind": "city"}]}
        if name == "search_hotels":
            return {"hotels": HOTELS}
        if name == "get_hotel":
            return {"id": arguments["id"], "stars": 3}
        if name == "get_offer":
            self.polls += 1
            if self.polls < 2:
                return {"status": "pending"}
            return {
                "status": "ready",
                "hotel": arguments["hotel"],
                "offer": {"id": "of-7"},
                "text": "your offer of-7 ends today",
            }
        if name == "add_note":
            return "noted"
        return {"status": "booked", "id": "b1"}


def loaded(workflow: Workflow, name: str = "emitted_under_test") -> ModuleType:
    """The emitted module, executed."""
    source = module(workflow)
    made = ModuleType(name)
    sys.modules[name] = made
    exec(compile(source, f"{name}.py", "exec"), made.__dict__)
    return made
