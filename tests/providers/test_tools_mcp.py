"""Are the tools of real MCP servers called once, over stdio and HTTP, and is what goes wrong told apart?"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compile.execution import WRITE, YES, bound, step, workflow
from tracelode.compile.execute.embedded import EmbeddedEngine
from tracelode.errors import ToolFailed, ToolUnsure, UsageError
from tracelode.model import binding as b
from tracelode.model.run import ToolSpec
from tracelode.model.tools import key_name
from tracelode.providers.tools_mcp import McpServer, McpTools

pytest.importorskip("mcp", reason="the extra mcp is not installed")
SCRIPT = str(Path(__file__).with_name("mcp_server.py"))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "log"
    path.touch()
    monkeypatch.setenv("SHOP_LOG", str(path))
    return path


def _port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, log: Path) -> Iterator[McpServer]:
    if request.param == "stdio":
        yield McpServer(name="shop", command=(sys.executable, SCRIPT), environment=("SHOP_LOG",))
        return
    port = _port()
    process = subprocess.Popen([sys.executable, SCRIPT, str(port)], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            time.sleep(0.05)
    yield McpServer(name="shop", url=f"http://127.0.0.1:{port}/mcp")
    process.kill()
    process.wait()


def using(server: McpServer, use: Callable[[McpTools], Awaitable[Any]], timeout: float = 20.0) -> Any:
    async def go() -> Any:
        box = McpTools([server], timeout=timeout)
        try:
            return await use(box)
        finally:
            await box.close()

    return asyncio.run(go())


def test_tools_say_what_they_are(server: McpServer) -> None:
    async def use(box: McpTools) -> Any:
        return await box.describe()

    specs: dict[str, ToolSpec] = {spec.name: spec for spec in using(server, use)}
    assert specs["find"].hints["readOnlyHint"] is True
    assert specs["book"].hints["destructiveHint"] is False
    assert specs["find"].parameters["required"] == ["city"]
    assert specs["find"].server == "shop"
    assert key_name(specs["book"]) == "idempotency_key"


def test_answers_are_read_and_keys_passed_on(server: McpServer, log: Path) -> None:
    async def use(box: McpTools) -> Any:
        found = await box.call("find", {"city": "Rome"}, "", server="shop")
        return found, await box.call("book", {"room": "Rome-1"}, "k" * 32), await box.call("listed", {}, "")

    found, booked, listed = using(server, use)
    assert found == {"rooms": [{"id": "Rome-1"}, {"id": "Rome-2"}]}
    assert booked == "booked Rome-1"
    assert listed == {"result": [1, 2]}
    assert log.read_text() == f"Rome-1 {'k' * 32}\n"


def test_failures_that_are_certain(server: McpServer) -> None:
    async def use(box: McpTools) -> Any:
        with pytest.raises(ToolFailed) as said:
            await box.call("fail", {"word": "secret words"}, "")
        with pytest.raises(ToolFailed) as absent:
            await box.call("nothing", {}, "")
        with pytest.raises(ToolFailed) as wrong:
            await box.call("find", {"town": 5}, "")
        return said.value, absent.value, wrong.value

    said, absent, _ = using(server, use)
    assert "secret words" not in str(said)
    assert absent.kind == "absent"


def test_no_answer_leaves_it_open(server: McpServer, log: Path) -> None:
    async def use(box: McpTools) -> Any:
        with pytest.raises(ToolUnsure) as late:
            await box.call("hang", {}, "")
        with pytest.raises(ToolUnsure) as large:
            await box.call("many", {}, "")
        with pytest.raises(ToolUnsure) as dead:
            await box.call("die", {"room": "9"}, "k")
        return late.value, large.value, dead.value

    late, _, _ = using(server, use, timeout=3.0)
    assert late.kind == "timeout"
    assert log.read_text() == "9 died\n"


def test_a_server_that_died_is_started_again(log: Path) -> None:
    server = McpServer(name="shop", command=(sys.executable, SCRIPT), environment=("SHOP_LOG",))

    async def use(box: McpTools) -> Any:
        with pytest.raises(ToolUnsure):
            await box.call("die", {"room": "9"}, "k")
        return await box.call("book", {"room": "10"}, "k")

    assert using(server, use) == "booked 10"
    assert log.read_text() == "9 died\n10 k\n"


def test_a_server_that_does_not_start_is_said(tmp_path: Path) -> None:
    async def use(box: McpTools) -> Any:
        return await box.describe()

    for command in (("no-such-program-anywhere",), (sys.executable, "-c", "raise SystemExit(3)")):
        with pytest.raises(ToolFailed, match="cannot be started or reached"):
            using(McpServer(name="gone", command=command), use)
    with pytest.raises(ToolFailed, match="cannot be started or reached"):
        using(McpServer(name="gone", url=f"http://127.0.0.1:{_port()}/mcp"), use)


@pytest.mark.parametrize(
    "url", ["http://example.com/mcp", "https://me:pw@example.com/mcp", "ftp://x", "nonsense"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        McpTools([McpServer(name="s", url=url)])


def test_a_workflow_runs_on_a_server(server: McpServer, log: Path, tmp_path: Path) -> None:
    find = step("find#1", arguments=bound(city=b.FromInput("city")), server="shop")
    # agents that speak to several servers name a tool by both
    book = step(
        "mcp__shop__book#1",
        "find#1",
        effect=WRITE,
        order=1,
        arguments=bound(room=b.Copy("find#1", "rooms[1].id")),
    )
    work = workflow(find, book, inputs=("city",))

    async def use(box: McpTools) -> Any:
        return await EmbeddedEngine().start(
            work, box, {"city": "Rome"}, place=str(tmp_path / "runs.db"), policy=YES
        )

    outcome = using(server, use)
    assert outcome.status == "done"
    assert log.read_text().startswith("Rome-2 ")
    assert len(log.read_text().split()[1]) == 32


def test_nothing_is_left_running(log: Path) -> None:
    server = McpServer(name="shop", command=(sys.executable, SCRIPT), environment=("SHOP_LOG",))

    async def use(box: McpTools) -> Any:
        with pytest.raises(ToolUnsure):
            await box.call("block", {}, "")
        (connection,) = box._open.values()
        return connection

    using(server, use, timeout=1.5)
    children = subprocess.run(
        ["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True, check=False
    ).stdout
    assert SCRIPT not in children
