"""Are real commands and functions called as they are allowed to be, and ended with all that they started?"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tracelode.errors import ToolError, ToolFailed, ToolUnsure, UsageError
from tracelode.providers.tools_python import PythonTools
from tracelode.providers.tools_shell import Command, ShellTools
from tracelode.providers.tools_together import ToolsTogether

PY = sys.executable


def run(command: Command, arguments: Any, key: str = "", **more: Any) -> Any:
    return asyncio.run(ShellTools([command], **more).call(command.name, arguments, key))


def test_words_are_never_read_by_a_shell(tmp_path: Path) -> None:
    echo = Command(name="echo", words=("printf", "%s|%s", "{a}", "--to={b}"))
    assert run(echo, {"a": "$(touch x); `ls` > y", "b": 5}) == "$(touch x); `ls` > y|--to=5"
    json_ = Command(name="j", words=(PY, "-c", 'print("[1, 2]")'), output="json")
    assert run(json_, {}) == [1, 2]


def test_what_is_not_allowed_is_not_started() -> None:
    form = Command(name="show", words=("echo", "{name}"), allowed={"name": "[a-z]+"}, optional=("name",))
    for given in ({"name": "A"}, {"other": "x"}, {"name": True}, {"name": ["x"]}, {"name": "a\nb"}):
        with pytest.raises(ToolFailed) as raised:
            run(form, given)
        assert raised.value.kind == "refused"
    assert run(form, {}) == "\n"
    loose = Command(name="rm", words=("echo", "{file}"))
    with pytest.raises(ToolFailed, match="as an option"):
        run(loose, {"file": "-rf"})
    guarded = Command(name="rm", words=("echo", "--", "{file}"))
    assert run(guarded, {"file": "-rf"}).strip().endswith("-rf")
    with pytest.raises(ToolFailed, match="no allowed command"):
        asyncio.run(ShellTools([loose]).call("ls", {}, ""))
    for words in ((), ("{program}", "x")):
        with pytest.raises(UsageError, match="fixed program"):
            ShellTools([Command(name="x", words=words)])


@pytest.mark.parametrize(
    ("code", "error", "kind"),
    [
        ("raise SystemExit(3)", ToolFailed, "failed"),
        ("import os; os.kill(os.getpid(), 9)", ToolUnsure, "cut"),
        ("import time; time.sleep(60)", ToolUnsure, "timeout"),
        ("print('x' * (9 << 20))", ToolUnsure, "large"),
        ("print('{')", ToolUnsure, "malformed"),
    ],
)
def test_how_a_command_ends_is_told_apart(code: str, error: type[ToolError], kind: str) -> None:
    with pytest.raises(error) as raised:
        run(Command(name="c", words=(PY, "-c", code), output="json"), {}, timeout=1.0)
    assert raised.value.kind == kind


def test_a_command_that_is_not_there_was_not_run() -> None:
    with pytest.raises(ToolFailed) as raised:
        run(Command(name="c", words=("no-such-program-anywhere",)), {})
    assert raised.value.kind == "unreachable"


def test_all_that_a_command_started_is_ended(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = (
        "import subprocess, sys, time; p = subprocess.Popen(['sleep', '300']);"
        "open(sys.argv[1], 'w').write(str(p.pid)); time.sleep(300)"
    )
    with pytest.raises(ToolUnsure):
        run(Command(name="c", words=(PY, "-c", code, "{file}")), {"file": str(child)}, timeout=1.0)
    pid = int(child.read_text())
    until = time.monotonic() + 5
    while time.monotonic() < until:
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.02)
    os.kill(pid, 9)
    pytest.fail("it still runs")


def test_a_command_sees_named_variables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_NOBODY", "x")
    code = "import os; print('SECRET_OF_NOBODY' in os.environ, 'PATH' in os.environ)"
    assert run(Command(name="c", words=(PY, "-c", code)), {}) == "False True\n"
    named = Command(name="c", words=(PY, "-c", code), environment=("SECRET_OF_NOBODY",))
    assert run(named, {}) == "True True\n"


def test_a_command_may_take_the_key_of_a_write() -> None:
    form = Command(name="c", words=("echo", "{idempotency_key}"), optional=("idempotency_key",))
    assert run(form, {}, key="k1") == "k1\n"


@dataclass
class Room:
    id: int


def test_functions_are_tools() -> None:
    def find(city: str, most: int = 3, tags: list[str] | None = None) -> list[Room]:
        """Find rooms."""
        return [Room(most)]

    async def book(room: int, *, idempotency_key: str = "") -> dict[str, Any]:
        return {"room": room, "key": idempotency_key}

    def broken(**_: Any) -> None:
        raise ValueError("secret words")

    box = PythonTools({"find": find, "book": book, "broken": broken, "strange": object.__new__}, server="own")
    specs = {spec.name: spec for spec in asyncio.run(box.describe())}
    assert specs["find"].parameters["properties"] == {
        "city": {"type": "string"},
        "most": {"type": "integer"},
        "tags": {"type": ["array", "null"]},
    }
    assert specs["find"].parameters["required"] == ["city"]
    assert asyncio.run(box.call("find", {"city": "Rome"}, "")) == [{"id": 3}]
    assert asyncio.run(box.call("book", {"room": 1}, "k", server="own")) == {"room": 1, "key": "k"}
    with pytest.raises(ToolFailed) as raised:
        asyncio.run(box.call("find", {"town": "Rome"}, ""))
    assert raised.value.kind == "refused"
    with pytest.raises(ToolUnsure) as unsure:
        asyncio.run(box.call("broken", {}, ""))
    assert "secret words" not in str(unsure.value)


def test_an_answer_that_is_no_json_is_unsure() -> None:
    with pytest.raises(ToolUnsure) as raised:
        asyncio.run(PythonTools({"odd": lambda: object()}).call("odd", {}, ""))
    assert raised.value.kind == "malformed"


@pytest.mark.parametrize("inner", [b"TK-1", bytearray(b"TK-1"), memoryview(b"TK-1")])
def test_bytes_are_no_text_that_anybody_recorded(inner: Any) -> None:
    def raw() -> Any:
        return {"tickets": [{"ticket": inner}]}

    with pytest.raises(ToolUnsure, match="no JSON value"):
        asyncio.run(PythonTools({"raw": raw}).call("raw", {}, ""))


def test_an_answer_that_holds_itself_is_unsure() -> None:
    def loop() -> Any:
        found: dict[str, Any] = {}
        found["self"] = [found]
        return found

    with pytest.raises(ToolUnsure, match="no JSON value"):
        asyncio.run(PythonTools({"loop": loop}).call("loop", {}, ""))


def test_several_toolboxes_are_one() -> None:
    one = PythonTools({"a": lambda: 1, "both": lambda: 1}, server="one")
    two = PythonTools({"b": lambda: 2, "both": lambda: 2}, server="two")
    box = ToolsTogether([one, two])
    assert [(s.server, s.name) for s in asyncio.run(box.describe())] == [
        ("one", "a"), ("one", "both"), ("two", "b"), ("two", "both"),
    ]  # fmt: skip
    assert asyncio.run(box.call("b", {}, "")) == 2
    assert asyncio.run(box.call("both", {}, "", server="two")) == 2
    with pytest.raises(ToolFailed, match="several"):
        asyncio.run(box.call("both", {}, ""))


def test_a_function_that_never_ends_holds_nobody_up() -> None:
    code = (
        "import asyncio, time\n"
        "from tracelode.providers.tools_python import PythonTools\n"
        "async def go():\n"
        "    box = PythonTools({'hang': lambda: time.sleep(600)})\n"
        "    await asyncio.wait_for(box.call('hang', {}, ''), 0.2)\n"
        "asyncio.run(go())\n"
    )
    began = time.monotonic()
    done = subprocess.run([PY, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert "TimeoutError" in done.stderr
    assert time.monotonic() - began < 15
