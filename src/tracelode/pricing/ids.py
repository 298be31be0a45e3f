"""Which known model does a decorated model id mean? Names to try, the longest first."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEDROCK = re.compile(
    r"(?:(?:us|us-gov|eu|apac|ap|au|ca|jp|sa|me|global)\.)?"
    r"(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|moonshot|moonshotai|openai|qwen|zai)\.(.+)"
)
"""Amazon Bedrock: an optional region, the vendor, the model."""

_TAILS = tuple(
    re.compile(pattern + r"\Z")
    for pattern in (
        r"\[1m\]",  # Claude Code's mark of the large context window
        r":(?:\d+|beta|thinking)",  # Bedrock's revision, OpenRouter's variants at the same price
        r"@[\w.-]+",  # Google Cloud's version
        r"-v\d+",
        r"-\d{8}",
        r"-\d{4}-\d{2}-\d{2}",
        r"-latest",
    )
)
"""Endings that do not change the price."""

_NEVER = re.compile(r"<.*>|.*:free|", re.DOTALL)
"""Ids that no list price belongs to: <synthetic>, free variants, nothing."""


def normal(name: str) -> str:
    """The form in which names are compared.

    Args:
        name: a model id or an alias.

    Returns:
        Lower case, dots as dashes: routers write 4.5 where the vendor writes 4-5.
    """
    return name.strip().lower().replace(".", "-")


def candidates(model: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that a model id may mean, the least stripped first.

    Args:
        model: the id as the source names it.

    Yields:
        (name in normal form, the prefixes that were taken off it).

    Source:
        accounting rules: longest known model id after stripping provider prefix, region, date, -v1:0.

    Example:
        >>> [name for name, _ in candidates("anthropic/claude-opus-4-5-20251101")]
        ['anthropic/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5', \
'claude-opus-4-5-20251101', 'claude-opus-4-5']
    """
    text = model.strip().lower()
    if _NEVER.fullmatch(text):
        return
    parts = text.split("/")
    for at in range(len(parts)):
        head, prefixes = "/".join(parts[at:]), tuple(parts[:at])
        yield from ((name, prefixes) for name in _stripped(head))
        if at == len(parts) - 1 and (match := _BEDROCK.fullmatch(head)):
            yield from ((name, (*prefixes, "bedrock")) for name in _stripped(match[1]))


def _stripped(name: str) -> Iterator[str]:
    while name:
        yield normal(name)
        shorter = next((cut for tail in _TAILS if (cut := tail.sub("", name)) != name), None)
        if shorter is None:
            return
        name = shorter
