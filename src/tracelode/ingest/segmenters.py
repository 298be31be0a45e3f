"""Which segmenter does a name mean in this store? It is given what the store keeps for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tracelode import registry
from tracelode.errors import StoreError, UsageError
from tracelode.model.ports import Segmenter

FOLDER = "models"
"""Folder of a store with what its segmenters are given."""
FILES = {"bayes": "bayes.json", "learned": "learned.json", "rules": "rules.toml"}
"""By segmenter: the file in FOLDER that it is given."""


def make(name: str, store: Path) -> Segmenter:
    """A segmenter with what a store keeps for it.

    Args:
        name: its registered name.
        store: workspace folder.

    Returns:
        The segmenter; its version changes with what it is given.

    Raises:
        PluginError: no such segmenter.
        UsageError: it cannot cut without what the store does not keep; the message says what to do.
        StoreError: what is kept is damaged or cannot be read.
    """
    if name == "chain":
        return _chain(store)
    content = kept(name, store)
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
        raise StoreError(f"{path} cannot be read: {(error.strerror or '').lower()}") from error


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


def _learned(content: bytes) -> Segmenter:
    from tracelode.profile.learned.own import own_weights
    from tracelode.profile.segment.learned import LearnedSegmenter

    return LearnedSegmenter(weights=own_weights(content))


def _rules(content: bytes) -> Segmenter:
    from tracelode.profile.segment.rules import RulesSegmenter

    return RulesSegmenter(content)


_GIVEN: dict[str, Callable[[bytes], Any]] = {"bayes": _bayes, "learned": _learned, "rules": _rules}


def _chain(store: Path) -> Segmenter:
    """The default chain, its parts given what the store keeps for them."""
    from tracelode.profile.segment.chain import DEFAULT, ChainSegmenter

    if not any(kept(part, store) is not None for part in DEFAULT):
        found: Segmenter = registry.load("segmenters", "chain")
        return found
    return ChainSegmenter([make(part, store) for part in DEFAULT])
