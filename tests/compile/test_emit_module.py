"""Does an emitted Python module do what the evaluator and the executor do?"""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import re2

from compile.emitting import GIVEN, HOTELS, INPUTS, STEPS, Hotels, arg, bookings, loaded, partial
from tracelode.compile.emit.module import module, python
from tracelode.compile.emit.module.patterns import python_pattern
from tracelode.errors import WorkflowError
from tracelode.model import binding as b
from tracelode.model import workflow as model
from tracelode.model.workflow import Effect, Input, Refused, Step, Workflow

READ = Effect("read", "declared")


def run(workflow: Workflow, tools: Any, escalate: Any = None, **more: Any) -> Any:
    return asyncio.run(loaded(workflow).ENTRY(tools, **{**GIVEN, **more}, escalate=escalate))


async def yes(escalation: Any) -> Any:
    assert escalation.code == "approval_required"
    return True


def test_it_makes_the_calls_of_the_workflow() -> None:
    tools = Hotels()
    out = run(bookings(), tools, yes)
    assert tools.calls == [
        ("find_city", {"query": "Oslo"}),
        (
            "search_hotels",
            {
                "arrival": "2026-03-03",
                "city": "c1",
                "currency": "EUR",
                "departure": "2026-03-05",
                "rooms": [{"adults": 2}],
            },
        ),
        *(("get_hotel", {"id": h["id"], "lang": "en"}) for h in HOTELS[:3]),
        ("get_offer", {"hotel": "h2"}),
        ("get_offer", {"hotel": "h2"}),
        ("add_note", {"text": "Late arrival of Jo, offer of-7"}),
        ("book", {"guest": "Jo", "hotel": "h2", "offer": "of-7"}),
    ]
    assert out["get_hotel#1"] == [{"id": h["id"], "stars": 3} for h in HOTELS[:3]]
    assert out["book#1"]["status"] == "booked"


def test_a_step_whose_guard_does_not_hold_is_left_out() -> None:
    tools = Hotels()
    run(bookings(), tools, yes, late=False)
    assert "add_note" not in [name for name, _ in tools.calls]


def test_a_write_needs_a_yes() -> None:
    tools = Hotels()
    emitted = loaded(bookings())
    with pytest.raises(emitted.Escalation) as stop:
        asyncio.run(emitted.ENTRY(tools, **GIVEN))
    assert (stop.value.code, stop.value.step) == ("approval_required", "book#1")
    assert stop.value.arguments == {"guest": "Jo", "hotel": "h2", "offer": "of-7"}
    assert list(stop.value.completed) == [s.slot for s in STEPS[:-1]]
    assert "book" not in [name for name, _ in tools.calls]
    asyncio.run(emitted.ENTRY(tools := Hotels(), **GIVEN, approved=["book#1"]))
    assert tools.calls[-1][0] == "book"


def test_a_write_whose_target_came_from_a_text_needs_a_yes_always() -> None:
    loose = arg("hotel", b.Span("get_offer#1", "text", r"offer ([\w-]+)"))
    book = Step(slot="book#1", tool="book", arguments=(loose,), effect=STEPS[-1].effect, order=5)
    emitted = loaded(bookings(steps=(*STEPS[:-1], book)))
    with pytest.raises(emitted.Escalation, match="approval_required"):
        asyncio.run(emitted.ENTRY(Hotels(), **GIVEN, approved=["book#1"]))


def test_a_failed_read_is_tried_again_and_a_write_never() -> None:
    emitted = loaded(bookings())
    tools = Hotels()
    tools.answers["find_city"] = OSError("no")
    with pytest.raises(emitted.Escalation, match="tool_error_after_retry"):
        asyncio.run(emitted.ENTRY(tools, **GIVEN))
    assert len(tools.calls) == 3
    for error, code in ((OSError("?"), "in_doubt"), (emitted.ToolFailed("no"), "tool_error_after_retry")):
        tools = Hotels()
        tools.answers["book"] = error
        with pytest.raises(emitted.Escalation, match=code):
            asyncio.run(emitted.ENTRY(tools, **GIVEN, approved=["book#1"]))
        assert [name for name, _ in tools.calls].count("book") == 1


@pytest.mark.parametrize(
    ("tool", "answer", "code"),
    [
        ("find_city", {"results": []}, "guard_failed"),
        ("find_city", "text", "guard_failed"),
        ("find_city", {"results": [{"id": "r", "kind": "region"}]}, "empty_selection"),
        ("search_hotels", {"hotels": []}, "guard_failed"),
        ("search_hotels", {"error": "down", "hotels": [1]}, "guard_failed"),
        ("get_offer", {"status": "pending"}, "guard_failed"),
        ("book", {"status": "failed"}, "guard_failed"),
    ],
)
def test_what_is_not_as_it_was_escalates(tool: str, answer: Any, code: str) -> None:
    tools = Hotels()
    tools.answers[tool] = answer
    emitted = loaded(bookings())
    with pytest.raises(emitted.Escalation) as stop:
        asyncio.run(emitted.ENTRY(tools, **GIVEN, approved=["book#1"]))
    assert stop.value.code == code


def test_an_escalation_may_be_answered() -> None:
    tools = Hotels()
    tools.answers["find_city"] = {"results": []}
    emitted = loaded(bookings())

    async def answer(escalation: Any) -> Any:
        if escalation.code == "approval_required":
            return True
        if escalation.step == "find_city#1":
            return emitted.Output({"results": [{"id": "c9", "kind": "city"}]})
        return emitted.SKIP

    asyncio.run(emitted.ENTRY(tools, **GIVEN, escalate=answer))
    assert tools.calls[1][1]["city"] == "c9"
    with pytest.raises(TypeError, match="input check_in must be of type date"):
        asyncio.run(emitted.ENTRY(Hotels(), **{**GIVEN, "check_in": "soon"}))


def test_more_elements_than_ever_seen_escalate() -> None:
    steps = tuple(
        s
        if s.each is None
        else Step(
            slot=s.slot,
            tool=s.tool,
            arguments=s.arguments,
            effect=s.effect,
            after=s.after,
            order=s.order,
            each=type(s.each)(s.each.over, 3),
        )
        for s in STEPS
    )
    emitted = loaded(bookings(steps=steps))
    with pytest.raises(emitted.Escalation, match="4 elements, where the runs had 3"):
        asyncio.run(emitted.ENTRY(Hotels(), **GIVEN))


def test_what_no_rule_explains_is_asked() -> None:
    steps = (
        STEPS[0],
        Step(
            slot="s#1",
            tool="s",
            arguments=(
                arg("id", b.Choose("find_city#1", "results", "id"), "none"),
                arg("why", b.Generated(("find_city#1",)), "none"),
            ),
            effect=READ,
            order=1,
        ),
    )
    emitted = loaded(bookings(steps=steps, edges=()))
    asked = []

    async def answer(escalation: Any) -> Any:
        asked.append((escalation.code, escalation.argument, escalation.candidates))
        return emitted.Value(1 if escalation.candidates else "because")

    tools = Hotels()
    asyncio.run(emitted.ENTRY(tools, **GIVEN, escalate=answer))
    assert tools.calls[-1] == ("s", {"id": "c1", "why": "because"})
    assert asked == [
        ("decision_required", "id", ({"id": "r1", "kind": "region"}, {"id": "c1", "kind": "city"})),
        ("decision_required", "why", None),
    ]


def test_an_input_of_another_type_is_refused() -> None:
    with pytest.raises(TypeError, match="input nights must be of type integer"):
        run(bookings(), Hotels(), nights="two")


def test_the_taint_rule_holds_for_writes() -> None:
    both = b.Alias((b.Copy("find_city#1", "results[1].id"), b.FromInput("city")))
    step = Step(
        slot="w#1", tool="w", arguments=(arg("to", both),), effect=Effect("append", "declared"), order=1
    )
    emitted = loaded(bookings(steps=(STEPS[0], step), edges=()))
    with pytest.raises(emitted.Escalation, match="a tool says something else"):
        asyncio.run(emitted.ENTRY(Hotels(), **GIVEN, approved=["w#1"]))
    tools = Hotels()
    asyncio.run(emitted.ENTRY(tools, **{**GIVEN, "city": "C1"}, approved=["w#1"], escalate=yes))
    assert tools.calls[-1] == ("w", {"to": "c1"})


def test_hostile_names_are_never_code() -> None:
    bad = 'x"""\nimport os\nos.system("echo owned") #\'\\'
    workflow = bookings(
        name=bad,
        description=bad,
        id="wf_" + bad,
        inputs=(*INPUTS, Input(name=bad, type="string", description=bad), Input(name="class", type="string")),
        steps=(
            *STEPS,
            Step(
                slot=bad,
                tool=bad,
                arguments=(
                    arg('["' + "\\u202e'x" + '"]', b.Constant({bad: [bad]})),
                    arg("b", b.FromInput(bad)),
                    arg("c", b.FromInput("class")),
                ),
                effect=READ,
                order=9,
            ),
        ),
    )
    (name,) = python(workflow)
    assert name.isascii()
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789_.")
    source = module(workflow)
    assert "\u202e" not in source
    assert {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    } <= {
        "asyncio",
        "json",
        "math",
        "re",
        "os",
        "datetime",
    }
    emitted = loaded(workflow)
    tree = emitted.ARGUMENTS[bad](emitted.Scene({bad: 1, "class": 2}, {}))
    assert tree == {"\u202e'x": {bad: [bad]}, "b": 1, "c": 2}


def test_it_is_the_same_every_time_and_needs_the_standard_library_alone(tmp_path: Path) -> None:
    ((name, source),) = python(bookings()).items()
    assert python(bookings()) == {name: source}
    (tmp_path / name).write_bytes(source)
    strangers = "[m for m in sys.modules if m.split('.')[0] in ('tracelode', 'msgspec', 're2')]"
    code = f"import sys, {name.removesuffix('.py')}; print({strangers})"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_only_the_helpers_that_are_needed_are_there() -> None:
    small = module(bookings(inputs=(), steps=(Step(slot="a#1", tool="a", effect=READ),), edges=()))
    assert "MONTHS" not in small
    assert "def ranked" not in small
    assert "MONTHS" in module(bookings())


def test_each_step_says_in_plain_words_what_it_does() -> None:
    emitted = loaded(bookings())
    told = emitted.step_6_book.__doc__
    assert told.startswith("Call book of hotels, which writes (10 runs took it).")
    for words in ("Needs a yes before it is made.", "offer: offer.id of get_offer#1.", "guest: input guest."):
        assert words in told
    told = " ".join(emitted.step_2_search_hotels.__doc__.split())
    assert "city: id of the elements whose kind is 'city', then the first element in results" in told
    assert "(as date YYYY-MM-DD)" in told
    source = module(bookings())
    assert "paths_Key" not in source
    assert max(map(len, emitted.step_5_add_note.__doc__.splitlines())) <= 110


def test_a_refused_intent_has_no_module() -> None:
    from dataclasses import replace

    from compile.fixtures import runs, work

    refused = replace(
        work(runs("run a:\nfind() -> 1")), verdict=Refused(intent="i_1", refusals=partial().refusals)
    )
    with pytest.raises(WorkflowError, match=r"i_1: the intent was refused \(R1\)"):
        python(refused)


def test_every_field_of_a_binding_is_known_here() -> None:
    """A field that is added to a binding must be emitted too: say so here once it is."""
    shape = "transforms"
    assert {kind.__struct_config__.tag: kind.__struct_fields__ for kind in get_args(b.Binding)} == {
        "constant": ("value",),
        "default": ("value",),
        "input": ("name", shape),
        "state": ("name", shape),
        "copy": ("step", "path", shape),
        "span": ("step", "path", "pattern", shape),
        "selected": ("step", "list", "picks", "field", shape),
        "each": ("field", shape),
        "alias": ("of",),
        "template": ("parts",),
        "derived": ("op", "of", "amount", shape),
        "generated": ("about",),
        "choose": ("step", "list", "field"),
        "free": (),
        "unsourced": (),
    }
    assert model.Test.__struct_fields__ == ("left", "op", "right", "negated")
    assert b.Where.__struct_fields__ == ("field", "op", "value", "first")
    assert model.ForEach.__struct_fields__ == ("over", "most", "top")
    assert model.Wait.__struct_fields__ == ("path", "until", "every_ms", "most")
    assert model.Check.__struct_fields__ == ("kind", "path", "value", "role")
    assert model.Argument.__struct_fields__ == (
        "path",
        "binding",
        "support",
        "runs",
        "proof",
        "edges",
        "when",
    )


@pytest.mark.parametrize(
    "pattern",
    [
        r"Id: (\d{4}-\d{2}-\d{2})",
        r"for (\w+)$",
        r"a(\s)b",
        r"name ([^\n]+?)(?:\n|$)",
        r"([\w.+-]+@[\w.-]+\w)",
        r"(https?://[^\s,;'\")>\]]+)",
        r"(-?\d+(?:\.\d+)?)",
        r"\$(\d+)",
        r"([]a]+)",
        r"([^]a]+)",
        r"(é+)",
        r"([\w-]+)\z",
    ],
)
def test_patterns_find_the_same_in_both(pattern: str) -> None:
    made = python_pattern(pattern)
    assert made is not None
    import re

    for sample in (
        "Id: 2026-03-03",
        "wait for it",
        "wait for it\n",
        "a\vb",
        "a b",
        "name Jo Do\nnext",
        "name Jo",
        "to jo.do@x.org.",
        "see https://a.b/c?d=e)",
        "-12.5 or 3",
        "costs $30",
        "]]a b",
        "éé é",
        "٣ 3",
        "x-y",
        "x-y\n",
        "",
    ):
        ours, theirs = re2.search(pattern, sample), re.search(made, sample, re.ASCII)
        assert (ours and ours[1]) == (theirs and theirs[1])


@pytest.mark.parametrize(
    "pattern", [r"(\pL+)", r"(?i)(a)", r"((?:a+)+)x", r"(?P<n>a)", r"(a)(b)", r"[[:digit:]](a)", r"(\Qa\E)"]
)
def test_patterns_that_may_differ_or_be_slow_are_not_taken(pattern: str) -> None:
    assert python_pattern(pattern) is None


def test_what_the_standard_library_cannot_do_is_told_and_escalates() -> None:
    step = Step(
        slot="s#1",
        tool="s",
        arguments=(arg("a", b.Span("find_city#1", "", r"(\pL+)")),),
        effect=READ,
        order=1,
    )
    workflow = bookings(steps=(STEPS[0], step), edges=())
    emitted = loaded(workflow)
    assert "- s#1: a: its expression cannot be told to Python's re" in emitted.__doc__
    with pytest.raises(emitted.Escalation, match="guard_failed"):
        asyncio.run(emitted.ENTRY(Hotels(), **GIVEN))
