"""How does a compiled intent look: steps, proof, refusals, what it spares, and what is missing?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.cli.binding_text import binding_text, check_text, effect_text, step_notes
from tracelode.cli.left_text import draw_doubts, draw_left
from tracelode.cli.text import clean, number
from tracelode.model.words import count, dollars, duration, percent

if TYPE_CHECKING:
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Cell
    from tracelode.model.compiled import Compiled, Metric, Reading
    from tracelode.model.verification import Verification
    from tracelode.model.workflow import Refusal, Workflow

INDENT = 10
PROVEN = 5
"""Successful runs from which a workflow may act without being asked."""
TRUST = {
    "proven": "proven",
    "provisional": f"provisional: fewer than {PROVEN} successful runs",
    "not_borne_out": "provisional: too few of its runs came out whole when they were left out",
    "unknown_outcome": "nobody said that its runs succeeded",
}
KINDS = {
    "data_hard": "by value",
    "data_suspected": "suspected",
    "effect_hard": "by effect",
    "control_hard": "by decision",
    "order_soft": "only seen in this order",
}
PROOF = {"hard": "proven", "suspected": "suspected", "given": "given", "none": "open"}


def trust_text(workflow: Workflow) -> str:
    """How far a workflow may be trusted, and why no farther.

    Args:
        workflow: any.
    """
    enough = workflow.trust == "provisional" and workflow.runs >= PROVEN
    return TRUST["not_borne_out" if enough else workflow.trust]


def draw(screen: Screen, one: Compiled, *, steps: bool = True) -> None:
    """Write a verdict with its proof.

    Args:
        screen: where.
        one: compiled or refused.
        steps: whether each step is written with its arguments.
    """
    head(screen, one)
    workflow = one.workflow
    if workflow is not None:
        inputs(screen, workflow)
        if steps:
            draw_steps(screen, workflow)
    refusals(screen, one.verdict.refusals)
    proof(screen, one)
    if workflow is not None:
        spared(screen, one)
    missing(screen, one)
    unread(screen, one.reading)


def many(screen: Screen, done: list[Compiled]) -> None:
    """Write several verdicts, a line each.

    Args:
        screen: where.
        done: compiled or refused.
    """
    from tracelode.cli.table import Column, Flex, Styled

    words = [_word(one) for one in done]
    counts = ", ".join(f"{words.count(word):,} {word}" for word in dict.fromkeys(sorted(words)))
    screen.sentence(f"{number(len(done), 'intent')}: {counts}")
    rows: list[list[Cell]] = []
    for one, word in zip(done, words, strict=True):
        checked = one.verification
        codes = ", ".join(dict.fromkeys(r.code for r in one.verdict.refusals))
        steps = f"{len(one.workflow.steps):,}" if one.workflow is not None else "-"
        rows.append(
            [
                Styled(one.intent.id, "cyan"), Flex(one.intent.name), word, f"{len(one.sessions):,}", steps,
                percent(checked.bound, checked.calls), percent(checked.right, checked.bound),
                Flex(codes, "dim"),
            ]
        )  # fmt: skip
    columns = [
        Column("intent"), Column("name", grow=True, least=12), Column("verdict"),
        Column("runs", right=True, rank=4), Column("steps", right=True, rank=3),
        Column("bound", right=True, rank=2), Column("same", right=True, rank=2), Column("why", rank=1),
    ]  # fmt: skip
    screen.table(columns, rows)
    draw_doubts(screen, done)


def _word(one: Compiled) -> str:
    return "refused" if one.workflow is None else "in part" if one.workflow.partial else "compiled"


def head(screen: Screen, one: Compiled) -> None:
    """Write what was compiled, of what.

    Args:
        screen: where.
        one: compiled or refused.
    """
    workflow, name = one.workflow, clean(one.intent.name)
    ids = one.intent.id if workflow is None else f"{workflow.id}, {one.intent.id}"
    screen.flow(_word(one), [f"{name} ({ids})"], indent=INDENT)
    parts = [f"from {number(len(one.sessions), 'run')}"]
    if workflow is not None:
        parts += [number(len(workflow.steps), "step"), trust_text(workflow)]
        if workflow.variants > 1:
            parts.insert(2, number(workflow.variants, "variant"))
        if workflow.partial:
            parts.append("it ends before what was refused, and hands over")
    if one.failed:
        parts.append(f"{number(one.failed, 'failed run')} speak against")
    if one.aside:
        parts.append(f"{number(one.aside, 'run')} without outcome left aside")
    if one.forks:
        parts.append(f"{number(one.forks, 'fork')} of a longer run left aside")
    if one.copies:
        parts.append(f"{number(one.copies, 'run')} with the words and outputs of another left aside")
    parts += [f"{n:,} x {clean(kind).replace('_', ' ')} dropped" for kind, n in one.dropped.items()]
    screen.flow("", parts, joint=", ", indent=INDENT)
    draw_left(screen, one.left, INDENT)
    if one.reading.large:
        what = "output is" if one.reading.large == 1 else "outputs are"
        screen.flow(
            "not read",
            [f"{one.reading.large:,} {what} above 10 MB: nothing is known to come from there"],
            indent=INDENT,
        )


def inputs(screen: Screen, workflow: Workflow) -> None:
    """Write what who asks must give.

    Args:
        screen: where.
        workflow: compiled.
    """
    for place, given in enumerate(workflow.inputs):
        found = "found in the request" if given.patterns or given.mention else "not found in requests"
        if given.masked and not given.patterns:
            found = "redacted on import: how requests say it is not known"
        notes = [clean(given.type), found]
        if not given.required:
            notes.append("may be left out")
        if given.secret:
            notes.append("secret, never written down")
        screen.flow("" if place else "inputs", [f"{clean(given.name)}: {', '.join(notes)}"], indent=INDENT)


def draw_steps(screen: Screen, workflow: Workflow) -> None:
    """Write each step, where its arguments come from, and what it waits for.

    Args:
        screen: where.
        workflow: compiled.
    """
    for place, step in enumerate(workflow.steps, 1):
        screen.print("")
        screen.flow(f"{place}", [f"{clean(step.slot)}  {effect_text(step.effect)}"], indent=4)
        for argument in step.arguments:
            seen = f"{argument.support} of {argument.runs}" if argument.runs else ""
            proof_of = " ".join(p for p in (PROOF.get(argument.proof, clean(argument.proof)), seen) if p)
            ids = f"  {' '.join(clean(e) for e in argument.edges)}" if argument.edges else ""
            screen.flow(
                "",
                [f"{clean(argument.path)} = {binding_text(argument.binding)}  [{proof_of}]{ids}"],
                indent=6,
            )
        for note in step_notes(step):
            screen.flow("", [note], indent=6)
        after = _direct(workflow, step.slot)
        if after:
            screen.flow("", [f"after {', '.join(clean(slot) for slot in after)}"], indent=6)
        success = [check_text(check) for check in step.checks if check.role == "success"]
        if success:
            screen.flow("", [f"done when {'; '.join(success)}"], indent=6)
    screen.print("")


def _direct(workflow: Workflow, slot: str) -> list[str]:
    """What a step waits for, without what those wait for themselves."""
    after = {step.slot: set(step.after) for step in workflow.steps}
    own = after[slot]
    return [a for a in workflow.step(slot).after if not any(a in after.get(other, ()) for other in own)]


def refusals(screen: Screen, found: tuple[Refusal, ...]) -> None:
    """Write what was refused, and what would lift it.

    Args:
        screen: where.
        found: refusals.
    """
    for refusal in found:
        screen.flow(refusal.code, [clean(refusal.message)], indent=INDENT)
        screen.flow("", [f"lifted by {clean(refusal.lifts)}"], indent=INDENT)


def proof(screen: Screen, one: Compiled) -> None:
    """Write what leaving runs out, other orders and changed values showed.

    Args:
        screen: where.
        one: compiled or refused.
    """
    checked = one.verification
    if one.workflow is not None:
        kinds: dict[str, int] = {}
        for edge in one.edges:
            kinds[edge.kind] = kinds.get(edge.kind, 0) + 1
        shown = [f"{n:,} {KINDS.get(kind, clean(kind))}" for kind, n in sorted(kinds.items())]
        screen.flow("edges", shown or ["none"], joint=", ", indent=INDENT)
    if checked.folds:
        screen.flow("left out", left_out(checked), joint=", ", indent=INDENT)
    if checked.curve:
        screen.flow("learning", learning(checked), joint="; ", indent=INDENT)
    tried = []
    if one.orders:
        tried.append(f"{number(one.orders, 'other order')} tried, {one.broken:,} broken")
    if checked.mutations:
        leaks = number(len(checked.leaks), "leak")
        tried.append(f"{number(checked.mutations, 'changed output')}, {leaks}")
    if tried:
        screen.flow("tried", tried, joint="; ", indent=INDENT)
    for sentence in (*checked.problems, *checked.leaks):
        screen.flow("", [clean(sentence)], indent=INDENT)


def left_out(checked: Verification) -> list[str]:
    """What leaving each run out once showed, in phrases.

    Args:
        checked: with folds.
    """
    whole = [fold for fold in checked.folds if fold.whole]
    same = sum(fold.right == len(fold.calls) for fold in whole)
    wrong = checked.wrong_writes
    return [
        f"{number(len(checked.folds), 'run')} once each",
        f"{checked.bound:,} of {number(checked.calls, 'call')} bound",
        f"{checked.right:,} of these came out the same",
        f"{same:,} of {number(len(checked.folds), 'run')} as a whole",
        f"{number(wrong, 'wrong write')}" if wrong else "no wrong write",
    ]


def learning(checked: Verification) -> list[str]:
    """How well fewer runs would have done, in phrases.

    Args:
        checked: with a curve.
    """
    return [
        f"{number(point.runs, 'run')} {percent(point.bound, point.calls)} bound, "
        f"{percent(point.right, point.bound) if point.bound else 'none'} the same"
        for point in checked.curve
    ]


def needs(one: Compiled) -> str:
    """How many runs are missing to make it safe, "" where none are.

    Args:
        one: compiled or refused.
    """
    workflow, have = one.workflow, len(one.sessions)
    if workflow is not None and workflow.trust == "unknown_outcome":
        return (
            "say how its runs ended (tracelode outcome): before that every write is asked about, "
            "and it is never proven"
        )
    if workflow is not None and workflow.trust == "provisional" and workflow.runs >= PROVEN:
        return (
            "it is proven once half of its runs or more, each left out of the learning, come out whole and "
            "no write is wrong: more runs of the same kind may show the rules that are missing"
        )
    if (have < PROVEN and any(r.code == "R3" and not r.slot for r in one.verdict.refusals)) or (
        workflow is not None and workflow.trust == "provisional"
    ):
        return f"{number(PROVEN - have, 'more successful run')} make this workflow proven, if they agree"
    return ""


def trial(workflow: Workflow, place: str) -> list[str]:
    """The command that tries a workflow without writing.

    Args:
        workflow: compiled.
        place: its folder, as a word of a shell.

    Returns:
        Its lines, with words in capitals for what only its user knows: tools, and values of inputs.
    """
    needed = [one for one in workflow.inputs if one.required]
    if needed and all(one.patterns or one.mention for one in needed):
        rest = ["--tools TOOLS", "--request REQUEST"]
    else:
        rest = ["--tools TOOLS", *(f"--input {clean(one.name)}=VALUE" for one in needed)]
    lines = [f"tracelode run {place} --shadow", *(f"  {words}" for words in rest)]
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def missing(screen: Screen, one: Compiled) -> None:
    """Write how many runs are missing to make it safe.

    Args:
        screen: where.
        one: compiled or refused.
    """
    text = needs(one)
    if text:
        screen.flow("missing", [text], indent=INDENT)


def spared(screen: Screen, one: Compiled) -> None:
    """Write what a run of the workflow spares, and when it has paid.

    Args:
        screen: where.
        one: compiled.
    """
    found = one.metrics
    calls = number(one.verification.calls, "call")
    parts = [f"{one.bound:,} of {calls} need no model"]
    if more := one.removable - one.bound:
        parts.append(f"{number(more, 'more call')} that did nothing {'is' if more == 1 else 'are'} not made")
    words = (("tokens_saved_per_run", count, "tokens"), ("cost_saved_per_run", dollars, ""),
             ("time_model_saved_per_run", duration, "of the model"))  # fmt: skip
    saved = [
        f"{write(_whole(found[name]))} {unit}".rstrip() for name, write, unit in words if _known(found[name])
    ]
    if saved:
        parts.append(f"a run spares {', '.join(saved)}")
    screen.flow("spares", parts, joint="; ", indent=INDENT)
    even = found["break_even"]
    spent = f"compiling took {duration(one.verification.spent_us)} and asked no model"
    paid = (
        f"it has paid after {number(int(even.value), 'run')}"
        if even.value
        else f"when it has paid is not known: {even.reason}"
    )
    screen.flow("pays", [spent, paid], joint="; ", indent=INDENT)


def _known(metric: Metric) -> bool:
    return bool(metric.value)


def _whole(metric: Metric) -> int:
    return int(metric.value or 0)


def unread(screen: Screen, reading: Reading) -> None:
    """Write what could not be read: on it nothing rests.

    Args:
        screen: where.
        reading: what was read.
    """
    if reading.gone:
        screen.flow(
            "gone", [f"the whole texts of {number(reading.gone, 'call')} are no longer there"], indent=INDENT
        )
    for path, why in list(reading.sources.items())[:3]:
        screen.flow("", [f"{clean(path)}: {clean(why)}"], indent=INDENT)


def troubles(reading: Reading) -> None:
    """Say, on standard error, what could not be used of declarations.

    Args:
        reading: what was read.
    """
    from tracelode.cli.screen import warn

    for path, line, why in reading.troubles[:5]:
        place = f"{path}:{line}" if line else path
        warn(f"{place}: {why}")
    if len(reading.troubles) > 5:
        warn(f"and {len(reading.troubles) - 5:,} more declarations that could not be used")
