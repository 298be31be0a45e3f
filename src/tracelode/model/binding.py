"""Where does an argument's value come from when a workflow runs? One of these, told as data, never as code.

A step is named by its slot. Paths are text: keys with dots, [0] for a place in a list, ["odd key"] for a key
with other signs, [*] for every element, {*} for every key; "" is the whole value.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec


class Transform(msgspec.Struct, frozen=True):
    """A closed, named change of form (compile.transforms has the table)."""

    name: str
    """Such as "str", "int", "lower", "date", "time", "url", "round"."""
    with_: str = msgspec.field(default="", name="with")
    """Its parameter, such as the format of a date; "" for none."""


class _Binding(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    pass


class Constant(_Binding, frozen=True, tag="constant"):
    """The same value in all runs."""

    value: Any
    """The value."""


class Default(_Binding, frozen=True, tag="default"):
    """The default that the tool's schema declares."""

    value: Any
    """The value."""


class FromInput(_Binding, frozen=True, tag="input"):
    """A value that who asks must give."""

    name: str
    """Name of the workflow's input."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order."""


class FromState(_Binding, frozen=True, tag="state"):
    """A value of the moment."""

    name: str
    """now, today, cwd, or a name that the caller's session gives."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order."""


class Copy(_Binding, frozen=True, tag="copy"):
    """A leaf of an earlier step's output."""

    step: str
    """Producer."""
    path: str
    """Concrete path in its output."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order."""


class Span(_Binding, frozen=True, tag="span"):
    """A piece of a text in an earlier step's output."""

    step: str
    """Producer."""
    path: str
    """Path of the text, "" where the whole output is one."""
    pattern: str
    """RE2 expression with one group; its first match counts."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order."""


class At(msgspec.Struct, frozen=True, tag_field="pick", tag="at"):
    """The element at a place; negative counts from the end."""

    index: int
    """0-based."""


class Least(msgspec.Struct, frozen=True, tag_field="pick", tag="least", omit_defaults=True):
    """The element with the smallest value of a field; the first of equals."""

    field: str
    """Path in the element."""
    alone: bool = False
    """True: equals are an ambiguous selection."""


class Most(msgspec.Struct, frozen=True, tag_field="pick", tag="most", omit_defaults=True):
    """The element with the largest value of a field; the first of equals."""

    field: str
    """Path in the element."""
    alone: bool = False
    """True: equals are an ambiguous selection."""


class Where(msgspec.Struct, frozen=True, tag_field="pick", tag="where"):
    """The only element whose field compares so with a value; several are an ambiguous selection."""

    field: str
    """Path in the element."""
    op: str
    """One of the comparisons of Test."""
    value: Binding
    """What it is compared with."""
    first: bool = False
    """True: the first of several counts."""


Pick: TypeAlias = At | Least | Most | Where


class Selected(_Binding, frozen=True, tag="selected"):
    """A field of the element that a rule picks from a list."""

    step: str
    """Producer."""
    list: str
    """Path of the list in its output."""
    picks: tuple[Pick, ...]
    """Applied in order: all but the last narrow the list down (Where), the last picks."""
    field: str
    """Path in the picked element."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order."""


class Each(_Binding, frozen=True, tag="each"):
    """A field of the element that a for-each step stands at."""

    field: str
    """Path in the element, "" for the element."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order."""


class Alias(_Binding, frozen=True, tag="alias"):
    """Any of several that told the same in all runs; the first that has a value counts."""

    of: tuple[Binding, ...]
    """Two or more."""


class Template(_Binding, frozen=True, tag="template"):
    """Fixed text around values."""

    parts: tuple[str | Binding, ...]
    """Joined; a value is written as text."""


class Derived(_Binding, frozen=True, tag="derived"):
    """Arithmetic over one or two values."""

    op: str
    """add, subtract, multiply, sum, count, days, minutes (compile.transforms has the table)."""
    of: tuple[Binding, ...]
    """Operands."""
    amount: int = 0
    """Constant operand, where the operation takes one."""
    transforms: tuple[Transform, ...] = ()
    """Applied in order to the result."""


class Generated(_Binding, frozen=True, tag="generated"):
    """Free text that a model or a person writes."""

    about: tuple[str, ...] = ()
    """Steps whose outputs it is written from."""


class Choose(_Binding, frozen=True, tag="choose"):
    """A choice that a model or a person makes among listed candidates, and nothing else."""

    step: str
    """Producer of the list."""
    list: str
    """Path of the list in its output."""
    field: str
    """Path in the chosen element."""


class Free(_Binding, frozen=True, tag="free"):
    """A value that a model or a person must give: no rule explains it."""


class Unsourced(_Binding, frozen=True, tag="unsourced"):
    """An identifier that came from nowhere: a fault; it blocks compiling."""


Binding: TypeAlias = (
    Constant
    | Default
    | FromInput
    | FromState
    | Copy
    | Span
    | Selected
    | Each
    | Alias
    | Template
    | Derived
    | Generated
    | Choose
    | Free
    | Unsourced
)
"""Tagged union: JSON has the kind under "kind"."""

RESIDUAL = (Generated, Choose, Free)
"""Kinds that need a model or a person when the workflow runs."""


def children(binding: Binding) -> tuple[Binding, ...]:
    """The bindings inside one.

    Args:
        binding: any.

    Returns:
        Operands, alternatives, parts and compared values; () for a leaf.
    """
    if isinstance(binding, (Alias, Derived)):
        return binding.of
    if isinstance(binding, Template):
        return tuple(p for p in binding.parts if not isinstance(p, str))
    if isinstance(binding, Selected):
        return tuple(p.value for p in binding.picks if isinstance(p, Where))
    return ()


def selections(binding: Binding) -> tuple[Selected, ...]:
    """The selections that a binding makes.

    Args:
        binding: any.

    Returns:
        Itself and those inside, outer ones first.
    """
    found = (binding,) if isinstance(binding, Selected) else ()
    return (*found, *(one for inner in children(binding) for one in selections(inner)))


def producers(binding: Binding) -> tuple[str, ...]:
    """Steps whose outputs a binding reads.

    Args:
        binding: any.

    Returns:
        Slot names, sorted, each once.
    """
    found = {binding.step} if isinstance(binding, (Copy, Span, Selected, Choose)) else set()
    if isinstance(binding, Generated):
        found.update(binding.about)
    for inner in children(binding):
        found.update(producers(inner))
    return tuple(sorted(found))


def inputs(binding: Binding) -> tuple[str, ...]:
    """Inputs that a binding reads.

    Args:
        binding: any.

    Returns:
        Names, sorted, each once.
    """
    found = {binding.name} if isinstance(binding, FromInput) else set()
    for inner in children(binding):
        found.update(inputs(inner))
    return tuple(sorted(found))


def residual(binding: Binding) -> bool:
    """Does a binding need a model or a person?

    Args:
        binding: any.
    """
    return isinstance(binding, RESIDUAL) or any(residual(inner) for inner in children(binding))
