"""What does a run ask for, in words that all runs of its kind share? Its masked request, and its tools."""

from __future__ import annotations

import re
from collections import Counter

from tracelode.model.run import Run
from tracelode.signals.human import strip_wrappers
from tracelode.signals.tools import is_shell, tool_frame

LONGEST = 4_000
"""Characters of a request that are read."""
_MONTHS = (
    "jan january feb february mar march apr april may jun june jul july aug august sep sept september "
    "oct october nov november dec december"
)
_DAYS = (
    "mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun sunday "
    "today tomorrow tonight yesterday am pm"
)
_DATES = frozenset((*_MONTHS.split(), *_DAYS.split()))
_MODAL = frozenset(("may", "mar", "sat", "sun", "am"))
"""Words of a date that are also others: dates only with a capital, or beside a number."""
_TOKEN = re.compile(
    r"""(?P<quoted>“[^”\n]{1,200}”|"[^"\n]{1,200}"|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{1,200}'(?!\w))"""
    r"|(?P<number>[\w.:/@+-]*\d[\w.:/@+-]*)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)"
    r"|(?P<end>[.!?:;]+(?=\s|$)|\n)"
)


def words(text: str) -> list[str]:
    """The words of a request, without what differs from run to run.

    Args:
        text: what was asked; its first LONGEST characters count.

    Returns:
        Words in lower case. What was quoted, numbers, dates and names are <quoted>, <number>, <date>, <name>;
        neighbouring ones of one kind are one.

    Example:
        >>> " ".join(words('Fly from Oslo to New York on May 3rd, and name the trip "Spring"'))
        'fly from <name> to <name> on <date> <number> and name the trip <quoted>'
    """
    found: list[str] = []
    first = True
    for match in _TOKEN.finditer(strip_wrappers(text)[:LONGEST]):
        kind, token = match.lastgroup, match.group()
        if kind == "end":
            first = True
            continue
        token = _word(token, first) if kind == "word" else f"<{kind}>"
        first = False
        if token and not (token.startswith("<") and found and found[-1] == token):
            found.append(token)
    return found


def _word(token: str, first: bool) -> str:
    low = token.lower()
    if low in _DATES and (low not in _MODAL or (token[0].isupper() and not first)):
        return "<date>"
    if token[0].isupper() and not first and len(token) > 1:
        return "<name>"
    return low if len(low) > 1 else ""


def masked(text: str) -> str:
    """A request without what differs from run to run, as one line.

    Args:
        text: what was asked.

    Returns:
        Its words.
    """
    return " ".join(words(text))


def grams(text: str) -> Counter[str]:
    """The words of a masked request, and the pairs and triples of neighbours, each once.

    Args:
        text: as masked() gives it; what was masked counts for nothing.

    Example:
        >>> sorted(grams("fly to <name> <date>"))
        ['fly', 'fly to', 'to']
    """
    plain = [word for word in text.split() if not word.startswith("<")]
    return Counter(
        {" ".join(plain[n : n + size]) for size in (1, 2, 3) for n in range(len(plain) - size + 1)}
    )


def tools(run: Run) -> Counter[str]:
    """The tools of a run with the number of calls; a shell tool once for each program that it runs.

    Args:
        run: which.
    """
    return Counter(frame(call.name, call.arguments) for call in run.calls)


def frame(tool: str, arguments: object) -> str:
    """A tool as it is counted.

    Args:
        tool: name.
        arguments: of the call.
    """
    return tool_frame(tool, command(arguments)) if is_shell(tool) else tool


def command(arguments: object) -> str:
    """The shell command among a call's arguments, "" for none.

    Args:
        arguments: of the call, in any form.
    """
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, dict):
        return next((arguments[key] for key in ("command", "cmd") if isinstance(arguments.get(key), str)), "")
    return ""
