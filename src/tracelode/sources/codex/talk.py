"""How do messages, token counts and turns become model calls, prompts and notes?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracelode.model.operation import Actor, Kind, operation_id
from tracelode.model.ports import Change, Item, Skip
from tracelode.signals.human import human_kind
from tracelode.sources.codex import words
from tracelode.sources.codex.context import AGENT, OLD, Context, digest
from tracelode.sources.codex.records import Event, text_of
from tracelode.sources.codex.records import Item as Record
from tracelode.sources.codex.usage import advance


class Responses:
    """Reads what the model answers: one operation a response.

    A response is told item by item and its tokens at the end, so the operation is made at its first
    item and the token count is a change of it.

    Args:
        context: the file.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def open(self) -> Iterator[Item]:
        """The operation of the present response, made where there is none yet."""
        state = self.context.state
        if state.call and state.answered:
            # results came and no token count between: that one is missing, and this is the next response
            self.close()
        if not state.call:
            yield from self._make()

    def _make(self, output: str = "") -> Iterator[Item]:
        state = self.context.state
        state.responses += 1
        state.call = operation_id(AGENT, f"{state.session}/response {state.responses}")
        state.answered = False
        yield self._operation(output)

    def _operation(self, output: str = "") -> Item:
        state = self.context.state
        told = {"model": state.model, "branch": state.branch, "codex.effort": state.effort}
        fields = {name: value for name, value in told.items() if value}
        measures = {"calls": 1} if state.old_grammar else {}
        name = state.model or "unknown model"
        return self.context.operation(
            state.call, "agent", "model", name, "ok", fields=fields, measures=measures, output=output
        )

    def close(self) -> None:
        """The response is over."""
        self.context.state.call = ""
        self.context.state.answered = False

    def message(self, item: Record) -> Iterator[Item]:
        """Words of the model."""
        yield from self.open()
        yield self._operation(text_of(item.content))
        yield from self.context.tick("model", self.context.state.call)

    def reasoning(self, item: Record) -> Iterator[Item]:
        """Reasoning, encrypted or in summary: a moment of the response that is under way."""
        if self.context.state.answered:
            self.close()
        yield from self.context.tick("model", self.context.state.call or None)

    def count(self, event: Event) -> Iterator[Item]:
        """A token count: the end of a response where the total moved, else a repetition."""
        state = self.context.state
        if event.info is None:
            return
        complaints: list[str] = []
        before = state.meter.epoch, state.meter.totals
        copied = bool(state.parent) and state.turn != OLD
        measures = advance(state.meter, event.info, copied, complaints)
        if not self.context.old:
            for reason in complaints:
                yield Skip(self.context.line.number, reason)
        if (state.meter.epoch, state.meter.totals) != before:
            self.context.counted()
        if measures is None:
            return
        if not state.call:
            yield from self._make()
        yield Change(
            id=state.call, ended=self.context.at, fields=self._aliases(), measures={**measures, "calls": 1}
        )
        yield from self.context.tick("model", state.call)
        self.close()

    def _aliases(self) -> dict[str, str]:
        """Ids by which copies of the call in other threads are known: the values tell, not the time."""
        state = self.context.state
        if self.context.old:
            return {}
        key = digest(f"call\0{state.meter.epoch}\0{state.meter.totals}")
        holders = [state.session, *([state.parent] if state.parent and not state.turn else [])]
        return {"replay": " ".join(operation_id(AGENT, f"{holder}/{key}") for holder in holders)}


class Talk:
    """Reads prompts, turns and compactions.

    Args:
        context: the file.
        responses: the model's responses.
    """

    def __init__(self, context: Context, responses: Responses) -> None:
        self.context = context
        self.responses = responses

    def written(self, text: str) -> Iterator[Item]:
        """A message as an item of the conversation."""
        self.context.state.echo = digest(text)
        yield from self._said(text)

    def told(self, text: str) -> Iterator[Item]:
        """A message as an event; it may be the one that an item just told."""
        state = self.context.state
        if state.echo == digest(text):
            state.echo = ""
            return
        yield from self._said(text)

    def _said(self, text: str) -> Iterator[Item]:
        state = self.context.state
        if not text.strip() or words.is_harness(text) or human_kind(text) == "wrapper":
            yield from self.context.tick("other")
            return
        agent = state.role == "subagent" and not self.context.old
        human = not agent and not state.automated
        steer = state.phase == "busy" and human
        actor: Actor = "agent" if agent else "human" if human else "system"
        name = "task prompt" if agent else "steer" if steer else "prompt"
        ident, fields = self.context.placed("prompt", text)
        if human:
            fields["human"] = "steer" if steer else "prompt"
        elif not agent:
            fields["automated"] = "1"
        if state.mode:
            fields["mode"] = state.mode
        if state.phase == "begun":
            state.phase = "busy"
        yield self.context.operation(ident, actor, "prompt", name, "ok", fields=fields, arguments=text)
        yield from self.context.tick("human" if human else "other", ident)

    def completed(self, event: Event) -> Iterator[Item]:
        """An item of late versions' own history; a person's message is told so."""
        item = event.item if isinstance(event.item, dict) else {}
        if item.get("type") in ("UserMessage", "userMessage", "user_message"):
            yield from self.told(text_of(item.get("content", item.get("text"))))

    def started(self) -> Iterator[Item]:
        """A turn begins: in a main thread because a person said something, else because an agent did."""
        self.responses.close()
        self.context.state.phase = "begun"
        state = self.context.state
        yield from self.context.tick(
            "family" if state.role == "subagent" else "other" if state.automated else "human"
        )

    def over(self) -> Iterator[Item]:
        """A turn is complete."""
        self.responses.close()
        self.context.state.phase = "over"
        yield from self.context.tick("other")

    def aborted(self, event: Event) -> Iterator[Item]:
        """A turn was stopped, by a person or by something else."""
        self.responses.close()
        self.context.state.phase = "over"
        if event.reason != "interrupted":
            yield from self._note("turn aborted", "system", "interrupted")
            return
        yield from self._note("interrupt", "human", "interrupted", {"human": "interrupt"}, "human")

    def compacted(self, event: bool) -> Iterator[Item]:
        """A compaction, told once as a record and once as an event."""
        state = self.context.state
        if event and state.compacted:
            state.compacted = False
            yield from self.context.tick("other")
            return
        state.compacted = not event
        self.responses.close()
        # the summary is the model's work, though no tokens are told for it
        yield from self._note("compaction", "system", "ok", None, "model")

    def failed(self, event: Event) -> Iterator[Item]:
        """An error that Codex showed."""
        yield from self._note("api error", "system", "error", None, "other", output=event.message or "")

    def _note(
        self,
        name: str,
        actor: Actor,
        status: Any,
        fields: dict[str, str] | None = None,
        ends: str = "other",
        **more: Any,
    ) -> Iterator[Item]:
        kind: Kind = "note"
        ident, known = self.context.placed(name)
        yield self.context.operation(
            ident, actor, kind, name, status, fields={**known, **(fields or {})}, **more
        )
        yield from self.context.tick(ends, ident)
