"""Which inputs does a request give a workflow, and does it ask for what it does at all? Never a guess.

An input has a value only where all that was learned of how requests say it agrees on one. A request that
says the opposite of what all others said, that leaves out what all of them said, or that denies, conditions,
picks or asks for more in words that none of them said, is not for the workflow. Of one that writes, every
word must be accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from tracelode.compile import accounted, guards, transforms
from tracelode.compile.bind.inputs import pieces
from tracelode.compile.doubled import beside, twins
from tracelode.compile.masked import unmarked
from tracelode.compile.mentions import Mention, mentions
from tracelode.compile.opposites import said, undone
from tracelode.model.run import Tree
from tracelode.model.workflow import Input, Workflow

MOST = 200
"""Words that a workflow keeps of what all requests say."""
_WORD = re.compile(r"\b[a-z]{3,}\b")
_SMALL = frozenset((
    "and", "any", "are", "can", "could", "for", "from", "give", "has", "have", "help", "her", "him", "his",
    "how", "into", "its", "know", "let", "like", "make", "may", "need", "now", "our", "out", "please", "some",
    "sure", "than", "that", "the", "their", "them", "then", "there", "they", "this", "too", "was", "want",
    "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
))  # fmt: skip
"""Words that say nothing of what is asked."""
_EITHER = re.compile(r"\bor\b")
_OR_AFTER = re.compile(r"[\"'`’”)\]]*\s*,?\s*(?:(?:and\s*/\s*)?or\b|/)", re.IGNORECASE)
_OR_BEFORE = re.compile(r"\bor\s+[\"'`‘“(\[]*\Z", re.IGNORECASE)
"""Two things named where one is needed: which of them is not for a program to say."""
_QUOTED = re.compile(r"[\"'`“‘]\Z")
_QUOTES = re.compile(r"[\"'`”’]")
_JOINED = re.compile(r"[,;.&+]|\b(?:and|or|then|please)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.!?;]+(?=\s|\Z)|\n+|\Z")
_GREETINGS = frozenset((
    "hello", "dear", "thank", "thanks", "kind", "regards", "cheers", "good", "morning", "afternoon",
    "evening", "day", "hey", "greetings", "sincerely", "team", "everybody", "advance", "much", "very",
))  # fmt: skip
_BRIEF = 3
"""Words of a value whose verbs say nothing of what is asked."""


class Told(msgspec.Struct, frozen=True):
    """What a request tells."""

    inputs: dict[str, Tree]
    """Name to value."""
    missing: tuple[str, ...]
    """Required inputs that it does not tell."""
    unclear: tuple[str, ...]
    """Inputs for which it tells several values."""
    against: tuple[str, ...]
    """Words that speak against the workflow: opposites of what it does, "-WORD" for one that is left out,
    "+WORD" for one that nothing accounts for."""
    readings: dict[str, tuple[Tree, ...]] = {}
    """Of inputs that are not clear since a date of numbers may mean two days: both."""

    @property
    def fits(self) -> bool:
        """May the workflow be run with these inputs?"""
        return not (self.missing or self.unclear or self.against)


def told(workflow: Workflow, request: str, given: Mapping[str, Tree] | None = None) -> Told:
    """Read a request for a workflow.

    Args:
        workflow: which.
        request: what a person asks.
        given: values of inputs that are given beside it; the request may name them too.

    Returns:
        Inputs that are certain, and what speaks against running it.
    """
    text = request[: accounted.LONGEST]
    inputs: dict[str, Tree] = {}
    missing, unclear = [], []
    readings: dict[str, tuple[Tree, ...]] = {}
    usual = {*_SMALL, *workflow.asks}
    for one in workflow.inputs:
        values = _values(one, text, usual)
        if len(values) == 1:
            inputs[one.name] = values[0]
        elif values:
            unclear.append(one.name)
            if len(values) == 2 and tuple(values) in _either(text):
                readings[one.name] = tuple(values)
        elif one.required:
            missing.append(one.name)
    texts = {name: transforms.text(value) for name, value in inputs.items()}
    doubled = twins(text, set(texts.values()))
    for name in [name for name, value in texts.items() if value in doubled]:
        del inputs[name]
        unclear.append(name)
    speaks = against(workflow, request, (given or {}).values())
    return Told(inputs, tuple(missing), tuple(unclear), speaks, readings)


def _either(text: str) -> set[tuple[Tree, ...]]:
    return {(m.value, m.other) for m in mentions(text) if m.other}


def against(workflow: Workflow, request: str, given: Iterable[Tree] = ()) -> tuple[str, ...]:
    """What in a request speaks against a workflow.

    Args:
        workflow: which.
        request: what a person asks.
        given: values that are given beside it.

    Returns:
        Verbs that undo what every request that it was learned from asked, or what its tools do; then words
        that turn, pick or widen what is asked and that those requests did not say so; then "+WORD" for each
        other one that nothing accounts for, where it writes; then "-WORD" for each word that every one of
        them said and this one does not.
    """
    strange = accounted.unaccounted(workflow, request, given)
    request = request[: accounted.LONGEST]
    asked = said(" ".join(workflow.asks)) | _verbs(workflow)
    undoing = {w for w in said(request) - set(workflow.says) if undone(w, asked)}
    words = _words(request)
    plain = accounted.ungreeted(request)
    shown = (_foreign(workflow, plain) | _apart(workflow, plain)) - undoing
    lacking = (f"-{w}" for w in workflow.asks if w not in words)
    known = {word for phrase in (*undoing, *shown) for word in phrase.casefold().split()}
    more = (f"+{w}" for w in strange if w.casefold() not in known)
    return (*sorted(undoing), *sorted(shown), *more, *lacking)


def _foreign(workflow: Workflow, request: str) -> set[str]:
    """Words that turn, pick or widen, as they are shown, that no request said which was learned from."""
    says = {*workflow.says, *workflow.asks, *_verbs(workflow)}
    quoted, brief = _blanked(workflow, request)
    heard = guards.turning(quoted) | guards.widened(brief)
    return {shown for key, shown in heard.items() if key not in says}


def _apart(workflow: Workflow, request: str) -> set[str]:
    """Words of sentences that share nothing with what every request said and give no input.

    "He is lying." after a request may turn all of it, in words that no list holds.
    """
    spans = [span for one in workflow.inputs for pattern in one.patterns for span in pieces(pattern, request)]
    found: set[str] = set()
    begin = 0
    for end in _ENDS.finditer(request):
        words = _words(request[begin : end.start()])
        told = any(start < end.start() and stop > begin for start, stop in spans)
        begin = end.end()
        if workflow.asks and not told and not words & set(workflow.asks):
            found |= words - _GREETINGS - set(workflow.says)
    return found


def _blanked(workflow: Workflow, request: str) -> tuple[str, str]:
    """A request without the values that stand in quotes, and without the short ones as well.

    What stands in quotes is no word of the request; a value of a few words may name a verb ("changed plans"),
    but what denies or calls off counts wherever it stands.
    """
    quoted = brief = request
    for one in workflow.inputs:
        for pattern in one.patterns:
            for start, stop in pieces(pattern, request):
                blank, piece = " " * (stop - start), request[start:stop]
                if _QUOTED.search(request[:start]) and _QUOTES.match(request, stop):
                    quoted = quoted[:start] + blank + quoted[stop:]
                if len(piece.split()) <= _BRIEF and not _JOINED.search(piece):
                    brief = brief[:start] + blank + brief[stop:]
        kind, _, number = one.mention.partition(":")
        there = [m for m in mentions(request) if m.kind == kind] if kind else []
        for mention in there[int(number or 0) : int(number or 0) + 1]:
            # "five days later" counts, and is read
            brief = brief[: mention.start] + " " * (mention.stop - mention.start) + brief[mention.stop :]
    return quoted, "".join(b if b == q else " " for b, q in zip(brief, quoted, strict=True))


def _verbs(workflow: Workflow) -> set[str]:
    return set().union(*(said(_spaced(s.tool)) for s in workflow.steps if s.effect.writes), set())


def _spaced(tool: str) -> str:
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", tool))


def asks(requests: Sequence[str], inputs: Sequence[Input] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What requests have in common.

    Args:
        requests: what was asked in the runs that a workflow is learned from.
        inputs: of the workflow; their values are no words that a request must say.

    Returns:
        (words that all of them say, at most MOST; verbs with an opposite that any of them says, and words
        that turn, pick or widen as guards.learned() remembers them), sorted.
    """
    found = [_words(accounted.blanked(unmarked(text), accounted.spans(inputs, text))) for text in requests]
    requests = [unmarked(text) for text in requests]
    every = sorted(set.intersection(*found)) if found else []
    verbs: set[str] = set()
    for request in requests:
        verbs |= said(request)
    return tuple(every[:MOST]), tuple(sorted({*verbs, *guards.learned(requests)}))


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text[: accounted.LONGEST].lower()) if word not in _SMALL}


def _values(one: Input, text: str, usual: Collection[str]) -> list[Tree]:
    """All different values that a request may give an input."""
    raw: list[Tree] = []
    for pattern in one.patterns:
        for start, stop in pieces(pattern, text):
            piece = text[start:stop]
            raw.append(piece)
            several = _OR_AFTER.match(text, stop) or _OR_BEFORE.search(text[:start])
            if several or _EITHER.search(piece) or beside(text, start, stop, usual):
                return [piece, f"{piece} or"]  # a second value, whatever it is
    if one.mention:
        kind, _, number = one.mention.partition(":")
        there = [m for m in mentions(text) if m.kind == kind]
        if one.mentions and len(there) != one.mentions and not raw:
            return [] if len(there) < one.mentions else [m.value for m in there]
        if int(number) < len(there):
            raw += _readings(one, there[int(number)])
    found: list[Tree] = []
    for value in raw:
        shaped = accounted.typed(value, one.type)
        if shaped is None:
            continue
        if not any(transforms.same(shaped, other) for other in found):
            found.append(shaped)
    return found


def _readings(one: Input, mention: Mention) -> tuple[Tree, ...]:
    """Both readings of a date of numbers, unless recorded requests prove which one it is."""
    if not mention.other:
        return (mention.value,)
    known = {"month first": mention.value, "day first": mention.other}
    return (known[one.order],) if one.order in known else tuple(known.values())
