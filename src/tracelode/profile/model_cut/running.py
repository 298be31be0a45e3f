"""How are several questions asked at once? By threads that end with the program, fed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from threading import Event, Thread
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from tracelode.errors import MarksError
from tracelode.model.answer import Answer, Request
from tracelode.model.asked import Outcome
from tracelode.model.operation import Operation
from tracelode.profile.marks import read_marks
from tracelode.profile.model_cut.loop import ask
from tracelode.profile.model_cut.patience import Patience, patiently
from tracelode.profile.model_cut.purse import Purse
from tracelode.profile.packets import Packet

_I = TypeVar("_I")
_O = TypeVar("_O")


class Question(NamedTuple):
    """One session to be asked about."""

    packet: Packet
    """What is read of it."""
    operations: Sequence[Operation]
    """Its n operations in order."""
    identity: str
    """What tells the question from others."""


class Kept(Protocol):
    """Where answers are kept."""

    def get(self, question: str, kind: type[_O]) -> _O | None:
        """The answer to a question, None where there is none."""

    def put(self, question: str, answer: Outcome) -> None:
        """Keep an answer."""


def ask_all(
    questions: Iterable[Question],
    complete: Callable[[Request], Answer],
    *,
    purse: Purse,
    jobs: int,
    stop: Event,
    kept: Kept | None = None,
    patience: Patience | None = None,
) -> Iterator[tuple[int, Outcome]]:
    """Ask about many sessions.

    Args:
        questions: taken one by one, by the caller's thread, when there is a thread to ask it.
        complete: asks once, or raises ProviderError; called by several threads.
        purse: what may be spent.
        jobs: questions at the same time.
        stop: set where no further one shall be asked.
        kept: where answers are looked for, and put as soon as they are there.
        patience: how long a failed question waits.

    Yields:
        (place of the question, outcome) as they come; fewer than there are questions where it was stopped.
    """
    patient = patience or Patience()

    def one(question: Question) -> Outcome:
        found = None if kept is None else sound(kept.get(question.identity, Outcome), question)
        if found is not None:
            return found
        outcome = ask(
            question.packet, question.operations, lambda r: patiently(complete, r, patient, stop), purse
        )
        if kept is not None and outcome.marks:
            kept.put(question.identity, outcome)
        return outcome

    yield from spread(questions, one, jobs, stop)


def sound(outcome: Outcome | None, question: Question) -> Outcome | None:
    """A kept answer, if it still is one: it was a file meanwhile, and is checked again.

    Args:
        outcome: as it was kept.
        question: what it answers.

    Returns:
        The same, with nothing spent on it; None if it is not to be used.
    """
    if outcome is None or outcome.session != question.packet.session:
        return None
    data = [{"start_operation_id": m.start_operation_id, "path": list(m.path)} for m in outcome.marks]
    try:
        marks = tuple(read_marks(data, question.operations, place="answer"))
    except MarksError:
        return None
    return msgspec.structs.replace(
        outcome, marks=marks, cached=True, tokens_in=0, tokens_cached=0, tokens_out=0
    )


def spread(items: Iterable[_I], work: Callable[[_I], _O], jobs: int, stop: Event) -> Iterator[tuple[int, _O]]:
    """Do work on every item, several at once.

    Args:
        items: taken one by one by the caller's thread.
        work: what is done with one; called by other threads.
        jobs: threads.
        stop: set where no further item shall be taken.

    Yields:
        (place of the item, result) as they are done; fewer than there are items where it was stopped.

    Raises:
        BaseException: what work raised.
    """
    # A pool of the standard library is waited for at the program's end, and so is an answer that hangs.
    todo: SimpleQueue[tuple[int, _I] | None] = SimpleQueue()
    done: SimpleQueue[tuple[int, _O | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        while (given := todo.get()) is not None:
            try:
                done.put((given[0], work(given[1]), None))
            except BaseException as error:
                done.put((given[0], None, error))

    threads = 0
    waiting = 0
    supply = enumerate(items)
    try:
        while True:
            while waiting < jobs and not stop.is_set() and (item := next(supply, None)) is not None:
                if threads < jobs:
                    Thread(target=run, daemon=True).start()
                    threads += 1
                todo.put(item)
                waiting += 1
            if not waiting:
                return
            place, result, error = done.get()
            waiting -= 1
            if error is not None:
                raise error
            yield place, result  # type: ignore[misc]
    finally:
        for _ in range(threads):
            todo.put(None)
