"""Do the short ways through telemetry say what the long ones say?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otlp import Telemetry
from sources.test_otel_cases import operations, skipped, tokens
from tracelode.model.operation import Operation, Origin
from tracelode.signals.told import Repeats, repeats
from tracelode.sources.otel.reader import single

PLACE = Origin("otel", "x", 1)
kinds = st.sampled_from(["model", "tool", "prompt", "note", "subagent"])
told = st.sampled_from([None, None, "log", "message", "total"])
measures = st.sampled_from([{}, {"tokens.output": 5}, {"tokens.output": 5, "tokens.input_fresh": 7}])


@st.composite
def families(draw: Any) -> list[Operation]:
    """Operations of one trace, each below one before it or at the top."""
    found: list[Operation] = []
    for number in range(draw(st.integers(0, 6))):
        fields = {"trace": "t"}
        by, native = draw(told), draw(st.sampled_from([None, "a"]))
        fields |= {"told_by": by} if by else {}
        fields |= {"native": native} if native else {}
        above = draw(st.sampled_from([None, *(o.id for o in found)]))
        found.append(
            Operation(
                session="s", index=0, id=str(number), actor="agent", kind=draw(kinds), name="x",
                started=draw(st.sampled_from([None, 5, 6])), ended=draw(st.sampled_from([None, 7])),
                parent=above, fields=fields, measures=draw(measures), origin=PLACE,
            )
        )  # fmt: skip
    return found


@given(family=families())
def test_where_a_family_is_called_single_nothing_is_told_twice(family: list[Operation]) -> None:
    if single(family):
        assert repeats(family) == Repeats()


def test_one_call_with_its_prompt_is_single() -> None:
    t = Telemetry()
    t.chat(0, 1, input=5, gen__ai_input_messages='[{"role": "user", "content": "Why?"}]')
    found = operations(t.json())
    assert [o.kind for o in found] == ["prompt", "model"]
    assert single(found)
    assert not single([*found, *found])


def test_of_several_names_for_one_count_the_best_that_is_a_count_is_taken() -> None:
    t = Telemetry()
    worse = {"llm.usage.prompt_tokens": 9, "gen_ai.usage.prompt_tokens": 7}
    t.chat(0, 1, output=2)["attributes"] += Telemetry().span("x", worse)["attributes"]
    assert tokens(t.json()) == {"input_fresh": 7, "output": 2, "calls": 1}
    assert skipped(t.json()) == {}
    t.chat(2, 3, gen__ai_usage_input__tokens="many", gen__ai_usage_prompt__tokens="4")
    assert tokens(t.json()) == {"input_fresh": 11, "output": 2, "calls": 2}
    assert skipped(t.json()) == {"token count that is no number left out": 1}


@pytest.mark.parametrize("text", ["<redacted>", "  [REDACTED]\n", "<REDACTED> and more", "x" * 5_000])
def test_what_a_writer_kept_to_itself_is_no_text(text: str) -> None:
    t = Telemetry()
    t.tool("bash", 0, 1, result=text)
    (tool,) = [o for o in operations(t.json()) if "tool" in o.fields]
    assert tool.output == ("" if len(text) < 14 else text)
    assert tool.measures.get("bytes.output", 0) == len(tool.output)


def test_the_size_of_an_output_is_that_of_its_bytes() -> None:
    t = Telemetry()
    t.tool("bash", 0, 1, result="größer")
    (tool,) = [o for o in operations(t.json()) if "tool" in o.fields]
    assert tool.measures["bytes.output"] == 8
