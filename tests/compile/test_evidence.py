"""Is every argument traced to where it came from, proven only where it is, and the same in any order?"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compile.fixtures import Case, cases, runs, work
from tracelode.compile import transforms
from tracelode.compile.evidence import edges_of, evidence, explain
from tracelode.compile.evidence.arithmetic import _firsts
from tracelode.compile.evidence.search import wide
from tracelode.compile.evidence.tuples import digest
from tracelode.compile.paths import Key, get, leaves
from tracelode.compile.work import Label, Options, Source, Work
from tracelode.errors import UsageError
from tracelode.model.evidence import Edge, Evidence
from tracelode.model.run import Run, Tree


def _given(case: Case) -> Work:
    told = {}
    for key, value in case.options:
        if key == "label":
            run, call, kind, of = value.split()
            told[run, int(call)] = Label(kind, int(of))  # type: ignore[arg-type]
    found = case.work()
    if not told:
        return found
    labels = tuple(
        tuple(told.get((run.key, call.index), Label("essential")) for call in run.calls) for run in found.runs
    )
    return replace(found, labels=labels)


def _leaf(e: Evidence) -> str:
    source = "nothing"
    if e.producer is not None:
        source = f"{e.producer.slot} {e.producer.path or 'whole'}"
        source += f" [{e.producer.span[0]}:{e.producer.span[1]}]" if e.producer.span else ""
        source += "".join(f" | {p.slot} {p.path}" for p in e.alternatives)
        source += f" {e.level}" + (f" ({e.transform})" if e.transform else "")
    why = f" {e.basis}" if e.basis else ""
    why += f" {','.join(e.reasons)}" if e.reasons else ""
    return f"{e.run} {e.slot} {e.arg}: {source}: {e.verdict}{why}"


def _edge(edge: Edge) -> str:
    lift = f" lift {edge.numbers['lift']}" if edge.basis == "cross_run" else ""
    return (
        f"{edge.id} {edge.before} {edge.gpath or 'whole'} -> {edge.after} {edge.arg}: {edge.kind} "
        f"{edge.reason or edge.basis} {edge.support}/{edge.runs}{lift}"
    )


def _shown(done: Work) -> str:
    return "\n".join([*map(_leaf, done.evidence), *map(_edge, done.edges)])


@pytest.mark.parametrize("case", cases("evidence"))
def test_fixture(case: Case) -> None:
    assert _shown(evidence(_given(case))) == case.expected


@pytest.mark.parametrize("case", cases("evidence"))
def test_the_order_of_the_runs_says_nothing(case: Case) -> None:
    first = evidence(_given(case))
    turned = _given(case)
    turned = replace(turned, runs=turned.runs[::-1], labels=turned.labels[::-1])
    second = evidence(turned)
    assert first.edges == second.edges
    assert sorted(map(_leaf, first.evidence)) == sorted(map(_leaf, second.evidence))


@pytest.mark.parametrize("case", cases("evidence"))
def test_subsets_are_judged_as_if_they_were_all(case: Case) -> None:
    done = evidence(_given(case))
    chance = random.Random(3)
    for _ in range(4):
        kept = sorted(chance.sample(range(len(done.runs)), chance.randint(1, len(done.runs))))
        less = _given(case)
        less = replace(
            less,
            runs=tuple(less.runs[n] for n in kept),
            labels=tuple(less.labels[n] for n in kept) if less.labels else (),
        )
        assert edges_of(done, frozenset(kept)) == evidence(less).edges


def _jobs(count: int) -> tuple[Run, ...]:
    lines = []
    for n in range(count):
        lines += [
            f"run {chr(97 + n)}:",
            f"user: request number {chr(97 + n)}",
            f'find(name="N{n}x") -> [{{"id": "U-{1000 + 7 * n}", "n": {n + 2}}}, {{"id": "U-{2000 + n}"}}]',
            f'send(to="U-{1000 + 7 * n}", n={n + 2}) -> "sent"',
        ]
    return runs("\n".join(lines))


def test_three_runs_are_needed_and_their_numbers_are_told() -> None:
    for count, hard in ((1, False), (2, False), (3, True), (8, True)):
        done = evidence(work(_jobs(count)))
        small = [e for e in done.evidence if e.arg == "n"]
        assert [e.verdict == "hard" for e in small] == [hard] * count
        assert [e.verdict for e in done.evidence if e.arg == "to"] == ["hard"] * count
    crossed = small[0].cross_run
    assert crossed is not None
    assert (crossed.runs, crossed.support, crossed.shuffled, crossed.distinct) == (8, 1.0, 0.0, 8)
    assert crossed.p is not None
    assert crossed.p <= 0.002


def test_the_paper_rule_knows_single_runs_only() -> None:
    done = evidence(work(_jobs(8), options=Options(rule="paper")))
    assert {e.verdict for e in done.evidence if e.arg == "n"} == {"suspected"}
    assert {(e.verdict, e.basis) for e in done.evidence if e.arg == "to"} == {("hard", "single_run")}


def test_a_run_whose_request_tells_the_value_is_no_support() -> None:
    told = []
    for n, run in enumerate(_jobs(6)):
        text = run.turns[0].text + (f" with {n + 2}" if n < 3 else "")
        told.append(msgspec.structs.replace(run, turns=(msgspec.structs.replace(run.turns[0], text=text),)))
    small = [e for e in evidence(work(told)).evidence if e.arg == "n"]
    assert {e.verdict for e in small} == {"suspected"}
    small = [e for e in evidence(work((*told[2:], *_jobs(9)[6:]))).evidence if e.arg == "n"]
    assert {e.verdict for e in small} == {"hard"}
    assert small[0].cross_run is not None
    assert small[0].cross_run.runs == 6


def test_values_are_digests_unless_they_are_kept() -> None:
    hidden = evidence(work(_jobs(3)))
    text = msgspec.json.encode((hidden.evidence, hidden.edges)).decode()
    assert "U-1007" not in text
    kept = evidence(work(_jobs(3), options=Options(keep_values=True)))
    assert {e.value.text for e in kept.evidence if e.arg == "to"} == {"U-1000", "U-1007", "U-1014"}
    other = evidence(work(_jobs(3), options=Options(key=b"another store")))
    assert {e.value.sha for e in other.evidence}.isdisjoint(e.value.sha for e in hidden.evidence)
    assert digest(5, b"k") == digest("5", b"k") != digest(6, b"k")
    assert all(len(e.value.sha) == 16 and e.value.bits >= 0 for e in hidden.evidence)


def test_an_edge_is_explained_in_words() -> None:
    done = evidence(work(_jobs(4)))
    edge = next(e for e in done.edges if e.arg == "n")
    words = explain(edge.id, done)
    assert words == explain(edge, done)
    assert "send#1 takes n from find#1 at [*].n: proven." in words
    assert "4 of 4 runs" in words
    assert "100% of the values" in words
    assert "U-1007" not in words
    single = evidence(work(runs('run a:\nuser: about U-1\nfind() -> "U-1"\nsend(to="U-1") -> 1')))
    assert "only suspected" in explain(single.edges[0], single)
    assert "the whole output of find#1" in explain(single.edges[0], single)
    with pytest.raises(UsageError):
        explain("e99", done)


def test_without_outputs_or_arguments_nothing_is_found() -> None:
    lines = "run a:\nfind() -> missing\nsend() -> 1"
    done = evidence(work(runs(lines)))
    assert (done.evidence, done.edges, done.traced) == ((), (), ((),))
    empty = evidence(work(()))
    assert (empty.evidence, empty.edges) == ((), ())
    assert edges_of(empty, frozenset()) == ()


LEAVES = st.one_of(
    st.integers(1000, 10**9), st.floats(1000, 10**6, allow_nan=False), st.booleans(), st.none(),
    st.sampled_from(["U-17", "Quiet Harbour", "2024-11-18", "13:05", "$1,250.50", "+49 30 555 0134"]),
    st.text("abcXYZ 0123-", min_size=3, max_size=12),
)  # fmt: skip
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcde"), inner, max_size=4),
    max_leaves=12,
)


def _again(source: Source, run: Run) -> object:
    leaf = get(run.calls[source.call].output, source.path)
    if source.span is not None:
        leaf = leaf[slice(*source.span)]
    made = transforms.shaped(source.transforms, leaf)
    if source.prefix or source.suffix:
        return f"{source.prefix}{transforms.text(made)}{source.suffix}"
    return made


@settings(max_examples=300, deadline=None)
@given(TREES, TREES, TREES, st.sampled_from(["{}", " {} ", "about {} today"]))
def test_every_source_gives_what_was_passed(
    first: object, second: object, passed: object, frame: str
) -> None:
    given_run = runs("run a:\nfind() -> 1\nlook() -> 2\nsend() -> 3")[0]
    if isinstance(passed, str):
        passed = frame.format(passed)
    one, two, three = given_run.calls
    calls = (
        msgspec.structs.replace(one, output=first),
        msgspec.structs.replace(two, output={"text": f"see {json.dumps(second)}, or {first}"}),
        msgspec.structs.replace(three, arguments={"x": passed, "y": second}),
    )
    run = msgspec.structs.replace(given_run, calls=calls)
    for traced in evidence(work((run,))).traced[0]:
        for source in traced.sources:
            made = _again(source, run)
            assert type(made) is type(traced.value)
            assert transforms.same(made, traced.value)


SCRIPT = """
import sys
sys.path[:0] = [sys.argv[1]]
from compile.fixtures import FOLDER, case
from tracelode.compile.evidence import evidence
import msgspec
for path in sorted((FOLDER / "evidence").glob("*.txt")):
    done = evidence(case(path).work())
    print(msgspec.json.encode((done.evidence, done.edges)).decode())
"""


def test_the_order_of_hashes_says_nothing() -> None:
    tests = str(Path(__file__).resolve().parents[1])
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, tests],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        for seed in "0123"
    }
    assert len(found) == 1


def test_an_edge_of_several_places_says_so_at_each_of_them() -> None:
    text = "".join(
        f'run r{n}:\nuser: Do {n}\nhold() -> {{"hold": "H-{n}77{n}", "note": "Held as H-{n}77{n}."}}\n'
        f'mail(subject="Your hold H-{n}77{n}") -> 1\n'
        for n in range(5)
    )
    done = evidence(work(runs(text)))
    told = {edge.gpath: explain(edge, done) for edge in done.edges if edge.arg == "subject"}
    assert set(told) == {"hold", "note"}
    assert "stands at note of hold#1 too" in told["hold"]
    assert "stands at hold of hold#1 too" in told["note"]
    assert "call 1 told it at note" in told["note"]
    assert "told it at hold" not in told["note"]
    assert "10 fixed characters before it and 0 after" in told["hold"]


def test_a_file_that_is_one_json_value_has_no_line() -> None:
    done = evidence(work(_jobs(4)))
    edge = next(e for e in done.edges if e.arg == "n")

    def shown(file: str, line: int) -> str:
        moved = tuple(msgspec.structs.replace(e, file=file, line=line) for e in done.evidence)
        return explain(edge, replace(done, evidence=moved))

    assert "- results.json, run " in shown("results.json", 1)
    assert "- results.json:4, run " in shown("results.json", 4)
    assert "- runs.jsonl:1, run " in shown("runs.jsonl", 1)


@given(
    st.recursive(
        st.sampled_from([None, True, 1, 2.5, "a", [], {}]),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
        ),
        max_leaves=20,
    )
)
def test_the_first_leaf_of_each_place_offers_an_operand(output: Tree) -> None:
    first: dict[tuple[Key, ...], tuple[tuple[Key, ...], Tree]] = {}
    for keys, leaf in leaves(output):
        if leaf is not None and not isinstance(leaf, bool | list | dict):
            first.setdefault(wide(keys), (keys, leaf))
    assert list(_firsts(output)) == list(first.values())
