"""What does a shell line do? Its parts without wrappers, and the one part that names it."""

from __future__ import annotations

import re
from functools import lru_cache

from tracelode.signals.command import Call, classify, known_word
from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.split import MAX_DEPTH, Part, split

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_KEPT = 8_192
"""Commands whose reading is remembered: agents repeat themselves."""


def parts(command: str, lexicon: Lexicon | None = None) -> list[Part]:
    """The simple commands of a shell line, without wrappers, with bash -c followed.

    Args:
        command: the line or lines; may be cut off anywhere.
        lexicon: the words; None for the built-in ones.

    Returns:
        The commands in order. Wrappers (sudo, env, uv run, docker exec, ...) and assignments are dropped.

    Source:
        naming rules, step 1, shell.

    Example:
        >>> [part.words for part in parts("A=1 sudo env B=2 pytest -q; bash -c 'git push'")]
        [('pytest', '-q'), ('git', 'push')]
    """
    return _expand(split(command), lexicon or load(), 0)


def command_verb(command: str, lexicon: Lexicon | None = None) -> str:
    """The verb of a shell line: that of its part with the highest priority.

    Args:
        command: the line or lines.
        lexicon: the words; None for the built-in ones.

    Returns:
        A closed verb; "note" where nothing of interest happens, "run" for an unknown program.

    Example:
        >>> command_verb("cd app && npm test && git commit -am 'Add a row'")
        'commit'
    """
    return reading(command, lexicon or load()).verb


def first_word(command: str, lexicon: Lexicon | None = None) -> str | None:
    """The first word of the part that names a shell line.

    Args:
        command: the line or lines.
        lexicon: the words; None for the built-in ones.

    Returns:
        The word as the lexicon spells it, None if it is not there.

    Example:
        >>> first_word("cd app && git status"), first_word("./mystery"), first_word("python3.12 x.py")
        ('git', None, 'python')
    """
    return reading(command, lexicon or load()).word


@lru_cache(maxsize=_KEPT)
def reading(command: str, lexicon: Lexicon) -> Call:
    """Everything the naming part of a shell line says; remembered per line.

    Args:
        command: the line or lines.
        lexicon: the words.

    Returns:
        The part with the highest priority, the first on ties.
    """
    best, best_rank, head, text = Call("note"), -1.0, Call("note"), False
    for part in _expand(split(command), lexicon, 0):
        call = classify(part, lexicon)
        if part.piped:
            call, rank = _piped(part, call, head, text, lexicon)
        else:
            head, text, rank = call, bool(part.body), float(lexicon.verbs[call.verb].priority)
            if call.word in lexicon.words["moves"]:
                rank = 0.5
        if call.verb == "run" and part.background:
            call = call._replace(verb="serve")
        if rank > best_rank:
            best, best_rank = call, rank
    return best


def _piped(part: Part, call: Call, head: Call, text: bool, lexicon: Lexicon) -> tuple[Call, float]:
    """A part that reads another's output: a filter must not name what it filters."""
    rank = float(lexicon.verbs[call.verb].priority)
    ahead = lexicon.verbs[head.verb].priority
    if call.word == "tee":
        return call, rank if text or head.verb in ("note", "create") else -1.0
    if call.word in lexicon.words["shells"] and call.verb == "run" and not call.snippet and not call.path:
        return (call._replace(verb="install"), 58.0) if head.verb in ("request", "download") else (call, rank)
    if call.snippet and call.verb == "run" and not part.body:
        return call._replace(verb="query"), min(rank, ahead - 1.0) if ahead > 5 else rank
    if call.verb in ("explore", "search", "query", "convert", "compare") and ahead > 5:
        return call, min(rank, ahead - 1.0) if head.verb != "search" or call.verb == "explore" else rank
    return call, rank


def _expand(found: list[Part], lexicon: Lexicon, depth: int) -> list[Part]:
    result: list[Part] = []
    for part in found:
        bare = _unwrap(part, lexicon)
        word = bare.words[0] if bare.words else ""
        if bare.inner and depth < MAX_DEPTH and word in ("", "echo", "printf", "eval"):
            result += _expand(list(bare.inner), lexicon, depth + 1)
        inside = _inside(bare, lexicon) if word and depth < MAX_DEPTH else ""
        if inside:
            result += _expand(split(inside), lexicon, depth + 1)
        elif bare.words or bare.target:
            result.append(bare)
    return result


def _inside(part: Part, lexicon: Lexicon) -> str:
    """The commands that a shell is given as an argument or a here-document."""
    word = part.words[0].rpartition("/")[2].removesuffix(".exe")
    if word not in lexicon.words["shells"]:
        return ""
    for place, argument in enumerate(part.words[1:], 1):
        if argument in lexicon.words["inline"]:
            rest = part.words[place + 1 :]
            return " ".join(rest if word == "cmd" else rest[:1])
        if argument[:1] not in ("-", "/") and word != "su":
            return ""
    return part.body


def _unwrap(part: Part, lexicon: Lexicon) -> Part:
    words, keywords = part.words, lexicon.words["keywords"]
    while words:
        if words[0] in keywords or _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        for length in (3, 2, 1):
            wrapper = lexicon.wrappers.get(".".join(words[:length])) if len(words) >= length else None
            if wrapper is not None:
                break
        else:
            break
        rest, skip, value = words[length:], wrapper.skip, False
        while rest:
            if value or _ASSIGNMENT.match(rest[0]):
                value = False
            elif rest[0].startswith("-") and len(rest[0]) > 1:
                if rest[0] == "-m" and words[0] in ("uv", "poetry", "pdm", "pipenv", "hatch", "rye"):
                    rest = ("python", *rest)
                    break
                value = rest[0] in wrapper.values
            elif skip:
                skip -= 1
            else:
                break
            rest = rest[1:]
        if not rest and known_word(words[0], lexicon):
            break  # nothing is wrapped: the word stands for itself
        words = rest
    return part if words is part.words else part._replace(words=words)
