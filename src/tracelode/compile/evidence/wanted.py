"""What was passed in a run, and under which keys and texts is it looked for?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tracelode.compile import forms, transforms
from tracelode.compile.paths import general, leaves, written
from tracelode.compile.transforms import Shared
from tracelode.compile.work import Label
from tracelode.model.run import Run, ToolSpec, Tree

SMALL = 1000
"""Whole numbers below this in size are equal by chance."""
SHORT = 2
"""Texts of so few characters are equal by chance."""
PIECE = 4
"""Characters from which a text is looked for inside of other texts."""
LONGEST = 2000
"""Characters of a text that is looked for."""
LEAVES = 400
"""Argument leaves of one call that are traced: of a long list the first."""
UNTRACED = frozenset({"redundant", "retry"})
"""Classes of calls whose arguments say nothing new."""
_IDLIKE = re.compile(r"(?=.*\d)(?=.*[A-Za-z_\-/.:#])\S{2,}\Z", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Leaf:
    """One argument leaf of one call."""

    call: int
    """Index of the call."""
    path: str
    """Concrete path."""
    gpath: str
    """Generalised path."""
    value: Tree
    """What was passed."""
    keys: tuple[Shared, ...]
    """What a produced leaf must share with it."""
    needles: tuple[str, ...]
    """Texts in lower case that say it inside of another text, () where it is too short for that."""
    enum: bool
    """The schema lists it."""
    default: bool
    """The schema has it as default or constant."""

    @property
    def information(self) -> bool:
        """Is it unlikely to be equal by chance?"""
        return not self.enum and informative(self.value)


def informative(value: Tree) -> bool:
    """Is a value unlikely to be equal to another by chance?

    Args:
        value: leaf.

    Returns:
        False for a boolean, a whole number below a thousand and a text of one or two characters.
    """
    if isinstance(value, bool) or value is None:
        return False
    known = transforms.number(value)
    if known is not None:
        return known != int(known) or abs(known) >= SMALL
    return len(transforms.text(value).strip()) > SHORT


def needles(value: Tree) -> tuple[str, ...]:
    """The texts that say a value inside of a longer text.

    Args:
        value: leaf.

    Returns:
        Lower case; () for what is too short or too long to be looked for.
    """
    if isinstance(value, bool) or value is None:
        return ()
    text = transforms.text(value).strip()
    if not text or len(text) > LONGEST:
        return ()
    found = [text]
    known = transforms.number(value)
    if known is not None and abs(known) < 10**15:
        if known == int(known):
            found += [str(int(known)), f"{int(known):,}", f"{int(known)}.00", f"{int(known):,}.00"]
        else:
            found += [f"{known}", f"{known:.2f}", f"{known:,.2f}"]
    elif isinstance(value, str):
        found += _moments(value)
    return tuple(dict.fromkeys(f.lower() for f in found if len(f) >= PIECE or _IDLIKE.match(f)))


@lru_cache(maxsize=8192)
def _moments(value: str) -> tuple[str, ...]:
    return tuple(_written(value))


def _written(value: str) -> Iterator[str]:
    read = forms.read(value)
    for moment in read[:1]:
        for form in forms.FORMS:
            if ("YYYY" in form) != (moment.year is not None) or ("mm" in form) > (moment.hour is not None):
                continue
            if moment.date and moment.clock:
                continue
            try:
                yield forms.write(moment, form)
            except ValueError:
                continue


@dataclass
class Wanted:
    """The leaves of a run, by what finds them."""

    leaves: tuple[Leaf, ...]
    """By call, then in the order of the arguments."""
    by_key: dict[Shared, list[int]] = field(default_factory=dict)
    """Key to places in leaves."""
    by_number: frozenset[int | float] = frozenset()
    """Numbers among the keys: most leaves are told apart by it without making a key."""
    places: tuple[int, ...] = ()
    """Decimal places to which produced numbers are rounded."""

    def __post_init__(self) -> None:
        places = set()
        for n, leaf in enumerate(self.leaves):
            for key in leaf.keys:
                self.by_key.setdefault(key, []).append(n)
                if key[0] == "round":
                    places.add(key[1])
        self.by_number = frozenset(key[1] for key in self.by_key if key[0] == "n")
        self.places = tuple(sorted(places))


def wanted(run: Run, labels: Sequence[Label], tools: Mapping[str, ToolSpec]) -> Wanted:
    """The argument leaves of a run.

    Args:
        run: which.
        labels: one for each call, or none at all.
        tools: declared tools by name; the run's own count where a name is not among them.

    Returns:
        Its leaves; null, empty texts, lists and dicts are none, and calls that repeat others have none.
    """
    specs = {spec.name: spec for spec in run.tools} | dict(tools)
    found = []
    for call in run.calls:
        if labels and labels[call.index].kind in UNTRACED:
            continue
        schema = specs[call.name].parameters if call.name in specs else {}
        for number, (keys, value) in enumerate(leaves(call.arguments)):
            if number >= LEAVES:
                break
            wants = transforms.wants(value)
            if not wants:
                continue
            declared = _schema(schema, keys)
            listed = any(transforms.same(value, v) for v in _list(declared.get("enum")))
            fixed = [declared[k] for k in ("default", "const") if k in declared]
            default = any(transforms.same(value, v) for v in fixed)
            path = general(keys)
            found.append(Leaf(call.index, written(keys), path, value, wants, needles(value), listed, default))
    return Wanted(tuple(found))


def _schema(schema: Any, keys: tuple[str | int, ...]) -> dict[str, Any]:
    for key in keys:
        if not isinstance(schema, dict):
            return {}
        inner = schema.get("items" if isinstance(key, int) else "properties")
        schema = inner.get(key) if isinstance(key, str) and isinstance(inner, dict) else inner
    return schema if isinstance(schema, dict) else {}


def _list(declared: Any) -> list[Any]:
    return declared if isinstance(declared, list) else []
