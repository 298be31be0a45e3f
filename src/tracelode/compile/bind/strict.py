"""What is stricter for a step that writes, and for what tells it its arguments? No first of equals."""

from __future__ import annotations

import msgspec

from tracelode.compile.bind.choose import Ground
from tracelode.model import binding as b


def feeding(ground: Ground) -> frozenset[str]:
    """The slots that write, and those whose outputs lead to what they are passed.

    Args:
        ground: with the hard data edges of its runs.
    """
    found = set(ground.writes)
    while True:
        more = {before for before, after, _ in ground.hard if after in found} - found
        if not more:
            return frozenset(found)
        found |= more


def strict(binding: b.Binding) -> b.Binding:
    """The binding with selections that stand still where several elements fit, or are equal.

    Args:
        binding: final.
    """
    match binding:
        case b.Selected():
            picks = tuple(_pick(pick) for pick in binding.picks)
            return msgspec.structs.replace(binding, picks=picks)
        case b.Alias() | b.Derived():
            return msgspec.structs.replace(binding, of=tuple(strict(inner) for inner in binding.of))
        case b.Template():
            parts = tuple(p if isinstance(p, str) else strict(p) for p in binding.parts)
            return msgspec.structs.replace(binding, parts=parts)
    return binding


def _pick(pick: b.Pick) -> b.Pick:
    if isinstance(pick, b.Where):
        return msgspec.structs.replace(pick, first=False)
    return msgspec.structs.replace(pick, alone=True) if isinstance(pick, (b.Least, b.Most)) else pick
