"""Which words of a request does nothing account for? A workflow that writes is not run where there is one.

No list of the words that call off or ask for more is ever complete. So it is turned round: a request is for
a workflow only where each of its words and signs is a part of a value that was read, was said by the requests
that the workflow was learned from, or stands in a short list of what changes nothing. See decisions/0036.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from tracelode.compile import transforms
from tracelode.compile.bind.inputs import pieces
from tracelode.compile.masked import masked, unmarked
from tracelode.compile.mentions import mentions
from tracelode.compile.paths import leaves
from tracelode.model.run import Run, Tree
from tracelode.model.workflow import Input, Workflow
from tracelode.redact.private import unsaid

MOST = 400
"""Words that a workflow keeps of what its requests say."""
LONGEST = 20_000
"""Characters of a request that are read."""
_LEAST = 2
"""Requests that must have said a word, where there are as many."""
_NEAR = 80
"""Characters before a value in which the word before it is looked for."""
_SHOWN = 40
"""Characters of a word that are shown."""
_NEUTRAL = re.compile(r"(?<!\w)(?:please|kindly|the|an?)(?!\w)", re.IGNORECASE)
"""Words that change nothing wherever they stand."""
_GREETING = re.compile(
    r"(?<!\w)(?:(?:hi|hello|hey|greetings)(?: (?:there|team|all|everybody|everyone))?"
    r"|dear (?:team|all|colleagues?)|good (?:morning|afternoon|evening|day)"
    r"|(?:many )?thanks(?: you)?(?: (?:(?:so |very )?much|a lot|again))?(?: in advance| for your help)?"
    r"|thank you(?: (?:(?:so |very )?much|again))?(?: in advance| for your help)?"
    r"|(?:(?:kind|best|warm) )?regards|sincerely|cheers)(?=\s*(?:[,.!;:\n-]|\Z))",
    re.IGNORECASE,
)
"""Phrases that change nothing where a sign or the end of the text follows."""
_FRAME = re.compile(
    r"(?:\A|[.!?;:\n,])\s*(?P<frame>(?:can|could|will|would) you|i(?: would|['’]d) (?:like|love)(?: you)? to"
    r"|i (?:want|need)(?: you)? to)(?!\w)",
    re.IGNORECASE,
)
"""Ways to begin that change nothing."""
_PLAIN_SIGNS = frozenset(".,;:!?'\"()-–—…“”‘’«»`")
"""Signs that change nothing."""
_ASCII = re.compile(r"\w+(?:[-']\w+)*|[^\w\t\n\v\f\r ]", re.ASCII)
"""A word or a sign of a text that is ASCII."""
_QUOTES = "\"'`“‘”’"
_BEYOND = f"more than {LONGEST:,} characters"
OTHER_SCRIPT = "a word of another script"


def learned(runs: Sequence[Run], inputs: Sequence[Input]) -> tuple[str, ...]:
    """The words and signs that requests say besides their values.

    Args:
        runs: that a workflow is learned from.
        inputs: of the workflow.

    Returns:
        What two different requests say or more (one, where there is one), what has a digit only where all do;
        the most frequent MOST of them, sorted. Whatever is passed in some runs only is a value, and no word.
    """
    passed = [{t.casefold() for t in _passed(run)} for run in runs]
    always = set.intersection(*passed) if passed else set()
    texts = {run.request: passed[n] for n, run in enumerate(runs)}
    counts: Counter[str] = Counter()
    for text, own in texts.items():
        counts.update({word for word, _ in _left(unmarked(text), spans(inputs, text), own - always)})
    least = min(_LEAST, len(texts))
    kept = [
        word
        for word, count in counts.items()
        if count >= (len(texts) if any(s.isdigit() for s in word) else least)
    ]
    return tuple(sorted(sorted(kept, key=lambda w: (-counts[w], w))[:MOST]))


def _passed(run: Run) -> Iterator[str]:
    """The leaves of all arguments, as texts of two characters or more."""
    for call in run.calls:
        for _, leaf in leaves(call.arguments):
            text = transforms.text(leaf).strip() if not isinstance(leaf, bool) else ""
            if len(text) >= 2 and not masked(leaf):
                yield text


def unaccounted(workflow: Workflow, request: str, given: Iterable[Tree] = ()) -> tuple[str, ...]:
    """What in a request nothing accounts for.

    Args:
        workflow: which; one that only reads takes every word.
        request: what a person asks.
        given: values that are given beside the request.

    Returns:
        Words and signs as they are shown, each once, in the order of the text.
    """
    if not any(step.effect.writes for step in workflow.steps):
        return ()
    text = request[:LONGEST]
    known = {*workflow.words, *workflow.asks}
    scripts = {"LATIN"}.union(*(_scripts(word) for word in known))
    beside = {transforms.text(value).casefold() for value in given}
    found: dict[str, None] = {}
    for word, shown in _left(text, spans(workflow.inputs, text), beside):
        if word not in known:
            found[_said(shown, scripts)] = None
    if len(request) > LONGEST:
        found[_BEYOND] = None
    return tuple(found)


def spans(inputs: Iterable[Input], text: str) -> list[tuple[int, int]]:
    """Where the values lie that a request gives inputs.

    Args:
        inputs: of a workflow.
        text: a request.

    Returns:
        (start, stop); a piece of more words than any recorded value had is none, unless it stands in quotes.
        A value that is named once more counts where recorded requests did so behind the same word.
    """
    found: list[tuple[int, int]] = []
    for one in inputs:
        read = _read(one, text)
        again = [span for behind, span in _again(text, read) if behind in one.again]
        found += [*read, *again]
    return found


def repeated(inputs: Iterable[Input], runs: Iterable[Run]) -> tuple[Input, ...]:
    """Inputs with the words behind which requests name their values once more.

    Args:
        inputs: of a workflow.
        runs: that it is learned from.
    """
    texts = sorted({unsaid(run.request)[:LONGEST] for run in runs})
    found = []
    for one in inputs:
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update({behind for behind, _ in _again(text, _read(one, text))})
        kept = sorted(word for word, count in counts.items() if count >= min(_LEAST, len(texts)))
        found.append(msgspec.structs.replace(one, again=tuple(kept)))
    return tuple(found)


def _read(one: Input, text: str) -> list[tuple[int, int]]:
    """Where the values lie that a request gives one input."""
    found = []
    for start, stop in (span for pattern in one.patterns for span in pieces(pattern, text)):
        piece = text[start:stop]
        quoted = start > 0 and stop < len(text) and text[start - 1] in _QUOTES and text[stop] in _QUOTES
        fits = quoted or not one.words or len(piece.split()) <= one.words
        if fits and typed(piece, one.type) is not None:
            found.append((start, stop))
    if one.mention:
        kind, _, number = one.mention.partition(":")
        there = [m for m in mentions(text) if m.kind == kind]
        found += [(m.start, m.stop) for m in there[int(number) : int(number) + 1]]
    return found


def _again(text: str, read: Collection[tuple[int, int]]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The word before each further place where a value that is read stands, and the place."""
    for piece in sorted({text[start:stop] for start, stop in read}):
        if not piece.strip():
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(piece)}(?!\w)", text):
            if not any(start < match.end() and match.start() < stop for start, stop in read):
                before = list(_tokens(_NEUTRAL.sub(" ", text[max(0, match.start() - _NEAR) : match.start()])))
                words = [token for token in before if _letter(token[0])]
                yield (words[-1].casefold() if words else ""), match.span()


def typed(value: Tree, kind: str) -> Tree:
    """A value of the type of an input.

    Args:
        value: as a request says it.
        kind: type of the input.

    Returns:
        None where it is not one.
    """
    if kind in ("integer", "number"):
        number = transforms.number(value)
        if number is None or (kind == "integer" and number != int(number)):
            return None
        return int(number) if kind == "integer" else number
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind == "list":
        return None
    text = value if isinstance(value, str) else transforms.text(value)
    if kind == "date" and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return None
    if kind == "time" and not re.fullmatch(r"\d{2}:\d{2}", text):
        return None
    return text


def _left(text: str, read: Iterable[tuple[int, int]], values: Collection[str]) -> Iterator[tuple[str, str]]:
    """Words and signs of a text without what is read in it, as they are compared and as they stand."""
    text = blanked(text, read)
    plain, low = text.isascii(), text.lower()
    for value in sorted(values, key=lambda v: (-len(v), v)):
        # an ASCII text holds no other spelling of a letter, so that most values need no pattern
        if value.strip() and not (plain and value.isascii() and value.lower() not in low):
            bounded = rf"(?<!\w){re.escape(value)}(?!\w)"
            text = re.sub(bounded, lambda m: " " * len(m[0]), text, flags=re.IGNORECASE)
    text = _NEUTRAL.sub(lambda match: " " * len(match[0]), ungreeted(text))
    text = _FRAME.sub(lambda match: match[0][: -len(match["frame"])] + " " * len(match["frame"]), text)
    for word in _tokens(unicodedata.normalize("NFC", text)):
        if word not in _PLAIN_SIGNS:
            yield word.casefold().replace("’", "'"), word


def blanked(text: str, read: Iterable[tuple[int, int]]) -> str:
    """A text with spaces in place of some of it.

    Args:
        text: a request.
        read: (start, stop) of what is left out.
    """
    for start, stop in read:
        text = text[:start] + " " * (stop - start) + text[stop:]
    return text


def ungreeted(text: str) -> str:
    """A text with spaces in place of greetings and thanks.

    Args:
        text: a request.
    """
    return _GREETING.sub(lambda match: " " * len(match[0]), text)


def _tokens(text: str) -> Iterator[str]:
    """Words with the hyphens and apostrophes inside of them, and every other sign by itself."""
    if text.isascii():
        yield from _ASCII.findall(text)
        return
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and (
            _letter(text[end]) or (at < end < len(text) - 1 and text[end] in "-'’" and _letter(text[end + 1]))
        ):
            end += 1
        if end > at:
            yield text[at:end]
        elif not (text[at].isspace() and text[at] not in "\x1c\x1d\x1e\x1f\x85\u2028\u2029"):
            yield text[at]
        at = max(end, at + 1)


def _letter(sign: str) -> bool:
    return sign == "_" or sign.isalnum() or unicodedata.category(sign)[0] in "LMN"


def _scripts(word: str) -> set[str]:
    return {unicodedata.name(sign, "?").split()[0] for sign in word if sign.isalpha()}


def _said(word: str, scripts: Collection[str]) -> str:
    """How a word or a sign is shown."""
    if not _letter(word[0]):
        plain = word.isascii() and word.isprintable()
        return f"the sign {word if plain else unicodedata.name(word, 'that is not shown').lower()}"
    if not _scripts(word) <= set(scripts):
        return OTHER_SCRIPT
    return word[:_SHOWN]
