"""Is a session cut where its plan says, named by what the plan declares, and covered from end to end?"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import need
from signals.build import raw, replace, session
from signals.plan.script import Script
from tracelode import registry
from tracelode.errors import UsageError
from tracelode.model.operation import Operation
from tracelode.model.segment import Segment, Segmentation
from tracelode.profile.cover import cover, whole
from tracelode.profile.label import declare, label
from tracelode.profile.name.stage import is_evidence, vocabulary
from tracelode.profile.segment.chain import ChainSegmenter
from tracelode.profile.segment.phase import PhaseSegmenter
from tracelode.profile.segment.plan import PlanSegmenter

LETTERS = {"l": "Read a.py", "e": "Edit a.py", "t": "$ pytest", "d": "Edit b.md"}


def operations(script: str, shows: object = str) -> list[Operation]:
    """One thread of a script, each tool call in a turn of its own."""
    (lane,) = Script(shows).lanes(script)
    turns = [[o] if o.kind in ("plan", "tool") else o for o in lane.operations]
    return session(*turns)


def work(text: str) -> str:
    """Script lines of some tool calls."""
    words = {"l": "read a.py", "e": "edit a.py", "t": "run pytest", "d": "edit b.md"}
    return "\n".join(words[letter] for letter in text)


def pieces(segmenter: object, rows: list[Operation]) -> list[tuple[str, int, str]]:
    """(name, tool calls, observed name) of each segment."""
    segmentation, _ = label(rows, segmenter)[:2]  # type: ignore[arg-type]
    return [
        (s.name, sum(map(is_evidence, rows[s.start : s.stop])), s.observed) for s in segmentation.segments
    ]


SCRIPT = f"""
human go
{work("lll")}
todo [>] Test the parser | [ ] Document the parser
{work("eel")}
todo [x] Test the parser | [>] Document the parser
{work("de")}
todo [x] Test the parser | [x] Document the parser
{work("llll")}
"""


def test_items_bound_and_name_and_phases_fill_the_rest() -> None:
    rows = operations(SCRIPT)
    assert pieces(PlanSegmenter(), rows) == [
        ("explore code", 3, ""),
        ("edit code", 4, ""),
        ("edit files", 4, ""),
        ("explore code", 4, ""),
    ]
    cut = PlanSegmenter().segment(rows)
    assert [piece.declared for piece in cut.segments] == ["", "test code", "report result", ""]
    assert pieces(ChainSegmenter(), rows) == pieces(PlanSegmenter(), rows)


def test_an_item_without_a_known_verb_bounds_only() -> None:
    rows = operations(f"{work('lll')}\ntodo [>] The parser\n{work('e')}\ntodo [x] The parser")
    assert pieces(ChainSegmenter(), rows) == [("explore code", 3, ""), ("edit code", 3, "")]


def test_the_rest_is_cut_by_the_next_segmenter() -> None:
    rows = operations(
        f"{work('lllttt')}\ntodo [>] Document it\n{work('e')}\ntodo [x] Document it\n{work('ttteee')}"
    )
    names = [name for name, *_ in pieces(ChainSegmenter(), rows)]
    assert names == ["explore code", "test code", "edit code", "test code", "edit code"]
    assert [name for name, *_ in pieces(PlanSegmenter(), rows)] == ["test code", "edit code", "test code"]


def test_a_failure_under_an_item_names_what_follows_it() -> None:
    rows = operations(f"todo [>] Ship it\n{work('t')}\ntodo [x] Ship it\n{work('eee')}")
    failed = [replace(o, status="nonzero") if o.fields.get("tool") == "Bash" else o for o in rows]
    assert [name for name, *_ in pieces(ChainSegmenter(), failed)][-1] == "fix tests"
    assert [name for name, *_ in pieces(ChainSegmenter(), rows)][-1] == "edit code"


def test_what_has_no_tool_joins_its_neighbour() -> None:
    rows = operations(f"human go\ntodo [>] Document it\n{work('d')}\ntodo [x] Document it\ninterrupt")
    assert pieces(ChainSegmenter(), rows) == [("edit docs", 3, "")]
    assert label(rows, ChainSegmenter())[0].segments[0].stop == len(rows)


def test_names_need_no_texts() -> None:
    plain, bare = operations(SCRIPT), operations(SCRIPT, lambda text: "")
    assert pieces(ChainSegmenter(), plain) == pieces(ChainSegmenter(), bare)


def test_both_names_are_kept_as_fields() -> None:
    rows = [replace(o, fields={**o.fields, "stage_declared": "stale"}) for o in operations(SCRIPT)]
    segmentation, _ = label(rows, ChainSegmenter())[:2]
    declare(rows, segmentation)
    for segment in segmentation.segments:
        for operation in rows[segment.start : segment.stop]:
            kept = (operation.fields.get("stage_declared"), operation.fields.get("stage_observed"))
            named = segment.observed or segment.name
            assert kept == ((segment.declared, named) if segment.declared else (None, None))
    assert {segment.declared for segment in segmentation.segments} == {"", "test code", "report result"}


def test_what_calls_cannot_show_is_named_by_the_plan() -> None:
    rows = operations("todo [>] Verify the totals\nrun ./report\nrun ./report\ntodo [x] Verify the totals")
    assert pieces(ChainSegmenter(), rows) == [("verify result", 4, "run program")]
    (segment,) = ChainSegmenter().segment(rows).segments
    assert segment.declared == "verify result"


TURNS = st.lists(
    st.one_of(
        st.sampled_from(sorted(LETTERS.values())),
        st.sampled_from(["prompt", "note", "model"]).map(lambda kind: raw(kind, id=kind)),
    ),
    max_size=30,
)


@given(TURNS)
def test_without_a_plan_nothing_changes(built: list) -> None:  # type: ignore[type-arg]
    rows = session(*built)
    chain, phase = ChainSegmenter(["plan", "phase"]).segment(rows), PhaseSegmenter().segment(rows)
    assert chain.segments == phase.segments


LINES = st.lists(
    st.sampled_from(
        [
            "human go", "steer go", "interrupt", *(work(letter) for letter in LETTERS), "todo",
            "todo [>] Fix a | [ ] Test b", "todo [x] Fix a | [>] Test b", "todo [x] Fix a | [x] Test b",
            "create The thing -> 1", "update 1 in_progress", "update 1 completed",
        ]
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@pytest.mark.parametrize("segmenter", [PlanSegmenter(), ChainSegmenter()], ids=["plan", "chain"])
@given(lines=LINES)
def test_the_laws_of_a_segmentation(segmenter: PlanSegmenter | ChainSegmenter, lines: list[str]) -> None:
    rows = operations("\n".join(lines))
    segmentation, names = label(rows, segmenter)[:2]
    segmentation.check(len(rows))
    assert set(names) <= vocabulary()
    assert segmenter.segment(list(rows)) == segmentation
    for segment in segmentation.segments:
        assert any(map(is_evidence, rows[segment.start : segment.stop])) or len(segmentation.segments) == 1
        assert segment.observed in ("", *vocabulary())
    calls = [o.fields.get("call") or o.id for o in rows]
    for cut in {s.start for s in segmentation.segments} - {0}:
        assert calls[cut] != calls[cut - 1]


class Deep:
    """A segmenter of two levels: halves, and single operations."""

    name, version = "deep", "1"

    def segment(self, rows: list[Operation]) -> Segmentation:
        n = len(rows)
        halves = [*range(0, n, max(1, n // 2)), n]
        made = [Segment(a, b, 0, "edit code") for a, b in pairwise(halves)]
        made += [Segment(i, i + 1, 1, "test code") for i in range(n)]
        return Segmentation("s", self.name, self.version, tuple(made))


def test_deeper_levels_of_the_rest_stay() -> None:
    rows = operations(SCRIPT)
    segmentation = ChainSegmenter((PlanSegmenter(), Deep())).segment(rows)
    segmentation.check(len(rows))
    assert {s.level for s in segmentation.segments} == {0, 1}
    inner = [s for s in segmentation.segments if s.level == 1]
    assert {s.name for s in inner if not s.declared} == {"test code"}
    assert sum(bool(s.declared) for s in inner) == 2


def test_covering_nothing_and_everything() -> None:
    rows = operations(work("lll"))
    fill = lambda run: PhaseSegmenter().segment(run).segments  # noqa: E731
    assert cover([], [], fill) == []
    claim = Segment(0, len(rows), 0, "edit code")
    assert cover(rows, [claim], fill) == [claim]
    assert cover(rows, [], whole) == whole(rows)


def test_a_chain_is_made_of_what_can_leave_something() -> None:
    with pytest.raises(UsageError, match="at least one"):
        ChainSegmenter(())
    with pytest.raises(UsageError, match="'phase'"):
        ChainSegmenter(("phase", "plan"))
    assert ChainSegmenter(("phase",)).segment(operations(work("lll"))).segments


def test_they_are_registered_and_name_their_parts() -> None:
    chain = registry.load("segmenters", "chain")
    parts = [registry.load("segmenters", name) for name in ("plan", "learned", "changepoint", "phase")]
    assert chain.version == " > ".join(f"{part.name} {part.version}" for part in parts)
    assert ChainSegmenter().segment([]).segments == parts[0].segment([]).segments == ()


SOURCE = """
from test_plan import SCRIPT, operations
from tracelode.profile.label import label
from tracelode.profile.segment.chain import ChainSegmenter
print(label(operations(SCRIPT * 3), ChainSegmenter()))
"""


def test_the_hash_seed_does_not_matter() -> None:
    tests = str(Path(__file__).parents[2])
    outputs = set()
    for seed in ("0", "1", "2"):
        path = os.pathsep.join([str(Path(__file__).parent), tests, *sys.path])
        run = subprocess.run(
            [sys.executable, "-c", SOURCE],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert "declared='test code'" in outputs.pop()


def test_time_grows_with_the_session_only() -> None:
    rows = operations(SCRIPT * 250)
    start = time.process_time()
    label(rows, ChainSegmenter())
    # the bar of 0.1 ms an operation with a margin for a busy machine
    assert time.process_time() - start < 0.1e-3 * len(rows) * 3


def test_silver_labels_come_back_as_they_were_declared() -> None:
    folder = need("data", "segmentation")
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    try:
        from labelled import rows, run_of
    finally:
        sys.path.pop(0)
    equal = total = 0
    for row in list(rows(folder, "plan-silver"))[:30]:
        run = run_of(row)
        built, places = planned(run.operations, run.groups, run.plans)
        segments = PlanSegmenter().segment(built).segments
        found = {s.start for s in segments}
        for before, after in pairwise(range(len(places))):
            cut = any(places[before] < place <= places[after] for place in found)
            equal += cut == (run.groups[before] != run.groups[after])
            total += 1
    assert total > 300
    assert equal == total


def planned(steps: list[Operation], groups: list[int], texts: list[str]) -> tuple[list[Operation], list[int]]:
    """A run with its plan calls put back: one list before each group, and where each step went."""
    wordings = list(dict.fromkeys(zip(groups, texts, strict=True)))
    built: list[Operation] = []
    places = []
    for number, step in enumerate(steps):
        if number == 0 or groups[number] != groups[number - 1]:
            at = wordings.index((groups[number], texts[number]))
            marks = [
                f"[{'x' if i < at else '>' if i == at else ' '}] {i} {_plain(t)}"
                for i, (_, t) in enumerate(wordings)
            ]
            (lane,) = Script().lanes(f"todo {' | '.join(marks)}")
            built.append(replace(lane.operations[0], id=f"plan{number}", index=len(built)))
        places.append(len(built))
        built.append(replace(step, index=len(built)))
    return built, places


def _plain(text: str) -> str:
    return text.replace("|", "/").replace("[", "(").replace("\n", " ")
