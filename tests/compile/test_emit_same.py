"""Do emitted functions bind what the evaluator binds, whatever the workflow and whatever is known?"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compile.emitting import arg, bookings, loaded
from tracelode.compile.evaluate import Missing, Scene, arguments, passes
from tracelode.compile.transforms import text
from tracelode.model import binding as b
from tracelode.model import workflow as model
from tracelode.model.workflow import Effect, Guard, Step

READ = Effect("read", "declared")

_NAMES = st.sampled_from(["a", "b", "odd key", "c-d"])
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 10**6),
    st.floats(-1e6, 1e6),
    st.sampled_from([1e-5, 1e16, 2.5e-5]),
    st.sampled_from(
        [
            "",
            "x",
            "Oslo",
            "3 March 2026",
            "2026-03-03",
            "13:05",
            "1:05 PM",
            "2024-11-18T13:05:00",
            "$1,200.50",
            "12 nights",
            "+47 22 33 44 55",
            "a b%20c",
            "TRUE",
            "7",
            "7.0",
            "07",
            "02/03/2026",
            "  two  words ",
        ]
    ),
    st.text(max_size=6),
)
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)
_ROWS = st.fixed_dictionaries(
    {"a": _LEAVES, "b": _LEAVES, "odd key": _LEAVES, "c-d": st.sampled_from([1, "1", "Oslo", "3 March 2026"])}
)
_FULL = st.fixed_dictionaries({"a": st.lists(_ROWS, min_size=1, max_size=4) | _ROWS, "b": _ROWS}) | st.lists(
    _ROWS, min_size=1, max_size=4
)
"""Outputs in which most paths lead somewhere."""
_TRANSFORMS = st.lists(
    st.sampled_from(
        [
            b.Transform(n)
            for n in (
                "str",
                "int",
                "float",
                "bool",
                "lower",
                "upper",
                "title",
                "capital",
                "squeeze",
                "unurl",
                "url",
                "url_plus",
                "amount",
                "digits",
                "no such",
            )
        ]
        + [
            b.Transform("round", "0"),
            b.Transform("round", "2"),
            b.Transform("format", "$0,0.00"),
            b.Transform("date", "D Mon YYYY"),
            b.Transform("date", "DD/MM/YYYY>YYYY-MM-DD"),
            b.Transform("time", "h:mm AM p.m."),
            b.Transform("time", "HH:mm"),
            b.Transform("datetime", "YYYY-MM-DDTHH:mm:ss"),
            b.Transform("phone", "## ## ## ## ##"),
        ]
    ),
    max_size=3,
).map(tuple)
_PATHS = st.sampled_from(
    ["", "a", "b", "a[0]", "a[-1]", 'a["odd key"]', "[*]", "a[*].b", "{*}", "a.{*}", "b.c-d"]
)
_PATTERNS = st.sampled_from([r"(\d+)", r"(\w+)$", r"to (\S+)", r"[^\n]+?(o)", r"(x|y\z)", r"(\s\d)"])


def _bindings(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pick = st.one_of(
        st.builds(b.At, st.integers(-2, 2)),
        st.builds(b.Least, _PATHS),
        st.builds(b.Most, _PATHS),
        st.builds(
            b.Where,
            _PATHS,
            st.sampled_from(["eq", "ne", "lt", "ge", "in", "contains", "empty"]),
            inner,
            st.booleans(),
        ),
    )
    return st.one_of(
        st.builds(b.Alias, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(b.Template, st.lists(inner | st.text(max_size=3), max_size=3).map(tuple)),
        st.builds(
            b.Derived,
            st.sampled_from(["add", "subtract", "multiply", "sum", "count", "days", "minutes", "?"]),
            st.lists(inner, min_size=1, max_size=2).map(tuple),
            st.integers(-3, 400),
            _TRANSFORMS,
        ),
        st.builds(
            b.Selected,
            st.just("p#1"),
            _PATHS,
            st.lists(pick, min_size=1, max_size=2).map(tuple),
            _PATHS,
            _TRANSFORMS,
        ),
    )


BINDINGS = st.recursive(
    st.one_of(
        st.builds(b.Constant, _TREES),
        st.builds(b.Default, _TREES),
        st.builds(b.FromInput, st.sampled_from(["x", "y", "absent"]), _TRANSFORMS),
        st.builds(b.FromState, st.sampled_from(["today", "gone"]), _TRANSFORMS),
        st.builds(b.Copy, st.sampled_from(["p#1", "q#1", "none#1"]), _PATHS, _TRANSFORMS),
        st.builds(b.Span, st.just("q#1"), st.sampled_from(["", "a"]), _PATTERNS, _TRANSFORMS),
        st.builds(b.Each, _PATHS, _TRANSFORMS),
        st.just(b.Unsourced()),
    ),
    _bindings,
    max_leaves=4,
)
_OPS = st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "empty", "present"])
GUARDS = st.builds(
    Guard,
    st.lists(st.builds(model.Test, BINDINGS, _OPS, BINDINGS, st.booleans()), min_size=1, max_size=2).map(
        tuple
    ),
)


def _outcome(function: Any, missing: Any) -> Any:
    try:
        found = function()
    except missing as error:
        return ("missing", error.code)
    return ("value", repr(found))


@settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # shrinking compiles a module each time
)
@given(
    steps=st.lists(
        st.tuples(st.lists(st.tuples(BINDINGS, st.none() | GUARDS), min_size=1, max_size=3), GUARDS),
        min_size=1,
        max_size=6,
    ),
    scenes=st.lists(st.tuples(_LEAVES, _FULL, _FULL | _TREES, _ROWS | _TREES), min_size=1, max_size=8),
)
def test_its_arguments_are_those_of_the_evaluator(steps: list[Any], scenes: list[Any]) -> None:
    made = tuple(
        Step(
            slot=f"s#{n}",
            tool="s",
            effect=READ,
            order=n,
            when=guard,
            arguments=tuple(arg(f"k{i}", binding, when=when) for i, (binding, when) in enumerate(bindings)),
        )
        for n, (bindings, guard) in enumerate(steps)
    )
    emitted = loaded(bookings(steps=made, edges=()))
    for x, p, q, element in scenes:
        inputs, outputs, state = {"x": x, "y": "3 March 2026"}, {"p#1": p, "q#1": q}, {"today": "2026-03-03"}
        for n, step in enumerate(made):
            ours = Scene(inputs, outputs, state, element)
            theirs = emitted.Scene(inputs, outputs, state, element)
            assert _outcome(lambda s=step, o=ours: arguments(s, o), Missing) == _outcome(
                lambda s=step, t=theirs: emitted.ARGUMENTS[s.slot](t), emitted.Missing
            )
            assert _outcome(lambda s=step, o=ours: passes(s.when, o), Missing) == _outcome(
                lambda n=n, t=theirs: getattr(emitted, f"_when_{n + 1}_s")(t), emitted.Missing
            )


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False) | _TREES)
def test_values_are_written_as_the_evaluator_writes_them(value: Any) -> None:
    from tracelode.compile.emit.module.values import as_text

    assert as_text(value) == text(value)
