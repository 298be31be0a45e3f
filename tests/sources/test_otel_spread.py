"""Does a trace close whatever files its spans lie in, and which session does a span belong to?"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from otlp import Telemetry, calls, pairs, said
from sources.test_otel_cases import operations
from tracelode.model.report import Totals
from tracelode.workspace import Workspace
from written import added, every


def work() -> Telemetry:
    """A trace whose session only its root names."""
    t = Telemetry()
    ask = said("Fix the login test", "user")
    asks = calls(("c-1", "bash", {"command": "pytest"}))
    root = t.agent("run", 0, 20, gen__ai_conversation_id="talk", gen__ai_usage_input__tokens=300)
    more = {"gen__ai_input_messages": ask, "gen__ai_output_messages": asks}
    t.chat(0.5, 5, root, input=100, read=60, output=10, **more)
    t.tool("bash", 5, 8, root, {"command": "pytest"}, "1 failed", "c-1")
    t.chat(8, 18, root, input=200, output=20)
    return t


def compared(workspace: Workspace) -> tuple[Any, ...]:
    totals: Totals = workspace.totals()
    sums = (totals.calls, totals.operations, totals.tokens, totals.cost_picodollars, totals.time_us)
    facts = []
    for o in every(workspace):
        # an agent that is told in another file is not named on what it did
        fields = {k: v for k, v in o.fields.items() if k != "otel.agent"}
        facts.append((o.index, o.id, o.kind, o.name, o.status, o.started, o.measures, fields))
    return sums, [s.key for s in workspace.sessions()], facts


@pytest.mark.parametrize("imports", ["at once", "one by one", "in pieces", "in pieces by workers"])
def test_a_trace_split_over_files_closes_whatever_the_order(
    tmp_path: Path, imports: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if imports.startswith("in pieces"):
        # as a folder larger than one piece of work is read
        monkeypatch.setattr("tracelode.ingest.plan.UNIT_BYTES", 1)
    if imports == "in pieces by workers":
        monkeypatch.setattr("tracelode.ingest.pipeline.INLINE_BYTES", 0)
    t = work()
    workspace, _ = added(tmp_path / "whole", {"a.json": t.json()})
    wanted = compared(workspace)
    assert wanted[1] == ["talk"]
    assert wanted[0][0] == 2
    step = {"at once": 4, "in pieces by workers": 13}.get(imports, 7)
    for number, order in enumerate(list(permutations(range(4)))[::step]):
        folder = tmp_path / str(number)
        files = {f"{place}.pb": t.protobuf([t.spans[i]]) for place, i in enumerate(order)}
        if imports != "one by one":
            workspace, _ = added(folder, files)
        else:
            for name, data in files.items():
                workspace, _ = added(folder, {name: data})
        assert compared(workspace) == wanted, order


def test_a_file_that_grows_or_comes_twice_counts_once(tmp_path: Path) -> None:
    t = work()
    lines = [t.json([s]) + b"\n" for s in t.spans]
    wanted = compared(added(tmp_path / "whole", {"a.jsonl": b"".join(lines)})[0])
    for count in range(1, 5):
        workspace, _ = added(tmp_path / "b", {"a.jsonl": b"".join(lines[:count])})
    assert compared(workspace) == wanted
    workspace, report = added(tmp_path / "b", {"copy.pb": t.protobuf(), "again.json": t.json()})
    assert compared(workspace) == wanted
    assert report.files_read == 2


SESSIONS = {
    "gen_ai.conversation.id": "conversation",
    "session.id": "session",
    "langfuse.session.id": "langfuse",
    "traceloop.association.properties.session_id": "traceloop",
}


@pytest.mark.parametrize("name", SESSIONS)
def test_sessions_are_named_by_any_span_of_a_trace_or_by_its_resource(tmp_path: Path, name: str) -> None:
    t = Telemetry()
    root = t.agent("run", 0, 9)
    t.chat(1, 2, root, input=5)["attributes"] += pairs({name: "talk"})
    t.trace = 2
    t.span("other", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", name: "talk"}, 20, 21)
    workspace, _ = added(tmp_path, {"a.json": t.json()})
    assert [s.key for s in workspace.sessions()] == ["talk"]
    around = Telemetry(resource={name: "talk"})
    around.chat(1, 2, input=5)
    assert {o.session for o in operations(around.json())} == {"talk"}


def test_one_name_of_a_session_decides_for_a_trace() -> None:
    t = Telemetry()
    root = t.span("turn", {"session.id": "of the application", "openinference.span.kind": "AGENT"}, 0, 9)
    t.chat(1, 2, root, input=5)["attributes"] += pairs(
        {"session.id": "of the application", "gen_ai.conversation.id": "of the framework"}
    )
    t.log("gen_ai.client.inference.operation.details", {"session.id": "of the application"}, 2, root)
    assert {o.session for o in operations(t.json())} == {"of the framework"}


def test_a_trace_of_several_sessions_is_cut_where_spans_name_them() -> None:
    t = Telemetry()
    root = t.agent("bench", 0, 50, gen__ai_usage_input__tokens=30)
    for number in range(2):
        run = t.agent("run", number * 10, number * 10 + 9, root, gen__ai_conversation_id=f"talk-{number}")
        t.chat(number * 10 + 1, number * 10 + 2, run, input=15)
    found = {}
    for o in operations(t.json()):
        found.setdefault(o.session, []).append(o.kind)
    assert found == {f"{1:032x}": ["note"], "talk-0": ["subagent", "model"], "talk-1": ["subagent", "model"]}


def test_sub_agents_stay_in_their_session_and_name_what_started_them() -> None:
    t = Telemetry()
    root = t.agent("lead", 0, 30, gen__ai_conversation_id="talk")
    first = t.chat(1, 3, root, input=10, output=1)
    direct = t.agent("writer", 4, 9, root)
    t.chat(5, 8, direct, input=20, output=2)
    tool = t.tool("ask_reader", 10, 20, root, call="c-9")
    inner = t.agent("reader", 11, 19, tool)
    t.chat(12, 18, inner, input=30, output=3)
    found = {o.name: o for o in operations(t.json()) if o.kind != "model"}
    assert {o.session for o in operations(t.json())} == {"talk"}
    assert [found[n].kind for n in ("lead", "writer", "ask_reader", "reader")] == [
        "note", "subagent", "subagent", "note",
    ]  # fmt: skip
    assert found["reader"].parent == found["ask_reader"].id
    assert found["writer"].parent == found["lead"].id
    by_agent = {o.fields["otel.agent"]: o for o in operations(t.json()) if o.kind == "model"}
    assert found["writer"].fields["call"] == by_agent["lead"].id
    assert by_agent["reader"].parent == found["reader"].id
    assert first["name"] == "chat gpt-5"
