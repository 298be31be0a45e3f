"""How is one damaged file made, and what must hold of it? Mutators in a chain, and what ends the chain."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fuzzing.mutate import MUTATORS, WEIGHTS, Document, decoded, flipped, spots
from fuzzing.values import GARBAGE, SECRETS

_RUN = re.compile(rb"[ -~]{48,}")


@dataclass
class Made:
    """A damaged file and what must hold of it."""

    data: bytes
    """Its bytes."""
    steps: list[str] = field(default_factory=list)
    """Mutators that made it, in their order."""
    secrets: list[str] = field(default_factory=list)
    """Texts that must not be found in anything that is kept or said."""
    garbage: int = 0
    """Lines that nothing can read, put between good ones and nothing else done."""


def packed(rng: random.Random, data: bytes) -> bytes:
    """The file as gzip or zstd, whole, cut or damaged."""
    import zstandard

    made = gzip.compress(data, mtime=0) if rng.random() < 0.5 else zstandard.compress(data)
    how = rng.randrange(4)
    if how == 1:
        return made[: rng.randrange(4, len(made) + 1)]
    if how == 2:
        return flipped(rng, made, ())
    if how == 3:
        return made + rng.choice((made, b"\x00" * 9, data[:50]))
    return made


def planted(rng: random.Random, data: bytes, number: int) -> tuple[bytes, list[str]]:
    """The file with a secret in one of its texts, and what must not be found of it."""
    plant, part = rng.choice(list(SECRETS.values()))
    secret, wanted = plant.format(n=number), part.format(n=number)
    made = Document(rng, data)
    places = [(n, k) for n, k in spots(made.value) if isinstance(n[k], str)] if made.found else []
    if places:
        node, key = rng.choice(places)
        old = node[key]
        inner = decoded(old.encode("utf-8", "replace"))
        deeper = [(n, k) for n, k in spots(inner) if isinstance(n[k], str)] if inner else []
        if deeper:
            one, place = rng.choice(deeper)
            one[place] = _around(one[place], secret)
            node[key] = json.dumps(inner)
        else:
            node[key] = _around(old, secret)
        return made.bytes(), [wanted]
    runs = [m for m in _RUN.finditer(data) if len(m[0]) > len(secret) + 2]
    if not runs:
        return data, []
    run = rng.choice(runs)
    at = run.start() + rng.randrange(len(run[0]) - len(secret) - 1)
    return data[:at] + b" " + secret.encode() + b" " + data[at + len(secret) + 2 :], [wanted]


def _around(old: str, secret: str) -> str:
    """Structure words become the secret alone, texts hold it."""
    return secret if len(old) < 3 or " " not in old else f"{old}\n{secret} and more"


def garbled(rng: random.Random, data: bytes, count: int) -> bytes:
    """The file with lines between its own that nothing can read."""
    found = data.split(b"\n")
    for _ in range(count):
        # the first line stays: it tells the format; the last has no end
        found.insert(rng.randrange(1, max(2, len(found) - 1)), rng.choice(GARBAGE))
    return b"\n".join(found)


def make(rng: random.Random, base: bytes, others: Sequence[bytes], number: int, good: bool) -> Made:
    """A damaged file.

    Args:
        rng: decides everything.
        base: what is damaged.
        others: files of other formats.
        number: of the execution; secrets carry it.
        good: the base is sound, and made of lines that are each read for themselves.
    """
    end = rng.random()
    if good and end < 0.06:
        count = rng.choice((1, 3))
        return Made(garbled(rng, base, count), ["garbled"], garbage=count)
    made = Made(base)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        (name,) = rng.choices(list(MUTATORS), WEIGHTS)
        try:
            made.data = MUTATORS[name](rng, made.data, others)
        except (ValueError, RecursionError, OverflowError):  # too deep by now for the library to write
            continue
        made.steps.append(name)
    if end > 0.75:
        try:
            made.data, made.secrets = planted(rng, made.data, number)
        except (ValueError, RecursionError):
            return made
        made.steps.append("planted")
    elif end > 0.7:
        made.data = packed(rng, made.data)
        made.steps.append("packed")
    return made
