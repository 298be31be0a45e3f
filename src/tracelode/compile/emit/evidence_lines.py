"""What is the evidence, one line for each argument of each run?"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.compile.emit.given import Files, Given, identity, work_of
from tracelode.compile.work import Work
from tracelode.model.evidence import Evidence, Producer


def evidence(given: Given) -> Files:
    """evidence.jsonl; values are digests unless the work was compiled to keep them.

    Args:
        given: a work, refused or not.

    Raises:
        WorkflowError: a workflow alone: its runs are not in its file.

    Source:
        compiler specification, section 5.
    """
    work = work_of(given)
    lines = [msgspec.json.encode(_line(e, work)) + b"\n" for e in work.evidence]
    return {"evidence.jsonl": b"".join(lines)}


def _line(one: Evidence, work: Work) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(one)
    value: dict[str, Any] = {"sha": one.value.sha, "type": one.value.type, "length": one.value.length}
    value["bits"] = round(one.value.bits, 1)
    if work.options.keep_values and one.value.text is not None:
        value["repr"] = one.value.text
    return {
        "v": one.v,
        "workflow": one.workflow or identity(work),
        "intent": one.intent or work.intent.id,
        "run": one.run,
        "consumer": {"call": one.call, "slot": one.slot, "tool": one.tool},
        "arg": one.arg,
        "value": value,
        "producer": None if one.producer is None else _producer(one.producer),
        "level": one.level,
        "transform": one.transform,
        "alternatives": [_producer(p) for p in one.alternatives],
        "excluded": [{"kind": e.kind, "result": e.result} for e in one.excluded],
        "cross_run": plain.get("cross_run"),
        "verdict": one.verdict,
        "basis": one.basis,
        "reasons": list(one.reasons),
        "rule_version": one.rule_version,
        "file": one.file,
        "line": one.line or None,
    }


def _producer(one: Producer) -> dict[str, Any]:
    return {
        "call": one.call,
        "slot": one.slot,
        "path": one.path,
        "gpath": one.gpath,
        "span": None if one.span is None else list(one.span),
    }
