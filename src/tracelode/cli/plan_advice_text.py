"""How do proposals and scores of plans look in a terminal? Evidence first, then what to put in by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.cli.plan_sets_text import narrow
from tracelode.cli.screen import Screen
from tracelode.cli.table import Column, Flex, Styled
from tracelode.cli.text import clean, number
from tracelode.model.plan_words import bounds

if TYPE_CHECKING:
    from tracelode.cli.table import Cell
    from tracelode.model.plan_bench import BenchScore
    from tracelode.model.plan_policy import Policy, Proposal
    from tracelode.workspace.advising import Made

ROWS = 20
"""Kinds of calls shown."""
STEPS = 5
"""Kinds of steps shown."""
_STYLES = {"require": "yellow", "ask": "", "auto": "green"}
_SAID = {
    "recall": "executed steps that the plan has",
    "precision": "its steps that were executed",
    "in_band": "plans with half to twice as many steps as were executed",
    "order": "longest run of matched steps in order, of those matched",
    "fitness": "1 - moves in only one of plan and work / all moves",
}


def policy(found: Policy) -> None:
    """Write proposals.

    Args:
        found: what is proposed.
    """
    screen = Screen()
    source = ["measured" if one else "set or assumed" for one in found.measured]
    screen.sentence(
        f"{number(found.sessions, 'session')}; a review costs {found.human_seconds:,.0f} s ({source[0]}), a "
        f"mistake {found.rework_seconds:,.0f} s ({source[1]})"
    )
    for proposal in found.proposals:
        _proposal(screen, proposal)
    if found.proposals:
        screen.sentence("")
        screen.flow("helped?", ["keep what it is now: tracelode plan metrics --json > before.json",
                                "change one thing, work on",
                                "then: tracelode plan metrics NEW SESSIONS --against before.json",
                                "for tokens and time: tracelode compare"], joint="; ", indent=9)  # fmt: skip
    if found.rules:
        _rules(screen, found)
    if found.snippet:
        screen.sentence("")
        screen.sentence(f"proposed for {found.target}, to be read and put in by hand:")
        screen.block(found.snippet.splitlines())
    for note in found.notes:
        screen.flow("note", [note], indent=9)


def _proposal(screen: Screen, one: Proposal) -> None:
    screen.sentence("")
    told = "" if one.value is None else f"{one.value:.3f} {bounds(one.interval)}".rstrip()
    screen.flow("finding", [one.finding, f"{one.metric} {told} ({one.basis})"], joint="; ", indent=9)
    screen.flow("change", [f'"{one.change}"'], indent=9)
    screen.flow("expect", [one.expect], indent=9)


def _rules(screen: Screen, found: Policy) -> None:
    order = {"require": 0, "auto": 1, "ask": 2}
    rows: list[list[Cell]] = []
    for rule in sorted(found.tools, key=lambda r: order[r.advice])[:ROWS]:
        seen = rule.seen
        rows.append([
            Flex(seen.tool), Flex(seen.effect.replace("_", " "), "dim"), f"{seen.calls:,}",
            f"{seen.approved:,}", f"{seen.useful:,}", f"{seen.harmed:,}", f"{rule.low:.0%}-{rule.high:.0%}",
            Styled(rule.advice, _STYLES[rule.advice]),
        ])  # fmt: skip
    screen.sentence("")
    columns = [Column("calls of", grow=True, least=22), Column("does", least=6, rank=4),
               Column("calls", right=True), Column("let", right=True, rank=5),
               Column("stopped", right=True, rank=1), Column("undone", right=True, rank=2),
               Column("of use", right=True), Column("propose")]  # fmt: skip
    screen.table(columns, rows)
    if len(found.tools) > ROWS:
        screen.sentence(f"and {number(len(found.tools) - ROWS, 'other kind')}; see --json")
    screen.sentence(
        "of use: chance that a review stops or changes something, 90 % bounds; what may be beyond undoing is "
        "never auto"
    )
    steps = [rule for rule in found.rules if rule.advice == "require" and rule.seen.node]
    for rule in steps[:STEPS]:
        seen = rule.seen
        screen.flow("by step", [f"{clean(seen.tool)} on steps to {clean(seen.node)}",
                                f"a review was or would have been of use {seen.useful + seen.harmed:,} times "
                                f"in {seen.calls:,}"], joint=": ", indent=9)  # fmt: skip


def made(found: Made, path: str) -> None:
    """Write what became of an extraction.

    Args:
        found: items and what was left out.
        path: where they are.
    """
    screen = Screen()
    parts = [f"{n:,} {split}" for split, n in found.splits.items()]
    screen.sentence(f"wrote {number(found.items, 'item')} to {clean(path)} ({', '.join(parts)})")
    left = [f"{n:,} {reason}" for reason, n in found.left_out.items()]
    if left:
        screen.flow("left out", left, joint="; ", indent=9)
    screen.sentence("texts are redacted, names are pseudonyms: read it before you give it away")


def score(found: BenchScore) -> None:
    """Write how a planner did.

    Args:
        found: its scores.
    """
    screen = Screen()
    words = [f"{found.answered:,} of {number(found.items, 'item')} with a plan"]
    if found.unknown:
        words.append(f"{number(found.unknown, 'plan')} of ids that are not in it")
    screen.sentence("; ".join(words))
    for split, scores in found.scores.items():
        rows: list[list[Cell]] = [
            [Flex(s.metric), _share(s.value), bounds(s.interval), _share(s.recorded),
             "-" if s.gap is None else f"{s.gap:+.3f}", bounds(s.gap_interval, signed=True), f"{s.items:,}"]
            for s in scores
        ]  # fmt: skip
        columns = [Column(f"{split} items" if split != "all" else "all items", grow=True, least=10),
                   Column("plans", right=True), Column("95 %", rank=2), Column("recorded", right=True),
                   Column("gap", right=True), Column("95 %", rank=1),
                   Column("n", right=True, rank=3)]  # fmt: skip
        screen.sentence("")
        screen.table(columns, rows)
        narrow(screen, {s.metric: (s.narrow, "") for s in scores})
    screen.sentence("")
    for metric, text in _SAID.items():
        screen.flow(metric, [text], indent=10)
    if found.repositories < 5:
        screen.sentence("fewer than 5 repositories: described only, without intervals")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
