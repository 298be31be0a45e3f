"""The views of a profile: what they count, what they fold, what they print."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import fake
from tracelode.cli.flame_text import _names, layout, named
from tracelode.cli.nodes import around, build, prune
from tracelode.model.profile import Profile, fold
from tracelode.model.query import Query

DOLLAR = 10**12

profiles = st.dictionaries(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=5).map(tuple),
    st.integers(0, 10**15).map(lambda v: (v,)),
    min_size=1,
    max_size=20,
).map(lambda totals: fold(totals.items(), ("cost",)))


def test_flat_sums_to_total(run: fake.Run, small: fake.FakeWorkspace) -> None:
    code, out, err = run("top", "--json")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["schema_version"] == 1
    assert (answer["measure"], answer["unit"]) == ("cost", "picodollars")
    assert sum(row["flat"] for row in answer["rows"]) == answer["total"]
    assert answer["rows"][0] == {
        "stack": ["deploy service", "start service", "Bash:kubectl"],
        "flat": 3 * DOLLAR,
        "cum": 3 * DOLLAR,
        "flat_dollars": "3.00",
        "cum_dollars": "3.00",
    }
    assert answer["total_string"] == str(answer["total"])


@pytest.mark.parametrize("limit", [["--nodecount", "1"], ["--nodefraction", "0.5"]])
def test_what_top_leaves_out_is_a_row(limit: list[str], run: fake.Run, small: fake.FakeWorkspace) -> None:
    answer = json.loads(run("top", "--json", *limit)[1])
    assert len(answer["rows"]) == 2
    assert answer["rows"][1]["stack"] == ["(other 5)"]
    assert sum(row["flat"] for row in answer["rows"]) == answer["total"]
    last = run("top", *limit)[1].splitlines()[-1]
    assert "(other 5)" in last
    assert "100%" in last


def test_several_measures_stand_side_by_side(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--measure", "tokens.output", "--measure", "operations,cost"]
    answer = json.loads(run("top", "--json", *words)[1])
    assert (answer["measure"], answer["unit"]) == ("tokens.output", "tokens")
    assert set(answer["totals"]) == {"tokens.output", "operations", "cost"}
    for name, total in answer["totals"].items():
        assert sum(row["values"][name] for row in answer["rows"]) == total
    titles = ["tokens.output", "%", "sum", "%", "cum", "operations", "cost", "intent"]
    monkeypatch.setenv("COLUMNS", "120")
    assert run("top", *words)[1].splitlines()[1].split()[:8] == titles
    # with three measures the running sum makes room for the stacks
    monkeypatch.setenv("COLUMNS", "80")
    assert run("top", *words)[1].splitlines()[1].split()[:6] == ["output", "%", *titles[4:]]


def test_the_default_measure_is_output_tokens_where_nothing_is_priced(
    run: fake.Run, small: fake.FakeWorkspace
) -> None:
    for _, operations in small.store.values():
        for o in operations:
            o.measures["cost"] = 0
            o.measures["tokens.unpriced"] = sum(v for m, v in o.measures.items() if m.startswith("tokens."))
            o.fields["model"] = "new-model"
    answer = json.loads(run("top", "--json")[1])
    assert answer["measure"] == "tokens.output"
    assert set(answer["unpriced"]) == {"new-model"}


def test_unpriced_models_are_named_beside_the_cost(run: fake.Run, small: fake.FakeWorkspace) -> None:
    first = small.store["bbbb2222-y"][1][0]
    first.measures["tokens.unpriced"] = 100
    first.fields["model"] = "new-model"
    assert "unpriced  new-model 100 tokens" in run("top")[1]
    assert json.loads(run("tree", "--json")[1])["unpriced"] == {"new-model": 100}
    # A frame filter hides which models are behind it: the number stays, the name is not guessed.
    assert json.loads(run("top", "--json", "--focus", "fix")[1])["unpriced"] == {"?": 100}


def test_shared_views_tell_no_names_that_were_asked_for(run: fake.Run, small: fake.FakeWorkspace) -> None:
    first = small.store["bbbb2222-y"][1][0]
    first.measures["tokens.unpriced"] = 100
    first.fields["model"] = "secret-model"
    words = ["--share", "--where", "session=bbbb2222-y", "--focus", "deploy|acme", "--ignore", "acme"]
    shown = run("top", *words)[1] + run("top", "--json", *words)[1]
    assert "acme" not in shown
    assert "secret-model" not in shown
    assert "acme" in run("top", *words[1:])[1]


def test_top_says_which_tokens_they_are(run: fake.Run, small: fake.FakeWorkspace) -> None:
    out = run("top", "--measure", "tokens")[1]
    assert "54% of them are cache read; see --measure tokens.output" in out
    assert "of them are" not in run("top", "--measure", "tokens.output")[1]


def test_options_become_a_query(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    fold_it = small.profile
    monkeypatch.setattr(small, "profile", lambda query: asked.append(query) or fold_it(query))
    words = "--stack stage,tool --where tool=Edit --where stage=a=b --outcome failed --lane separate --share"
    words += " --since 2026-10-01 --until 2026-10-01 --focus a --ignore b --show c --hide d"
    words += " --tagroot project,agent --tagleaf model --tz Asia/Kathmandu"
    run("tree", *words.split())
    query = asked[0]
    assert query.stack == ("stage", "tool")
    assert query.where == (("tool", "Edit"), ("stage", "a=b"), ("outcome", "failure"))
    assert (query.lane, query.share, query.tz) == ("separate", True, "Asia/Kathmandu")
    assert (query.focus, query.ignore, query.show, query.hide) == ("a", "b", "c", "d")
    assert (query.tagroot, query.tagleaf) == (("project", "agent"), ("model",))
    assert query.until - query.since == fake.DAY
    assert query.since == 1_790_792_100_000_000  # midnight in Kathmandu, UTC+05:45


def test_tree_is_indented_and_exact(run: fake.Run, small: fake.FakeWorkspace) -> None:
    lines = run("tree")[1].splitlines()
    assert lines[0] == "cost  $4.01, 6 stacks"
    assert lines[1].split() == ["cum", "cum", "%", "flat", "flat", "%", "intent", ">", "stage", ">", "tool"]
    assert [
        line[line.rindex("%") + 3 :] if "-  " not in line else line.split("-  ")[-1] for line in lines[2:5]
    ] == [
        "deploy service",
        "  start service",
        "    Bash:kubectl",
    ]
    nodes = json.loads(run("tree", "--json", "--nodefraction", "0")[1])
    assert sum(n["flat"] for n in nodes["nodes"]) == nodes["total"]


def test_peek_names_callers_and_callees(run: fake.Run, small: fake.FakeWorkspace) -> None:
    answer = json.loads(run("peek", "^edit", "--json")[1])
    (node,) = answer["nodes"]
    assert node["frame"] == "edit code"
    assert node["flat"] == 10**9  # the prompt has no tool frame
    assert [c["frame"] for c in node["callers"]] == ["deploy service", "fix bug"]
    assert sum(c["value"] for c in node["callers"]) == node["cum"]
    assert sum(c["value"] for c in node["callees"]) == node["cum"] - node["flat"]
    text = run("peek", "^edit")[1]
    assert text.index("deploy service") < text.index("edit code") < text.index("Edit\n")
    assert run("peek", "nothing-like-it") == (
        3,
        "",
        "tracelode: no frame matches REGEX; tracelode tree shows the frames\n",
    )


@pytest.mark.parametrize("command", [["top"], ["tree"], ["peek", "x"], ["flame"]])
def test_nothing_found(
    command: list[str], run: fake.Run, empty: fake.FakeWorkspace, small: fake.FakeWorkspace
) -> None:
    code, out, err = run(*command, "--where", "tool=None")
    assert (code, out) == (3, "")
    assert "nothing matches" in err
    code, out, err = run(*command, "--where", "tool=None", "--json")
    assert code == 3
    assert json.loads(out)["total"] == 0


@pytest.mark.parametrize("command", [["top"], ["tree"], ["peek", "x"], ["flame"], ["sessions"]])
def test_nothing_imported(command: list[str], run: fake.Run, empty: fake.FakeWorkspace) -> None:
    code, out, err = run(*command)
    assert (code, out) == (3, "")
    assert "tracelode demo" in err


def test_flame_in_the_terminal(run: fake.Run, small: fake.FakeWorkspace) -> None:
    lines = run("flame")[1].splitlines()
    assert lines[1].startswith("▌all $4.01")
    assert lines[2].startswith("▌deploy service 99.9%")
    assert lines[4].startswith("▌Bash:kubectl 75%")
    root = json.loads(run("flame", "--json")[1])["root"]
    assert root["value"] == sum(child["value"] for child in root["children"])


def test_a_flame_of_nothing_is_said(run: fake.Run, small: fake.FakeWorkspace) -> None:
    assert "nothing to draw" in run("flame", "--measure", "time.blocked")[1]


def test_a_flame_of_what_no_source_tells_is_unknown(
    run: fake.Run, small: fake.FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold_it = small.profile

    def untold(query: Query) -> Profile:
        found = fold_it(query)
        return msgspec.structs.replace(found, untold={"tokens.reasoning": frozenset(found.totals)})

    monkeypatch.setattr(small, "profile", untold)
    out = run("flame", "--measure", "tokens.reasoning")[1]
    assert "tokens.reasoning is unknown: no source tells it" in " ".join(out.split())
    assert "is 0" not in out


@pytest.mark.parametrize("words", ["top", "tree", "flame", "peek x", "export -o x.json"])
def test_an_empty_list_of_fields_is_a_mistake(words: str, run: fake.Run, small: fake.FakeWorkspace) -> None:
    for option in ("stack", "measure", "tagroot", "tagleaf"):
        for value in ("", ",", " "):
            code, out, err = run(*words.split(), f"--{option}", value)
            assert (code, out) == (2, "")
            assert f"--{option} names no" in err


def test_small_frames_are_named_together() -> None:
    values = {("work", f"tool {i:02d}"): (100 - i,) for i in range(20)} | {("rest",): (10,), ("tiny",): (5,)}
    root = named(build(fold(values.items(), ("cost",))), 80)
    work, other = root.children
    # Neither has room for its name; a name that fits whole stays, however short.
    assert (work.frame, other.frame, other.merged) == ("work", "(other 2)", ("rest", "tiny"))
    assert [child.merged[:2] for child in work.children] == [("tool 00", "tool 01")]
    assert root.cum == sum(child.cum for child in root.children)
    assert _names(["tool 00", "tool 01", "tool 02"], 19) == "tool 00, tool 01 +1"
    assert _names(["tool 00", "tool 01", "tool 02"], 18) == "tool 00 +2"
    assert _names(["tool 00", "tool 01", "tool 02"], 9) == "too…00 +2"
    assert _names(["tool 00", "tool 01", "tool 02"], 6) == "+2"


@given(profiles, st.integers(20, 120))
def test_what_is_put_together_keeps_its_sum(profile: Profile, cells: int) -> None:
    whole = prune(build(profile), None, None)
    merged = named(whole, cells)
    for node in merged.walk():
        assert sum(child.cum for child in node.children) <= node.cum
    assert sum(child.cum for child in merged.children) == sum(child.cum for child in whole.children)
    for line in layout(merged, cells):
        assert all(left.stop <= right.start for left, right in pairwise(line))


@pytest.mark.parametrize("command", ["top", "tree", "flame", "export"])
def test_files(command: str, run: fake.Run, small: fake.FakeWorkspace, tmp_path: Path) -> None:
    target = tmp_path / "p.folded"
    code, out, err = run(command, "-o", str(target))
    assert (code, out) == (0, "")
    assert err == f"wrote {target}: 6 stacks by cost\n"
    assert json.loads(target.read_text())["measures"] == [
        "cost",
        "tokens",
        "tokens.output",
        "time.active",
        "operations",
    ]
    answer = json.loads(run(command, "-o", str(target), "--measure", "calls", "--json")[1])
    assert answer["measures"] == ["calls"]
    assert answer["bytes"] == target.stat().st_size


def test_streams(small: fake.FakeWorkspace, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    from tracelode.__main__ import main

    assert main(["flame", "-o", "-"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["format"] == "svg"
    assert main(["export", "--format", "folded"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["format"] == "folded"


@given(profiles, st.floats(0, 1), st.none() | st.integers(1, 8))
def test_pruning_keeps_the_total(profile: Profile, fraction: float, count: int | None) -> None:
    full = build(profile)
    assert full.cum == profile.total()
    root = prune(full, fraction, count)
    assert root.cum == full.cum
    assert sum(node.flat for node in root.walk()) == profile.total()
    kept = [node for node in root.walk() if node.stack and not node.folded]
    assert count is None or len(kept) <= count
    small = [node for node in kept if node.cum < fraction * full.cum]
    assert count is None or not small
    assert not any(node.children for node in small)  # a lone leaf keeps its name
    nodes = sum(1 for _ in full.walk())
    assert sum(node.folded or 1 for node in root.walk()) == nodes


@given(profiles)
def test_a_frame_that_recurs_counts_once(profile: Profile) -> None:
    found = around(profile, {"a"})
    expected = sum(v[0] for stack, v in profile.totals.items() if "a" in stack)
    assert sum(entry.cum for entry in found.values()) == expected
    assert sum(entry.flat for entry in found.values()) == sum(
        v[0] for stack, v in profile.totals.items() if stack[-1] == "a"
    )


@given(profiles, st.integers(20, 200))
def test_bars_lie_below_their_parents(profile: Profile, cells: int) -> None:
    lines = layout(build(profile), cells)
    assert (lines[0][0].start, lines[0][0].stop) == (0, cells)
    above = {lines[0][0].node.stack: lines[0][0]}
    for line in lines[1:]:
        for left, right in pairwise(line):
            assert left.stop <= right.start
        for bar in line:
            parent = above[bar.node.stack[:-1]]
            assert parent.start <= bar.start < bar.stop <= parent.stop
            assert abs((bar.stop - bar.start) - bar.node.cum * cells / profile.total()) <= 1
        above = {bar.node.stack: bar for bar in line}
