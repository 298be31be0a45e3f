"""What do most calls of a segment do? One kind of work, two beside each other, or a mixture, and to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from tracelode.profile.name.facts import Fact
from tracelode.signals.lexicon import load

MOST = 50
"""Percent of the calls with which one kind of work names a segment alone."""
LEAD, SERVED = 33, 60
"""Percent that name it with the kinds that serve it, and what these have together with it."""
COUPLE, EACH = 66, 20
"""Percent of the calls that two kinds have which name it together, and what each has at least."""
RARE = 12
"""Percent of the calls that what must be rare beside two kinds may have."""
FAMILY = 75
"""Percent of the calls that lie in the kinds of a mixture."""
LEAST = 25
"""Percent with which the heaviest kind names what nothing else names."""
GUESSES = 3
"""Failed attempts to open an archive, half of all, that are guesses of its password."""
ASIDE, WAIT = "aside", "wait"
"""Kinds that say nothing of a segment beside others, and nothing unless they have half of it."""


class Kinds(NamedTuple):
    """The kinds of work of the lexicon."""

    support: dict[str, frozenset[str]]
    """Kind to the kinds that only serve it, in the order of the lexicon."""
    stages: dict[str, str]
    """Kind to its own name."""
    of: dict[str, str]
    """Act to kind."""
    weight: dict[str, int]
    """Verb to hundredths of its salience."""
    couples: tuple[tuple[str, frozenset[str], frozenset[str], frozenset[str]], ...]
    """Name of two kinds, the one, the other, and what must be rare beside them."""
    families: tuple[tuple[str, frozenset[str], frozenset[str], int], ...]
    """Name of a mixture, its kinds, and those of which it needs a share, in percent."""


@cache
def kinds() -> Kinds:
    """The kinds of work.

    Returns:
        What the lexicon says of them.
    """
    lexicon = load()
    words = lexicon.stages
    rows = words["kind"]
    return Kinds(
        {row["name"]: frozenset(row.get("support", "").split()) for row in rows},
        {row["name"]: row["stage"] for row in rows if "stage" in row},
        {act: row["name"] for row in rows for act in row["acts"].split()},
        {verb.name: round(100 * verb.salience) for verb in lexicon.verbs.values()},
        tuple(
            (row["name"], *(frozenset(row.get(key, "").split()) for key in ("one", "other", "rare")))
            for row in words["couple"]
        ),
        tuple(
            (row["name"], frozenset(row["kinds"].split()), frozenset(row["core"].split()), row["least"])
            for row in words["family"]
        ),
    )


def counted(rows: Sequence[Fact]) -> tuple[list[Fact], Counter[str]]:
    """The calls that say what a segment does, and how many there are of each kind of work.

    Args:
        rows: one fact per tool call, at least one.

    Returns:
        The rows without asides, and without waiting that is less than half; all if no others are there.
        Then their kinds.
    """
    of = kinds().of
    said = [row for row in rows if of.get(row.act, ASIDE) != ASIDE] or list(rows)
    busy = [row for row in said if of.get(row.act, ASIDE) != WAIT]
    if 2 * len(busy) > len(said):
        said = busy
    return said, Counter(of.get(row.act, ASIDE) for row in said)


def carried(rows: Sequence[Fact]) -> str:
    """The name that most calls of a segment carry.

    Args:
        rows: one fact per tool call, at least one.

    Returns:
        The stage of one kind of work, of two, or of a mixture.

    Source:
        naming rules, steps 2 and 3; decision 0024.
    """
    known = kinds()
    said, counts = counted(rows)
    n = len(said)
    weight: Counter[str] = Counter()
    for row in said:
        weight[known.of.get(row.act, ASIDE)] += known.weight.get(row.verb, 0)
    place = {name: at for at, name in enumerate(known.support)}
    top = min(counts, key=lambda kind: (-weight[kind], place[kind]))
    most = min(counts, key=lambda kind: (-counts[kind], -weight[kind], place[kind]))
    if 3 * counts[most] >= 2 * n:
        return single(said, most)
    for lead in dict.fromkeys((top, most)):
        own = 100 * counts[lead]
        served = own + 100 * sum(counts[kind] for kind in known.support[lead])
        if own >= MOST * n or (own >= LEAD * n and served >= SERVED * n):
            return single(said, lead)
    mixture = _couple(counts, n) or _family(counts, n)
    if mixture:
        return mixture
    return single(said, top) if 100 * counts[top] >= LEAST * n else str(load().stages["mixed"])


def _couple(counts: Counter[str], n: int) -> str:
    best, found = 0, ""
    for name, one, other, rare in kinds().couples:
        a, b, c = (100 * sum(counts[kind] for kind in members) for members in (one, other, rare))
        if min(a, b) >= EACH * n and a + b >= COUPLE * n and c <= RARE * n and a + b > best:
            best, found = a + b, name
    return found


def _family(counts: Counter[str], n: int) -> str:
    for name, members, core, least in kinds().families:
        held, central = (100 * sum(counts[kind] for kind in group) for group in (members, core))
        if held >= FAMILY * n and central >= least * n:
            return name
    return ""


def single(rows: Sequence[Fact], kind: str) -> str:
    """The name of a segment that one kind of work carries.

    Args:
        rows: its facts.
        kind: the kind; at least one row is of it.

    Returns:
        A stage name.
    """
    known = kinds()
    own = [row for row in rows if known.of.get(row.act, ASIDE) == kind]
    done = [row for row in own if not row.failed] if kind == "write" else own
    acts = Counter(row.act for row in done or own)
    act = min(acts, key=lambda a: (-acts[a], a))
    if kind in known.stages and 2 * acts[act] < len(own):
        return known.stages[kind]
    if kind == "write" and acts["edit"] >= acts["create"]:
        act = "edit"
    failed = sum(row.failed for row in own)
    if kind == "extract" and failed >= GUESSES and 2 * failed >= len(own):
        act = "crack"
    return act_name(act, own)


def act_name(act: str, rows: Sequence[Fact]) -> str:
    """The name of an act.

    Args:
        act: a closed verb or an act of the lexicon.
        rows: facts whose roles may complete it.

    Returns:
        Its fixed stage, or the verb with the role that most of the rows have.
    """
    lexicon = load()
    acts = lexicon.stages["acts"]
    if act in acts:
        return str(acts[act])
    return lexicon.verbs[act].stage or f"{act} {_role(rows, act)}"


def _role(rows: Iterable[Fact], act: str) -> str:
    """The role of more than half of the paths, else the wider role of so many, else a word for any."""
    lexicon = load()
    words = lexicon.stages
    merged = words["merged"]
    roles = Counter(row.role for row in rows if row.role)
    wide: Counter[str] = Counter()
    for name, count in roles.items():
        wide[merged.get(name, name)] += count
    for counts in (wide,) if act in words["coarse"] else (roles, wide):
        found = [name for name, count in counts.items() if 2 * count > roles.total()]
        if found:
            return str(found[0])
    return "code" if act == "search" else str(words["role_else"])


@cache
def every_name() -> frozenset[str]:
    """Every name that carried() and act_name() can give.

    Returns:
        Closed stage names.
    """
    lexicon = load()
    words = lexicon.stages
    known = kinds()
    names = {words["mixed"], *words["acts"].values(), *known.stages.values()}
    names.update(name for name, *_ in (*known.couples, *known.families))
    roles = (*lexicon.role_names, words["role_else"], "code")
    for verb in lexicon.verbs.values():
        names.update([verb.stage] if verb.stage else (f"{verb.name} {name}" for name in roles))
    return frozenset(names)
