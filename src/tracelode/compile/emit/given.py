"""What is emitted: a workflow alone, or the whole work of an intent with its evidence?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tracelode.compile.work import Work
from tracelode.errors import WorkflowError
from tracelode.model.evidence import Edge, Evidence
from tracelode.model.verification import Verification
from tracelode.model.workflow import Input, Refusal, Refused, Workflow

Given: TypeAlias = Workflow | Work
Files: TypeAlias = dict[str, bytes]
"""Relative file name to content; names hold / between folders and nothing of a trace."""


@dataclass(frozen=True)
class Extra:
    """What some artefacts need besides."""

    documents: Mapping[str, Any] = field(default_factory=dict)
    """Address or path of an OpenAPI document to the parsed document (arazzo)."""


def workflow_of(given: Given) -> Workflow:
    """The workflow.

    Args:
        given: a workflow, or a work with a verdict.

    Raises:
        WorkflowError: there is none; the message names the refusals.
    """
    verdict = given if isinstance(given, Workflow) else given.verdict
    if isinstance(verdict, Workflow):
        return verdict
    if verdict is None:
        raise WorkflowError("the intent has no verdict yet: assemble it first", path=given.intent.id)  # type: ignore[union-attr]
    codes = ", ".join(dict.fromkeys(r.code for r in verdict.refusals))
    raise WorkflowError(f"the intent was refused ({codes}), so there is nothing to run", path=verdict.intent)


def work_of(given: Given) -> Work:
    """The work.

    Args:
        given: it must be one.

    Raises:
        WorkflowError: a workflow alone, which does not hold its runs.
    """
    if isinstance(given, Workflow):
        raise WorkflowError("the file of a workflow does not hold its runs: compile it again", path=given.id)
    return given


def title(given: Given) -> str:
    """The name of what is emitted.

    Args:
        given: refused or not.
    """
    return given.name if isinstance(given, Workflow) else given.intent.name


def identity(given: Given) -> str:
    """The id of the workflow, or of the intent that was refused.

    Args:
        given: refused or not.
    """
    if isinstance(given, Workflow):
        return given.id
    return given.verdict.id if isinstance(given.verdict, Workflow) else given.intent.id


def edges_of(given: Given) -> tuple[Edge, ...]:
    """Its edges.

    Args:
        given: refused or not.
    """
    if isinstance(given, Workflow):
        return given.edges
    return given.verdict.edges if isinstance(given.verdict, Workflow) else given.edges


def evidence_of(given: Given) -> tuple[Evidence, ...]:
    """Its evidence, () for a workflow alone.

    Args:
        given: refused or not.
    """
    return () if isinstance(given, Workflow) else given.evidence


def refusals_of(given: Given) -> tuple[Refusal, ...]:
    """What was refused.

    Args:
        given: refused or not.
    """
    verdict = given if isinstance(given, Workflow) else given.verdict
    return verdict.refusals if isinstance(verdict, Workflow | Refused) else given.refusals


def verification_of(given: Given) -> Verification | None:
    """What leave-one-out found, None where it was not asked.

    Args:
        given: refused or not.
    """
    found = None if isinstance(given, Workflow) else given.verification
    return found if isinstance(found, Verification) else None


def input_schema(workflow: Workflow) -> dict[str, Any]:
    """JSON Schema of the inputs.

    Args:
        workflow: any.
    """
    return {
        "type": "object",
        "properties": {one.name: _property(one) for one in workflow.inputs},
        "required": [one.name for one in workflow.inputs if one.required],
        "additionalProperties": False,
    }


def _property(one: Input) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "date": {"type": "string"},
        "time": {"type": "string"},
        "list": {"type": "array"},
    }
    found = dict(kinds.get(one.type, {"type": one.type}))
    if one.description:
        found["description"] = one.description
    return found
