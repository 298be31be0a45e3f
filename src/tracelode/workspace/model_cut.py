"""How does a model cut sessions? Only where a backend was named: estimated, asked, checked, kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import StoreError, UsageError
from tracelode.model.annotation import Annotation
from tracelode.model.asked import NONE, TOKENS, Asked, Backend, Estimate, Limits, Outcome, by_model
from tracelode.model.words import dollars
from tracelode.store.annotations import latest, put
from tracelode.workspace.asking import Asking

if TYPE_CHECKING:
    from tracelode.model.answer import Provider, Sending
    from tracelode.profile.model_cut.running import Question

FATAL = frozenset(("unauthorised", "misdirected", "unreachable"))
"""Kinds of errors that every further question would have as well."""


class ModelCutting(Asking):
    """What a workspace lets a model do; part of Workspace."""

    _settings: dict[str, str]

    def _import(self, archive: bool = False) -> Any:
        raise NotImplementedError

    def model_estimate(self, backend: Backend, limits: Limits, sessions: Sequence[str] = ()) -> Estimate:
        """What letting a model cut sessions would send; nothing is sent.

        Args:
            backend: who would be asked.
            limits: what may be spent, and whether a person's marks are overwritten.
            sessions: keys or unique beginnings of them; () for every root session.

        Returns:
            Which sessions, about how many tokens, and their cost.

        Raises:
            QueryError: none or several sessions match.
            UsageError: settings that do not go together.
        """
        from tracelode.profile.model_cut.prompt import first, tokens
        from tracelode.profile.model_cut.running import sound
        from tracelode.providers.choose import provider
        from tracelode.store.answers import Answers

        asked = provider(backend)
        keys = [self.session(k).key for k in sessions] or [s.key for s in self.sessions() if s.key == s.root]
        keys = list(dict.fromkeys(keys))
        marked = latest(self._catalog, keys)
        kept = Answers(self._catalog.folder)
        sorted_out: dict[str, list[str]] = {"ask": [], "cached": [], "human": [], "short": [], "order": []}
        tokens_in = tokens_out = 0
        for key in keys:
            if key in marked and not by_model(marked[key].author) and not limits.overwrite:
                sorted_out["human"].append(key)
                continue
            question = self._question(key, asked)
            if len(question.operations) < 2:
                sorted_out["short"].append(key)
                continue
            sorted_out["order"].append(key)
            if sound(kept.get(question.identity, Outcome), question) is not None:
                sorted_out["cached"].append(key)
                continue
            sorted_out["ask"].append(key)
            tokens_in += tokens(first(question.packet))
            tokens_out += 60 + 10 * len(question.operations)
        return Estimate(
            backend=asked.backend,
            model=asked.model,
            place=asked.place,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=self._price_of(backend, asked)(tokens_in, 0, tokens_out),
            **{name: tuple(found) for name, found in sorted_out.items()},
        )

    def model_sending(self, backend: Backend, session: str) -> Sending:
        """What would be sent first for one session, to the byte; nothing is sent.

        Args:
            backend: who would be asked.
            session: its key.
        """
        from tracelode.profile.model_cut.prompt import first
        from tracelode.providers.choose import provider

        asked = provider(backend)
        return asked.sending(first(self._question(session, asked).packet))

    def model_cut(
        self,
        estimate: Estimate,
        backend: Backend,
        limits: Limits,
        progress: Callable[[Outcome, int, int], None] | None = None,
    ) -> Asked:
        """Ask a model how sessions are cut, keep what is sound, and cut them so.

        Args:
            estimate: what model_estimate() gave for the same backend and limits.
            backend: who is asked.
            limits: what may be spent.
            progress: told of each outcome, how many there are, and of how many.

        Returns:
            What came of it; what was done before an interruption is kept.

        Raises:
            UsageError: the estimate is above a limit, or there is no key or command.
            MissingExtra: the backend's package is not installed.
            StoreError: the store can only be read.
        """
        from tracelode.profile.model_cut.purse import Purse
        from tracelode.profile.model_cut.running import ask_all
        from tracelode.providers.choose import provider
        from tracelode.store.answers import Answers

        if self._catalog.readonly:
            raise StoreError(f"the store in {self._catalog.folder} can only be read; it takes no marks")
        asked = provider(backend)
        within(estimate, limits)
        if estimate.ask:
            asked.ready()
        price = self._price_of(backend, asked)
        purse = Purse(TOKENS if limits.tokens is None else limits.tokens, limits.cost, price)
        author, stop, order = f"{asked.backend}/{asked.model}", Event(), estimate.order
        found: dict[str, Outcome] = {}
        stored, interrupted, problem = 0, False, ""
        ends: dict[str, tuple[int, str]] = {}

        def questions() -> Iterator[Question]:
            for key in order:
                question = self._question(key, asked)
                ends[key] = (len(question.operations), question.operations[-1].id)
                yield question

        run = ask_all(
            questions(), asked.complete, purse=purse, jobs=limits.jobs, stop=stop,
            kept=Answers(self._catalog.folder),
        )  # fmt: skip
        try:
            for place, outcome in run:
                key = order[place]
                found[key] = outcome
                stored += self._note(outcome, author, *ends[key], overwrite=limits.overwrite)
                if outcome.reason in FATAL:
                    problem = problem or outcome.said
                    stop.set()
                if progress is not None:
                    progress(outcome, len(found), len(order))
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
            asked.close()
        left = Outcome(session="", state=NONE, reason="stopped")
        return Asked(
            author=author,
            outcomes=tuple(found.get(key) or msgspec.structs.replace(left, session=key) for key in order),
            stored=stored,
            cut=self._import().refresh_locked() if order else 0,
            tokens_in=purse.tokens_in,
            tokens_out=purse.tokens_out,
            cost=purse.cost,
            interrupted=interrupted,
            problem=problem,
        )

    def _question(self, key: str, asked: Provider) -> Question:
        from tracelode.profile.model_cut.prompt import identity
        from tracelode.profile.model_cut.running import Question
        from tracelode.profile.packets import packet

        operations = self._ask().operations(key)
        text = packet(key, operations)
        return Question(text, operations, identity(text, asked.backend, asked.model, asked.place))

    def _note(self, outcome: Outcome, author: str, n: int, last: str, *, overwrite: bool) -> int:
        """Store the marks of a session unless they are there, or a person was faster; 1 if stored."""
        if not outcome.marks:
            return 0
        old = latest(self._catalog, [outcome.session]).get(outcome.session)
        if old is not None and not by_model(old.author) and not overwrite:
            return 0
        if old is not None and (old.author, old.marks, old.operations, old.last) == (
            author, outcome.marks, n, last,
        ):  # fmt: skip
            return 0
        new = Annotation(
            session=outcome.session, marks=outcome.marks, operations=n, last=last, author=author,
            made=time.time_ns() // 1_000,
        )  # fmt: skip
        put(self._catalog, [new])
        return 1

    def _price_of(self, backend: Backend, asked: Provider) -> Callable[[int, int, int], int | None]:
        """What tokens of the model cost: by the shipped table only where its own vendor is asked."""
        from tracelode.pricing import data
        from tracelode.pricing.table import PriceTable

        own = self._settings.get("prices")
        path = Path(own).expanduser() if own else None
        if backend.name == "agent" or getattr(asked, "vendor", False):
            table = PriceTable.load(path)
        else:
            table = PriceTable(data.user(path) if path else data.File())
        now = time.time_ns() // 1_000

        def price(tokens_in: int, cached: int, tokens_out: int) -> int | None:
            counts = (max(0, tokens_in - cached), cached, 0, 0, tokens_out, 0)
            cost = table.price(backend.model, now, counts) if backend.model else None
            return None if cost is None else cost.picodollars

        return price


def within(estimate: Estimate, limits: Limits) -> None:
    """Check an estimate against what may be spent.

    Args:
        estimate: of a run.
        limits: what it may spend.

    Raises:
        UsageError: it is above a limit, or its cost cannot be told although it is limited.
    """
    most = TOKENS if limits.tokens is None else limits.tokens
    if estimate.tokens_in > most:
        told = f"about {estimate.tokens_in:,} input tokens, above the {most:,} of --budget-tokens"
        raise UsageError(told)
    if limits.cost is None or not estimate.ask:
        return
    if estimate.cost is None:
        raise UsageError(
            "the model has no known price there; limit it by --budget-tokens, or give --price-file"
        )
    if estimate.cost > limits.cost:
        told = f"about {dollars(estimate.cost)}, above the {dollars(limits.cost)} of --budget-cost"
        raise UsageError(told)
