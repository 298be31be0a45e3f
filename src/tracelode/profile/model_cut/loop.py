"""How do a model's answers become marks? Checked, mended at most twice, then the last sound ones or none."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from tracelode.errors import MarksError, ProviderError
from tracelode.model.annotation import Mark
from tracelode.model.answer import Answer, Request
from tracelode.model.asked import LAST, NONE, REPAIRED, VALID, Outcome
from tracelode.model.numbers import number
from tracelode.model.operation import Operation
from tracelode.profile.marks import near_duplicates, read_marks
from tracelode.profile.model_cut.prompt import again, first, tokens
from tracelode.profile.model_cut.purse import Purse
from tracelode.profile.packets import Packet

REPAIRS = 2
"""Questions after the first, at most."""
PROBLEMS = 20
"""Reasons that a model is told at once."""
LONGEST = 1_000_000
"""Characters of an answer that is read."""
_FENCE = re.compile(r"\A\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_SPARSE = 6
MEANING = "verbs of one meaning"
"""A reason of near_duplicates() that is let pass."""


def ask(
    packet: Packet, operations: Sequence[Operation], complete: Callable[[Request], Answer], purse: Purse
) -> Outcome:
    """Ask about one session until the answer is sound.

    Args:
        packet: what is read of it.
        operations: its n operations in order.
        complete: asks once, or raises ProviderError.
        purse: what may be spent.

    Returns:
        The marks, or why there are none. An answer that is sound but doubtful (too dense, names that may mean
        the same) is asked about once more, and stands if nothing better comes.
    """
    request = question = first(packet)
    best: list[Mark] | None = None
    state, reason, said, model, repairs = NONE, "", "", "", 0
    spent = [0, 0, 0]
    for turn in range(REPAIRS + 1):
        kept = tokens(question)
        if not purse.take(kept):
            reason = "budget"
            break
        repairs = turn
        try:
            answer = complete(question)
        except ProviderError as error:
            _add(spent, error.tokens)
            purse.settle(kept, error.tokens)
            reason, said = error.kind, str(error)
            break
        except BaseException:
            purse.settle(kept, (0, 0, 0))
            raise
        # a side that does not count is charged what we counted
        took = (
            kept if answer.tokens_in is None else answer.tokens_in,
            answer.tokens_cached,
            answer.tokens_out or 0,
        )
        _add(spent, took)
        purse.settle(kept, took)
        model = answer.model or model
        marks, problems = checked(answer.text, operations)
        if marks is not None:
            doubts = doubtful(marks, len(operations)) if best is None and turn < REPAIRS else []
            best, state, reason = marks, VALID if turn == 0 else REPAIRED, ""
            if not doubts:
                break
            problems = doubts
        else:
            reason = "invalid"
        question = again(request, answer.text, _told(problems))
    if best is not None and reason:
        state = LAST
    return Outcome(
        session=packet.session,
        state=state,
        marks=tuple(best or ()),
        reason=reason,
        said=said,
        repairs=repairs,
        model=model,
        tokens_in=spent[0],
        tokens_cached=spent[1],
        tokens_out=spent[2],
    )


def checked(text: str, operations: Sequence[Operation]) -> tuple[list[Mark] | None, list[str]]:
    """The marks in an answer, or what is wrong with it.

    Args:
        text: the answer.
        operations: the n operations of the session in order.

    Returns:
        (marks, []) or (None, reasons without text of a trace).
    """
    if len(text) > LONGEST:
        return None, [f"the answer has more than {LONGEST:,} characters"]
    fenced = _FENCE.match(text)
    try:
        data = msgspec.json.decode((fenced[1] if fenced else text).encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None, ["the answer is not one JSON object alone"]
    try:
        return read_marks(data, operations, place="answer"), []
    except MarksError as error:
        return None, [": ".join(part for part in problem if part) for problem in error.problems]


def doubtful(marks: Sequence[Mark], n: int) -> list[str]:
    """What speaks against sound marks.

    Args:
        marks: of one session.
        n: its operations.

    Returns:
        Reasons; names in them are plain words.
    """
    said = []
    if n >= _SPARSE and 2 * len(marks) > n:
        said.append(
            f"{number(len(marks), 'mark')} for {number(n, 'operation')}: marks are sparse; mark only where "
            "the work changes"
        )
    names = {name for mark in marks for name in mark.path}
    # words that only mean the same are for people to join: that is not worth a question to every session
    alike = [found for found in near_duplicates(names) if found[2] != MEANING]
    for one, other, why in alike[:PROBLEMS]:
        said.append(f"{one!r} and {other!r} are {why}: use one name, or two that differ clearly")
    return said


def _told(problems: Sequence[str]) -> str:
    shown = [f"- {problem}" for problem in problems[:PROBLEMS]]
    if len(problems) > PROBLEMS:
        shown.append(f"- and {len(problems) - PROBLEMS:,} more like these")
    return "\n".join(shown)


def _add(spent: list[int], more: Sequence[int]) -> None:
    for place, count in enumerate(more):
        spent[place] += count
