"""Is every call that a workflow leaves out told, and every value that was redacted?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from compile import fixtures
from tracelode.compile.align import align
from tracelode.compile.assemble import assemble
from tracelode.compile.bind import bind
from tracelode.compile.control import control
from tracelode.compile.denoise import denoise
from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.gate import gate
from tracelode.compile.left import left_out
from tracelode.compile.masked import masked
from tracelode.compile.work import Declared, Work
from tracelode.model.compiled import Left
from tracelode.model.run import Tree
from tracelode.model.workflow import Effect

PASSES = (gate, denoise, align, evidence, effects, bind, control, assemble)
PLACES = ("Kiel-Nord", "Bonn-West", "Ulm-Ost", "Hof-Mitte", "Jena-Stadt")


def through(work: Work) -> Work:
    for step in PASSES:
        work = step(work)
    return work


def parcels(count: int = 5, habit: int = 5) -> Work:
    """Runs that look a parcel up, most of them after a look that nobody uses."""
    lines = []
    for n in range(count):
        lines += [f"run r{n} (success):", f"user: Where is parcel P-{100 + n * 7}? Note it."]
        if n < habit:
            lines.append(f'web/get_weather(day="day{n}x") -> {{"sky": "cloud{n}less"}}')
        lines += [
            f'get_parcel(id="P-{100 + n * 7}") -> {{"place": "{PLACES[n]}"}}',
            f'add_note(text="{PLACES[n]}") -> {{"ok": true}}',
            f"assistant: It is in {PLACES[n]}.",
        ]
    return fixtures.work(fixtures.runs("\n".join(lines)))


def test_a_habit_that_only_its_name_excuses_is_doubtful() -> None:
    work = through(parcels())
    assert left_out(work) == (
        Left(tool="get_weather", server="web", kind="dead_output", calls=5, runs=5, of=5, named=True,
             doubtful=True),
    )  # fmt: skip


def test_few_runs_or_a_declaration_leave_no_doubt() -> None:
    (few,) = left_out(through(parcels(habit=1)))
    assert (few.kind, few.calls, few.runs, few.named, few.doubtful) == ("exploratory", 1, 1, True, False)
    declared = Declared(effects={"get_weather": Effect(effect="read", basis="configured")})
    (told,) = left_out(through(replace(parcels(), declared=declared)))
    assert (told.calls, told.named, told.doubtful) == (5, False, False)


def test_repeats_are_no_loss_and_nothing_is_left_out_before_alignment() -> None:
    assert left_out(parcels()) == ()
    again = fixtures.runs(
        'run a:\nuser: x\nget_a(id="12") -> "q1"\nget_a(id="12") -> "q1"\nadd_b(x="q1") -> 1'
    )
    assert left_out(through(fixtures.work(again))) == ()


def letters(address: str, asked: str) -> Work:
    lines = []
    for n in range(5):
        lines += [
            f"run r{n} (success):",
            f"user: Write {asked} that parcel P-{100 + n * 7} is there.",
            f'find_parcel(id="P-{100 + n * 7}") -> {{"place": "{PLACES[n]}", "owner": "{address}"}}',
            f'send_note(owner="{address}", place="{PLACES[n]}") -> {{"ok": true}}',
        ]
    return fixtures.work(fixtures.runs("\n".join(lines)))


@pytest.mark.parametrize("mark", ["[email]", "[secret:api-key]"])
def test_a_redacted_constant_is_told_as_one(mark: str) -> None:
    verdict = through(letters(mark, "them")).verdict
    assert verdict is not None
    mine = [r for r in verdict.refusals if r.arg == "owner"]
    assert [r.code for r in mine] == ["R8"]
    assert mine[0].message == "the constant owner of send_note was redacted on import: its value is not known"
    assert "the value in the tool's own settings" in mine[0].lifts


def test_a_constant_that_was_not_redacted_may_be_a_copy() -> None:
    verdict = through(letters("depot-71", "them")).verdict
    assert verdict is not None
    assert any("an earlier output shows it" in r.message for r in verdict.refusals)


@pytest.mark.parametrize("mark", ["[email]", "[secret:api-key]"])
def test_what_requests_say_redacted_is_an_input_without_pattern(mark: str) -> None:
    (given,) = (one for one in through(letters(mark, mark)).inputs if one.name == "owner")
    assert given.masked
    assert (given.patterns, given.mention) == ((), "")


def test_a_redacted_input_says_why_no_pattern_was_learned() -> None:
    names = ["Ann", "Bo", "Cy", "Di", "Ed"]
    text = "\n".join(
        f"run r{n} (success):\nuser: Write to {name} <[email]> about it.\n"
        f'send_note(to="{name} <[email]>") -> {{"note": "N-{n}5{n}"}}\n'
        f'add_tag(note="N-{n}5{n}") -> {{"ok": true}}'
        for n, name in enumerate(names)
    )
    given = {one.name: one for one in through(fixtures.work(fixtures.runs(text))).inputs}
    assert given["to"].masked
    assert given["to"].patterns == ()
    clear = through(fixtures.work(fixtures.runs(text.replace("[email]", "x@example.org")))).inputs
    assert not any(one.masked for one in clear)


def test_marks() -> None:
    values: list[Tree] = ["[email]", [{"a": "x [secret:token]"}], "[mail]", 3, None, {}]
    assert [masked(value) for value in values] == [
        True, True, False, False, False, False,
    ]  # fmt: skip
