"""Did a human type this text? Prompts, interrupts, denials and what programs write in their place."""

from __future__ import annotations

import re
from typing import Literal

from tracelode.signals.lexicon import Lexicon, load
from tracelode.signals.text import text_verb

HumanKind = Literal["prompt", "interrupt", "denial", "wrapper"]
"""prompt: a human's words; wrapper: a program's words in a human's place."""

_OPEN = re.compile(r"\s*<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


def human_kind(
    text: str,
    *,
    is_meta: bool = False,
    is_summary: bool = False,
    origin: str | None = None,
    interrupted: bool = False,
    denied: bool = False,
    lexicon: Lexicon | None = None,
) -> HumanKind:
    """What a text in a human's place is.

    Args:
        text: the text of a user record or of one of its blocks.
        is_meta: the record is marked as written by the program.
        is_summary: the record is the summary of a compaction.
        origin: who the record says it came from, such as human or task-notification; None if it does not say.
        interrupted: the record names the message it interrupts.
        denied: the record says that a tool was refused.
        lexicon: the words; None for the built-in ones.

    Returns:
        prompt, interrupt, denial or wrapper.

    Source:
        formats, section 1, Human.

    Example:
        >>> human_kind("Fix the login"), human_kind("[Request interrupted by user for tool use]")
        ('prompt', 'interrupt')
    """
    lexicon = lexicon or load()
    lead = text.lstrip()
    if interrupted or lead.startswith(lexicon.sentences["interrupts"]):
        return "interrupt"
    if denied or lead.startswith(lexicon.sentences["denials"]):
        return "denial"
    if is_summary or (origin is not None and origin != "human"):
        return "wrapper"
    if is_meta and origin != "human":
        return "wrapper"
    if lead.startswith(lexicon.sentences["caveats"]) or not strip_wrappers(text, lexicon):
        return "wrapper"
    return "prompt"


def strip_wrappers(text: str, lexicon: Lexicon | None = None) -> str:
    """A text without the blocks that programs put around a prompt.

    Args:
        text: the text of a prompt.
        lexicon: the words; None for the built-in ones.

    Returns:
        What is left, stripped; "" where nothing is. Linear in the length of the text.
    """
    tags = (lexicon or load()).words["wrappers"]
    kept: list[str] = []
    at = 0
    while True:
        start = text.find("<", at)
        if start < 0:
            kept.append(text[at:])
            break
        match = _OPEN.match(text, start)
        if match is None or match.group(1) not in tags:
            kept.append(text[at : start + 1])
            at = start + 1
            continue
        kept.append(text[at:start])
        closing = f"</{match.group(1)}>"
        end = text.find(closing, match.end())
        if end < 0:  # cut off: all of the rest belongs to the block
            break
        at = end + len(closing)
    return "".join(kept).strip()


def first_line(text: str, lexicon: Lexicon | None = None) -> str:
    """The first line of a prompt's own words: no wrappers, no code.

    Args:
        text: the text of a prompt.
        lexicon: the words; None for the built-in ones.

    Returns:
        The line, stripped; "" where there is none.
    """
    fenced = False
    for line in strip_wrappers(text, lexicon).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip() and not fenced:
            return line.strip()
    return ""


def prompt_facts(text: str, lexicon: Lexicon | None = None) -> dict[str, str]:
    """What a prompt's first line asks for, in closed words.

    Args:
        text: the prompt.
        lexicon: the words; None for the built-in ones.

    Returns:
        said: the verb of the sentence; asked: the kind of work a trigger word names; each only if found.

    Source:
        naming rules, step 7.

    Example:
        >>> prompt_facts("Fix the failing login test")["asked"]
        'fix'
    """
    lexicon = lexicon or load()
    line = first_line(text, lexicon)
    found = {"said": text_verb(line, lexicon), "asked": lexicon.asks.first(line)}
    return {key: value for key, value in found.items() if value}
