"""Are the bundled runs of the travel desk what their writer writes, and what its tools answer?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tracelode import samples
from tracelode.samples import desk


def test_they_are_written_the_same_every_time(project: Path, tmp_path: Path) -> None:
    words = [sys.executable, str(project / "tools" / "make_travel.py"), "--out", str(tmp_path)]
    subprocess.run(words, check=True)
    for path in samples.travel().iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_recorded_answer_is_the_answer_of_the_tool() -> None:
    tools = {function.__name__: function for function in desk.TOOLS}
    seen = 0
    for line in (samples.travel() / "runs.jsonl").read_text(encoding="utf-8").splitlines():
        asked: dict[str, dict[str, str]] = {}
        for message in json.loads(line)["messages"]:
            for call in message.get("tool_calls", ()):
                asked[call["id"]] = call["function"]
            if message["role"] == "tool":
                call = asked[message["tool_call_id"]]
                told = tools[call["name"]](**json.loads(call["arguments"]))  # type: ignore[operator]
                assert json.loads(message["content"]) == told
                seen += 1
    assert seen == 46


def test_every_tool_is_declared() -> None:
    told = json.loads((samples.travel() / "tools.json").read_text(encoding="utf-8"))["tools"]
    assert {one["name"]: one["annotations"] for one in told} == desk.HINTS
    assert set(desk.HINTS) == {function.__name__ for function in desk.TOOLS}
