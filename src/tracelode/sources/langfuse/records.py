"""Which parts of a Langfuse export do we read, and what traces does it hold?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.lenient import as_object, fit

DEPTH = 6
"""Lists and pages inside each other are followed this deep."""


class Observation(msgspec.Struct):
    """A step of a trace."""

    id: str | None = None
    """Own id."""
    traceId: str | None = None
    """Trace it belongs to."""
    type: str | None = None
    """SPAN, GENERATION, TOOL, AGENT, EVENT, ..."""
    name: str | None = None
    """What it is called."""
    startTime: str | None = None
    """ISO 8601."""
    endTime: str | None = None
    """ISO 8601."""
    parentObservationId: str | None = None
    """Step around it."""
    level: str | None = None
    """DEBUG, DEFAULT, WARNING, ERROR."""
    statusMessage: Any = None
    """What went wrong."""
    model: str | None = None
    """Model id."""
    usageDetails: dict[str, Any] | None = None
    """Tokens by kind; keys exclude each other."""
    usage: dict[str, Any] | None = None
    """The same in older exports: input, output, total."""
    costDetails: dict[str, Any] | None = None
    """Dollars by kind."""
    calculatedTotalCost: Any = None
    """Dollars in older exports."""
    totalCost: Any = None
    """Dollars in lists."""
    input: Any = None
    """Anything."""
    output: Any = None
    """Anything."""
    metadata: Any = None
    """Anything, mostly as JSON text."""


class Trace(msgspec.Struct):
    """A trace."""

    id: str | None = None
    """Own id."""
    timestamp: str | None = None
    """ISO 8601."""
    sessionId: str | None = None
    """Session that several traces make up."""
    input: Any = None
    """What it began with."""
    observations: list[Observation] = []
    """Its steps, each once."""


class Export:
    """Collects the traces of one file.

    Args:
        complaints: receives closed words on what was left out.
    """

    def __init__(self, complaints: list[str]) -> None:
        self.complaints = complaints
        self.traces: dict[str, Trace] = {}
        self._steps: dict[tuple[str, str], Observation] = {}
        self._bodies: dict[tuple[str, str], dict[str, Any]] = {}

    def add(self, value: Any, depth: int = 0) -> None:
        """Take whatever a file holds.

        Args:
            value: a decoded JSON value.
            depth: how far inside lists and pages it lies.
        """
        if depth > DEPTH:
            self.complaints.append("nested too deep")
        elif isinstance(value, list):
            for item in value:
                self.add(item, depth + 1)
        elif not isinstance(value, dict):
            self.complaints.append("record is not an object")
        elif isinstance(value.get("trace"), dict):
            self._trace(value["trace"], value.get("observations"))
        elif isinstance(value.get("observations"), list):
            self._trace(value, None)
        elif isinstance(value.get("batch"), list):
            self._batch(value["batch"])
        elif isinstance(value.get("data"), list):
            self.add(value["data"], depth + 1)
        elif "traceId" in value:
            self._step(fit(value, Observation, self.complaints), "")
        else:
            self.complaints.append("neither a trace nor an observation")

    def _trace(self, value: dict[str, Any], more: Any) -> None:
        inside = value.get("observations")
        trace = fit({k: v for k, v in value.items() if k != "observations"}, Trace, self.complaints)
        if trace.id is None:
            self.complaints.append("trace without an id")
            return
        old = self.traces.setdefault(trace.id, trace)
        old.sessionId = old.sessionId or trace.sessionId
        old.timestamp = old.timestamp or trace.timestamp
        old.input = old.input or trace.input
        for steps in (inside, more):
            for step in steps if isinstance(steps, list) else ():
                # a list of traces names observations by their ids alone
                if isinstance(step, dict):
                    self._step(fit(step, Observation, self.complaints), trace.id)

    def _step(self, step: Observation, trace: str) -> None:
        owner = step.traceId or trace
        if not step.id or not owner:
            self.complaints.append("observation without an id")
            return
        key = (owner, step.id)
        old = self._steps.get(key)
        if old is None:
            self._steps[key] = step
            self.traces.setdefault(owner, Trace(id=owner)).observations.append(step)
            return
        # web pages write a trace's steps twice, once without their texts
        for name in Observation.__struct_fields__:
            if getattr(old, name) in (None, {}, "{}", ""):
                setattr(old, name, getattr(step, name))

    def _batch(self, events: list[Any]) -> None:
        """Creates and updates of one id are one record."""
        for event in events:
            body = event.get("body") if isinstance(event, dict) else None
            kind = event.get("type") if isinstance(event, dict) else None
            if not isinstance(body, dict) or not isinstance(kind, str) or not isinstance(body.get("id"), str):
                self.complaints.append("event of a batch without a body or an id")
                continue
            what = kind.split("-")[0]
            merged = self._bodies.setdefault(("trace" if what == "trace" else "step", body["id"]), {})
            if what in ("span", "generation", "event"):
                merged.setdefault("type", what.upper())
            merged.update({k: v for k, v in body.items() if v is not None})
        for (what, _), body in self._bodies.items():
            if what == "trace":
                self._trace(body, None)
        for (what, _), body in self._bodies.items():
            if what == "step":
                self._step(fit(body, Observation, self.complaints), "")

    def sessions(self) -> Iterator[tuple[str, list[Trace]]]:
        """(session key, its traces) in the order in which they were found."""
        found: dict[str, list[Trace]] = {}
        for ident, trace in self.traces.items():
            found.setdefault(trace.sessionId or ident, []).append(trace)
        yield from found.items()


def attributes_of(step: Observation) -> tuple[str, dict[str, Any], bool]:
    """What OpenTelemetry wrote into an observation's metadata.

    Args:
        step: the observation.

    Returns:
        (name of the instrumentation scope, attributes, whether it came through OpenTelemetry at all).
    """
    metadata = as_object(step.metadata)
    scope = as_object(metadata.get("scope"))
    attributes = as_object(metadata.get("attributes"))
    name = scope.get("name")
    return name if isinstance(name, str) else "", attributes, bool(scope or attributes)
