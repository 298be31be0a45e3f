"""How does a workflow read as Arazzo 1.0.1? Only where steps are OpenAPI operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tracelode.compile.emit.given import Extra, Files, Given, input_schema, workflow_of
from tracelode.compile.emit.names import slug
from tracelode.compile.emit.openapi import Operation, Source, find, sources
from tracelode.compile.execute.plan import ordered
from tracelode.compile.paths import ANY_KEY, ANY_PLACE, parsed, put
from tracelode.errors import WorkflowError
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Check, Guard, Step, Test, Workflow
from tracelode.model.workflow_words import fresh

_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class _Cannot(Exception):
    """Something that Arazzo has no words for."""


def arazzo(given: Given, extra: Extra) -> Files:
    """workflow.arazzo.json.

    Args:
        given: a workflow, or a work whose verdict is one.
        extra: the OpenAPI documents that its steps are operations of.

    Raises:
        WorkflowError: refused, or something that Arazzo cannot say; the message names the first five.

    Source:
        Arazzo Specification 1.0.1 (https://spec.openapis.org/arazzo/v1.0.1.html).
    """
    workflow = workflow_of(given)
    writer = _Writer(workflow, sources(extra.documents))
    steps = writer.steps()
    if writer.problems:
        shown = "; ".join(writer.problems[:5])
        more = f" (and {len(writer.problems) - 5} more)" if len(writer.problems) > 5 else ""
        raise WorkflowError(f"it cannot be told in Arazzo: {shown}{more}", path=workflow.id)
    document = {
        "arazzo": "1.0.1",
        "info": {
            "title": workflow.name,
            "description": _description(workflow),
            "version": workflow.digest or workflow.id,
        },
        "sourceDescriptions": [
            {"name": s.name, "url": s.url, "type": "openapi"} for s in writer.sources if s.name in writer.used
        ],
        "workflows": [
            {
                "workflowId": slug(workflow.name),
                "summary": workflow.description or workflow.name,
                "inputs": input_schema(workflow),
                "steps": steps,
            }
        ],
    }
    data = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return {"workflow.arazzo.json": data + b"\n"}


def _description(workflow: Workflow) -> str:
    writes = [s.slot for s in workflow.steps if s.asks]
    trust = workflow.trust.replace("_", " ")
    told = f"Compiled by tracelode from {workflow.runs} runs ({trust}), {workflow.id}."
    if writes:
        told += " These steps may write, or people were asked about them; they need a person's approval, "
        told += "which Arazzo cannot ask for: "
        told += ", ".join(writes) + "."
    return told + (" Partial: it ends before a step that was refused." if workflow.partial else "")


class _Writer:
    """Writes the steps, and collects what cannot be said."""

    def __init__(self, workflow: Workflow, known: Sequence[Source]) -> None:
        self.order = ordered(workflow)
        self.sources = known
        self.used: set[str] = set()
        self.problems: list[str] = []
        self._ids = {s.slot: f"{slug(s.tool, '_', 'step')}_{n}" for n, s in enumerate(self.order, 1)}
        self._outputs: dict[str, dict[str, str]] = {s.slot: {} for s in self.order}
        self._types = {i.name: i.type for i in workflow.inputs}

    def steps(self) -> list[dict[str, Any]]:
        made = []
        for place, step in enumerate(self.order):
            operation = find(self.sources, step.server, step.tool)
            if operation is None:
                self.problems.append(
                    f"step {step.slot} is no operation of the OpenAPI documents that were given"
                )
                continue
            self.used.add(operation.source.name)
            made.append((step, self._step(place, step, operation)))
        for step, told in made:
            if self._outputs[step.slot]:
                told["outputs"] = self._outputs[step.slot]
        return [told for _, told in made]

    def _step(self, place: int, step: Step, operation: Operation) -> dict[str, Any]:
        told: dict[str, Any] = {"stepId": self._ids[step.slot]}
        if step.fresh:
            limits = "; ".join(map(fresh, step.fresh))
            told["description"] = (
                f"Nothing here checks whether what it copies still holds: {limits}. Do not call "
                "it once that is over."
            )
        if operation.id:
            several = sum(s.name in self.used for s in self.sources) > 1 or len(self.sources) > 1
            prefix = f"$sourceDescriptions.{operation.source.name}." if several else ""
            told["operationId"] = prefix + operation.id
        else:
            told["operationPath"] = operation.path
        if step.each is not None:
            self.problems.append(f"step {step.slot} is called for each element of a list")
        self._request(step, operation, told)
        told["successCriteria"] = self._criteria(step)
        actions = self._next(place)
        if actions:
            told["onSuccess"] = actions
        retry = self._retry(step)
        if retry:
            told["onFailure"] = [retry]
        return told

    def _request(self, step: Step, operation: Operation, told: dict[str, Any]) -> None:
        parameters: list[dict[str, Any]] = []
        body: Tree = None
        for argument in step.arguments:
            where = f"argument {argument.path} of step {step.slot}"
            keys = parsed(argument.path)
            try:
                if argument.when is not None:
                    raise _Cannot("it is passed only sometimes")
                value = self._value(argument.binding)
                name = str(keys[0]) if keys else ""
                place = operation.places.get(name, "body" if operation.takes_body else "")
                if not place:
                    raise _Cannot("the operation has no such parameter")
                if place != "body":
                    if len(keys) > 1:
                        raise _Cannot("it is a part of a parameter")
                    parameters.append({"name": name, "in": place, "value": value})
                else:
                    body = put(body, keys[1:] if operation.whole else keys, value)
            except (_Cannot, LookupError) as why:
                self.problems.append(f"{where}: {why}")
        if parameters:
            told["parameters"] = parameters
        if body is not None:
            told["requestBody"] = {"contentType": "application/json", "payload": body}

    def _value(self, binding: b.Binding) -> Tree:
        match binding:
            case b.Constant() | b.Default():
                _plain(binding.value)
                return binding.value
            case b.FromInput() if not binding.transforms:
                return f"$inputs.{_name(binding.name)}"
            case b.Copy() if not binding.transforms:
                return f"$steps.{self._ids[binding.step]}.outputs.{self._output(binding.step, binding.path)}"
            case b.Selected(picks=(b.At(index=index),)) if not binding.transforms and index >= 0:
                path = f"{binding.list}[{index}]" + (f".{binding.field}" if binding.field else "")
                return self._value(b.Copy(binding.step, path))
            case b.Template():
                return "".join(self._piece(p) for p in binding.parts)
            case b.Alias():
                return self._value(binding.of[0])
        kind = type(binding).__name__
        words = {
            "FromInput": "an input in another form",
            "Copy": "an output in another form",
            "Selected": "a choice from a list",
        }
        raise _Cannot(f"Arazzo has no words for {words.get(kind, kind)}")

    def _piece(self, part: str | b.Binding) -> str:
        if isinstance(part, str):
            _plain(part)
            return part
        found = self._value(part)
        return f"{{{found}}}" if isinstance(found, str) and found.startswith("$") else str(found)

    def _output(self, slot: str, path: str) -> str:
        expression = "$response.body" + _pointer(path)
        outputs = self._outputs[slot]
        for name, known in outputs.items():
            if known == expression:
                return name
        name = slug(path, "_", "body")
        while name in outputs:
            name += "_"
        outputs[name] = expression
        return name

    def _criteria(self, step: Step) -> list[dict[str, str]]:
        found = ["$statusCode >= 200", "$statusCode < 300"]
        for check in step.checks:
            condition = _condition(check)
            if condition:
                found.append(condition)
        if step.wait is not None:
            try:
                path = _pointer(step.wait.path)
                found.append(" || ".join(f"$response.body{path} == {_literal(v)}" for v in step.wait.until))
            except _Cannot as why:
                self.problems.append(f"step {step.slot} waits: {why}")
        return [{"condition": c} for c in dict.fromkeys(found)]

    def _retry(self, step: Step) -> dict[str, Any] | None:
        if step.wait is not None and step.wait.most > 1:
            after = step.wait.every_ms / 1000
            return {"name": "wait", "type": "retry", "retryAfter": after, "retryLimit": step.wait.most - 1}
        if step.retries:
            return {"name": "again", "type": "retry", "retryAfter": 1, "retryLimit": step.retries}
        return None

    def _next(self, place: int) -> list[dict[str, Any]]:
        """Where to go on: to the first following step whose guard holds."""
        if place == 0 and self.order[0].when is not None:
            self.problems.append(f"step {self.order[0].slot} is the first, and taken only sometimes")
        actions: list[dict[str, Any]] = []
        for step in self.order[place + 1 :]:
            action: dict[str, Any] = {
                "name": f"to_{self._ids[step.slot]}",
                "type": "goto",
                "stepId": self._ids[step.slot],
            }
            if step.when is None:
                return [*actions, action] if actions else []
            try:
                action["criteria"] = self._guard(step.when)
            except _Cannot as why:
                self.problems.append(f"the guard of step {step.slot}: {why}")
                return []
            actions.append(action)
        return [*actions, {"name": "end", "type": "end"}] if actions else []

    def _guard(self, guard: Guard) -> list[dict[str, str]]:
        return [{"condition": self._test(test)} for test in guard.tests]

    def _test(self, test: Test) -> str:
        left = self._value(test.left)
        if test.op == "present":
            return f"{left} {'==' if test.negated else '!='} null"
        if test.op not in _OPERATORS or test.right is None:
            raise _Cannot(f"Arazzo has no words for the comparison {test.op}")
        operator = _OPERATORS[test.op]
        right = self._value(test.right)
        shown = right if isinstance(right, str) and right.startswith("$") else _literal(right)
        return f"{left} {_NEGATED[operator] if test.negated else operator} {shown}"


def _condition(check: Check) -> str:
    """A check as a condition, "" where Arazzo has none for it: then the caller is on its own."""
    try:
        path = _pointer(check.path)
        if check.kind == "equals":
            return f"$response.body{path} == {_literal(check.value)}"
        return f"$response.body{path} != null" if check.kind == "required" else ""
    except _Cannot:
        return ""


def _pointer(path: str) -> str:
    keys = parsed(path)
    if ANY_KEY in keys or any(isinstance(k, int) and (k == ANY_PLACE or k < 0) for k in keys):
        raise _Cannot("Arazzo points at one place, not at several or from the end")
    escaped = (str(k).replace("~", "~0").replace("/", "~1") for k in keys)
    return "#" + "".join(f"/{k}" for k in escaped) if keys else ""


def _name(name: str) -> str:
    if not name or not all(c.isalnum() or c in "_-" for c in name):
        raise _Cannot("the name of an input has signs that no expression takes")
    return name


def _plain(value: Tree) -> None:
    """A text that Arazzo would read as an expression cannot be said."""
    if isinstance(value, str) and (value.startswith("$") or "{$" in value):
        raise _Cannot("a constant reads like an expression")
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for one in inner:
        _plain(one)


def _literal(value: Tree) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dict | list):
        raise _Cannot("Arazzo compares single values")
    return msgspec.json.encode(value).decode()
