"""Which inferences behind an API response are not in its usage? Advisors, and attempts not served."""

from __future__ import annotations

from collections.abc import Iterator

from tracelode.model.operation import Operation
from tracelode.sources.claude_code.context import Context
from tracelode.sources.claude_code.records import Iteration, Message
from tracelode.sources.claude_code.usage import measures_of


def further(
    context: Context, message: Message, call: Operation, complaints: list[str]
) -> Iterator[Operation]:
    """Operations of a response's iterations, beside the call itself.

    Args:
        context: the file.
        message: the response; its usage tells the served model's tokens alone.
        call: its model operation.
        complaints: receives closed words on what was left out.

    Returns:
        An advisor's inference as a call of its own under the advisor's model. An attempt of another
        model than the one that served, as an operation without a bill: no calls, no tokens.

    Source:
        formats: acceptance case A11; accounting: calls.
    """
    usage = message.usage
    for place, one in enumerate((usage.iterations if usage is not None else None) or ()):
        native = f"{context.scoped(message.id) or call.id}/{place}"
        kind = one.type or "message"
        if kind == "advisor_message":
            yield _advisor(context, one, native, call, complaints)
        elif kind == "message" or kind.startswith("fallback"):
            served = one.model == message.model if one.model else kind == "message"
            if not served:
                yield _attempt(context, one, native, call)
        else:
            complaints.append("unknown kind of iteration")


def _advisor(
    context: Context, one: Iteration, native: str, call: Operation, complaints: list[str]
) -> Operation:
    fields = {"usage_quality": call.fields["usage_quality"]}
    if one.model:
        fields["model"] = one.model
    return context.operation(
        native,
        "agent",
        "model",
        one.model or "unknown model",
        "ok",
        call.started,
        parent=call.id,
        fields=fields,
        measures={**measures_of(one, complaints), "calls": 1},
    )


def _attempt(context: Context, one: Iteration, native: str, call: Operation) -> Operation:
    return context.operation(
        native,
        "system",
        "note",
        "fallback attempt",
        "error",
        call.started,
        parent=call.id,
        fields={"model": one.model} if one.model else {},
        measures={"calls": 0},
    )
