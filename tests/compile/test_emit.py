"""Are the artefacts of a workflow what their readers take, and is nothing of a trace ever code or a path?"""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compile.compiled import CITIES, compiled
from compile.emitting import REFUSAL, arg, bookings, hostile, partial
from tracelode.compile.emit import ARTEFACTS, emit
from tracelode.compile.emit.names import file_name, identifier, slug
from tracelode.compile.emit.removable import removable
from tracelode.compile.files import dump, load
from tracelode.errors import UsageError, WorkflowError
from tracelode.model import binding as b
from tracelode.model.workflow import Effect, Refused, Step

KEPT = replace(compiled(), options=replace(compiled().options, keep_values=True))
WITHOUT_RUNS = [n for n, form in ARTEFACTS.items() if not form.runs and n != "arazzo"]


def test_every_form_is_there_and_loads() -> None:
    assert list(ARTEFACTS) == [
        "json",
        "schema",
        "python",
        "skill",
        "mcp",
        "arazzo",
        "mermaid",
        "dot",
        "html",
        "evidence",
        "pprof",
        "pytest",
    ]
    assert all(callable(form.function) and form.description for form in ARTEFACTS.values())


def test_several_forms_are_made_at_once_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = emit(bookings(), WITHOUT_RUNS)
    assert {"workflow.json", "workflow.mmd", "workflow.dot", "workflow.html", "mcp/server.py"} <= set(files)
    assert files == emit(bookings(), WITHOUT_RUNS)
    assert not list(tmp_path.iterdir())


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(UsageError, match="no form 'yaml'; there are: json, schema"):
        emit(bookings(), ["yaml"])


@pytest.mark.parametrize("name", [n for n, form in ARTEFACTS.items() if form.runs])
def test_what_needs_the_runs_says_so(name: str) -> None:
    with pytest.raises(WorkflowError, match="does not hold its runs"):
        emit(bookings(), [name])


@pytest.mark.parametrize("name", [n for n in ARTEFACTS if n not in ("schema", "html", "evidence")])
def test_what_was_refused_says_so(name: str) -> None:
    refused = replace(compiled(), verdict=Refused(intent="i_1", refusals=(REFUSAL,)))
    with pytest.raises(WorkflowError, match=r"i_1: the intent was refused \(R1\)"):
        emit(refused, [name])


@pytest.mark.parametrize("name", WITHOUT_RUNS)
def test_names_of_a_trace_are_no_paths(name: str) -> None:
    for path in emit(hostile(), [name]):
        parts = path.split("/")
        assert not path.startswith("/")
        assert all(re.fullmatch(r"[A-Za-z0-9._-]+", part) and part not in (".", "..") for part in parts)


# the file and its schema


def test_the_file_is_what_dump_writes_and_load_reads(tmp_path: Path) -> None:
    for workflow in (bookings(), partial(), compiled().verdict):
        dump(workflow, tmp_path / "dumped.json")
        data = emit(workflow, ["json"])["workflow.json"]
        assert data == (tmp_path / "dumped.json").read_bytes()
        (tmp_path / "w.json").write_bytes(data)
        assert msgspec.structs.replace(load(tmp_path / "w.json"), digest="") == msgspec.structs.replace(
            workflow, digest=""
        )


def test_the_schema_takes_workflows_and_refuses_others() -> None:
    schema = json.loads(emit(bookings(), ["schema"])["workflow.schema.json"])
    check = jsonschema.Draft202012Validator(schema)
    check.check_schema(schema)
    for workflow in (bookings(), partial(), hostile(), compiled().verdict):
        check.validate(json.loads(emit(workflow, ["json"])["workflow.json"]))
    broken = json.loads(emit(bookings(), ["json"])["workflow.json"])
    broken["steps"][0]["arguments"][0]["binding"]["kind"] = "code"
    assert not check.is_valid(broken)
    del broken["steps"]
    assert not check.is_valid(broken)


# names


@given(st.text(max_size=80))
def test_names_are_safe(text: str) -> None:
    assert re.fullmatch(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?", slug(text))
    assert identifier(text, ("value",)).isidentifier()
    assert "/" not in file_name(text, text)


def test_names_are_not_taken_twice() -> None:
    assert identifier("class", ()) == "class_2"
    assert identifier("print", ()) == "print_2"
    assert identifier("a b", ("a_b",)) == "a_b_2"
    assert identifier("7", ()) == "value_7"


# graphs


def test_mermaid_has_every_step_and_link() -> None:
    lines = emit(bookings(), ["mermaid"])["workflow.mmd"].decode().splitlines()
    assert lines[0] == "flowchart TD"
    assert '    s2["search_hotels#35;1"]' in lines
    assert '    s6[["book#35;1<br/>writes"]]' in lines
    assert '    s1 -->|"city"| s2' in lines
    assert '    s2 -.->|"text"| s5' in lines
    assert "    s4 ==> s6" in lines


def test_dot_is_taken_by_graphviz_rules() -> None:
    text = emit(hostile(), ["dot"])["workflow.dot"].decode()
    strings = re.findall(r'"(?:[^"\\]|\\.)*"', text)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "S", text)
    assert len(strings) > 10
    assert re.fullmatch(r"[A-Za-z0-9_=\[\];,{}>\- \n]*", bare)
    assert "\u202e" not in text


def test_hostile_names_stay_inside_mermaid_labels() -> None:
    for line in emit(hostile(), ["mermaid"])["workflow.mmd"].decode().splitlines():
        assert line.count('"') in (0, 2)
        assert "<img" not in line


# evidence


def test_evidence_lines_have_the_form_of_the_specification() -> None:
    lines = [json.loads(line) for line in emit(compiled(), ["evidence"])["evidence.jsonl"].splitlines()]
    assert len(lines) == len(compiled().evidence) > 12
    one = next(e for e in lines if e["consumer"]["slot"] == "list_hotels#1" and e["arg"] == "city")
    assert one["workflow"] == compiled().verdict.id
    assert one["producer"]["gpath"] == "found[*].id"
    assert one["verdict"] == "hard"
    assert set(one["value"]) == {"sha", "type", "length", "bits"}
    assert not any(code in json.dumps(lines) for code in ("c-1871", "h-55120"))


def test_no_form_holds_values_of_the_runs_unless_that_was_asked() -> None:
    said = ("Show me", "with 3 stars", *(word for city in CITIES for word in city))
    made = {}
    for name in ARTEFACTS:
        if name == "pytest":
            with pytest.raises(WorkflowError, match="made with --keep-values only"):
                emit(compiled(), [name])
        elif name != "arazzo":
            made.update(emit(compiled(), [name]))
    assert len(made) > 12
    for name, data in made.items():
        assert not [word for word in said if word.encode() in data], name
    # the check can fail: with values the folds hold them
    assert b"c-1871" in emit(KEPT, ["pytest"])["folds.json"]


def test_values_are_kept_only_where_that_was_asked() -> None:
    work = compiled()
    told = tuple(
        msgspec.structs.replace(e, value=msgspec.structs.replace(e.value, text="c-1871"))
        for e in work.evidence[:1]
    )
    quiet = emit(replace(work, evidence=told), ["evidence"])["evidence.jsonl"]
    assert b"c-1871" not in quiet
    loud = replace(work, evidence=told, options=replace(work.options, keep_values=True))
    assert json.loads(emit(loud, ["evidence"])["evidence.jsonl"])["value"]["repr"] == "c-1871"


# the folds


def _pytest(folder: Path) -> str:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-rs",
            "--rootdir",
            str(folder),
            "test_workflow.py",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_the_folds_are_green_and_a_changed_binding_is_red(tmp_path: Path) -> None:
    files = emit(KEPT, ["pytest"])
    assert files == emit(KEPT, ["pytest"])
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert re.search(r"^19 passed\b", _pytest(tmp_path), re.M)
    (name,) = (n for n in files if n not in ("test_workflow.py", "folds.json"))
    source = files[name].decode()
    assert "'found', 0, 'id'" in source
    (tmp_path / name).write_text(source.replace("'found', 0, 'id'", "'found', 0, 'name'"))
    assert re.search(r"^6 failed, 13 passed\b", _pytest(tmp_path), re.M)


def test_the_folds_hold_digests_of_arguments_and_only_what_is_read() -> None:
    told = json.loads(emit(KEPT, ["pytest"])["folds.json"])
    run = next(r for r in told["runs"] if r["run"] == "oslo")
    assert run["inputs"] == {"name": "Oslo"}
    assert run["outputs"] == {
        "find_city#1": {"found": [{"id": "c-1871"}]},
        "list_hotels#1": {"hotels": [{"key": "h-55120"}]},
    }
    assert all(re.fullmatch("[0-9a-f]{32}", c["arguments"]) for c in run["calls"])
    assert "Bristol" not in json.dumps(told)


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda t: st.lists(t, max_size=3) | st.dictionaries(st.sampled_from("abc"), t, max_size=3),
        max_leaves=9,
    )
)
def test_what_is_pruned_is_not_read(tree: Any) -> None:
    from tracelode.compile.emit.reads import pruned, reads
    from tracelode.compile.evaluate import Missing, Scene, arguments

    picks = ((b.At(-1),), (b.Where("a", "eq", b.Constant(1), first=True),), (b.Least("b"),))
    bound = [
        b.Copy("p#1", "a.b"),
        b.Copy("p#1", "a[0]"),
        b.Copy("p#1", "a[-1].c"),
        b.Copy("p#1", "[*].a"),
        b.Copy("p#1", "{*}"),
        *(b.Selected("p#1", "a", p, "c") for p in picks),
        *(b.Selected("p#1", "", p, "") for p in picks),
    ]
    for binding in bound:
        step = Step(slot="s#1", tool="s", arguments=(arg("x", binding),), effect=Effect("read", "declared"))
        kept = reads(bookings(steps=(step,), edges=()))["p#1"]
        outcomes = []
        for output in (tree, pruned(tree, kept)):
            try:
                outcomes.append(arguments(step, Scene({}, {"p#1": output})))
            except Missing as missing:
                outcomes.append(missing.code)
        assert outcomes[0] == outcomes[1]


# removable cost


def test_removable_cost_is_a_profile_that_pprof_takes() -> None:
    from tracelode.exports.pprof import PprofExporter

    work = compiled()
    runs = tuple(
        replace_calls(
            run, lambda n: {"tokens.input_fresh": 100 + n, "tokens.output": 7, "cost": 5_000, "time.tool": 20}
        )
        for run in work.runs
    )
    priced = replace(work, runs=runs)
    profile = removable(priced)
    assert profile.fields == ("intent", "tool", "class")
    assert profile.measures[:3] == ("calls", "tokens", "time")
    assert profile.total(0) == work.verification.saved["tool_calls"] == 19
    assert profile.totals[("test", "find_city", "redundant")][0] == 1
    assert profile.totals[("test", "find_city", "essential")][0] == 6
    assert profile.total(profile.place("cost")) == 19 * 5_000
    assert profile.total(profile.place("tokens")) == sum(107 + c.index for r in runs for c in r.calls)
    stream = io.BytesIO()
    PprofExporter().write(profile, stream)
    assert b"redundant" in gzip.decompress(stream.getvalue())


def replace_calls(run: Any, measures: Any) -> Any:
    calls = tuple(msgspec.structs.replace(c, measures=measures(c.index)) for c in run.calls)
    return msgspec.structs.replace(run, calls=calls)


def test_a_measure_that_no_call_tells_is_left_out_and_a_refused_intent_saves_nothing() -> None:
    assert removable(compiled()).measures == ("calls",)
    refused = replace(compiled(), verdict=Refused(intent="i_1", refusals=(REFUSAL,)))
    assert removable(refused).total() == 0
