"""Which rule binds an argument? The first sort that explains enough runs, and holds without any one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from math import ceil

from tracelode.compile.bind.observe import Leaf
from tracelode.compile.bind.table import Row, Rule
from tracelode.model import binding as b

MENTIONS = ("date", "time", "days", "minutes", "number")
"""Kinds of what a request mentions: known before any argument."""

FULL = 5
"""Runs from which a rule that explains all of them need not be tried without each."""
FEWEST, SUPPORT, LIFT = 3, 0.8, 0.3
"""Runs, share of them, and the same above chance, from which a rule counts as proven over runs."""

Hard = Collection[tuple[str, str, str]]
"""(producer slot, consumer slot, generalised argument path) of the hard data edges."""


@dataclass(frozen=True)
class Ground:
    """What a choice is made on."""

    runs: frozenset[int]
    """Runs it is made from."""
    hard: Hard
    """Hard data edges of these runs."""
    accept: float
    """Share of runs that a binding must explain."""
    requests: Mapping[int, str]
    """Run to what was asked: a constant needs two different ones."""
    known: frozenset[str] = frozenset()
    """Stand-ins that a rule may refer to: arguments that are bound already."""
    writes: frozenset[str] = frozenset()
    """Slots that change something: what every request tells is never taken for a constant there."""


@dataclass(frozen=True)
class Choice:
    """What binds an argument."""

    binding: b.Binding
    """With stand-in inputs."""
    explains: frozenset[int]
    """Runs of the ground whose value it gives."""
    proof: str
    """hard, given, suspected or none."""
    optional: bool = False
    """True: some runs passed nothing; it is then passed where its input is given."""


def choose(row: Row, ground: Ground) -> Choice:
    """The binding of a leaf.

    Args:
        row: its rules.
        ground: runs and edges.

    Returns:
        The choice; a residual or unsourced binding where no rule does.
    """
    found = _best(row, ground)
    if found is None or not _steady(row, ground, found):
        return _residual(row.leaf, row, ground)
    return found


def _steady(row: Row, ground: Ground, found: Choice) -> bool:
    """Do all runs but one choose the same? Asked where there are enough of them to do without one."""
    here = ground.runs & set(row.leaf.seen)
    if len(here) < 4 or (found.explains >= here and len(here) >= FULL):
        return True
    for run in here:
        again = _best(row, replace(ground, runs=ground.runs - {run}))
        if again is None or (again.binding != found.binding and not found.explains >= here):
            return False
    return True


def _best(row: Row, ground: Ground) -> Choice | None:
    here = ground.runs & set(row.leaf.seen)
    if not here:
        return None
    # only what was asked in some runs is helped out by a rule that explains few
    fewest = 1 if row.asked else ceil(ground.accept * len(here) - 1e-9)
    rules = [
        r
        for r in row.rules
        if len(r.explains) >= fewest and not r.suggested.isdisjoint(here) and (not r.asks or _may(r, ground))
    ]
    optional = bool(ground.runs & row.leaf.absent)
    for sort in (_constant, _hard, _input, _either, _reference):
        found = sort(row.leaf, rules, here, ground)
        if found is None:
            continue
        if optional and not _given(found.binding):
            continue
        return Choice(found.binding, found.explains, found.proof, optional)
    return None


def _may(rule: Rule, ground: Ground) -> bool:
    return all(name in ground.known or name.split("\0")[1] in MENTIONS for name in rule.asks)


def _given(binding: b.Binding) -> bool:
    return isinstance(binding, b.FromInput)


def _enough(rule: Rule, here: frozenset[int], ground: Ground) -> bool:
    return len(rule.explains & here) >= ground.accept * len(here) - 1e-9


def _top(rules: list[Rule], here: frozenset[int], rank: Callable[[b.Binding], int]) -> Rule | None:
    return min(
        rules, key=lambda r: (-len(r.explains & here), rank(r.binding), len(r.key), r.key), default=None
    )


def _constant(leaf: Leaf, rules: list[Rule], here: frozenset[int], ground: Ground) -> Choice | None:
    rule = next((r for r in rules if isinstance(r.binding, b.Constant) and r.explains >= here), None)
    if rule is None or len({ground.requests[run] for run in here}) < 2:
        return None
    sure = leaf.slot in ground.writes
    if all(leaf.seen[run].prompt is not None and (sure or leaf.seen[run].information) for run in here):
        # every request says it: that it was the same each time is chance
        return None
    assert isinstance(rule.binding, b.Constant)
    if all(leaf.seen[run].default for run in here):
        return Choice(b.Default(rule.binding.value), here, "given")
    return Choice(rule.binding, here, "given")


def _hard(leaf: Leaf, rules: list[Rule], here: frozenset[int], ground: Ground) -> Choice | None:
    told = frozenset(run for run in here if leaf.seen[run].prompt is not None)
    proven = [
        r
        for r in rules
        if r.reads
        and _enough(r, here, ground)
        and (proved(r, leaf, ground) or (2 * len(told) < len(here) and lifted(r, leaf, here - told)))
        and (not _picky(r.binding) or r.explains >= here)
    ]
    top = _top(proven, here, _plainness)
    return Choice(top.binding, top.explains & here, "hard") if top else None


def proved(rule: Rule, leaf: Leaf, ground: Ground) -> bool:
    """Are all edges of a rule hard by the evidence?

    Args:
        rule: it reads outputs.
        leaf: what it explains.
        ground: edges.
    """
    gpath = next(iter(leaf.seen.values())).gpath
    return all((p, leaf.slot, gpath) in ground.hard for p in rule.reads)


def lifted(rule: Rule, leaf: Leaf, runs: frozenset[int]) -> bool:
    """Does a rule explain runs far better than the outputs of other runs would?

    Args:
        rule: it reads outputs.
        leaf: what it explains.
        runs: those in which nothing else tells the value.
    """
    if len(runs) < FEWEST or rule.crossed is None or len(rule.explains & runs) < SUPPORT * len(runs):
        return False
    if len({repr(leaf.seen[run].value) for run in rule.explains & runs}) < 2:
        return False
    pairs = len(runs) * (len(runs) - 1)
    chance = sum(one in runs and other in runs for one, other in rule.crossed) / pairs
    return len(rule.explains & runs) / len(runs) - chance >= LIFT


def _picky(binding: b.Binding) -> bool:
    """Rules that pick by a field: there are so many that one may fit by chance."""
    if isinstance(binding, b.Template):
        return any(_picky(p) for p in binding.parts if not isinstance(p, str))
    return isinstance(binding, b.Selected) and not all(isinstance(p, b.At) for p in binding.picks)


def _plainness(binding: b.Binding) -> int:
    kinds = (b.Copy, b.Selected, b.Span, b.Template)
    rank = next((n for n, kind in enumerate(kinds) if isinstance(binding, kind)), len(kinds))
    if isinstance(binding, b.Selected) and isinstance(binding.picks[0], b.Where):
        # a rule that refers to what was asked says more than one that names a constant
        rank += 0 if isinstance(binding.picks[0].value, b.FromInput) else 5
    return rank


def _input(leaf: Leaf, rules: list[Rule], here: frozenset[int], ground: Ground) -> Choice | None:
    rule = next((r for r in rules if r.binding == b.FromInput(leaf.name)), None)
    if rule is None or not _enough(rule, here, ground):
        return None
    return Choice(rule.binding, rule.explains & here, "given")


def _either(leaf: Leaf, rules: list[Rule], here: frozenset[int], ground: Ground) -> Choice | None:
    """What was asked where it was asked, else a proven copy or the usual constant."""
    asked = next((r for r in rules if r.binding == b.FromInput(leaf.name)), None)
    if asked is None:
        return None
    rest = here - asked.explains
    fits = [
        r
        for r in rules
        if r.explains >= rest
        and len(r.explains & rest) >= 2
        and (
            isinstance(r.binding, b.Constant)
            or (r.reads and (proved(r, leaf, ground) or lifted(r, leaf, rest)))
        )
    ]
    top = _top(fits, here, _plainness)
    if top is None:
        return None
    proof = "hard" if top.reads else "given"
    return Choice(b.Alias((asked.binding, top.binding)), here, proof)


def _reference(leaf: Leaf, rules: list[Rule], here: frozenset[int], ground: Ground) -> Choice | None:
    """The same as another argument, or at a distance from one or from something that the request mentions."""
    fits = [
        r
        for r in rules
        if r.asks
        and not r.reads
        and _enough(r, here, ground)
        and len({repr(leaf.seen[run].value) for run in r.explains & here}) >= 2
    ]
    top = _top(fits, here, lambda binding: 0 if isinstance(binding, b.FromInput) else 1)
    return Choice(top.binding, top.explains & here, "given") if top else None


def _residual(leaf: Leaf, row: Row, ground: Ground) -> Choice:
    here = ground.runs & set(leaf.seen)
    listed = _listed(row, here, ground)
    if listed is not None:
        return Choice(listed, frozenset(), "none")
    values = [leaf.seen[run].value for run in sorted(here)]
    if values and all(isinstance(v, str) and (len(v) > 60 or v.count(" ") >= 5) for v in values):
        return Choice(b.Generated(), frozenset(), "none")
    if any(unsourced(leaf, run) for run in here):
        return Choice(b.Unsourced(), frozenset(), "none")
    return Choice(b.Free(), frozenset(), "none")


def _listed(row: Row, here: frozenset[int], ground: Ground) -> b.Choose | None:
    """A choice from one list that had the value in enough runs."""
    places: dict[tuple[str, str, str], set[int]] = {}
    for rule in row.rules:
        if isinstance(rule.binding, b.Copy) and "[" in rule.binding.path:
            head, _, field = rule.binding.path.partition("]")
            where = (rule.binding.step, head[: head.rfind("[")], field.lstrip("."))
            places.setdefault(where, set()).update(rule.explains & here)
    enough = [w for w, runs in places.items() if len(runs) >= ground.accept * len(here) - 1e-9 and runs]
    if not enough:
        return None
    step, path, field = min(enough, key=lambda w: (-len(places[w]), w))
    return b.Choose(step, path, field)


def unsourced(leaf: Leaf, run: int) -> bool:
    """Is a value an identifier that came from nowhere?

    Args:
        leaf: the argument.
        run: place of the run.
    """
    traced = leaf.seen[run]
    value = traced.value
    looks = (
        isinstance(value, str) and any(c.isdigit() for c in value) and len(value) >= 6 and " " not in value
    )
    looks = looks and any(c.isalpha() or c == "_" for c in str(value))
    return bool(
        looks
        and not traced.sources
        and traced.prompt is None
        and not (traced.system or traced.enum or traced.default)
    )
