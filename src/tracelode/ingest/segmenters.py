"""Which segmenter does a name mean in this store? It is given what the store keeps for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tracelode import registry
from tracelode.errors import StoreError, UsageError
from tracelode.files import why
from tracelode.model.ports import Segmenter

GRANULARITY = "granularity"
"""How finely learned cuts in a store: kept like what segmenters are given."""
FINE = ("learned", "chain")
"""Segmenters that have a granularity."""
FOLDER = "models"
"""Folder of a store with what its segmenters are given."""
FILES = {
    "bayes": "bayes.json",
    "learned": "learned.json",
    "rules": "rules.toml",
    GRANULARITY: "granularity.txt",
}
"""By segmenter: the file in FOLDER that it is given."""


def make(name: str, store: Path, granularity: float | None = None) -> Segmenter:
    """A segmenter with what a store keeps for it.

    Args:
        name: its registered name.
        store: workspace folder.
        granularity: of learned, alone or in the chain; None for what the store keeps.

    Returns:
        The segmenter; its version changes with what it is given.

    Raises:
        PluginError: no such segmenter.
        UsageError: it cannot cut without what the store does not keep; the message says what to do. Or it has
            no granularity, or not this one.
        StoreError: what is kept is damaged or cannot be read.
    """
    if granularity is not None and name not in FINE:
        raise UsageError(f"segmenter {name!r} has no granularity; those that have: {', '.join(FINE)}")
    if granularity is None and name in FINE:
        granularity = _granularity(store)
    if name == "chain":
        return _chain(store, granularity)
    content = kept(name, store)
    if name == "learned":
        return _learned(content, granularity)
    if content is not None:
        given: Segmenter = _GIVEN[name](content)
        return given
    found: Segmenter = registry.load("segmenters", name)
    missing = getattr(found, "missing", "")
    if missing:
        raise UsageError(missing)
    return found


def kept(name: str, store: Path) -> bytes | None:
    """What a store keeps for a segmenter.

    Args:
        name: its registered name.
        store: workspace folder.

    Returns:
        The content, None where there is none.

    Raises:
        StoreError: it cannot be read.
    """
    if name not in FILES:
        return None
    path = store / FOLDER / FILES[name]
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {why(error)}") from error


def keep(name: str, store: Path, content: bytes | None) -> None:
    """Keep something for a segmenter, for the owner's eyes, whole or not at all.

    Args:
        name: bayes, learned or rules.
        store: workspace folder.
        content: what it will be given; None to keep nothing any more.

    Raises:
        StoreError: it cannot be written.
    """
    path = store / FOLDER / FILES[name]
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if content is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(aside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(content)
        os.replace(aside, path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StoreError(
            f"{path.parent} cannot be written: {(error.strerror or '').lower()}; nothing was kept"
        ) from error


def _bayes(content: bytes) -> Segmenter:
    from tracelode.profile.segment.bayes import BayesSegmenter

    return BayesSegmenter(content)


def _learned(content: bytes | None, granularity: float | None) -> Segmenter:
    from tracelode.profile.learned.own import own_weights
    from tracelode.profile.segment.learned import LearnedSegmenter

    weights = None if content is None else own_weights(content)
    return LearnedSegmenter(1.0 if granularity is None else granularity, weights=weights)


def _granularity(store: Path) -> float | None:
    content = kept(GRANULARITY, store)
    if content is None:
        return None
    try:
        return float(content)
    except ValueError as error:
        raise StoreError(
            f"{store / FOLDER / FILES[GRANULARITY]} is damaged; run: tracelode segment --granularity 1"
        ) from error


def _rules(content: bytes) -> Segmenter:
    from tracelode.profile.segment.rules import RulesSegmenter

    return RulesSegmenter(content)


_GIVEN: dict[str, Callable[[bytes], Any]] = {"bayes": _bayes, "rules": _rules}


def _chain(store: Path, granularity: float | None) -> Segmenter:
    """The default chain, its parts given what the store keeps for them."""
    from tracelode.profile.segment.chain import DEFAULT, ChainSegmenter

    if granularity is None and not any(kept(part, store) is not None for part in DEFAULT):
        found: Segmenter = registry.load("segmenters", "chain")
        return found
    return ChainSegmenter([make(part, store, granularity if part in FINE else None) for part in DEFAULT])
