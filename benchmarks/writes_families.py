"""How does one task of BFCL become many that differ in what they name, each with its own true calls?

A value is renamed where the request says it, or where the state holds it and the output of a gold call
before its first use shows it: in the request, in the initial state and in the gold calls alike, by one
table from old to new values. Texts keep their shape (words for words, digits for digits, endings of files);
numbers keep their size. A value whose renaming makes a gold call fail, changes which calls change a state,
or (a text) changes an output by more than the renaming itself, is left as it is: the tool knows it by
heart. Numbers stay as they are in a task that passes a number which neither request nor state tells:
somebody computed it, and it would have to change too. Nothing else of the request is touched; its turns are
joined, as one who asks says all beforehand.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from bfcl_world import Outcome, deterministic, execute, recorded

from tracelode.compile.paths import leaves
from tracelode.model.run import Call, Run, Tree, Turn

WORDS = [
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper", "kelvin",
    "lagoon", "maple", "nectar", "onyx", "pepper", "quartz", "raven", "saffron", "tundra", "umber", "velvet",
    "walnut", "xenon", "yarrow", "zephyr", "acorn", "birch", "cobalt", "dune", "elm", "falcon", "glacier",
    "heron", "iris", "jasper", "kestrel", "lotus", "marble", "nickel", "olive", "prairie", "quill", "river",
    "slate", "thistle",
]  # fmt: skip
KEPT = frozenset((
    "the", "and", "for", "with", "from", "has", "have", "been", "was", "are", "not", "you", "your", "this",
    "that", "our", "all", "any", "can", "will", "now", "into", "txt", "pdf", "csv", "docx", "com", "http",
    "https", "www",
))  # fmt: skip
"""Words inside a value that stay."""
SHORTEST, DIGITS = 3, 3
"""Characters of a text, and digits of a number of the state, from which a value is renamed."""

Names = Mapping[Any, Any]
"""Old value to new one."""


class Instance(NamedTuple):
    """One task of a family."""

    row: dict[str, Any]
    """Its classes and initial state."""
    run: Run
    """Gold calls with their outputs; one request."""
    outcome: Outcome
    """Of the gold calls."""


class Family(NamedTuple):
    """Tasks that ask for the same with other names."""

    key: str
    """Of the base task."""
    base: Instance
    """The task as it is."""
    names: tuple[Any, ...]
    """Values that are renamed."""


def family(row: dict[str, Any], run: Run) -> tuple[Family | None, str]:
    """The family of a base task, or why there is none.

    Args:
        row: the task.
        run: its gold calls.
    """
    outcome, why = deterministic(row, run)
    if outcome is None or outcome.failed:
        return None, why
    if not outcome.changed:
        return None, "changes nothing"
    base = Instance(row, _asked(recorded(run, outcome, False)), outcome)
    kept = tuple(
        v for v in _candidates(base) if _lawful(base, {v: renamed(v, random.Random(f"{run.key} {v}"))})
    )
    if not kept:
        return None, "nothing can be renamed"
    return Family(run.key, base, kept), ""


def _asked(run: Run) -> Run:
    text = "\n".join(t.text for t in run.turns if t.role == "user")
    return msgspec.structs.replace(run, turns=(Turn("user", text, 0),))


def instance(of: Family, number: int) -> Instance | None:
    """A member of a family; None where the renaming as a whole does not hold.

    Args:
        of: the family.
        number: seeds the new values.
    """
    for again in range(5):
        chance = random.Random(f"{of.key} {number} {again}")
        shared: dict[str, str] = {}
        names = {value: renamed(value, chance, shared) for value in of.names}
        if len({str(v) for v in names.values()}) == len(names) and (made := _lawful(of.base, names)):
            key = f"{of.key}-{number:02d}"
            # a member is a run of its own, and no fork of the task that it was made from
            calls = tuple(msgspec.structs.replace(c, operation=f"{key}#{c.index}") for c in made.run.calls)
            run = msgspec.structs.replace(made.run, key=key, calls=calls)
            return made._replace(run=run)
    return None


def renamed(value: Any, chance: random.Random, shared: dict[str, str] | None = None) -> Any:
    """A value of the same shape.

    Args:
        value: text or number.
        chance: seeded.
        shared: words that were renamed already, so that a name is the same in all values.
    """
    shared = {} if shared is None else shared
    if isinstance(value, int):
        low = 10 ** (len(str(value)) - 1)
        return chance.randint(max(2, low), low * 10 - 1)
    if isinstance(value, float):
        return round(value * chance.uniform(0.6, 1.6), 2) if value % 1 else float(renamed(int(value), chance))

    def other(match: re.Match[str]) -> str:
        old = match[0]
        if old.lower() in KEPT or (len(old) < 3 and old.isalpha()):
            return old
        if old not in shared:
            shared[old] = _other(old, chance)
        return shared[old]

    stem, dot, end = value.rpartition(".")
    whole = not (dot and stem and " " not in value and 1 <= len(end) <= 4 and "@" not in value)
    return re.sub(r"[A-Za-z]+|\d+", other, value if whole else stem) + ("" if whole else dot + end)


def _other(old: str, chance: random.Random) -> str:
    if old.isdigit():
        first = chance.choice("123456789")
        return first + "".join(chance.choice("0123456789") for _ in old[1:])
    new = chance.choice(WORDS)
    return new.upper() if old.isupper() else new.capitalize() if old[0].isupper() else new


def _candidates(base: Instance) -> Iterator[Any]:
    """Texts, then numbers, of gold arguments that may be renamed."""
    request, state = base.run.request, json.dumps(base.row["initial_config"])
    found: dict[Any, None] = {}
    loose = False
    hidden: set[str] = set()
    for call in base.run.calls:
        shown = " ".join(base.outcome.outputs[n] for n in range(call.index))
        listed = _listed(base.run, call)
        for keys, value in leaves(call.arguments):
            if value is None or isinstance(value, bool) or value in ("", [], {}):
                continue
            plain = _plain(value)
            told = _says(request, plain)
            if not told and not (_says(state, plain) and _says(shown, plain) and len(plain) >= DIGITS):
                loose = loose or (_numeric(value) and not _says(shown, plain))
                hidden.add(plain)
                continue
            fits = len(value) >= SHORTEST if isinstance(value, str) else True
            if fits and (str(keys[0]), str(value)) not in listed and plain not in hidden:
                found[value] = None
    yield from sorted((v for v in found if isinstance(v, str)), key=lambda v: (-len(v), v))
    if not loose:
        yield from sorted(v for v in found if not isinstance(v, str))


def _numeric(value: Any) -> bool:
    return not isinstance(value, str) or any(c.isdigit() for c in value)


def _listed(run: Run, call: Call) -> set[tuple[str, str]]:
    """Values that the schema of a tool enumerates or has as default."""
    spec = next((s for s in run.tools if s.name == call.name), None)
    fields = spec.parameters.get("properties", {}) if spec else {}
    return {
        (name, str(value))
        for name, says in fields.items()
        for value in (*says.get("enum", ()), says.get("default"))
    } | {
        (name, str(value))
        for name, says in fields.items()
        for value in re.findall(r"\w+", str(says.get("description", "")))
    }


def _plain(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and not value % 1 else str(value)


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])", text) is not None


def _lawful(base: Instance, names: Names) -> Instance | None:
    """The renamed task where its gold calls do the same as before, else None."""
    row = copy.deepcopy(base.row)
    row["initial_config"] = rewritten(row["initial_config"], names)
    calls = tuple(
        msgspec.structs.replace(call, arguments=rewritten(call.arguments, names)) for call in base.run.calls
    )
    run = msgspec.structs.replace(
        base.run, calls=calls, turns=(Turn("user", _text(base.run.request, names), 0),)
    )
    outcome, _ = deterministic(row, run)
    if outcome is None or outcome.failed or outcome.changed != base.outcome.changed:
        return None
    if all(isinstance(v, str) for v in names):
        for index, text in base.outcome.outputs.items():
            if _text(text, names) != outcome.outputs[index]:
                return None
    elif not _still_shown(run, outcome):
        return None
    return Instance(row, recorded(run, outcome, False), outcome)


def _still_shown(run: Run, outcome: Outcome) -> bool:
    """Is every number that the request does not tell still one that an earlier output shows?"""
    for call in run.calls:
        shown = " ".join(outcome.outputs[n] for n in range(call.index))
        for _, value in leaves(call.arguments):
            plain = _plain(value)
            known = _says(run.request, plain) or _says(shown, plain) or _says(shown, str(value))
            if isinstance(value, (int, float)) and not isinstance(value, bool) and not known:
                return False
    return True


def rewritten(tree: Tree, names: Names) -> Tree:
    """A value with all names replaced, keys among them.

    Args:
        tree: JSON value.
        names: old to new.
    """
    if isinstance(tree, dict):
        return {
            (_text(k, names) if isinstance(k, str) else names.get(k, k)): rewritten(v, names)
            for k, v in tree.items()
        }
    if isinstance(tree, list):
        return [rewritten(v, names) for v in tree]
    if isinstance(tree, bool) or tree is None:
        return tree
    if isinstance(tree, (int, float)):
        return next((new for old, new in names.items() if not isinstance(old, str) and old == tree), tree)
    return _text(tree, names)


def _text(text: str, names: Names) -> str:
    plain = {_plain(old): _plain(new) for old, new in names.items()}
    if not plain:
        return text
    parts = "|".join(re.escape(old) for old in sorted(plain, key=len, reverse=True))
    return re.sub(rf"(?<![A-Za-z0-9_])(?:{parts})(?![A-Za-z0-9_])", lambda m: plain[m[0]], text)


def again(of: Instance, row: dict[str, Any], run: Run | None = None) -> Instance | None:
    """An instance in another initial state, or with another request; None where its gold calls fail there.

    Args:
        of: the instance.
        row: changed.
        run: changed; None: the same.
    """
    given = run or of.run
    outcome = execute(row, given, range(len(given.calls)), watch=True)
    if outcome.failed or outcome.changed.keys() != of.outcome.changed.keys():
        return None
    return Instance(row, recorded(given, outcome, False), outcome)


def fixed(of: Family, chance: random.Random) -> Family:
    """The family with half of its names left as they are in all members.

    Args:
        of: the family.
        chance: seeded.
    """
    return of._replace(names=tuple(sorted(chance.sample(of.names, len(of.names) // 2), key=of.names.index)))


def members(of: Family, numbers: Sequence[int]) -> list[Instance]:
    """Members that hold.

    Args:
        of: the family.
        numbers: seeds.
    """
    return [made for n in numbers if (made := instance(of, n)) is not None]
