"""Are recordings, exports of AgentSight and spans of processes read as what they are?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import tracelode
from effects import told
from shared import need
from tracelode import registry
from tracelode.model.ports import Line
from tracelode.testing import _read_in_pieces

SAMPLES = Path(__file__).parent / "samples"


# recordings ---------------------------------------------------------------------------------------


def test_recorded_what_cannot_be_used_is_counted_and_located() -> None:
    _, skipped = told("recorded", (SAMPLES / "recorded.jsonl").read_bytes())
    assert skipped == {
        "event of a process whose start is not in the recording": (11, 1),
        "unknown event": (12, 1),
    }


def test_recorded_bytes_are_of_processes_and_files_carry_none() -> None:
    drafts, _ = told("recorded", (SAMPLES / "recorded.jsonl").read_bytes())
    assert drafts["801 make"].measures["bytes.written"] == 1_048_576
    assert {d.fields["sampled"] for d in drafts.values()} == {"1"}
    assert not any("bytes.written" in d.measures for d in drafts.values() if d.kind == "file")


def test_recorded_a_parent_that_was_lost_is_not_made_up() -> None:
    drafts, _ = told("recorded", (SAMPLES / "recorded.jsonl").read_bytes())
    assert not {"process", "lineage"} & drafts["802 sleep"].fields.keys()
    assert drafts["800 node"].fields["lineage"] == "root"


# AgentSight ---------------------------------------------------------------------------------------


def snapshot(**parts: Any) -> bytes:
    return json.dumps({"schema_version": 1, "process_nodes": [], "audit_events": [], **parts}).encode()


def node(pid: int, ppid: int, start: int, end: int | None = None) -> dict[str, Any]:
    day = 1_791_280_800_000
    times = {"start_timestamp_ms": day + start, "end_timestamp_ms": None if end is None else day + end}
    return {"id": f"p{pid}-{start}", "pid": pid, "ppid": ppid, "comm": f"c{pid}", **times}


def test_agentsight_repeats_of_the_agents_own_file_are_counted_and_left_out() -> None:
    drafts, skipped = told("agentsight", (SAMPLES / "agentsight.json").read_bytes())
    assert {d.kind for d in drafts.values()} == {"process", "file", "network"}
    assert {reason: n for reason, (_, n) in skipped.items()} == {
        "host without a name or process": 1,
        "device, no file": 1,
        "request to a model told by the agent's own file": 1,
        "unknown kind of event": 1,
        "session told by the agent's own file": 1,
        "sum of tokens told by the agent's own file": 1,
        "sample of processor and memory": 1,
        "tool call told by the agent's own file": 1,
    }


def test_agentsight_a_parent_is_the_one_process_that_had_the_number_then() -> None:
    nodes = [
        node(1, 0, 1000, 2000),
        node(1, 0, 3000, 4000),
        node(2, 1, 3500),
        node(3, 1, 2500),
        node(4, 9, 1500),
    ]
    drafts, _ = told("agentsight", snapshot(process_nodes=nodes))
    second = next(d for d in drafts.values() if d.started == 1_791_280_803_000_000)
    assert drafts["2 c2"].fields["process"] == second.id
    assert "process" not in drafts["3 c3"].fields
    # two at once cannot be told apart
    drafts, _ = told(
        "agentsight", snapshot(process_nodes=[node(1, 0, 1000), node(1, 0, 1100), node(2, 1, 1200)])
    )
    assert "process" not in drafts["2 c2"].fields


def test_agentsight_several_sessions_in_one_snapshot_are_none() -> None:
    requests = [
        {
            "audit_type": "llm",
            "pid": 1,
            "details": {"metadata": {"user_id": f"u_session_{'0' * 8}-0000-4000-8000-{n:012d}"}},
        }
        for n in (1, 2)
    ]
    source = registry.load("sources", "agentsight")
    for audits, joined in ((requests, False), (requests[:1], True)):
        about = next(iter(source.read([Line(1, 0, snapshot(audit_events=audits))], None, "x")))
        assert (about.root != about.session) is joined


def test_agentsight_bytes_and_hosts_of_a_log() -> None:
    drafts, skipped = told("agentsight-events", (SAMPLES / "agentsight-events.jsonl").read_bytes())
    assert drafts["900 host"].measures == {"bytes.received": 1192, "bytes.sent": 2865, "events": 2}
    assert drafts["900 api.anthropic.com"].measures == {"events": 1}
    assert drafts["900 node"].fields["lineage"] == "root"
    assert "process" not in drafts["901 git"].fields, "its parent is not in the log"
    assert {reason: n for reason, (_, n) in skipped.items()} == {
        "answer of a model told by the agent's own file": 1,
        "sample of processor and memory": 1,
    }


def test_agentsight_tracers_without_their_collector_have_no_date() -> None:
    text = '{"timestamp":160303702366737,"event":"EXEC","comm":"a","pid":5,"ppid":4,"filename":"/bin/a"}\n'
    text += (
        '{"timestamp":1791280800000000000,"event":"EXEC","comm":"b","pid":6,"ppid":4,"filename":"/bin/b"}\n'
    )
    text += '{"timestamp":1,"event":"EXIT","comm":"x","pid":77,"exit_code":0}\n'
    text += '{"timestamp":1,"event":"NEW","pid":5}\n'
    assert registry.load("sources", "agentsight-events").sniff(text.encode()) > 0.5
    drafts, skipped = told("agentsight-events", text)
    assert (drafts["5 a"].started, drafts["6 b"].started) == (None, 1_791_280_800_000_000)
    assert set(skipped) == {"end of a process whose start is not in the log", "unknown event"}


def test_agentsight_real_snapshot_is_read_without_loss(tmp_path: Path) -> None:
    path = need("data", "native", "agentsight", "gauransh+agentsight", "docs", "sample-snapshot.json")
    given = json.loads(path.read_bytes())
    drafts, skipped = told("agentsight", path.read_bytes())
    found = _read_in_pieces(registry.load("sources", "agentsight"), path.read_bytes(), ())
    kinds = Counter(o["kind"] for o in found)
    assert kinds["process"] == len(given["process_nodes"])
    files = [
        a for a in given["audit_events"] if a["audit_type"] == "file" and not a["target"].startswith("/dev/")
    ]
    assert sum(o["measures"]["events"] for o in found if o["kind"] == "file") == sum(
        a["details"]["count"] for a in files
    )
    assert kinds["file"] == len({(a["pid"], a["target"]) for a in files})
    hosts = given["network_targets"]
    assert sum(o["measures"]["events"] for o in found if o["kind"] == "network") == sum(
        h["count"] for h in hosts
    )
    left = {reason: n for reason, (_, n) in skipped.items()}
    audits = Counter(a["audit_type"] for a in given["audit_events"])
    assert left["tool call told by the agent's own file"] == len(given["tool_calls"])
    assert left["request to a model told by the agent's own file"] == audits["llm"]
    assert left["sample of processor and memory"] == len(given["resource_samples"])
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(path.parents[1])
    assert report.effects == {"id": 0, "tree": 0, "ambiguous": 0, "none": len(found)}
    assert drafts


# OpenTelemetry ------------------------------------------------------------------------------------


def test_otel_a_span_of_a_process_is_one_and_belongs_to_the_tool_around_it(tmp_path: Path) -> None:
    def span(
        number: int, parent: int | None, name: str, start: int, end: int, **attributes: Any
    ) -> dict[str, Any]:
        kinds = {str: "stringValue", int: "intValue"}
        told = [
            {"key": k.replace("__", "."), "value": {kinds[type(v)]: str(v)}}
            for k, v in attributes.items()
            if not isinstance(v, list)
        ]
        told += [
            {
                "key": k.replace("__", "."),
                "value": {"arrayValue": {"values": [{"stringValue": w} for w in v]}},
            }
            for k, v in attributes.items()
            if isinstance(v, list)
        ]
        made = {"traceId": "0" * 31 + "1", "spanId": f"{number:016x}", "name": name, "attributes": told}
        made |= {"startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str(end * 10**9)}
        return made | ({"parentSpanId": f"{parent:016x}"} if parent else {})

    at = 1_791_280_800
    spans = [
        span(1, None, "invoke_agent", at, at + 60, gen_ai__operation__name="invoke_agent"),
        span(2, 1, "chat m", at, at + 1, gen_ai__operation__name="chat", gen_ai__request__model="m",
             gen_ai__usage__input_tokens=5, gen_ai__usage__output_tokens=2),
        span(3, 1, "execute_tool shell", at + 2, at + 9, gen_ai__operation__name="execute_tool",
             gen_ai__tool__name="shell"),
        span(4, 3, "make", at + 3, at + 8, process__pid=70, process__executable__name="make",
             process__command_args=["make", "all it"], process__exit__code=2),
        span(5, 4, "cc", at + 4, at + 5, process__pid=71, process__parent_pid=70,
             process__command_line="cc -k sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefghij-AA"),
        span(6, 1, "git", at + 20, at + 21, process__pid=72, process__executable__name="git"),
    ]  # fmt: skip
    resource = {"attributes": [{"key": "process.pid", "value": {"intValue": "1"}}]}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}))
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    report = workspace.add(path)
    assert report.effects == {"id": 2, "tree": 0, "ambiguous": 0, "none": 1}
    (session,) = workspace.sessions()
    found = {o.name: o for o in workspace.operations(session.key)}
    assert {o.name for o in found.values() if o.kind == "process"} == {"make", "cc", "git"}
    assert found["make"].parent == found["cc"].parent == found["shell"].id
    assert found["cc"].fields["process"] == found["make"].id
    assert found["make"].fields["command"] == "make 'all it'"
    assert "sk-ant" not in found["cc"].fields["command"]
    stacks = workspace.profile(stack=["tool", "kind"], measure="operations").totals
    frame = found["shell"].fields["frame"]
    assert stacks[(frame, "process")] == (2,)
    assert stacks[("(process)", "process")] == (1,)
