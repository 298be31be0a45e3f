"""Are runs that ask for the same thing one intent, and never those that undo each other?"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import squareform

from compile.fixtures import Case, cases
from tracelode import registry
from tracelode.compile import clusters
from tracelode.compile.documents import words
from tracelode.compile.intents import intents
from tracelode.compile.work import Declared, Options, State
from tracelode.errors import MissingExtra, PluginError
from tracelode.model.run import Call, Run, Turn
from tracelode.model.workflow import Effect


def _shown(state: State) -> str:
    lines = []
    for intent in state.intents:
        more = f" writes {', '.join(intent.writes)}" if intent.writes else ""
        more += " provisional" if intent.provisional else ""
        lines.append(f"{intent.name}: {' '.join(intent.runs)}{more}")
    return "\n".join([*lines, f"alone: {' '.join(state.alone)}".strip()])


@pytest.mark.parametrize("case", cases("intents"))
def test_fixture(case: Case) -> None:
    assert _shown(intents(State(case.runs))) == case.expected


@pytest.mark.parametrize("case", cases("intents"))
def test_the_order_of_the_runs_says_nothing(case: Case) -> None:
    want = intents(State(case.runs))
    runs = list(case.runs)
    for seed in range(4):
        random.Random(seed).shuffle(runs)
        found = intents(State(tuple(runs)))
        assert (found.intents, found.alone) == (want.intents, want.alone)
        assert [work.runs for work in found.works] == [work.runs for work in want.works]


def _asking(key: str, text: str, *tools: str) -> Run:
    calls = tuple(Call(index=n, name=tool) for n, tool in enumerate(tools))
    return Run(key=key, calls=calls, turns=(Turn("user", text, 0),), outcome="success")


def _many(count: int, of: int) -> list[Run]:
    """Runs of so many intents, each with words and tools of its own."""
    rng = random.Random(5)
    vocabulary = [f"{a}{b}word" for a in "abcdefghij" for b in "klmnopqrst"]
    kinds = [rng.sample(vocabulary, 12) for _ in range(of)]

    def said(kind: int) -> str:
        out = rng.randrange(12)
        return " ".join(word for n, word in enumerate(kinds[kind]) if n != out)

    letters = "abcdefgh"
    return [_asking(f"r{n:04d}", said(n % of), f"tool_{letters[n % of]}", "open_page") for n in range(count)]


def test_every_run_is_of_one_intent_or_alone() -> None:
    runs = [
        *_many(120, 8),
        _asking("odd", "nothing like it anywhere", "other_tool"),
        _asking("none", "no calls"),
    ]
    found = intents(State(tuple(runs)))
    of = [key for intent in found.intents for key in intent.runs]
    assert sorted([*of, *found.alone]) == sorted(run.key for run in runs)
    assert len(of) == len(set(of)) == 120
    assert [len(intent.runs) for intent in found.intents] == [15] * 8
    assert {"odd", "none"} == set(found.alone)
    for intent in found.intents:
        assert len(intent.near) == 3
        assert intent.silhouette is not None
        assert intent.silhouette > 0.3
        assert not {near.run for near in intent.near} & set(intent.runs)
        like = [near.similarity for near in intent.near]
        assert like == sorted(like, reverse=True)


def test_a_configured_effect_counts() -> None:
    runs = [_asking(f"a{n}", "do the thing", "open_page", "frob") for n in range(3)]
    runs += [_asking(f"b{n}", "do the thing", "open_page", "twiddle") for n in range(3)]
    assert len(intents(State(tuple(runs), Options(similarity=0.3))).intents) == 1
    effects = {tool: Effect("destructive", "configured") for tool in ("frob", "twiddle")}
    found = intents(State(tuple(runs), Options(similarity=0.3), Declared(effects=effects)))
    assert [intent.writes for intent in found.intents] == [("frob",), ("twiddle",)]


def test_fewer_runs_when_asked() -> None:
    runs = tuple(_asking(f"a{n}", "do the thing", "open_page") for n in range(2))
    assert intents(State(runs)).intents == ()
    assert len(intents(State(runs, Options(fewest=2))).intents) == 1


def test_no_runs() -> None:
    found = intents(State(()))
    assert (found.intents, found.alone, found.works) == ((), (), ())
    silent = Run(key="a", calls=(Call(index=0, name="look"),))
    assert intents(State((silent,))).alone == ("a",)


def test_runs_that_say_nothing_are_told_by_their_tools() -> None:
    def silent(key: str, *tools: str) -> Run:
        return Run(key=key, calls=tuple(Call(index=n, name=tool) for n, tool in enumerate(tools)))

    runs = [silent(f"a{n}", "look", "tell") for n in range(3)]
    runs += [silent(f"b{n}", "walk", "rest") for n in range(3)]
    assert [i.runs for i in intents(State(tuple(runs))).intents] == [("a0", "a1", "a2"), ("b0", "b1", "b2")]
    assert intents(State(tuple(runs), Options(variant="text"))).intents == ()


def _plain(vectors: Any, least: float) -> list[int]:
    near = (vectors @ vectors.T).toarray()
    apart = numpy.clip(1 - near, 0, None)
    numpy.fill_diagonal(apart, 0)
    labels = fcluster(linkage(squareform(apart, checks=False), "average"), 1 - least + 1e-12, "distance")
    first: dict[int, int] = {}
    return [first.setdefault(label, len(first)) for label in labels.tolist()]


@given(st.integers(0, 2**32), st.sampled_from((0.3, 0.5, 0.65)))
@settings(max_examples=40)
def test_components_change_nothing(seed: int, least: float) -> None:
    """Clustering each component by itself gives what clustering all at once does."""
    rng = numpy.random.default_rng(seed)
    rows = numpy.round(rng.random((24, 6)) * (rng.random((24, 6)) < 0.4), 3)
    rows = clusters.unit(rows[rows.any(axis=1)])
    # equal documents count once
    vectors = csr_matrix(rows[numpy.sort(numpy.unique(rows, axis=0, return_index=True)[1])])
    assert clusters.linked(vectors, least) == _plain(vectors, least)


def _cut(monkeypatch: pytest.MonkeyPatch, **limits: int) -> tuple[State, State]:
    runs = tuple(_many(160, 8))
    want = intents(State(runs))
    for name, value in limits.items():
        monkeypatch.setattr(clusters, name, value)
    return want, intents(State(runs))


@pytest.mark.parametrize("limits", [{"LARGEST": 7}, {"MOST": 60}, {"BLOCK": 3}, {"LARGEST": 7, "MOST": 90}])
def test_limits_find_the_same_plain_intents(monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]) -> None:
    want, found = _cut(monkeypatch, **limits)
    assert [intent.runs for intent in found.intents] == [intent.runs for intent in want.intents]
    assert len(want.intents) == 8


def test_silhouettes_and_neighbours_are_those_of_all_pairs() -> None:
    rng = numpy.random.default_rng(4)
    vectors = csr_matrix(clusters.unit(rng.random((14, 5))))
    groups = [[0, 2, 4, 6], [1, 3, 5], [7, 8, 9]]
    shape, near = clusters.audit(vectors, groups, 2)
    like = (vectors @ vectors.T).toarray()
    for place, group in enumerate(groups):
        each = []
        for n in group:
            within = 1 - (like[n, group].sum() - like[n, n]) / (len(group) - 1)
            beside = min(1 - like[n, other].mean() for other in groups if other is not group)
            each.append((beside - within) / max(within, beside))
        assert shape[place] == pytest.approx(sum(each) / len(each), abs=1e-4)
        outside = sorted((-like[n, group].mean(), n) for n in range(14) if n not in group)[:2]
        assert [n for n, _ in near[place]] == [n for _, n in outside]


def test_one_intent_has_no_silhouette() -> None:
    runs = tuple(_asking(f"a{n}", "do the thing", "open_page") for n in range(3))
    assert [intent.silhouette for intent in intents(State(runs)).intents] == [None]


def test_what_is_masked() -> None:
    assert words("May I see 'the plan' by Friday? It may cost $30.") == [
        *("may", "see", "<quoted>", "by", "<date>", "it", "may", "cost", "<number>")
    ]
    assert words("") == []
    assert words("Ask Ann Lee. Then ask the team") == ["ask", "<name>", "then", "ask", "the", "team"]


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tracelode\[compile\]'"):
        intents(State(tuple(_many(4, 1))))


class _Embedder:
    name = "toy"

    def __init__(self, short: bool = False) -> None:
        self.short = short

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Two directions: texts of going and texts of staying, whatever their other words."""
        rows = [[float("go" in t or "travel" in t), float("stay" in t or "remain" in t)] for t in texts]
        return rows[:-1] if self.short else rows


def test_an_embeddings_plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["go north", "travel along that river", "please go now", "stay here", "remain at home", "I stay"]
    runs = tuple(_asking(f"a{n}", text, "think") for n, text in enumerate(asked))
    monkeypatch.setattr(
        registry, "load", lambda group, name: {("embedders", "toy"): _Embedder()}[group, name]
    )
    options = Options(variant="text", similarity=0.45)
    assert intents(State(runs, options)).intents == ()
    found = intents(State(runs, Options(variant="text", similarity=0.45, embedder="toy")))
    assert [intent.runs for intent in found.intents] == [("a0", "a1", "a2"), ("a3", "a4", "a5")]
    monkeypatch.setattr(registry, "load", lambda group, name: _Embedder(short=True))
    with pytest.raises(PluginError, match="5 vectors for 6 texts"):
        intents(State(runs, Options(embedder="toy")))
