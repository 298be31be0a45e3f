"""How does a page become one file that asks for nothing? All inside, and a rule that says so."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import Any

from tracelode.model.words import json_text, printable
from tracelode.pages.assets import style

_STYLES = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_ATTRIBUTES = re.compile(r' style="([^"]*)"')


def text(words: str) -> str:
    """A text of a trace as HTML takes it.

    Args:
        words: any string; it is not to be trusted.

    Returns:
        Escaped, with stand-ins for characters that could steer a layout.
    """
    return escape(printable(words))


def embedded(value: Any) -> str:
    """JSON that can stand in a script element.

    Args:
        value: what json can encode.

    Returns:
        JSON in which no "<", ">", "&" and no unseen character is left: nothing can end the element, or
        begin a comment.

    Example:
        >>> embedded("</script><!--")
        '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    made = json_text(value, compact=True)
    for sign in "<>&":
        made = made.replace(sign, f"\\u{ord(sign):04x}")
    return made


def document(
    title: str,
    body: Iterable[str],
    *,
    styles: Sequence[str] = (),
    own: str = "",
    script: str = "",
    after: Iterable[str] = (),
) -> str:
    """One HTML file.

    Args:
        title: of the window; text.
        body: HTML of our own making, every text of a trace in it escaped.
        styles: style sheets of web/ beside the base.
        own: further rules of this page alone.
        script: a module, "" for none.
        after: HTML after the main part.

    Returns:
        The file's text. Its Content-Security-Policy lets in what is in the file, by hash, and nothing else:
        text that came through as markup after all could neither run nor load anything.
    """
    main, tail = "\n".join(body), "\n".join(after)
    sheet = style("base", *styles) + own
    inside = main + tail
    found = [sheet, *_STYLES.findall(inside)]
    attributes = sorted(set(_ATTRIBUTES.findall(inside)))
    allowed = " ".join(map(_hash, found))
    if attributes:
        # styles of single elements are attributes of ours
        allowed += " 'unsafe-hashes' " + " ".join(map(_hash, attributes))
    rule = f"default-src 'none'; style-src {allowed}; base-uri 'none'; form-action 'none'"
    if script:
        rule += f"; script-src {_hash(script)}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{rule}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{text(title)}</title><style>{sheet}</style></head><body><main>",
        main,
        "</main>",
        tail,
    ]
    if script:
        parts.append(f'<script type="module">{script}</script>')
    return "\n".join([*parts, "</body></html>", ""])


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def head(title: str, lead: str = "", marks: Iterable[str] = ()) -> str:
    """Heading of a page, with the switch of light and dark.

    Args:
        title: text.
        lead: a sentence below it; text.
        marks: further facts of a line in soft ink; texts.
    """
    facts = " · ".join(filter(None, marks))
    words = f"<p class=soft>{text(lead)}</p>" if lead else ""
    words += f"<p class=soft>{text(facts)}</p>" if facts else ""
    return f"<header class=top><div><h1>{text(title)}</h1>{words}</div>{theme()}</header>"


def theme() -> str:
    """The switch of light and dark; it needs no script."""
    choices = (("auto", "Auto", " checked"), ("light", "Light", ""), ("dark", "Dark", ""))
    return (
        '<fieldset class="theme"><legend class="unseen">Colours</legend>'
        + "".join(
            f'<label><input type="radio" name="theme" id="theme-{key}"{on}><span>{word}</span></label>'
            for key, word, on in choices
        )
        + "</fieldset>"
    )


def made_with(comments: Iterable[str]) -> str:
    """What a page was made with, at its foot.

    Args:
        comments: texts.
    """
    words = " · ".join(comments)
    return f'<footer class="made soft">{text(words)}</footer>' if words else ""
