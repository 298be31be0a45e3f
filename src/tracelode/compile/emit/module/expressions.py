"""How does a binding read as a Python expression?"""

from __future__ import annotations

import math
from collections.abc import Callable

from tracelode.compile.emit.module.patterns import python_pattern
from tracelode.compile.paths import ANY_KEY, ANY_PLACE, Key, parsed
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Guard, Test


def literal(value: Tree) -> str:
    """A JSON value as Python source; ASCII alone.

    Args:
        value: any.
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{str(k)!a}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return ascii(value)


def keys(path: str) -> str:
    """A path as the tuple of its keys.

    Args:
        path: text form.
    """
    names: dict[Key, str] = {ANY_PLACE: "EVERY", ANY_KEY: "EVERY_KEY"}
    parts = [names.get(key) or ascii(key) for key in parsed(path)]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


class Expressions:
    """Writes the expressions of one argument or guard.

    Args:
        argument: its path, "" for a guard: names what is asked for.
        write: of a call that changes something: what the user says must not be told by a tool otherwise.
        fail: is told what the standard library cannot do.
    """

    def __init__(self, argument: str, write: bool, fail: Callable[[str], None]) -> None:
        self._argument, self._write, self._fail = argument, write, fail
        self._asked = 0

    def value(self, binding: b.Binding) -> str:
        """The expression of a binding; `scene` is what is known.

        Args:
            binding: any kind.
        """
        match binding:
            case b.Constant() | b.Default():
                return literal(binding.value)
            case b.FromInput():
                return self._shaped(f"scene.input({binding.name!a})", binding.transforms)
            case b.FromState():
                return self._shaped(f"scene.now({binding.name!a})", binding.transforms)
            case b.Copy():
                return self._shaped(self._output(binding.step, binding.path), binding.transforms)
            case b.Span():
                return self._shaped(self._span(binding), binding.transforms)
            case b.Selected():
                row = f"{self._picked(binding)}[0]"
                found = f"at({row}, {keys(binding.field)})" if binding.field else row
                return self._shaped(found, binding.transforms)
            case b.Each():
                found = f"at(scene.element, {keys(binding.field)})" if binding.field else "scene.element"
                return self._shaped(found, binding.transforms)
            case b.Alias():
                return self._alias(binding)
            case b.Template():
                return f"''.join([{', '.join(map(self._part, binding.parts))}])"
            case b.Derived():
                operands = ", ".join(map(self.value, binding.of))
                found = f"reckoned({binding.op!a}, [{operands}], {literal(binding.amount)})"
                return self._shaped(found, binding.transforms)
            case b.Unsourced():
                return self._cannot("the argument has no known source")
        return self._residual(binding)

    def guard(self, guard: Guard) -> str:
        """The expression of a guard.

        Args:
            guard: with one test or more.
        """
        return " and ".join(map(self._test, guard.tests)) or "True"

    def _test(self, test: Test) -> str:
        if test.op == "present":
            return f"present({test.negated}, lambda: {self.value(test.left)})"
        right = "None" if test.right is None else self.value(test.right)
        return f"compared({test.op!a}, {test.negated}, {right}, {self.value(test.left)})"

    def _output(self, step: str, path: str) -> str:
        found = f"scene.output({step!a})"
        return f"at({found}, {keys(path)})" if path else found

    def _span(self, binding: b.Span) -> str:
        pattern = python_pattern(binding.pattern)
        if pattern is None:
            return self._cannot("its expression cannot be told to Python's re")
        return f"piece({pattern!a}, {self._output(binding.step, binding.path)})"

    def _picked(self, binding: b.Selected) -> str:
        rows = f"listed({self._output(binding.step, binding.list)})"
        for number, pick in enumerate(binding.picks, 1):
            match pick:
                case b.At():
                    rows = f"pick({rows}, {pick.index})"
                case b.Where():
                    last = number == len(binding.picks)
                    wanted = self.value(pick.value)
                    rows = (
                        f"where({rows}, {keys(pick.field)}, {pick.op!a}, {wanted}, "
                        f"last={last}, first={pick.first})"
                    )
                case _:
                    alone = ", alone=True" if pick.alone else ""
                    rows = f"ranked({rows}, {keys(pick.field)}, least={isinstance(pick, b.Least)}{alone})"
        return rows

    def _alias(self, binding: b.Alias) -> str:
        sources = ", ".join(f"lambda: {self.value(inner)}" for inner in binding.of)
        user = next((n for n, inner in enumerate(binding.of) if b.inputs(inner)), -1)
        return f"agreed({user}, {sources})" if self._write and user >= 0 else f"first_of({sources})"

    def _part(self, part: str | b.Binding) -> str:
        return ascii(part) if isinstance(part, str) else f"as_text({self.value(part)})"

    def _residual(self, binding: b.Binding) -> str:
        name, number = ascii(self._argument), self._asked
        self._asked += 1
        if isinstance(binding, b.Choose):
            rows = f"listed({self._output(binding.step, binding.list)})"
            return f"scene.chosen({name}, {number}, {rows}, {keys(binding.field)})"
        return f"scene.decided({name}, {number})"

    def _shaped(self, source: str, shape: tuple[b.Transform, ...]) -> str:
        changes = [f"Change({', '.join(map(ascii, filter(None, (t.name, t.with_))))})" for t in shape]
        return f"shaped({', '.join((source, *changes))})" if changes else source

    def _cannot(self, what: str) -> str:
        self._fail(f"{self._argument or 'its guard'}: {what}")
        return f"unsupported({what!a})"
