"""How are the runs kept as tests? A pytest file, what was recorded, and the module that must agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from tracelode.compile import transforms
from tracelode.compile.emit.given import Files, Given, verification_of, work_of, workflow_of
from tracelode.compile.emit.module import python
from tracelode.compile.emit.reads import pruned, reads
from tracelode.compile.evaluate import Asked, Missing, Scene, arguments, value
from tracelode.compile.paths import leaves, written
from tracelode.compile.work import Work
from tracelode.errors import WorkflowError
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Step, Workflow

VERSION = 1

_TEST = '''"""Does the workflow still bind the arguments that were recorded? One test for each recorded call.

Written by tracelode; it needs pytest, {module}.py and folds.json beside it, and nothing else.
"""

from __future__ import annotations

import importlib.util
import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
FOLDS = json.loads((HERE / "folds.json").read_text(encoding="utf-8"))


def _module() -> Any:
    spec = importlib.util.spec_from_file_location("workflow_under_test", HERE / "{module}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


WORKFLOW = _module()


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    data = text.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=16, key=FOLDS["key"].encode()[:64]).hexdigest()


def _cases() -> Any:
    for number, run in enumerate(FOLDS["runs"]):
        for call in run["calls"]:
            marks = () if call["end"] == "same" else pytest.mark.skip(reason=call["why"])
            yield pytest.param(run, call, id=f"{{number}}-{{call['call']}}", marks=marks)


def test_the_folds_are_those_of_the_workflow() -> None:
    assert FOLDS["workflow"] == WORKFLOW.WORKFLOW


@pytest.mark.parametrize(("run", "call"), _cases())
def test_a_recorded_call(run: Any, call: Any) -> None:
    known = {{slot: run["outputs"][slot] for slot in call["known"]}}
    scene = WORKFLOW.Scene(run["inputs"], known, run["state"])
    if call["element"] is not None:
        rows = WORKFLOW.ELEMENTS[call["slot"]](scene)
        rows = list(rows.values()) if isinstance(rows, dict) else rows
        scene.element = rows[call["element"]]
    assert digest(WORKFLOW.ARGUMENTS[call["slot"]](scene)) == call["arguments"]
'''


def folds(given: Given) -> Files:
    """test_workflow.py, folds.json and the module that they try.

    Args:
        given: a work whose verdict is a workflow.

    Returns:
        Three files. Arguments lie there as digests only; what the workflow reads of inputs and outputs is
        there in plain, since the bindings are tried on it.

    Raises:
        WorkflowError: refused, a workflow alone, which does not hold its runs, or a work that was not
            compiled to keep values.
    """
    work, workflow = work_of(given), workflow_of(given)
    if not work.options.keep_values:
        raise WorkflowError(
            "these tests hold inputs and outputs of the runs in clear, since a binding can be tried on "
            "nothing else; they are made with --keep-values only"
        )
    ((name, source),) = python(workflow).items()
    told = {
        "v": VERSION,
        "workflow": workflow.id,
        "key": workflow.id,
        "runs": list(_runs(work, workflow)),
    }
    data = json.dumps(told, ensure_ascii=True, sort_keys=True, indent=1)
    test = _TEST.format(module=name.removesuffix(".py"))
    return {"test_workflow.py": test.encode(), "folds.json": data.encode() + b"\n", name: source}


def digest(tree: Tree, key: str) -> str:
    """The digest of arguments, made as the test file makes it.

    Args:
        tree: JSON value.
        key: of the workflow.

    Returns:
        32 hex digits.
    """
    text = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=key.encode()[:64]).hexdigest()


def _runs(work: Work, workflow: Workflow) -> Iterator[dict[str, Any]]:
    from tracelode.compile.bind.observe import Scenes

    if work.alignment is None:
        raise WorkflowError("the runs were not aligned, so there are no folds", path=workflow.id)
    scenes = work.ruled[0] if work.ruled is not None else Scenes(work)
    kept = reads(workflow)
    steps = {step.slot: step for step in workflow.steps}
    named = _inputs(work, workflow, scenes)
    ends = _ends(work)
    for place, run in enumerate(work.runs):
        outputs = {s: pruned(o, kept[s]) for s, o in scenes.by_run[place].outputs.items() if s in kept}
        done: dict[str, int] = {}
        calls = []
        for index, slot in enumerate(work.alignment.of[place]):
            if slot not in steps:
                continue
            element = done.get(slot, 0)
            done[slot] = element + 1
            known = sorted(s for s in outputs if scenes.before(place, s, slot))
            scene = Scene(named[place], {s: outputs[s] for s in known})
            step = steps[slot]
            calls.append(
                {
                    "call": index,
                    "slot": slot,
                    "element": element if step.each is not None else None,
                    "known": known,
                    **_replayed(step, scene, run.calls[index].arguments, element, workflow.id),
                    "fold": ends.get((run.key, index), ""),
                }
            )
        yield {"run": run.key, "inputs": named[place], "state": {}, "outputs": outputs, "calls": calls}


def _ends(work: Work) -> dict[tuple[str, int], str]:
    found = verification_of(work)
    return {(f.run, c.call): c.end for f in found.folds for c in f.calls} if found is not None else {}


def _replayed(step: Step, scene: Scene, passed: Tree, element: int, key: str) -> dict[str, str]:
    """What the whole workflow binds for a recorded call: the same, or why it is not compared."""
    try:
        if step.each is not None:
            rows = value(step.each.over, scene)
            rows = list(rows.values()) if isinstance(rows, dict) else rows
            if not isinstance(rows, list) or element >= len(rows):
                return {"end": "other", "why": "the list had no such element", "arguments": ""}
            scene = Scene(scene.inputs, scene.outputs, scene.state, rows[element])
        made = arguments(step, scene)
    except Missing as missing:
        return {"end": "escalated", "why": f"it escalates: {missing.code}", "arguments": ""}
    except (Asked, LookupError):
        return {"end": "asked", "why": "an argument is asked for", "arguments": ""}
    if made == passed or _alike(made, passed):
        return {"end": "same", "why": "", "arguments": digest(made, key)}
    return {"end": "other", "why": "the run passed something else", "arguments": ""}


def _alike(made: Tree, passed: Tree) -> bool:
    one, two = ({written(k): v for k, v in leaves(t)} if isinstance(t, dict) else {} for t in (made, passed))
    return one.keys() == two.keys() and all(transforms.same(one[p], two[p]) or one[p] == two[p] for p in one)


def _inputs(work: Work, workflow: Workflow, scenes: Any) -> list[dict[str, Tree]]:
    """What who asked gave in each run: what its request mentions, or what it passed for an input as it is."""
    from tracelode.compile.bind.observe import mentioned

    assert work.alignment is not None
    found: list[dict[str, Tree]] = []
    for place, run in enumerate(work.runs):
        here: dict[str, Tree] = {}
        for one in workflow.inputs:
            kind, _, number = one.mention.partition(":")
            stand_in = mentioned(kind, int(number)) if number.isdigit() else ""
            if stand_in in scenes.by_run[place].inputs:
                here[one.name] = scenes.by_run[place].inputs[stand_in]
        for index, slot in enumerate(work.alignment.of[place]):
            step = next((s for s in workflow.steps if s.slot == slot), None)
            for argument in step.arguments if step is not None else ():
                for name in _plain(argument.binding):
                    passed = {written(k): v for k, v in leaves(run.calls[index].arguments)}
                    if name not in here and argument.path in passed:
                        here[name] = passed[argument.path]
        found.append({n: v for n, v in here.items() if not _secret(workflow, n)})
    return found


def _plain(binding: b.Binding) -> list[str]:
    """Inputs that an argument passes as they are."""
    if isinstance(binding, b.FromInput) and not binding.transforms:
        return [binding.name]
    return [n for inner in binding.of for n in _plain(inner)] if isinstance(binding, b.Alias) else []


def _secret(workflow: Workflow, name: str) -> bool:
    return any(one.name == name and one.secret for one in workflow.inputs)
