"""What stands for a stand-in in the end? The source of the argument that it stands for."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tracelode.compile import transforms
from tracelode.compile.bind.choose import Choice
from tracelode.compile.bind.inputs import Given
from tracelode.model import binding as b

_SHAPED = (b.FromInput, b.FromState, b.Copy, b.Span, b.Selected, b.Each, b.Derived)


def given_by(inputs: tuple[Given, ...]) -> dict[str, str]:
    """Stand-in to the name of the input that stands for it.

    Args:
        inputs: gathered.
    """
    names: dict[str, str] = {}
    for one in inputs:
        names.update({leaf.name: one.name for leaf in one.leaves})
        names.update(dict.fromkeys(one.also, one.name))
        if one.mention:
            kind, number = one.mention.split(":")
            names[f"\0{kind}\0{number}"] = one.name
    return names


def resolved(name: str, choices: Mapping[str, Choice], inputs: Mapping[str, str]) -> b.Binding:
    """The final binding of a leaf.

    Args:
        name: its stand-in.
        choices: stand-in to choice, of all leaves.
        inputs: stand-in to input name.

    Returns:
        A binding without stand-ins; Free where it hangs on a residual one in a way that cannot be told.
    """
    return _resolve(choices[name].binding, name, choices, inputs)


def _resolve(
    binding: b.Binding, own: str, choices: Mapping[str, Choice], inputs: Mapping[str, str]
) -> b.Binding:
    match binding:
        case b.FromInput():
            return _source(binding, own, choices, inputs)
        case b.Alias():
            return b.Alias(tuple(_resolve(inner, own, choices, inputs) for inner in binding.of))
        case b.Derived():
            inner = tuple(_resolve(i, own, choices, inputs) for i in binding.of)
            if any(b.residual(i) for i in inner):
                return b.Free()
            return b.Derived(binding.op, inner, binding.amount, binding.transforms)
        case b.Template():
            return b.Template(
                tuple(p if isinstance(p, str) else _resolve(p, own, choices, inputs) for p in binding.parts)
            )
        case b.Selected():
            picks = tuple(
                b.Where(p.field, p.op, _resolve(p.value, own, choices, inputs), p.first)
                if isinstance(p, b.Where)
                else p
                for p in binding.picks
            )
            if any(isinstance(p, b.Where) and b.residual(p.value) for p in picks):
                return b.Choose(binding.step, binding.list, binding.field)
            return b.Selected(binding.step, binding.list, picks, binding.field, binding.transforms)
    return binding


def _source(
    binding: b.FromInput, own: str, choices: Mapping[str, Choice], inputs: Mapping[str, str]
) -> b.Binding:
    if binding.name in inputs and (binding.name == own or binding.name not in choices):
        return b.FromInput(inputs[binding.name], binding.transforms)
    if binding.name not in choices or binding.name == own:
        return b.Free()
    # references only lead to earlier arguments, so this ends
    target = _resolve(choices[binding.name].binding, binding.name, choices, inputs)
    return shaped(target, binding.transforms)


def shaped(binding: b.Binding, shape: tuple[b.Transform, ...]) -> b.Binding:
    """A binding with changes of form after it.

    Args:
        binding: any.
        shape: transforms, in order.

    Returns:
        The same source with them; Free where the kind takes none.
    """
    if not shape or isinstance(binding, b.RESIDUAL):
        return binding
    if isinstance(binding, _SHAPED):
        return msgspec.structs.replace(binding, transforms=(*binding.transforms, *shape))
    if isinstance(binding, (b.Constant, b.Default)):
        value = binding.value
        for transform in shape:
            value = transforms.apply(transform, value)
        return b.Constant(value)
    if isinstance(binding, b.Alias):
        return b.Alias(tuple(shaped(inner, shape) for inner in binding.of))
    return b.Free()
