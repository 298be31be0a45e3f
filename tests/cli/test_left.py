"""Is it told on the terminal which calls a workflow leaves out?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.fake import Run
from compile.chats import Called, store, talk
from tracelode.cli.compile_text import many
from tracelode.cli.left_text import MOST, draw_left
from tracelode.cli.screen import Screen
from tracelode.model.compiled import Left


def cleaning(tool: str) -> list[dict[str, object]]:
    found = []
    for n in range(6):
        calls: list[Called] = [
            (tool, {"host": f"host-{311 + n * 17}"}, {"sky": f"cloud{n}less"}),
            ("find_owner", {"host": f"host-{311 + n * 17}"}, {"owner": f"K-{4100 + n * 37}"}),
            ("open_ticket", {"owner": f"K-{4100 + n * 37}"}, {"ticket": f"T{n}"}),
        ]
        found.append(talk(f"{n:02}", f"Please clean host-{311 + n * 17} and tell the owner.", calls))
    return found


@pytest.mark.parametrize("tool", ["scan_and_quarantine", "list_item_for_sale", "get_weather"])
def test_the_command_names_what_is_left_out(tool: str, tmp_path: Path, run: Run) -> None:
    workspace = store(tmp_path, cleaning(tool))
    (one,) = workspace.compile()
    out = run("compile", one.intent.id, "--store", str(tmp_path / "store"), "-o", str(tmp_path / "made"))[1]
    text = " ".join(out.split())
    if tool == "get_weather":
        assert (
            "get_weather is left out: 6 calls in 6 of 6 runs, nothing used what it told; only its name"
            in text
        )
        assert "if it changes anything, declare it" in text
        shown = run("compile", one.intent.id, "--json", "--store", str(tmp_path / "store"))[1]
        (left,) = json.loads(shown)["left_out"]
        assert (left["tool"], left["calls"], left["doubtful"]) == ("get_weather", 6, True)
    else:
        assert one.left == ()
        assert one.workflow is not None
        assert f"{tool}#1" in [step.slot for step in one.workflow.steps]
        assert "left out:" not in text


def test_below_a_line_for_each_intent_doubts_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (one,) = store(tmp_path, cleaning("get_weather")).compile()
    many(Screen(), [one, one])
    text = " ".join(capsys.readouterr().out.split())
    assert f"{one.intent.id} leaves out get_weather, known to look by name alone: if it changes" in text


def test_many_tools_are_counted_and_doubt_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    sure = [Left(tool=f"get_{n}", kind="exploratory", calls=1, runs=1, of=9) for n in range(MOST + 2)]
    doubt = Left(tool="get_z", kind="dead_output", calls=9, runs=9, of=9, named=True, doubtful=True)
    draw_left(Screen(), [*sure, doubt], 10)
    lines = capsys.readouterr().out.splitlines()
    assert "get_z is left out: 9 calls in 9 of 9 runs" in lines[0]
    assert "and 3 more tools" in lines[-1]
