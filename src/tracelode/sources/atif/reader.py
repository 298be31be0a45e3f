"""How does an ATIF trajectory become operations?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tracelode.lenient import decode, moment
from tracelode.making import Maker
from tracelode.model.operation import Operation, operation_id
from tracelode.model.ports import About, Item, Line, Skip, Tick
from tracelode.signals.arguments import argument_fields, asks_person, tool_kind
from tracelode.signals.human import human_kind
from tracelode.sources.atif.records import Ref, Result, Step, ToolCall, Trajectory
from tracelode.sources.atif.usage import differ, measures_of, shared
from tracelode.sources.atif.words import outcome_of, span_of, status_of, task_of, text_of

NAME = "atif"
DEPTH = 16
"""Sub-agents nested deeper are left out."""


def read_trajectory(file: Line, path: str) -> Iterator[Item]:
    """Items of one trajectory file.

    Args:
        file: the whole file.
        path: the file as origins name it.
    """
    found, complaints = decode(file.data, Trajectory)
    for reason in complaints:
        yield Skip(1, reason)
    for trajectory in found:
        key = trajectory.session_id or trajectory.trajectory_id
        if not key:
            # a file without an id of its own is the same file wherever it lies
            key = operation_id(NAME, file.data.decode("utf-8", "replace"))
        maker = Maker(NAME, NAME, path)
        yield from _Reader(maker, trajectory, key, key, 0).read()


class _Reader:
    """Reads one trajectory; those inside it come after it."""

    def __init__(self, maker: Maker, trajectory: Trajectory, key: str, root: str, depth: int) -> None:
        self.maker = maker
        self.trajectory = trajectory
        self.key = key
        self.root = root
        self.depth = depth
        self.steps = trajectory.steps or []
        self.agent = trajectory.agent
        self.call: Operation | None = None
        self.metered = any(step.metrics for step in self.steps if step.source == "agent")
        self.inside = {t.trajectory_id for t in trajectory.subagent_trajectories or [] if t.trajectory_id}
        self.ran = False
        """A tool was called since the last step of a person or a model."""

    def read(self) -> Iterator[Item]:
        self.maker.session = self.key
        yield self._about()
        copied = sum(1 for step in self.steps if step.is_copied_context)
        if copied:
            yield Skip(1, "copied context, counted in the trajectory it comes from", copied)
        own = [step for step in self.steps if not step.is_copied_context]
        complaints: list[str] = []
        shares = iter(self._shares(own, complaints))
        if self.metered and differ(self.trajectory.final_metrics, self.steps):
            complaints.append("totals differ from the sum of the steps, steps kept")
        for reason in complaints:
            yield Skip(1, reason)
        for step in own:
            yield from self._step(step, shares)
        yield from self._inside()

    def _about(self) -> About:
        extra = (self.agent.extra if self.agent else None) or {}
        folders = extra.get("cwds")
        project = folders[0] if isinstance(folders, list) and folders else extra.get("cwd")
        if not isinstance(project, str):
            project = next((c for s in self.steps if isinstance(c := (s.extra or {}).get("cwd"), str)), "")
        return About(
            self.key,
            self.root,
            project,
            "main" if self.key == self.root else "subagent",
            task=task_of(self.trajectory.extra),
            outcome=outcome_of(self.trajectory),
            agent=(self.agent.name if self.agent else None) or "",
        )

    def _shares(self, own: list[Step], complaints: list[str]) -> list[dict[str, int]]:
        """Parts of the totals, where no step tells metrics of its own."""
        if self.metered:
            return []
        return shared(self.trajectory.final_metrics, sum(1 for s in own if self._calls(s)), complaints)

    def _calls(self, step: Step) -> int:
        """How many API calls does a step stand for?

        Source:
            accounting: llm_call_count, else agent steps; where some steps tell metrics, those without
            are tool calls of the call before.
        """
        if step.source != "agent" or step.is_copied_context:
            return 0
        if step.llm_call_count is not None:
            return max(0, step.llm_call_count)
        return int(step.metrics is not None or not self.metered)

    def _native(self, step: Step) -> str:
        """An id of a step: number and time, and what it says, because continuations number anew."""
        tools = [tool.tool_call_id or tool.function_name or "" for tool in step.tool_calls or []]
        said = operation_id(NAME, "\0".join((step.source or "", text_of(step.message), *tools)))
        return f"{self.key}/{step.step_id}/{step.timestamp or ''}/{said}"

    def _step(self, step: Step, shares: Iterator[dict[str, int]]) -> Iterator[Item]:
        at = moment(step.timestamp)
        if at is None and step.timestamp:
            yield Skip(1, "timestamp is not a moment")
        if step.source == "agent":
            yield from self._agent(step, at, shares)
        elif step.source == "user":
            yield from self._user(step, at)
        elif step.source == "system":
            yield from self._system(step, at)
        else:
            yield Skip(1, "unknown step source")

    def _user(self, step: Step, at: int | None) -> Iterator[Item]:
        text = text_of(step.message)
        native = self.maker.scoped(self._native(step))
        kind = human_kind(text) if text.strip() else "prompt"
        if self.key != self.root:
            operation = self.maker.operation(
                native, "agent", "prompt", "task prompt", "ok", at, arguments=text
            )
        elif kind == "wrapper":
            operation = self.maker.operation(
                native, "system", "note", "harness message", "ok", at, arguments=text
            )
        elif kind == "interrupt":
            fields = {"human": "interrupt"}
            operation = self.maker.operation(
                native, "human", "note", "interrupt", "interrupted", at, arguments=text, fields=fields
            )
        else:
            fields = {"human": "prompt"}
            operation = self.maker.operation(
                native, "human", "prompt", "prompt", "ok", at, arguments=text, fields=fields
            )
        self.call, self.ran = None, False
        yield operation
        if at is not None:
            yield Tick(at, "human" if "human" in operation.fields else "other", operation.id)

    def _system(self, step: Step, at: int | None) -> Iterator[Item]:
        results = (step.observation.results if step.observation else None) or []
        output = "\n".join(text for text in (text_of(r.content) for r in results) if text)
        note = self.maker.operation(
            self.maker.scoped(self._native(step)), "system", "note", "system message", "ok", at,
            arguments=text_of(step.message), output=output,
        )  # fmt: skip
        yield from self._spawned([r for x in results for r in x.subagent_trajectory_ref or []], note)
        if at is not None:
            yield Tick(at, "other", note.id)

    def _agent(self, step: Step, at: int | None, shares: Iterator[dict[str, int]]) -> Iterator[Item]:
        native = self._native(step)
        start, end = span_of(step.extra)
        calls = self._calls(step)
        if calls or self.call is None:
            yield from self._model(step, native, calls, start or at, end or at, shares)
        tools = list(self._tools(step, native, end or at))
        for tool, _ in tools:
            yield tool
        for tool, result in tools:
            yield from self._spawned(
                (result.subagent_trajectory_ref if result else None) or [], tool, told=True
            )
        yield from self._ticks(step, at, start, end, calls, [tool for tool, _ in tools])

    def _model(
        self, step: Step, native: str, calls: int, at: int | None, ended: int | None,
        shares: Iterator[dict[str, int]],
    ) -> Iterator[Item]:  # fmt: skip
        text = text_of(step.message)
        if not calls:
            # a step without a model: the harness acted by itself
            if text:
                yield self.maker.operation(
                    self.maker.scoped(native), "system", "note", "agent message", "ok", at, output=text
                )
            return
        complaints: list[str] = []
        measures = measures_of(step.metrics, complaints)
        fields: dict[str, str] = {}
        if not self.metered:
            measures = next(shares, {})
            if measures:
                fields["usage_quality"] = "shared"
        if not any(v for k, v in measures.items() if k.startswith("tokens.")):
            fields["usage_quality"] = "lower_bound"
        for reason in complaints:
            yield Skip(1, reason)
        model = step.model_name or (self.agent.model_name if self.agent else None)
        if model:
            fields["model"] = model
        self.call = self.maker.operation(
            self.maker.scoped(native), "agent", "model", model or "unknown model", "ok", at, ended,
            fields=fields, measures={**measures, "calls": calls}, output=text,
        )  # fmt: skip
        yield self.call

    def _tools(self, step: Step, native: str, at: int | None) -> Iterator[tuple[Operation, Result | None]]:
        results = list((step.observation.results if step.observation else None) or [])
        calls = step.tool_calls or []
        for place, call in enumerate(calls):
            name = call.function_name or "unknown tool"
            result = _result_of(call, results, alone=len(calls) == 1)
            start, end = span_of(call.extra)
            output = text_of(result.content) if result else ""
            status = status_of(step, call, result, output)
            given = _decoded(call.arguments)
            fields = argument_fields(given)
            if status == "denied":
                fields["human"] = "denial"
            elif asks_person(name) and status in ("ok", "unknown") and result is not None:
                fields["human"] = "answer"
            refs = (result.subagent_trajectory_ref if result else None) or []
            key = self._child(refs[0]) if refs else None
            if key:
                fields["spawns"] = key
            yield (
                self.maker.tool(
                    self.maker.scoped(f"{native}/{place}/{call.tool_call_id or ''}"),
                    name,
                    self.call if self._calls(step) or step.llm_call_count is None else None,
                    status,
                    start or at,
                    kind="subagent" if refs else tool_kind(name),
                    ended=end,
                    fields=fields,
                    arguments=_encoded(given),
                    output=output,
                ),
                result,
            )

    def _ticks(
        self, step: Step, at: int | None, start: int | None, end: int | None, calls: int,
        tools: list[Operation],
    ) -> Iterator[Tick]:  # fmt: skip
        call = self.call.id if self.call is not None else None
        if start is not None and end is not None:
            yield Tick(start, "other", call)
            yield Tick(end, "model" if calls else "other", call)
        elif at is not None:
            # between a call and the next one lie its tools and the wait for the model, not told apart
            yield Tick(at, "model" if calls and not self.ran else "other", call)
        for tool in sorted(tools, key=lambda t: t.started or 0):
            if tool.started is not None and tool.ended is not None:
                yield Tick(tool.started, "other", tool.id, opens=(tool.id,))
                own = tool.ended - tool.started
                yield Tick(tool.ended, "tool", tool.id, closes=(tool.id,), own=own)
        timed = all(tool.ended is not None for tool in tools)
        self.ran = (self.ran and not calls) or (bool(tools) and not timed)

    def _child(self, ref: Ref) -> str | None:
        """Session key of the sub-agent that a reference names, None where only a path is told."""
        if ref.trajectory_id and ref.trajectory_id in self.inside:
            return f"{self.root}/{ref.trajectory_id}"
        if ref.session_id and ref.session_id != self.key and not ref.trajectory_id:
            return ref.session_id
        return None

    def _spawned(self, refs: list[Ref], by: Operation, told: bool = False) -> Iterator[Item]:
        """Say of sub-agents in other files whose they are; yields the operation unless told already."""
        keys = [self._child(ref) for ref in refs]
        first = next((key for key in keys if key), None)
        if not told:
            fields = {**by.fields, "spawns": first} if first else by.fields
            yield msgspec.structs.replace(by, fields=fields)
        for ref, key in zip(refs, keys, strict=True):
            if key is None:
                yield Skip(1, "sub-agent in another file, not linked")
            elif ref.trajectory_id not in self.inside:
                yield About(key, self.root, "", "subagent")
                yield self._about()

    def _inside(self) -> Iterator[Item]:
        for number, inner in enumerate(self.trajectory.subagent_trajectories or []):
            if self.depth >= DEPTH:
                yield Skip(1, "sub-agents nested too deep")
                return
            key = f"{self.root}/{inner.trajectory_id or inner.session_id or number}"
            yield from _Reader(self.maker, inner, key, self.root, self.depth + 1).read()


def _result_of(call: ToolCall, results: list[Result], alone: bool) -> Result | None:
    """The answer to a call; it is taken out of the list, because ids repeat."""
    for place, result in enumerate(results):
        named = result.source_call_id
        if (named is not None and named == call.tool_call_id) or (named is None and alone):
            return results.pop(place)
    return None


def _decoded(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return arguments


def _encoded(given: Any) -> str:
    if given is None or isinstance(given, str):
        return given or ""
    return msgspec.json.encode(given).decode()
