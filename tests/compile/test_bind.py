"""Is every argument bound to what it comes from, and would it be the same in a run that was never seen?"""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec
import pytest

from compile import fixtures
from tracelode.compile.align import align
from tracelode.compile.assemble import assemble
from tracelode.compile.bind import bind
from tracelode.compile.control import control
from tracelode.compile.denoise import denoise
from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.execute.sound import problems
from tracelode.compile.gate import gate
from tracelode.compile.mentions import mentions
from tracelode.compile.refuse import opposed
from tracelode.compile.sealing import digest
from tracelode.compile.verify import verify
from tracelode.compile.work import Work
from tracelode.model.workflow import Refused, Workflow

BEFORE = (gate, denoise, align, evidence, effects)


def through(work: Work, *steps: object) -> Work:
    for step in (*BEFORE, *steps):
        work = step(work)  # type: ignore[operator]
    return work


def bound(work: Work) -> str:
    rows = []
    for slot, arguments in work.bindings.items():
        for a in arguments:
            when = " if asked" if a.when else ""
            text = msgspec.json.encode(a.binding).decode()
            rows.append(f"{slot} {a.path} {a.support}/{a.runs} {a.proof}{when} {text}")
    rows += [f"each {slot} {msgspec.json.encode(loop).decode()}" for slot, loop in work.loops.items()]
    rows += [f"wait {slot} {msgspec.json.encode(wait).decode()}" for slot, wait in work.waits.items()]
    for i in work.inputs:
        how = f" {i.mention or ' or '.join(i.patterns)}".rstrip()
        rows.append(f"input {i.name} {i.type}{'' if i.required else ' optional'}{how}")
    return "\n".join(rows)


def verdict(work: Work) -> str:
    found = work.verdict
    assert found is not None
    rows = [f"refused {r.code} {r.slot} {r.arg}".rstrip() for r in found.refusals]
    if isinstance(found, Refused):
        return "\n".join(["no workflow", *rows])
    kind = "partial" if found.partial else "whole"
    rows = [f"{kind} {found.trust} from {found.runs} runs", *rows]
    for s in found.steps:
        checks = " ".join(f"{c.kind}:{c.path}" for c in s.checks)
        shown = f" shown by {s.read_back}" if s.read_back else ""
        rows.append(f"{s.slot} {s.effect.effect} after [{', '.join(s.after)}] {checks}{shown}")
    return "\n".join(rows)


def folds(work: Work) -> str:
    v = work.verification
    rows = [f"{f.run} {f.end}: " + ", ".join(f"{c.slot} {c.end}" for c in f.calls) for f in v.folds]
    rows += [f"learned from {p.runs}: {p.bound} of {p.calls} bound, {p.right} right" for p in v.curve]
    return "\n".join([*rows, *v.problems, *v.leaks, f"{v.mutations} outputs changed"])


@pytest.mark.parametrize("case", fixtures.cases("bind"))
def test_bindings(case: fixtures.Case) -> None:
    assert bound(through(case.work(), bind)) == case.expected


@pytest.mark.parametrize("case", fixtures.cases("assemble"))
def test_verdicts(case: fixtures.Case) -> None:
    assert verdict(through(case.work(), bind, control, assemble)) == case.expected


@pytest.mark.parametrize("case", fixtures.cases("verify"))
def test_folds(case: fixtures.Case) -> None:
    assert folds(through(case.work(), bind, control, assemble, verify)) == case.expected


@pytest.mark.parametrize("case", fixtures.cases("bind"))
def test_the_order_of_runs_does_not_matter(case: fixtures.Case) -> None:
    work = case.work()
    runs = list(work.runs)
    random.Random(3).shuffle(runs)
    assert bound(through(replace(work, runs=tuple(runs)), bind)) == bound(through(work, bind))


@pytest.mark.parametrize("case", fixtures.cases("bind"))
def test_a_compiled_workflow_is_sound(case: fixtures.Case) -> None:
    work = through(case.work(), bind, control, assemble, verify)
    if isinstance(work.verdict, Workflow):
        assert problems(work.verdict) == []
        assert work.verification.leaks == ()
        assert work.verdict.digest == digest(work.verdict)
        again = msgspec.json.decode(msgspec.json.encode(work.verdict), type=Workflow)
        assert again == work.verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from December 10th to 17th, 2024 at 8 AM", ["2024-12-10", "2024-12-17", "08:00"]),
        ("on 5 May 2025 at 10:30, back on the 9th at noon", ["2025-05-05", "10:30", "2025-05-09", "12:00"]),
        ("on May 28th, 2025, back on the 2nd", ["2025-05-28", "2025-06-02"]),
        ("3 in the afternoon, 9 o'clock in the morning, 21 o'clock", ["15:00", "09:00", "21:00"]),
        ("for Thanksgiving in 2024 and Christmas Eve 2025", ["2024-11-28", "2025-12-24"]),
        ("tomorrow, the day after tomorrow, for a week, 29 hours later", [1, 2, 7, 1740]),
        ("half an hour after the train, two adults, 3 rooms", [30]),
        ("February 30th and 2024-13-45", []),
        ("12/31/2025 and 2025-12-30", ["2025-12-31", "2025-12-30"]),
    ],
)
def test_mentions(text: str, expected: list[object]) -> None:
    assert [m.value for m in mentions(text) if m.kind != "number"] == expected


def test_mentions_lie_in_the_text_and_apart_in_kind() -> None:
    text = "On March 3rd, 2026 at 8 AM for 2 nights and 3 people, then on the 9th at 10:15"
    for m in mentions(text):
        assert 0 <= m.start < m.stop <= len(text)
    assert [m.kind for m in mentions(text)] == ["date", "time", "days", "number", "date", "time"]


def test_tools_that_undo_each_other() -> None:
    assert opposed("add_song_to_playlist", "remove_song_from_playlist")
    assert opposed("buyStock", "sellStock")
    assert not opposed("add_song", "remove_playlist")
    assert not opposed("create_event", "create_file")
