"""Are the three levels of evidence kept apart: a list, an approved document, and stretches of one stage?"""

from __future__ import annotations

from pathlib import Path

import tracelode
from claude import Transcript
from cli.fake import operation
from tracelode.model.measure import TOKEN_KINDS
from tracelode.model.plan import Plan
from tracelode.model.planning import SessionPlan
from tracelode.plan.work import work_of_operations
from tracelode.workspace import Workspace

KEYS = tuple(f"22222222-2222-4333-8444-55555555550{n}" for n in range(3))
DOCUMENT = (
    "Implement the following plan:\n\n# Move the table\n\n## Copy\n- Read the rows\n- Write them\n## Swap\n"
)
ORDERED = ("coverage", "completion", "deviation", "coverage_seed", "alignment_fitness", "work_in_plan")


def worked(t: Transcript, prompt: str, *todos: list[tuple[str, str]]) -> Transcript:
    """A session that reads, edits and tests, with a list that is rewritten in between."""
    t.user(prompt)
    listed = list(todos)
    for tool, given in (
        ("Read", {"file_path": "/home/sam/src/app/a.py"}),
        ("Read", {"file_path": "/home/sam/src/app/b.py"}),
        (
            "Edit",
            {"file_path": "/home/sam/src/app/a.py", "old_string": "", "new_string": "line one\nline two\n"},
        ),
        ("Bash", {"command": "pytest -q"}),
    ):
        if listed:
            rows = [{"content": c, "status": s, "activeForm": c} for c, s in listed.pop(0)]
            t.assistant(tools=[("TodoWrite", {"todos": rows})]).advance(1)
            t.result(t.calls[0], "Todos have been modified successfully.").advance(2)
        t.assistant(tools=[(tool, given)]).advance(3)
        t.result(t.calls[0], "done").advance(2)
    return t.assistant("Done.")


def measured(folder: Path) -> tuple[SessionPlan, ...]:
    """A session of each level, the strongest first."""
    listed = [
        [("Change a", "in_progress"), ("Test it", "pending")],
        [("Change a", "completed"), ("Test it", "in_progress")],
    ]
    worked(Transcript(KEYS[0]), "change a", *listed).write(folder / "claude")
    worked(Transcript(KEYS[1]), DOCUMENT).write(folder / "claude")
    worked(Transcript(KEYS[2]), "change a").write(folder / "claude")
    workspace: Workspace = tracelode.open(folder / "store", tz="UTC")
    workspace.add(folder / "claude")
    found = {one.session_id: one for one in workspace.plan_metrics().sessions}
    return tuple(found[key] for key in KEYS)


def test_the_level_is_told(tmp_path: Path) -> None:
    assert [one.tier for one in measured(tmp_path)] == ["declared", "human", "inferred"]


def test_a_document_has_nodes_and_no_coverage(tmp_path: Path) -> None:
    _, human, _ = measured(tmp_path)
    assert [node.text for node in human.nodes] == ["Copy", "Read the rows", "Write them", "Swap"]
    assert [node.depth for node in human.nodes] == [0, 1, 1, 0]
    assert human.metric("node_count").value == 4
    assert human.metric("node_count").evidence == {"human": 4}
    for name in ORDERED:
        assert human.metric(name).value is None, name
        assert human.metric(name).reason


def test_stretches_say_where_work_went_and_nothing_of_a_plan(tmp_path: Path) -> None:
    declared, human, inferred = measured(tmp_path)
    assert {node.status for node in inferred.nodes} == {"segment"}
    assert sum(node.calls or 0 for node in inferred.nodes) == 4
    assert len({node.text for node in inferred.nodes}) > 1
    assert inferred.metric("segment_count").value == len(inferred.nodes) == len(inferred.bars)
    assert inferred.metric("observed_rework").denominator == 2
    for name in (*ORDERED, "node_count", "node_duration", "rework_finished"):
        assert inferred.metric(name).value is None, name
    for one in (declared, human):
        assert one.metric("segment_count").value is None
        assert all(not node.id.startswith("seg/") for node in one.nodes)


def test_nodes_have_the_tokens_of_their_calls(tmp_path: Path) -> None:
    listed, *_ = measured(tmp_path)
    workspace = tracelode.open(tmp_path / "store", tz="UTC")
    tools = [o for o in workspace.operations(KEYS[0]) if o.kind == "tool"]
    spent = sum(v for o in tools for k, v in o.measures.items() if k in TOKEN_KINDS)
    assert spent > 0
    told = [node.tokens or 0 for node in listed.nodes]
    assert all(told)
    assert sum(told) <= spent


def test_parts_of_a_model_call_sum_to_it() -> None:
    asks = operation("s", 0, id="m", kind="model", name="answer", measures={"tokens.output": 11, "calls": 1})
    tools = [operation("s", n, fields={"call": "m"}, measures={"tokens.output": n}) for n in (1, 2, 3)]
    found = work_of_operations([asks, *tools], Plan(session="s", nodes=(), events=(), epochs=0))
    assert [call.tokens for call in found.calls] == [4 + 1, 4 + 2, 3 + 3]
