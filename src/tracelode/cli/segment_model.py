"""tracelode segment --with llm: let a model cut sessions, only where a backend is named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from tracelode.cli.arguments import whole
from tracelode.errors import UsageError
from tracelode.model.numbers import decimal

if TYPE_CHECKING:
    from cyclopts import Token

    from tracelode.cli.options import StoreOptions
    from tracelode.model.asked import Asked, Backend, Estimate, Limits, Outcome
    from tracelode.workspace import Workspace

LLM = "llm"
"""What --with is given to ask a model; no registered segmenter, so no import can come to ask one."""

_ASK = Group("Ask a model (--with llm)", sort_key=2)
_DEAR = 10**9

MOST_JOBS = 32
"""More questions at the same time are nobody's help."""


def money(_: type, tokens: Sequence[Token]) -> int:
    """Dollars as typed, in picodollars.

    Args:
        tokens: one, as typed.

    Raises:
        UsageError: it is no amount from 0 on.
    """
    text = tokens[0].value
    amount = text.removeprefix("$")
    # decimal() knows which texts are numbers, Decimal keeps every digit of them
    value = Decimal(-1) if decimal(amount) is None else Decimal(amount)
    if not value.is_finite() or not 0 <= value <= _DEAR:
        raise UsageError(f"--budget-cost {text!r} is no amount of dollars; write it as 2.50")
    return int(value * 10**12)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Who is asked, and what may be spent."""

    backend: Annotated[
        str | None,
        Parameter(
            group=_ASK,
            help="Who is asked. Without it nothing is ever sent; docs/ask-a-model.md says what is sent.",
            metavar="openai|anthropic|agent",
        ),
    ] = None
    """Name of a backend."""
    model: Annotated[str | None, Parameter(group=_ASK, help="Name of the model.", metavar="NAME")] = None
    """Name of a model."""
    base_url: Annotated[
        str | None,
        Parameter(
            group=_ASK,
            help="Another address that speaks the backend's protocol, such as http://127.0.0.1:11434/v1.",
            metavar="URL",
        ),
    ] = None
    """Address."""
    key_env: Annotated[
        str | None,
        Parameter(
            group=_ASK,
            help="Variable that holds the key. Default: OPENAI_API_KEY or ANTHROPIC_API_KEY at the vendor's "
            "own address, no key elsewhere.",
            metavar="VARIABLE",
        ),
    ] = None
    """Name of a variable."""
    agent: Annotated[
        str | None, Parameter(group=_ASK, help="Local agent of --backend agent.", metavar="claude|codex")
    ] = None
    """Name of a preset."""
    command: Annotated[
        str | None,
        Parameter(
            group=_ASK,
            help="Your own command instead: it reads the question from standard input and writes the answer.",
            metavar="COMMAND",
        ),
    ] = None
    """Words of a command."""
    budget_tokens: Annotated[
        int | None,
        Parameter(group=_ASK, help="Input tokens at most. Default: 1000000.", converter=whole, metavar="N"),
    ] = None
    """Tokens."""
    budget_cost: Annotated[
        int | None,
        Parameter(group=_ASK, help="Dollars at most, by the price table.", converter=money, metavar="AMOUNT"),
    ] = None
    """Picodollars."""
    jobs: Annotated[
        int | None,
        Parameter(
            group=_ASK,
            help="Questions at the same time, at most 32. Default: 4.",
            converter=whole,
            metavar="N",
        ),
    ] = None
    """Number of threads."""
    timeout: Annotated[
        int | None,
        Parameter(
            group=_ASK, help="Seconds that one answer may take. Default: 300.", converter=whole, metavar="N"
        ),
    ] = None
    """Seconds."""
    overwrite: Annotated[
        bool, Parameter(group=_ASK, help="Also ask about sessions that a person has marked.")
    ] = False
    """Whether a person's marks may be replaced."""
    insecure: Annotated[
        bool, Parameter(group=_ASK, help="Take http:// to another machine: it can be read on the way.")
    ] = False
    """Whether plain http is taken."""
    dry_run: Annotated[
        bool, Parameter(group=_ASK, help="Show what would be sent for the first session; send nothing.")
    ] = False
    """Whether nothing is sent."""

    def given(self) -> list[str]:
        """The options that were given, as they are typed."""
        names = [f.name for f in fields(self) if getattr(self, f.name) not in (None, False)]
        return [f"--{name.replace('_', '-')}" for name in names]


MODEL = ModelOptions()
"""No option given."""


def segment_model(
    sessions: Sequence[str], with_: str | None, model: ModelOptions, store: StoreOptions
) -> int:
    """Ask a model how sessions are cut, or say what would be asked.

    Args:
        sessions: keys, unique starts of them, or short names; () for every root session.
        with_: what --with was given.
        model: who is asked.
        store: where.

    Returns:
        Exit code.

    Raises:
        UsageError: options that do not go together, or an estimate above a budget.
    """
    from tracelode.cli import shapes, shapes_model
    from tracelode.cli.keys import resolve
    from tracelode.cli.nothing import nothing_found, nothing_stored
    from tracelode.cli.screen import warn
    from tracelode.cli.view import open_workspace

    if model.jobs is not None and model.jobs > MOST_JOBS:
        raise UsageError(f"--jobs {model.jobs:,} is above {MOST_JOBS}, the most questions at the same time")
    if with_ != LLM:
        raise UsageError(f"{model.given()[0]} goes with --with llm")
    if model.backend is None:
        raise UsageError("--with llm needs --backend openai, anthropic or agent; without one nothing is sent")
    workspace = open_workspace(store)
    if workspace.empty():
        return nothing_found(nothing_stored(workspace), {} if store.json else None)
    backend, limits = settings(model)
    everything = workspace.sessions()
    keys = [resolve(word, everything).key for word in sessions]
    estimate = workspace.model_estimate(backend, limits, keys)
    if model.dry_run:
        return _dry(workspace, backend, estimate, store.json)
    _say_estimate(estimate)
    watched = _progress if sys.stderr.isatty() else None
    asked = workspace.model_cut(estimate, backend, limits, watched)
    if store.json:
        shapes.write(shapes_model.asked(estimate, asked))
    else:
        _report(estimate, asked)
    if asked.problem:
        warn(asked.problem)
    if asked.interrupted:
        return 130
    empty = bool(asked.outcomes) and not any(outcome.marks for outcome in asked.outcomes)
    return 1 if asked.problem or empty else 0


def settings(model: ModelOptions) -> tuple[Backend, Limits]:
    """The nouns that options stand for.

    Args:
        model: the options, with a backend.
    """
    from tracelode.model.asked import Backend, Limits

    named: dict[str, Any] = {
        name: getattr(model, name) or "" for name in ("model", "base_url", "key_env", "agent", "command")
    }
    backend = Backend(
        name=model.backend or "", timeout=float(model.timeout or 300), insecure=model.insecure, **named
    )
    limits = Limits(
        tokens=model.budget_tokens,
        cost=model.budget_cost,
        jobs=model.jobs or 4,
        overwrite=model.overwrite,
    )
    return backend, limits


def _told(estimate: Estimate) -> list[str]:
    """What an estimate says, in parts of a line."""
    from tracelode.cli.text import number
    from tracelode.model.words import dollars

    price = "price unknown" if estimate.cost is None else f"about {dollars(estimate.cost)}"
    parts = [number(len(estimate.ask), "session")]
    if estimate.ask:
        spent = f"about {estimate.tokens_in:,} input and {estimate.tokens_out:,} output tokens"
        parts += [spent, price, "with repairs up to three times that"]
    for keys, what in (
        (estimate.cached, "answered before"),
        (estimate.human, "marked by a person"),
        (estimate.short, "too short to cut"),
    ):
        parts += [f"{len(keys):,} {what}"] if keys else []
    return parts


def _say_estimate(estimate: Estimate) -> None:
    from tracelode.cli.screen import warn
    from tracelode.cli.text import clean

    who = f"{estimate.backend}/{estimate.model} at {estimate.place}"
    warn(f"asking {clean(who)}: {'; '.join(_told(estimate))}")


def _progress(outcome: Outcome, done: int, total: int) -> None:
    from tracelode.cli.screen import say
    from tracelode.cli.text import clean, number

    said = number(len(outcome.marks), "mark") if outcome.marks else f"no marks: {outcome.reason}"
    say(f"{done:,}/{total:,}  {clean(outcome.session)[:13]}  {'cached, ' if outcome.cached else ''}{said}")


def _dry(workspace: Workspace, backend: Backend, estimate: Estimate, json: bool) -> int:
    from tracelode.cli import shapes, shapes_model
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, clean_lines

    first = estimate.ask[0] if estimate.ask else None
    sending = None if first is None else workspace.model_sending(backend, first)
    if json:
        shapes.write(shapes_model.dry(estimate, first, sending))
        return 0
    screen = Screen()
    screen.flow(
        "would ask", [clean(f"{estimate.backend}/{estimate.model}"), *_told(estimate)], joint="; ", indent=11
    )
    if sending is None:
        return 0
    screen.flow("first", [clean(first or "")], indent=11, whole=True)
    screen.flow("to", [clean(sending.to)], indent=11, whole=True)
    if sending.headers:
        screen.flow("headers", sending.headers, joint=", ", indent=11)
    body = {"standard input": sending.body} if isinstance(sending.body, str) else sending.body
    for place, value in shapes_model.leaves(body):
        if isinstance(value, str) and "\n" in value:
            screen.print(f"{place}:")
            for line in clean_lines(value):
                screen.print(f"  {line}" if line else "")
        else:
            screen.print(f"{place}: {shapes_model.plain(value)}")
    return 0


def _report(estimate: Estimate, asked: Asked) -> None:
    from tracelode.cli.screen import Screen
    from tracelode.cli.shapes_model import counts, reasons
    from tracelode.cli.text import clean, number
    from tracelode.model.words import dollars

    screen, found = Screen(), counts(asked)
    fresh = sum(found[name] for name in ("valid", "repaired", "last", "none"))
    words = {
        "valid": "sound at once",
        "repaired": "mended",
        "last": "an earlier answer kept",
        "none": "given up",
    }
    told = [f"{found[name]:,} {word}" for name, word in words.items() if found[name]]
    about = f"{number(fresh, 'session')} by {clean(asked.author)}"
    screen.flow("asked", [f"{about}: {told[0]}" if told else about, *told[1:]], joint=", ", indent=9)
    why = [f"{n:,} {reason.replace('_', ' ')}" for reason, n in reasons(asked).items()]
    if why:
        screen.flow("without", why, joint=", ", indent=9)
    if found["cached"]:
        screen.flow("cached", [number(found["cached"], "session")], indent=9)
    if estimate.human:
        note = f"{number(len(estimate.human), 'session')} marked by a person; --overwrite asks about them too"
        screen.flow("left", [note], indent=9)
    if estimate.short:
        screen.flow("short", [f"{number(len(estimate.short), 'session')} with nothing to cut"], indent=9)
    spent = f"{asked.tokens_in:,} input and {number(asked.tokens_out, 'output token')}"
    price = "price unknown" if asked.cost is None else dollars(asked.cost)
    screen.flow("spent", [spent, price], joint=", ", indent=9)
    screen.flow("marked", [number(asked.stored, "session")], indent=9)
