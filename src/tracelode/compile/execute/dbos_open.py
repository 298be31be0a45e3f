"""Does DBOS keep an open run of the same workflow and inputs, which wrote or is under way?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tracelode.compile.execute.journal import BEGUN, DONE, FAILED, IN_DOUBT
from tracelode.compile.execute.open_runs import compared, refuse, written
from tracelode.compile.execute.start import identity
from tracelode.model.run import Tree
from tracelode.model.workflow import Workflow

WORKFLOW = "tracelode_run"
"""Name of our workflows in DBOS."""
NEWEST = 1_000
"""Links of chains among which an open run is looked for: DBOS has no index of inputs."""
ALONE = "alone"
"""The step that notes that a run looked and saw no other one."""


async def unrepeated(dbos: Any, workflow: Workflow, inputs: Mapping[str, Tree], own: str) -> None:
    """Refuse to go on where one of the newest runs of the same inputs began; see open_runs.unrepeated.

    A run looks when DBOS has noted it already: of two that begin at once, both see each other, and the
    later one goes back.

    Args:
        dbos: the DBOS class.
        workflow: which.
        inputs: name to value.
        own: id of the link that looks.

    Raises:
        Repeated: there is such a run.
    """
    given, mark = compared(workflow, inputs), identity(workflow)
    writes = [step.slot for step in workflow.steps if step.effect.writes]
    links = await dbos.list_workflows_async(name=WORKFLOW, sort_desc=True, limit=NEWEST)
    born = {link.workflow_id: (link.created_at or 0, link.workflow_id) for link in links}
    seen: set[str] = set()
    for link in links:
        name, run, noted, _, made_by, prior = link.input["args"]
        if run in seen or name == own:  # an earlier link of its chain
            continue
        seen.add(run)
        if _ended(link) or made_by != mark or prior["mode"] != "act" or msgspec.json.decode(noted) != given:
            continue
        steps = {s["function_name"]: s["output"] for s in await dbos.list_workflow_steps_async(name)}
        first = not name.endswith(".0") or ALONE in steps or born[name] < born.get(own, (0, ""))
        going = bool(writes) and link.status == "PENDING" and first
        told = {**prior, **steps}
        refuse(run, *written(writes, _states(told), _replied(told)), under_way=going)


def _ended(link: Any) -> bool:
    if link.status != "SUCCESS":
        return False
    return bool(msgspec.json.decode(link.output).get("status") != "escalated")


def _states(noted: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(key, state) of the calls in the words of a journal."""
    found = {name[len("begin:") :]: BEGUN for name in noted if name.startswith("begin:")}
    for name, made in noted.items():
        if name.startswith("call:") and made is not None:
            states = {"done": DONE, "failed": FAILED}
            found[name[len("call:") :]] = states.get(made["state"], IN_DOUBT)
    found.update({name[len("settle:") :]: DONE for name in noted if name.startswith("settle:")})
    return sorted(found.items())


def _replied(noted: Mapping[str, Any]) -> list[str]:
    return [name[len("reply:") :] for name, said in noted.items() if name.startswith("reply:") and said]
