"""Is the report one safe page in which every link leads to a proof?"""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from compile.compiled import compiled
from compile.emitting import REFUSAL, bookings, hostile, partial
from tracelode.compile.emit import emit
from tracelode.model.workflow import Check, Effect, Refused
from tracelode.model.workflow_words import check


class _Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.open: list[str] = []
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("make", [bookings, partial, hostile, compiled])
def test_the_report_asks_for_nothing_and_runs_nothing(make: Any) -> None:
    page = _Page(emit(make(), ["html"])["workflow.html"])
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "iframe", "object", "embed", "base", "form"}
    # the switch of light and dark, which needs no script
    assert {(a["type"], a["name"]) for t, a in page.tags if t == "input"} == {("radio", "theme")}
    assert [dict(a) for t, a in page.tags if t == "link"] == []
    for _, attributes in page.tags:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src"):
                assert value is not None
                assert value.startswith("#")
    rule = next(a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv"))
    assert rule is not None
    assert rule.startswith("default-src 'none'")


@pytest.mark.parametrize("make", [bookings, partial, hostile, compiled])
def test_every_link_of_the_report_leads_somewhere_and_every_id_is_one(make: Any) -> None:
    page = _Page(emit(make(), ["html"])["workflow.html"])
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {str(a["href"])[1:] for t, a in page.tags if t == "a"} <= set(ids)


def test_the_report_of_a_compiled_intent_tells_its_proof() -> None:
    page = _Page(emit(compiled(), ["html"])["workflow.html"])
    assert "list_hotels#1 takes city from find_city#1 at found[*].id: proven." in page.words
    assert "run oslo: call 2 passes city" in page.words
    assert "Each run left out once" in page.words
    assert "How many runs it takes" in page.words
    assert "c-1871" not in page.words


def test_the_report_of_a_refused_intent_tells_why_and_what_lifts_it() -> None:
    refused = replace(compiled(), verdict=Refused(intent="i_1", refusals=(REFUSAL,)))
    page = _Page(emit(refused, ["html"])["workflow.html"])
    assert "Refused, R1" in page.words
    assert "3 more runs that send to different people" in page.words


def _saved(**saved: int) -> str:
    work = compiled()
    found = msgspec.structs.replace(work.verification, saved=saved)
    return _Page(emit(replace(work, verification=found), ["html"])["workflow.html"]).words


def test_only_what_a_model_took_is_told_as_saved() -> None:
    words = _saved(
        tool_calls=72,
        runs=7,
        calls=55,
        cost=3 * 10**11,
        **{"tokens.input_fresh": 123_456, "tokens.output": 7_000, "time.model": 9 * 10**7},
        **{"time.tool": 10**9, "bytes.output": 99_999, "operations": 5, "cost.reported": 3},
    )
    told = words[words.index("What it saves") :]
    assert "72 tool calls of 7 runs, 10.3 a run, are made without a model. The tools still run" in told
    for row in (
        "model calls557.9",
        "model tokens130k19k",
        "model cost$0.30$0.043",
        "time of the model1 min 30",
    ):
        assert row in told
    for raw in ("time.tool", "bytes", "operations", "reported", "tokens.", "time.model"):
        assert raw not in told
    assert "do not tell what the model took" in _saved(tool_calls=6, runs=3, **{"time.tool": 10**9})
    assert "What it saves" not in _saved(tool_calls=0, runs=3)


def test_the_report_speaks_in_words_and_has_no_empty_count() -> None:
    data = emit(compiled(), ["html"])["workflow.html"].decode()
    assert "<td class=n></td>" not in data
    assert "<th></th>" not in data
    assert "exact" not in _Page(data.encode()).words
    step = msgspec.structs.replace(bookings().steps[0], effect=Effect("unknown", "default"))
    page = _Page(emit(bookings(steps=(step, *bookings().steps[1:])), ["html"])["workflow.html"])
    assert "unknown" not in page.words
    assert "May write; nothing says whether it does." in page.words


def test_a_narrow_page_says_that_the_graph_scrolls() -> None:
    from tracelode.compile.emit.report.drawing import placed

    workflow = bookings()
    data = emit(workflow, ["html"])["workflow.html"].decode()
    page = _Page(data.encode())
    assert "scroll it sideways" in page.words
    assert f"@media (max-width:{placed(workflow).width + 64:.0f}px){{.hint{{display:block}}}}" in data
    assert ".hint{display:none" in data
    (graph,) = (a for t, a in page.tags if a.get("class") == "wide")
    assert graph["tabindex"] == "0"


def test_a_large_workflow_is_laid_out_without_overlaps() -> None:
    from tracelode.compile.emit.report.layout import HEIGHT, WIDTH, layout

    names = [f"s{n}" for n in range(60)]
    before = {f"s{n}": [f"s{k}" for k in {n // 2, n // 3, max(0, n - 7)} if k < n] for n in range(60)}
    made = layout(names, before)
    boxes = list(made.boxes.values())
    for n, (x, y) in enumerate(boxes):
        assert 0 <= x <= made.width - WIDTH
        assert 0 <= y <= made.height - HEIGHT
        assert not any(abs(x - u) < WIDTH and abs(y - v) < HEIGHT for u, v in boxes[:n])
    for (first, then), way in made.ways.items():
        assert way[0][1] == made.boxes[first][1] + HEIGHT
        assert way[-1][1] == made.boxes[then][1]


def test_an_order_of_two_reads_is_not_told_as_one_of_writes() -> None:
    from tracelode.model.evidence import Edge

    edge = Edge(id="e1", before="find_city#1", after="list_hotels#1", kind="effect_hard", basis="declared")
    work = compiled()
    other = msgspec.structs.replace(work.verdict, edges=(edge,))
    page = _Page(emit(other, ["html"])["workflow.html"])
    assert "What the tools say of themselves puts one before the other" in page.words
    assert "at least one may change it" not in page.words


def test_calls_that_are_not_made_are_told_apart_from_those_that_need_no_model() -> None:
    told = _saved(runs=7, tool_calls=36, noise=1)
    assert "35 tool calls of 7 runs, 5.0 a run, are made without a model." in told
    assert "1 more that did nothing is not made." in told
    assert "not made" not in _saved(runs=7, tool_calls=36, noise=0)


def test_a_count_of_elements_is_told_in_words() -> None:
    assert check(Check("count", "airports", [1, 1])) == "airports has 1 element"
    assert check(Check("count", "airports", [2, 5])) == "airports has 2 to 5 elements"
