"""Which finished sessions make tasks for a planner? Redacted, each goal once, split by repository."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from tracelode.model.plan import PlanEvent
from tracelode.model.plan_bench import FORMAT, BenchHead, BenchItem, BenchStep, Returned, Stepped
from tracelode.model.planning import METRICS_VERSION, NodeRow, SessionPlan
from tracelode.plan.life import Story
from tracelode.signals.likeness import likeness

LEAST = 2
"""Steps that a plan needs to be one."""
ALIKE = 0.8
"""Goals from this likeness on are one task."""
_GOAL = 1_500
_STEP = 200
_NOWHERE = "repository"


class Finished(NamedTuple):
    """A session with what was measured of it."""

    plan: SessionPlan
    events: Sequence[PlanEvent]


class Bench(NamedTuple):
    """A benchmark."""

    items: list[BenchItem]
    left_out: dict[str, int]


def extract(
    sessions: Sequence[Finished], clean: Callable[[str, int], str], name: Callable[[str], str]
) -> Bench:
    """Make tasks of finished sessions.

    Args:
        sessions: n measured sessions with their events.
        clean: a text without secrets and names, cut to a number of characters.
        name: keyed pseudonym of a text.

    Returns:
        Items by id, and why sessions are not in it.

    Source:
        plan rules, section 11.3; docs/decisions/0031-plan-statistics.md.
    """
    out: Counter[str] = Counter()
    held: list[tuple[str, BenchItem]] = []
    for one in sessions:
        why = _unfit(one.plan)
        if why:
            out[why] += 1
            continue
        held.append((one.plan.session_id, _item(one, clean, name)))
    # judged ones first, then those that say more: of goals that are alike the first stays. Ids are made of
    # pseudonyms, which every store has of its own: they decide nothing
    held.sort(key=lambda one: (one[1].outcome != "success", -len(one[1].executed), one[0]))
    kept: list[BenchItem] = []
    for _, item in held:
        if any(likeness(item.goal, other.goal, ALIKE) >= ALIKE for other in kept):
            out["its goal is like that of another one"] += 1
        else:
            kept.append(item)
    return Bench(sorted(kept, key=lambda item: item.id), dict(out))


def _unfit(one: SessionPlan) -> str:
    if one.root:
        return "thread of a sub-agent"
    if one.tier not in ("declared", "human"):
        return "no declared plan"
    if not one.goal:
        return "its goal is not in the record"
    done = [node for node in one.nodes if node.status == "succeeded"]
    if len(done) < LEAST or any(not node.text for node in done):
        return f"fewer than {LEAST} steps with a wording were done"
    if one.outcome == "failure":
        return "it failed"
    if not one.outcome and len(done) < len([node for node in one.nodes if node.status != "removed"]):
        return "nobody judged it, and steps were left open"
    return ""


def _item(one: Finished, clean: Callable[[str, int], str], name: Callable[[str], str]) -> BenchItem:
    plan, story = one.plan, Story(one.events)
    folder = PurePosixPath(plan.project).name

    def told(text: str, most: int) -> str:
        if len(folder) >= 4:
            text = re.sub(rf"(?<![\w-]){re.escape(folder)}(?![\w-])", _NOWHERE, text, flags=re.IGNORECASE)
        return clean(text, most)

    begun = {t.node.id: place for place, t in reversed(list(enumerate(story.tries)))}
    done = [node for node in plan.nodes if node.status == "succeeded"]
    done.sort(key=lambda node: (begun.get(node.id, len(begun)), node.rank))
    first = [node for node in plan.nodes if node.initial] or [node for node in plan.nodes if node.epoch == 1]
    places = {node.id: place for place, node in enumerate(done)}
    said = [i.text for i in plan.interventions if i.position == "pre" and i.decision != "goal"]
    causes = {e.event_id: str(e.payload.get("decision") or e.status) for e in one.events}
    repository = name(f"repository {plan.project}") if plan.project else ""
    made = BenchItem(
        id="", goal=told(plan.goal, _GOAL), family=plan.task_type, repository=repository,
        split=_split(plan.project or plan.session_id),
        context=name("\n".join((plan.project, plan.goal, *said))),
        initial=_steps(first, story, told), executed=_steps(done, story, told),
        outcome="success" if plan.outcome == "success" else "completed",
        interventions=tuple(
            Stepped(position=i.position, decision=i.decision, step=places.get(i.node_id))
            for i in plan.interventions if i.decision != "goal"
        ),
        rollbacks=tuple(
            Returned(step=places.get(back.to_node), cause=causes.get(back.trigger, ""),
                     initiator=back.initiator)
            for back in plan.rollbacks
        ),
    )  # fmt: skip
    return msgspec.structs.replace(made, id=sha256(msgspec.json.encode(made)).hexdigest()[:16])


def _steps(nodes: Sequence[NodeRow], story: Story, told: Callable[[str, int], str]) -> tuple[BenchStep, ...]:
    places = {node.id: place for place, node in enumerate(nodes)}
    return tuple(
        BenchStep(
            text=told(node.text, _STEP),
            depends_on=tuple(sorted(places[a] for a in story.nodes[node.id].after if a in places)),
        )
        for node in nodes
    )


def _split(repository: str) -> str:
    """One bit of a digest: it tells nothing of the name, and is the same everywhere."""
    return "test" if sha256(f"bench-v1:{repository}".encode()).digest()[-1] % 2 else "dev"


def encode(bench: Bench) -> bytes:
    """The file: a head with a digest, then a line each.

    Args:
        bench: what was extracted.
    """
    lines = b"".join(msgspec.json.encode(item) + b"\n" for item in bench.items)
    head = BenchHead(
        format=FORMAT, metrics_version=METRICS_VERSION, items=len(bench.items),
        sha256=sha256(lines).hexdigest(),
        splits=dict(sorted(Counter(item.split for item in bench.items).items())),
        left_out=dict(sorted(bench.left_out.items())),
    )  # fmt: skip
    return msgspec.json.encode(head) + b"\n" + lines
