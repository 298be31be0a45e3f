"""Which conversations does a decoded value hold? Benchmarks put their own frames around the messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from tracelode.making import picodollars
from tracelode.model.ports import Line, Skip
from tracelode.sources.chat.conversation import (
    Conversation,
    facts,
    is_message,
    message_list,
    own_key,
    word,
)

REQUEST = frozenset(("response", "max_tokens", "max_completion_tokens", "stream"))
"""Keys of a logged request: each one holds the whole conversation so far, so their calls do not add up."""
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_STEP = 900_000_000
"""Zones differ by whole quarters of an hour."""
_LATE = 300_000_000
"""A message is written at most so long after its answer was made."""


def conversations(value: Any, line: Line) -> Iterator[Conversation | Skip]:
    """Conversations in a decoded value.

    Args:
        value: a file's or a line's value.
        line: where it stands.
    """
    if isinstance(value, list):
        if any(map(is_message, value)):
            yield _bare(value, line)
            return
        for item in value:
            if isinstance(item, list | dict):
                yield from conversations(item, line)
            else:
                yield Skip(line.number, "element that is no conversation")
    elif isinstance(value, dict):
        yield from _object(value, line)
    else:
        yield Skip(line.number, "value that is no conversation")


def _object(value: dict[str, Any], line: Line) -> Iterator[Conversation | Skip]:
    if isinstance(value.get("simulations"), list):
        yield from _tau2(value, line)
    elif isinstance(value.get("traj"), list):
        yield _tau(value, line)
    elif not REQUEST.isdisjoint(value):
        yield Skip(line.number, "request to a model, which holds the history again")
    elif (messages := message_list(value)) is not None:
        known = value.get("metadata")
        metadata = known if isinstance(known, dict) else {}
        if "suite_name" in value:
            yield _agentdojo(value, messages, line, "utility")
        elif "suite_name" in metadata:
            yield _agentdojo(metadata, messages, line, "success")
        else:
            yield Conversation(
                messages=messages,
                line=line,
                key=own_key(value),
                model=word(value.get("model")) or word(metadata.get("model")),
            )
    elif set(value) != {"metadata"}:
        # a line of metadata alone stands before the runs of an Invariant export
        yield Skip(line.number, "object without messages")


def _bare(messages: list[Any], line: Line) -> Conversation:
    team = any(is_message(m) and m["role"].startswith("Orchestrator (") for m in messages)
    name = "magentic-one" if team else "chat"
    return Conversation(messages=messages, line=line, agent=name, title=(name,))


def _tau(value: dict[str, Any], line: Line) -> Conversation:
    """A run of tau-bench: {task_id, reward, info, traj, trial}."""
    task = word(value.get("task_id"))
    return Conversation(
        messages=value["traj"],
        line=line,
        agent="tau-bench",
        title=("tau", task, word(value.get("trial"))),
        task=task or None,
        outcome=_rewarded(value.get("reward")),
        facts=dict(facts(value, "tau", ("reward", "trial"))),
        errors=_ERRORS,
    )


_ERRORS = ("Error:", "Unknown action ")
"""How the environments of tau-bench and tau2 answer a call that failed."""


def _rewarded(reward: Any) -> str | None:
    """The benchmarks' own rule: a task is solved by a reward of 1."""
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        return None
    return "success" if abs(reward - 1) <= 1e-6 else "failure"


def _tau2(value: dict[str, Any], line: Line) -> Iterator[Conversation | Skip]:
    """The runs of a tau2 results file."""
    info = _part(value, "info")
    domain = word(_part(info, "environment_info").get("domain_name"))
    model = word(_part(info, "agent_info").get("llm"))
    for run in value["simulations"]:
        if not isinstance(run, dict) or not isinstance(run.get("messages"), list):
            yield Skip(line.number, "run without messages")
            continue
        messages = run["messages"]
        reward = _part(run, "reward_info").get("reward")
        task = word(run.get("task_id"))
        known = dict(facts(run, "tau2", ("trial", "termination_reason")))
        if word(reward):
            known["tau2.reward"] = word(reward)
        zone, told = _zone(messages)
        if not told:
            yield Skip(line.number, "times without a zone, read as UTC")
        costs = [m.get("cost") for m in messages if is_message(m) and m["role"] == "assistant"]
        yield Conversation(
            messages=messages,
            line=line,
            agent="tau2",
            key=own_key(run),
            title=("tau2", domain, task),
            model=model,
            task="/".join(part for part in (domain, task) if part) or None,
            outcome=_rewarded(reward),
            facts=known,
            cost=picodollars(run.get("agent_cost")) if not any(c is not None for c in costs) else None,
            zone=zone,
            errors=_ERRORS,
        )


def _zone(messages: list[Any]) -> tuple[int, bool]:
    """(microseconds from the file's clock to UTC, does the file tell it or need it?).

    tau2 writes local times without a zone, but keeps the answer of the model's server, which says in
    Unix seconds when it was made.
    """
    bare = False
    for message in messages:
        if not isinstance(message, dict):
            continue
        clock = local_moment(message.get("timestamp"))
        if clock is None:
            continue
        bare = True
        made = _part(message, "raw_data").get("created")
        if isinstance(made, int) and not isinstance(made, bool) and 0 < made < 10**11:
            apart = made * 1_000_000 - clock
            zone = round(apart / _STEP) * _STEP
            if abs(apart - zone) <= _LATE and abs(zone) <= 60 * _STEP:
                return zone, True
    return 0, not bare


def local_moment(text: Any) -> int | None:
    """Microseconds on a clock of unknown zone, None for anything but ISO 8601 without a zone."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is not None else (moment - _EPOCH) // _MICROSECOND


def _agentdojo(value: dict[str, Any], messages: list[Any], line: Line, verdict: str) -> Conversation:
    """A run of AgentDojo, in its own file or as a line of an Invariant export."""
    suite = word(value.get("suite_name"))
    task = word(value.get("user_task_id")) or word(value.get("task_id"))
    known = dict(facts(value, "agentdojo", _DOJO))
    known.update(facts(_part(value, "evaluation"), "agentdojo", ("utility", "security")))
    solved = known.get(f"agentdojo.{verdict}")
    attack = word(value.get("injection_task_id")) or word(value.get("condition"))
    return Conversation(
        messages=messages,
        line=line,
        agent="agentdojo",
        title=("agentdojo", suite, task, attack),
        model=word(value.get("model")) or word(value.get("pipeline_name")),
        task="/".join(part for part in (suite, task) if part) or None,
        outcome={"true": "success", "false": "failure"}.get(solved or ""),
        facts=known,
    )


_DOJO = (
    "suite_name", "pipeline_name", "injection_task_id", "attack_type", "utility", "success", "security",
    "duration", "total_tokens", "benchmark_version", "condition", "seed",
)  # fmt: skip
"""What AgentDojo says of a run, kept as it stands: the meaning of security differs between versions."""


def _part(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
