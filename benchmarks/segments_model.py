"""How well does a model cut labelled sessions into stages? Nothing is asked unless a backend is named.

Run: python benchmarks/segments_model.py --backend openai --model NAME [--base-url URL] [--data DIR]
[--first N] [--answers DIR] [--budget-tokens N] [--dry-run] [--json], as in tracelode segment --with llm.
The packets of the sessions of DIR are sent to that backend; docs/ask-a-model.md says what is in them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from report import ROOT, machine, options, say
from segments_controls import scored
from segments_data import Dataset, Session, load
from segments_table import ALL, Method, Settings, notes, rows, show

from tracelode.errors import TracelodeError, UsageError
from tracelode.model.annotation import Annotation
from tracelode.model.answer import Provider
from tracelode.model.asked import TOKENS, Backend, Outcome
from tracelode.model.segment import Segmentation
from tracelode.profile.marks import to_segments
from tracelode.profile.model_cut.prompt import VERSION, first, identity, tokens
from tracelode.profile.model_cut.purse import Purse
from tracelode.profile.model_cut.running import Question, ask_all, sound
from tracelode.profile.packets import packet
from tracelode.profile.score.partition import leaves
from tracelode.providers.choose import provider
from tracelode.store.answers import Answers

DATA = ROOT.parent / "shared" / "data"
APART = ", equal names apart"
RESTS = (
    "groups are maximal runs of equal full path; equal names apart: every mark begins a group",
    "a session without sound marks counts as one group",
    "95 % intervals by bootstrap over sessions, paired where two methods are compared",
)


class Run(NamedTuple):
    """What came of asking about one set."""

    outcomes: list[Outcome]
    """In the order of its sessions; without marks where none were to be had."""
    tokens: tuple[int, int]
    """Input and output tokens spent."""


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; 3 where no set is there, 2 where the call is off, 1 where the backend fails."""
    parser = options((__doc__ or "").partition("\n")[0], runs=0)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--first", type=int, metavar="N", help="the first N sessions of each set alone")
    parser.add_argument(
        "--answers", type=Path, metavar="DIR", help="keep answers: they are not asked for again"
    )
    for name in ("backend", "model", "base-url", "key-env", "agent", "command"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--budget-tokens", type=int, default=TOKENS, metavar="N")
    parser.add_argument("--resamples", type=int, default=2_000, help="of the sessions (2000)")
    parser.add_argument("--dry-run", action="store_true", help="say how much would be sent; send nothing")
    given = parser.parse_args(words)
    if not given.backend:
        say("name who is asked: --backend openai, anthropic or agent; nothing was sent")
        return 2
    sets, unread = load(given.data)
    if not sets:
        say("\n".join(unread))
        return 3
    sets = [d._replace(sessions=d.sessions[: given.first]) for d in sets]
    try:
        with tempfile.TemporaryDirectory() as scratch:
            return measured(sets, unread, given, Answers(given.answers or Path(scratch)))
    except TracelodeError as error:
        say(f"{type(error).__name__}: {error}")
        return 2 if isinstance(error, UsageError) else 1


def measured(sets: Sequence[Dataset], unread: Sequence[str], given: Any, kept: Answers) -> int:
    """Ask about the sets, and print their table.

    Raises:
        UsageError: more would be sent than the budget allows, or the backend is not ready.
    """
    names = ("model", "base_url", "key_env", "agent", "command")
    backend = Backend(name=given.backend, timeout=given.timeout, **{n: getattr(given, n) for n in names})
    asked = provider(backend)
    everything = [question(s, asked) for d in sets for s in d.sessions]
    new = [q for q in everything if sound(kept.get(q.identity, Outcome), q) is None]
    need = sum(tokens(first(q.packet)) for q in new)
    say(f"{asked.backend}/{asked.model} at {asked.place}: {len(new)} sessions, about {need:,} input tokens")
    if given.dry_run:
        return 0
    if need > given.budget_tokens:
        raise UsageError(f"that is more than --budget-tokens {given.budget_tokens:,}")
    if new:
        asked.ready()
    name, found, said = f"{asked.backend}/{asked.model}", [], [*RESTS]
    settings = Settings((), 0, 0, given.resamples, 0)
    for dataset in sets:
        run = ask(dataset, asked, kept, given)
        said.append(f"{dataset.name}: {told(run)}")
        methods = {
            label: Method(
                scored(
                    dataset.sessions,
                    [labels(o, s, merge) for o, s in zip(run.outcomes, dataset.sessions, strict=True)],
                ),
                True,
                note=f"prompt {VERSION}",
            )
            for label, merge in ((name, True), (name + APART, False))
        }
        methods["one group"] = Method(
            scored(dataset.sessions, [[0] * len(s.operations) for s in dataset.sessions])
        )
        frameworks = sorted({session.framework for session in dataset.sessions})
        for framework in (ALL, *(frameworks if len(frameworks) > 1 else ())):
            found += rows(dataset, framework, methods, settings)
    asked.close()
    said += [*notes(sets, found), *unread]
    if given.json:
        answer = {"benchmark": "segments_model", "date": time.strftime("%Y-%m-%d"), "machine": machine()}
        print(json.dumps({**answer, "author": name, "rows": found, "notes": said}, indent=1))
        return 0
    print(show(found))
    for note in said:
        print(f"note: {note}")
    return 0


def question(session: Session, asked: Provider) -> Question:
    """What is asked about a session; its labels are not in it."""
    text = packet(session.key, session.whole)
    return Question(text, session.whole, identity(text, asked.backend, asked.model, asked.place))


def ask(dataset: Dataset, asked: Provider, kept: Answers, given: Any) -> Run:
    """Outcomes of all sessions of a set.

    Raises:
        UsageError: the backend takes no question at all.
    """
    purse = Purse(given.budget_tokens, None, lambda *_: None)
    questions = [question(session, asked) for session in dataset.sessions]
    outcomes = [Outcome(session=q.packet.session, state="none", reason="stopped") for q in questions]
    stop = Event()
    for place, outcome in ask_all(
        questions, asked.complete, purse=purse, jobs=given.jobs, stop=stop, kept=kept
    ):
        outcomes[place] = outcome
        if outcome.reason in ("unauthorised", "misdirected", "unreachable"):
            raise UsageError(outcome.said)
    return Run(outcomes, (purse.tokens_in, purse.tokens_out))


def labels(outcome: Outcome, session: Session, merge: bool) -> list[int]:
    """The group of each labelled operation."""
    n = len(session.whole)
    made = Annotation(
        session=session.key, marks=outcome.marks, operations=n, last=session.whole[-1].id, author="model"
    )
    segments = to_segments(made, session.whole) if outcome.marks else None
    if not segments:
        return [0] * len(session.operations)
    found = leaves(Segmentation(session.key, "model", "1", tuple(segments)), n, merge=merge)
    return [found[place] for place in session.places]


def told(run: Run) -> str:
    """How the answers of a set were come by."""
    states = Counter("cached" if o.cached else o.state for o in run.outcomes)
    reasons = Counter(o.reason for o in run.outcomes if o.reason)
    parts = [f"{count} {state}" for state, count in sorted(states.items())]
    parts += [f"{count} x {reason}" for reason, count in sorted(reasons.items())]
    return f"{', '.join(parts)}; {run.tokens[0]:,} input and {run.tokens[1]:,} output tokens"


if __name__ == "__main__":
    sys.exit(main())
