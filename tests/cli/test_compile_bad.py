"""What do the compiler's commands say to bad input? A clear message and a code, never an exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.fake import Run
from compile.chats import orders, store, talk

KEY = "sk-ant-api03-" + "A7f3kQ9z" * 11 + "AA"
"""Shaped like a secret, and nobody's."""
CODES = (0, 3, 4)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRACELODE_STORE", str(tmp_path / "store"))


def made(
    tmp_path: Path, talks: list[dict[str, Any]], run: Run, *words: str, ended: str = "success"
) -> tuple[int, str, str]:
    store(tmp_path, talks, ended=ended)
    found: tuple[int, str, str] = run("compile", "--all", *words)
    return found


def test_outputs_that_are_prose(tmp_path: Path, run: Run) -> None:
    text = "The customer of this order is {} since long ago."
    code, out, _ = made(tmp_path, orders(6, text), run, "-o", "made")
    assert code == 0
    assert "compiled" in out
    told = json.loads(run("compile", "--json")[1])["workflow"]["steps"][1]["arguments"][0]
    assert told["binding"]["kind"] == "span"
    assert told["proof"] == "hard"


def test_outputs_that_are_broken_json(tmp_path: Path, run: Run) -> None:
    code, out, err = made(tmp_path, orders(5, '{"customer": "{}", "rows": [1, 2,'), run)
    assert code in CODES
    assert "unexpected" not in err
    assert "R" in out or "compiled" in out


def test_outputs_of_ten_megabytes(tmp_path: Path, run: Run) -> None:
    rows = [{"i": i, "text": "x" * 90} for i in range(90_000)]
    big = json.dumps({"customer": "{}", "rows": rows})
    assert len(big) > 10_000_000
    code, _, err = made(tmp_path, orders(3, big), run)
    assert code in CODES
    assert "unexpected" not in err


def test_outputs_nested_without_end(tmp_path: Path, run: Run) -> None:
    deep = '{"customer": "{}", "a": ' + "[" * 3_000 + "]" * 3_000 + "}"
    code, _, err = made(tmp_path, orders(5, deep), run)
    assert code in CODES
    assert "unexpected" not in err


def test_results_that_are_missing(tmp_path: Path, run: Run) -> None:
    talks = orders(6)
    for one in talks:
        one["messages"] = [m for m in one["messages"] if m["role"] != "tool"]
    code, out, _ = made(tmp_path, talks, run, "--json")
    (refused,) = json.loads(out)["compiled"]
    assert code == 4
    assert [(r["code"], r["step"], r["argument"]) for r in refused["refusals"]] == [
        ("R4", "open_ticket#1", "customer")
    ]


def test_ids_that_come_twice(tmp_path: Path, run: Run) -> None:
    talks = orders(6)
    for one in talks:
        for message in one["messages"]:
            for call in message.get("tool_calls", ()):
                call["id"] = "same"
            if "tool_call_id" in message:
                message["tool_call_id"] = "same"
    code, out, _ = made(tmp_path, [*talks, *talks[:2]], run, "--json")
    (found,) = json.loads(out)["compiled"]
    assert code == 0
    assert found["verdict"] == "compiled"
    # two of them say word for word what others do
    assert (len(found["runs"]), found["copies"]) == (6, 2)


def test_runs_whose_outcome_nobody_told(tmp_path: Path, run: Run) -> None:
    store(tmp_path, orders(6), ended=None)
    code, out, _ = run("compile")
    assert code == 0
    assert "nobody said that its runs succeeded" in out
    assert "say how its runs ended (tracelode outcome)" in " ".join(out.split())


def test_runs_that_all_failed(tmp_path: Path, run: Run) -> None:
    code, out, _ = made(tmp_path, orders(6), run, ended="failure")
    assert code == 4
    assert "R3" in out


@pytest.mark.parametrize("count", [1, 2])
def test_too_few_runs_of_a_kind(tmp_path: Path, run: Run, count: int) -> None:
    store(tmp_path, orders(count))
    code, out, err = run("intents", "--json")
    assert code == 3
    assert "R13" in json.loads(out)["reason"]
    assert "R13" in err
    assert run("compile")[0] == 3
    assert json.loads(run("compile", "--json")[1])["compiled"] == []


def test_a_store_without_tool_calls(tmp_path: Path, run: Run) -> None:
    store(tmp_path, [talk("a", "Tell me a tale", []), talk("b", "Tell me another tale", [])])
    code, _, err = run("intents")
    assert code == 3
    assert "no tool call in 2 sessions" in err


def test_three_runs_are_provisional_and_say_how_many_are_missing(tmp_path: Path, run: Run) -> None:
    store(tmp_path, orders(3))
    code, out, _ = run("compile")
    assert code == 0
    assert "2 more successful runs make this workflow proven" in " ".join(out.split())


def test_secrets_among_constants(tmp_path: Path, run: Run) -> None:
    talks = orders(6)
    for one in talks:
        call = one["messages"][3]["tool_calls"][0]["function"]
        call["arguments"] = json.dumps({**json.loads(call["arguments"]), "token": KEY})
    code, out, err = made(tmp_path, talks, run, "--json", "-o", "made", "--keep-values")
    (found,) = json.loads(out)["compiled"]
    assert code == 0
    assert found["verdict"] == "partial"
    assert [(r["code"], r["argument"]) for r in found["refusals"]] == [("R8", "token")]
    assert [step["slot"] for step in found["workflow"]["steps"]] == ["find_order#1"]
    assert KEY not in out + err
    assert not any(KEY in path.read_text() for path in Path("made").rglob("*") if path.is_file())


def compiled(tmp_path: Path, run: Run) -> Path:
    store(tmp_path, orders(6))
    assert run("compile", "-o", "made")[0] == 0
    return tmp_path / "made" / "workflow.json"


@pytest.mark.parametrize(
    "words", [("verify", "made"), ("run", "made", "--tools", "json:loads"), ("explain", "e1", "made")]
)
def test_a_file_that_was_edited(tmp_path: Path, run: Run, words: tuple[str, ...]) -> None:
    file = compiled(tmp_path, run)
    file.write_text(file.read_text().replace('"approval": true', '"approval": false'))
    code, _, err = run(*words)
    assert code == 4
    assert "it was edited after it was compiled" in " ".join(err.split())
    if words[0] == "verify":
        # the edit is seen all the same: the runs give another workflow
        assert run(*words, "--accept-edits")[0] == 4


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"schema_version": 9}, "made by a newer tracelode"),
        ({"schema_version": 0}, "names no version"),
        ({"steps": 3}, "Expected `array`"),
        ({"trust": "blindly"}, "wrong value"),
    ],
)
def test_a_file_of_another_form(tmp_path: Path, run: Run, change: dict[str, Any], why: str) -> None:
    file = compiled(tmp_path, run)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    code, _, err = run("verify", "made")
    assert code == 1
    assert why in " ".join(err.split())


def test_a_file_that_is_cut(tmp_path: Path, run: Run) -> None:
    file = compiled(tmp_path, run)
    file.write_text(file.read_text()[:200])
    code, _, err = run("run", "made", "--tools", "json:loads")
    assert code == 1
    assert "it is no JSON" in " ".join(err.split())


def test_steps_that_wait_for_each_other(tmp_path: Path, run: Run) -> None:
    file = compiled(tmp_path, run)
    tree = json.loads(file.read_text())
    tree["steps"][0]["after"] = ["open_ticket#1"]
    file.write_text(json.dumps(tree))
    code, _, err = run("verify", "made", "--accept-edits")
    assert code == 1
    assert "wait for each other" in " ".join(err.split())


def test_descriptions_that_refer_to_themselves(tmp_path: Path, run: Run) -> None:
    store(tmp_path, orders(6))
    circle = {"$ref": "#/components/schemas/A"}
    document = {
        "openapi": "3.1.0",
        "paths": {
            "/order": {"get": {"operationId": "find_order", "parameters": [
                {"name": "order", "in": "query", "schema": circle}]}}
        },
        "components": {"schemas": {"A": {"properties": {"a": circle}}}},
    }  # fmt: skip
    Path("api.json").write_text(json.dumps(document))
    Path("loop.yaml").write_text("a: &a [*a]\n")
    code, out, err = run("compile", "--declare", "api.json", "--declare", "loop.yaml", "--emit", "arazzo")
    assert code == 0
    assert "compiled" in out
    assert "loop.yaml" in err
    assert "unexpected" not in err
    code, _, err = run(
        "run", "--tools", "openapi:api.json@http://127.0.0.1:9/", "--input", "order=O-1", "--no-ask"
    )
    assert code == 4
    assert "unexpected" not in err


@pytest.mark.parametrize(
    "text", ["not toml at all [", '[effects]\nopen_ticket = "harmless"\n', "[other]\nx = 1\n", "\x00\xff"]
)
def test_declarations_that_say_nothing(tmp_path: Path, run: Run, text: str) -> None:
    store(tmp_path, orders(6))
    Path("mine.toml").write_bytes(text.encode("latin-1"))
    code, _, err = run("compile", "--declare", "mine.toml")
    assert code == 0
    assert "mine.toml" in err


def test_a_look_whose_id_came_from_nowhere_ends_the_workflow(tmp_path: Path, run: Run) -> None:
    talks = []
    for n in range(6):
        order, customer = f"ORD-{4711 + 977 * n}", f"CUST{1000 + 37 * n}"
        calls = [
            ("find_order", {"id": order}, {"state": "open"}),
            ("get_customer", {"customer": customer}, {"name": f"Name{n}Odd{n * 7}"}),
            ("get_address", {"name": f"Name{n}Odd{n * 7}"}, {"town": "Kiel"}),
        ]
        talks.append(talk(f"{n:02}", f"Where does the customer of order {order} live?", calls))
    _, out, _ = made(tmp_path, talks, run, "--json")
    (found,) = json.loads(out)["compiled"]
    # what could never be bound is no step of what is said to be compiled
    assert found["verdict"] != "compiled"
    assert ("R4", "get_customer#1") in [(r["code"], r["step"]) for r in found["refusals"]]
    kept = found["workflow"]["steps"] if found["workflow"] else []
    assert "unsourced" not in [a["binding"]["kind"] for step in kept for a in step["arguments"]]


def test_arguments_that_are_no_json(tmp_path: Path, run: Run) -> None:
    talks = orders(6)
    for one in talks:
        for message in one["messages"]:
            for call in message.get("tool_calls", ()):
                if call["function"]["name"] == "open_ticket":
                    call["function"]["arguments"] = "{bad json"
    _, out, _ = made(tmp_path, talks, run, "--json")
    (found,) = json.loads(out)["compiled"]
    assert found["verdict"] != "compiled"
    assert ("R1", "6 of 6 calls of open_ticket have arguments that are no JSON") in [
        (r["code"], r["message"]) for r in found["refusals"]
    ]


def test_an_embedder_that_is_not_there(tmp_path: Path, run: Run) -> None:
    store(tmp_path, orders(6))
    code, _, err = run("intents", "--embedder", "nobody")
    assert code == 1
    assert "no embedders adapter 'nobody'" in err
