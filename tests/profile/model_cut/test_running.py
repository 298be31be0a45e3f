"""Are questions asked as often, as late and as many at once as they should be?"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from threading import Event

import msgspec
import pytest

from providers.sessions import made
from tracelode.errors import ProviderError
from tracelode.model.annotation import Mark
from tracelode.model.answer import Answer, Request
from tracelode.model.asked import Outcome
from tracelode.profile.model_cut.patience import AGAIN, Patience, patiently
from tracelode.profile.model_cut.prompt import identity
from tracelode.profile.model_cut.purse import Purse
from tracelode.profile.model_cut.running import Question, ask_all, sound, spread
from tracelode.profile.packets import packet

REQUEST = Request(system="", turns=(), name="marks", schema={})
QUICK = Patience(first=0.001, longest=0.05)


class Failing:
    """Fails some times, then answers."""

    def __init__(self, error: ProviderError, times: int) -> None:
        self.error, self.left, self.calls = error, times, 0

    def __call__(self, _: Request) -> Answer:
        self.calls += 1
        self.left -= 1
        if self.left >= 0:
            raise self.error
        return Answer(text="yes")


@pytest.mark.parametrize("kind", sorted(AGAIN))
def test_what_may_pass_is_asked_again(kind: str) -> None:
    ask = Failing(ProviderError("", kind=kind), AGAIN[kind] - 1)
    assert patiently(ask, REQUEST, QUICK, Event()).text == "yes"
    ask = Failing(ProviderError("", kind=kind), 99)
    with pytest.raises(ProviderError):
        patiently(ask, REQUEST, QUICK, Event())
    assert ask.calls == AGAIN[kind]


@pytest.mark.parametrize("kind", ["refused", "malformed", "unauthorised", "misdirected", "rejected"])
def test_what_will_not_pass_is_asked_once(kind: str) -> None:
    ask = Failing(ProviderError("", kind=kind), 1)
    with pytest.raises(ProviderError):
        patiently(ask, REQUEST, QUICK, Event())
    assert ask.calls == 1


def test_what_was_paid_is_not_asked_again() -> None:
    error = ProviderError("", kind="cut")
    error.tokens = (9, 0, 9)
    ask = Failing(error, 1)
    with pytest.raises(ProviderError):
        patiently(ask, REQUEST, QUICK, Event())
    assert ask.calls == 1


def test_the_other_side_says_how_long() -> None:
    ask = Failing(ProviderError("", kind="rate_limited", retry_after=0.3), 1)
    start = time.monotonic()
    patiently(ask, REQUEST, Patience(first=9.0), Event())
    assert 0.3 <= time.monotonic() - start < 5
    ask = Failing(ProviderError("", kind="rate_limited", retry_after=3_600.0), 1)
    with pytest.raises(ProviderError):
        patiently(ask, REQUEST, Patience(), Event())
    assert ask.calls == 1


def test_waiting_ends_when_nobody_wants_the_answer() -> None:
    stop = Event()
    ask = Failing(ProviderError("", kind="rate_limited", retry_after=50.0), 9)
    threading.Timer(0.1, stop.set).start()
    start = time.monotonic()
    with pytest.raises(ProviderError):
        patiently(ask, REQUEST, Patience(), stop)
    assert time.monotonic() - start < 10


def test_work_is_spread_and_taken_one_by_one() -> None:
    running, most, lock = 0, 0, threading.Lock()
    taken: list[int] = []

    def items() -> Iterator[int]:
        for n in range(20):
            taken.append(threading.get_ident())
            yield n

    def work(n: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return n * n

    found = dict(spread(items(), work, 3, Event()))
    assert found == {n: n * n for n in range(20)}
    assert most == 3
    assert set(taken) == {threading.get_ident()}


def test_stopping_takes_nothing_more_and_keeps_what_is_begun() -> None:
    stop = Event()
    done = []
    for place, _ in spread(iter(range(100)), lambda n: n, 2, stop):
        done.append(place)
        if len(done) == 5:
            stop.set()
    assert 5 <= len(done) <= 7


def test_an_error_of_ours_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(spread([1, 0, 1], lambda n: 1 // n, 2, Event()))


class Store(dict[str, bytes]):
    """Answers in memory, as bytes."""

    def get(self, question: str, kind: type) -> Outcome | None:  # type: ignore[override]
        return msgspec.json.decode(self[question], type=kind) if question in self else None

    def put(self, question: str, answer: Outcome) -> None:
        self[question] = msgspec.json.encode(answer)


def question(n: int) -> Question:
    operations = made(3, key=f"s{n}")
    text = packet(f"s{n}", operations)
    return Question(text, operations, identity(text, "openai", "m", "p"))


def answering(asked: list[str]) -> object:
    def answer(request: Request) -> Answer:
        text = request.turns[0].text
        asked.append(text)
        start = next(line.split()[1] for line in text.splitlines() if line.startswith("#0"))
        return Answer(text=f'{{"marks": [{{"start_operation_id": "{start}", "path": ["read code"]}}]}}')

    return answer


def test_an_answer_is_asked_for_once() -> None:
    kept, asked = Store(), list[str]()
    questions = [question(n) for n in range(4)]

    def run() -> dict[int, Outcome]:
        purse = Purse(10**9, None, lambda *_: 0)
        return dict(
            ask_all(questions, answering(asked), purse=purse, jobs=2, stop=Event(), kept=kept, patience=QUICK)  # type: ignore[arg-type]
        )

    first, second = run(), run()
    assert len(asked) == 4
    assert [first[n].marks for n in range(4)] == [second[n].marks for n in range(4)]
    assert all(outcome.cached and not outcome.tokens_in for outcome in second.values())
    assert not any(outcome.cached for outcome in first.values())


def test_a_kept_answer_is_checked_like_any_other() -> None:
    one = question(1)
    good = Outcome(session="s1", state="valid", marks=(Mark(one.operations[0].id, ("read code",)),))
    found = sound(good, one)
    assert found is not None
    assert found.cached
    for odd in (
        None,
        msgspec.structs.replace(good, session="s2"),
        msgspec.structs.replace(good, marks=()),
        msgspec.structs.replace(good, marks=(Mark("elsewhere", ("read code",)),)),
        msgspec.structs.replace(good, marks=(Mark(one.operations[0].id, ("../../etc",)),)),
    ):
        assert sound(odd, one) is None
