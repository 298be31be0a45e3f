"""Does what a program says about its plan reach the disk as it was said, in every sort of code?"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from record.lines import SECRET, rows, told
from tracelode.model import plan as noun
from tracelode.record import (
    Executor,
    Recorder,
    RecordError,
    TraceEvent,
    TraceSession,
    bind,
    current,
    environment,
    event,
    find_plan,
    node,
    wrap_planner,
    wrap_tool,
)
from tracelode.record.recorder import chosen


def test_the_recorder_and_the_noun_say_the_same() -> None:
    assert event.STATUSES == noun.STATUSES
    assert event.OPS == noun.OPS
    assert event.DECISIONS == noun.DECISIONS
    assert event.REQUIRED == noun.REQUIRED
    assert (event.GOAL, event.SCHEMA_VERSION) == (noun.GOAL, noun.SCHEMA_VERSION)


def test_a_session_says_everything_in_order(tmp_path: Path) -> None:
    with Recorder(tmp_path).session("one", task="t", task_type="explore") as s:
        s.goal("a classifier")
        a = s.plan("inspect")
        b = s.plan("fill", depends_on=[a])
        with s.execute(a) as x:
            x.tool("read_csv", input="train.csv", result="10000x30", return_code=0)
            x.measure(tokens=812)
            x.measure(tokens=8)
        s.review(b, decision="request_changes", reason="by rule")
        s.revise(b, op="rescope", before={"by": "median"}, after={"by": "rule"})
        with pytest.raises(KeyError), s.execute(b):
            raise KeyError("x")
        s.complete(measures={"auc": 0.86})
    assert told(tmp_path) == [
        ("plan", "goal", "planned"), ("plan", a, "planned"), ("plan", b, "planned"),
        ("execute", a, "running"), ("execute", a, "running"), ("execute", a, "succeeded"),
        ("review", b, "updated"), ("revise", b, "updated"),
        ("execute", b, "running"), ("execute", b, "failed"), ("complete", "goal", "succeeded"),
    ]  # fmt: skip
    found = rows(tmp_path)
    assert [row["seq"] for row in found] == list(range(len(found)))
    assert {row["session_id"] for row in found} == {"one"}
    assert {row["task_id"] for row in found} == {"t"}
    assert found[2]["depends_on"] == [a]
    assert found[5]["payload"]["measures"] == {"tokens": 820, "tool_calls": 1}
    assert found[9]["payload"] == {"attempt": 1, "error_type": "KeyError"}
    assert [p.stat().st_mode & 0o777 for p in tmp_path.rglob("*.json*")] == [0o600, 0o600]
    manifest = json.loads(next(tmp_path.rglob("manifest.json")).read_text())
    assert (manifest["events"], manifest["complete"]) == (len(found), True)


def test_an_exception_fails_the_session(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), Recorder(tmp_path).session():
        raise ValueError("x")
    assert told(tmp_path) == [("complete", "goal", "failed")]
    assert rows(tmp_path)[0]["payload"]["error_type"] == "ValueError"


def test_the_script_of_the_article_runs(tmp_path: Path) -> None:
    session = TraceSession("ml_project_001")
    session.record(actor="human", event_type="plan", node_id="task_0", payload={"description": "目标"})
    session.record(actor="agent", event_type="plan", node_id="plan_2", parent_node_id="task_0")
    session.record(actor="human", event_type="review", node_id="plan_2", status="updated")
    session.record(actor="agent", event_type="execute", node_id="plan_2", status="running")
    session.record(
        actor="agent", event_type="execute", node_id="plan_2", status="succeeded", payload={"rows": 1}
    )
    session.record(actor="system", event_type="complete", node_id="task_0", status="succeeded")
    session.dump_jsonl(str(tmp_path / "sample.jsonl"))
    assert len(session.events) == 6
    assert session.events[0].to_dict()["payload"] == {"description": "目标"}
    assert len(told(tmp_path / "sample.jsonl")) == 6
    session.dump_jsonl(tmp_path / "sample.jsonl")
    assert len(told(tmp_path / "sample.jsonl")) == 6


def test_what_is_no_event_is_counted_and_never_raised() -> None:
    session = TraceSession("s")
    assert session.record("agent", "log") is None
    assert session.record("robot", "plan") is None
    assert session.record("agent", "plan", status="running") is None
    assert session.record("agent", "revise", status="updated") is None
    assert session.record("agent", "plan", payload=7) is None  # type: ignore[arg-type]
    assert sum(session.problems.values()) == 5
    assert session.events == []
    with pytest.raises(RecordError, match="event_type"):
        TraceSession("s", strict=True).record("agent", "log")
    with pytest.raises(ValueError, match="event_type"):
        TraceEvent(event_type="log")


def test_a_full_disk_does_not_stop_the_program(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file where the folder should be")
    with Recorder(tmp_path / "traces").session() as s:
        s.goal("x")
    assert sum(s.problems.values()) >= 2


def test_strict_sessions_end_what_is_open(tmp_path: Path) -> None:
    with Recorder(tmp_path, strict=True).session() as s:
        a = s.plan("a")
        s.start(a)
        with pytest.raises(RecordError, match="before and after"):
            s.revise(a, op="rescope")
    assert rows(tmp_path)[-2]["payload"]["reason"] == "unclosed"


def test_a_list_given_whole_is_followed(tmp_path: Path) -> None:
    with Recorder(tmp_path).session() as s:
        s.plan("Write the parser")
        first = s.replan([{"content": "Write the parser", "status": "in_progress"}, {"content": "Run tests"}])
        second = s.replan(
            [("Write a parser", "completed"), ("Run tests", "in_progress"), ("Ship", "blocked")]
        )
        assert second[:2] == first == ["1/1", "1/2"]
        s.replan([("Write a parser", "completed"), ("Run tests", "completed"), ("Ship", "completed")])
        assert s.replan(["Something else"]) == ["2/1"]
    ops = [(r["event_type"], r["node_id"], r["payload"].get("op") or r["status"]) for r in rows(tmp_path)]
    assert ops == [
        ("plan", "1/1", "create"), ("plan", "1/2", "create"), ("execute", "1/1", "running"),
        ("revise", "1/1", "rename"), ("plan", "1/3", "add"), ("execute", "1/1", "succeeded"),
        ("execute", "1/2", "running"), ("revise", "1/3", "rescope"),
        ("execute", "1/2", "succeeded"), ("execute", "1/3", "running"), ("execute", "1/3", "succeeded"),
        ("plan", "2/1", "add"), ("complete", "goal", "succeeded"),
    ]  # fmt: skip
    implied = next(r for r in rows(tmp_path) if r["node_id"] == "1/3" and r["status"] == "running")
    assert implied["evidence"] == "inferred"
    assert any(r["payload"].get("native_status") == "blocked" for r in rows(tmp_path))


def test_tasks_threads_and_executors_know_their_node(tmp_path: Path) -> None:
    seen: dict[str, str] = {}

    def note(name: str) -> None:
        current().record("agent", "execute", status="running", payload={"tool": name})

    async def work(s: object, name: str) -> None:
        with current().execute(current().plan(name)) as x:
            await asyncio.sleep(0)
            seen[name] = x.node
            note(name)
            await asyncio.to_thread(note, name)

    async def main() -> None:
        async with Recorder(tmp_path).session() as s:
            await asyncio.gather(*(work(s, f"n{i}") for i in range(5)))

    asyncio.run(main())
    for row in rows(tmp_path):
        if "tool" in row["payload"]:
            assert row["node_id"] == seen[row["payload"]["tool"]]
    assert current().session_id == "outside"

    with Recorder(tmp_path / "threads").session() as s, s.execute(s.plan("n")) as x:
        lost = threading.Thread(target=note, args=("unbound",))
        kept = threading.Thread(target=bind(note), args=("bound",))
        for thread in (lost, kept):
            thread.start()
            thread.join()
        with Executor(ThreadPoolExecutor(2)) as pool:
            pool.submit(note, "submitted").result()
            list(pool.map(note, ["m1", "m2"]))
    calls = [r for r in rows(tmp_path / "threads") if "tool" in r["payload"]]
    found = {r["payload"]["tool"]: r["node_id"] for r in calls}
    assert found == dict.fromkeys(["bound", "submitted", "m1", "m2"], x.node)


def test_a_session_inside_an_async_generator_does_not_leak(tmp_path: Path) -> None:
    async def chunks() -> object:
        with Recorder(tmp_path).session("inner"):
            yield 1
            yield 2

    async def main() -> None:
        with Recorder(tmp_path).session("outer"):
            generator = chunks()
            await generator.__anext__()  # type: ignore[attr-defined]
            task = asyncio.create_task(generator.aclose())  # type: ignore[attr-defined]
            await task
        assert current().session_id == "outside"

    asyncio.run(main())


def test_decorated_functions_are_nodes(tmp_path: Path) -> None:
    @node("build")
    def build(n: int) -> int:
        return inner(n)

    @node()
    def inner(n: int) -> int:
        if n < 0:
            raise ValueError
        return n

    @node("later")
    async def later() -> int:
        return build(3)

    assert build(1) == 1
    with Recorder(tmp_path).session() as s:
        planned = s.plan("build")
        with pytest.raises(ValueError):  # noqa: PT011
            build(-1)
        assert build(2) == 2
        assert asyncio.run(later()) == 3
    found = rows(tmp_path)
    done = [r for r in found if r["node_id"] == planned and r["event_type"] == "execute"]
    attempts = [(r["payload"]["attempt"], r["status"]) for r in done]
    assert attempts == [(1, "running"), (1, "failed"), (2, "running"), (2, "succeeded")]
    below = {r["parent_node_id"] for r in found if r["payload"].get("description") == "inner"}
    assert planned in below


def test_tools_and_planners_need_no_word_of_their_own(tmp_path: Path) -> None:
    @wrap_planner
    def think() -> dict[str, object]:
        return {"plan": [{"step": "look"}, {"step": "fix", "status": "in_progress"}]}

    @wrap_tool
    def read(path: str, node_id: str = "") -> str:
        return node_id

    @wrap_tool
    async def fails() -> None:
        raise OSError

    assert read("x") == ""
    with Recorder(tmp_path).session() as s:
        plan = think()
        assert [item["node_id"] for item in plan["plan"]] == ["1/1", "1/2"]  # type: ignore[attr-defined]
        with s.execute("1/1"):
            assert read("a.py") == "1/1"
            with pytest.raises(OSError):  # noqa: PT011
                asyncio.run(fails())
        assert read("b.py") == "1/3"
    calls = [r for r in rows(tmp_path) if "input_summary" in r["payload"] and r["status"] == "running"]
    assert [(r["node_id"], r["payload"]["tool"]) for r in calls] == [
        ("1/1", "read"),
        ("1/1", "fails"),
        ("1/3", "read"),
    ]
    assert calls[1]["payload"]["error_type"] == "OSError"


@pytest.mark.parametrize(
    ("given", "plan"),
    [
        ('```json\n{"steps": ["a", "b"]}\n```', ["a", "b"]),
        (
            "Plan:\n- [x] one\n- [ ] two\n3. three",
            [("one", "completed"), ("two", "pending"), ("three", "pending")],
        ),
        ("no list here", None),
        ({"answer": 1}, None),
    ],
)
def test_plans_are_found_in_what_models_return(given: object, plan: object) -> None:
    assert find_plan(given) == plan


def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    payload = {
        "description": f"use {SECRET}", SECRET: 1, "password": "hunter22x", "deep": {"a": [{"b": (SECRET,)}]},
        "argv": ["login", "--password", "hunter22x"], "pair": {"name": "password", "value": "hunter22x"},
        "odd": {SECRET}, "bytes": SECRET.encode(), "input_summary": "x" * 480 + SECRET,
        "mail": "a.person@corp.example.org",
    }  # fmt: skip
    for mode in ("summary", "metadata", "full"):
        place = tmp_path / mode
        with Recorder(place, redact=mode).session() as s:
            s.record("agent", "plan", f"node {SECRET}", f"parent {SECRET}", payload=payload)
            s.goal(SECRET)
            with s.execute(s.plan(SECRET)) as x:
                x.tool(SECRET, input={"token": "tok3n-Value-9x"}, result=SECRET)
            s.replan([SECRET])
        assert not s.problems
        text = "".join(p.read_text() for p in place.rglob("*.json*"))
        assert rows(place)
        for secret in (SECRET, SECRET[:30], "hunter22x", "tok3n-Value-9x", "a.person"):
            assert secret not in text, (mode, secret)


def test_metadata_keeps_measures_and_pseudonyms_that_join(tmp_path: Path) -> None:
    for name in ("a", "b"):
        with Recorder(tmp_path, redact="metadata").session(name) as s:
            s.record(
                "agent",
                "execute",
                "n",
                status="running",
                payload={"tool": "t", "result_summary": "the text", "measures": {"n": 1}, "shape": [2, 3]},
            )
    first, second = [r["payload"] for r in rows(tmp_path) if r["event_type"] == "execute"]
    assert first == second
    assert first["tool"] == "t"
    assert first["shape"] == [2, 3]
    assert first["result_summary"].startswith("text-")
    assert first["result_summary"].endswith(" of 8 characters")
    assert (tmp_path / "pseudonyms.key").stat().st_mode & 0o777 == 0o600


def test_odd_values_are_written_as_something(tmp_path: Path) -> None:
    class Rude:
        def __str__(self) -> str:
            raise RuntimeError

    loop: dict[str, object] = {}
    loop["self"] = loop
    with Recorder(tmp_path).session("\ud800" + "s" * 300) as s:
        s.record(
            "agent",
            "plan",
            "n" * 500,
            payload={
                "a": Rude(),
                "b": float("nan"),
                "c": loop,
                "d": "\ud800\n\u2028",
                "e": "y" * 9_000,
                "n": 10**30,
            },
        )
        s.record("agent", "plan", "long", payload={f"k{i}": "z" * 499 for i in range(1_999)})
    assert not s.problems
    first, long = (r["payload"] for r in rows(tmp_path)[:2])
    assert (first["a"], first["b"], len(first["e"])) == ("<Rude>", None, 500)
    assert long["bytes"] > 900_000
    assert len(list(tmp_path.rglob("long/*.json"))) == 1


def test_sampling_keeps_sessions_whole(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, sample=0.25)
    lost = [f"s{i}" for i in range(200) if not chosen(f"s{i}", 0.25)]
    kept = [f"s{i}" for i in range(200) if chosen(f"s{i}", 0.25)]
    assert 30 < len(kept) < 70
    for name in (lost[0], kept[0]):
        with recorder.session(name) as s:
            s.goal("x")
    with recorder.session(lost[1]) as s:
        a = s.plan("a")
        with s.execute(a) as x:
            x.fail("no data")
    with recorder.session(kept[1]) as s:
        s.review(decision="reject")
    by = {r["session_id"]: r["payload"]["sampling"] for r in rows(tmp_path) if r["event_type"] == "complete"}
    assert by == {
        kept[0]: {"rate": 0.25, "weight": 4.0, "kept_by": []},
        lost[1]: {"rate": 1.0, "weight": 1.0, "kept_by": ["failed"]},
        kept[1]: {"rate": 0.25, "weight": 1.0, "kept_by": ["corrected"]},
    }
    assert len([r for r in rows(tmp_path) if r["session_id"] == lost[1]]) == 4


def test_a_child_process_goes_on_in_its_parents_node(tmp_path: Path) -> None:
    code = "from tracelode.record import adopt, current, wrap_tool\nadopt()\nwrap_tool(len)('abc')\n"
    with Recorder(tmp_path).session("p", task="t") as s, s.execute(s.plan("spawn")) as x:
        subprocess.run([sys.executable, "-c", code], env=environment(), check=True)
    found = rows(tmp_path)
    assert len({r["writer"] for r in found}) == 2
    assert len({p.parent for p in tmp_path.rglob("*.jsonl")}) == 1
    child = next(r for r in found if r["payload"].get("tool") == "len")
    assert (child["session_id"], child["node_id"], child["task_id"]) == ("p", x.node, "t")
    assert sum(r["event_type"] == "complete" for r in found) == 1
    code = "from tracelode.record import adopt\nassert adopt() is None"
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)


def test_importing_costs_little() -> None:
    code = (
        "import sys, time; t = time.process_time(); from tracelode.record import Recorder, bind; "
        "print(time.process_time() - t); "
        "assert not {'msgspec', 'duckdb', 're2', 'numpy', 'asyncio', 'dataclasses'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", code]
    times = [float(subprocess.check_output(command, text=True)) for _ in range(5)]
    assert min(times) <= 0.03
