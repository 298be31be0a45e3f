"""Does anything leave the machine? Import and every view run where asking for a network socket is the end."""

from __future__ import annotations

import ast
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from claude import Transcript, used
from docs.pages import ROOT, environment, place

GUARD = '''
"""Loaded by every Python of the test: no socket but local ones."""
import ctypes, os, platform, sys

def refuse(event, arguments):
    # AF_UNIX, or a descriptor that is there already
    local = event == "socket.__new__" and arguments[1] in (1, -1)
    if event.startswith("socket.") and event != "socket.gethostname" and not local:
        os.write(2, f"NETWORK {event}\\n".encode())
        os._exit(97)

sys.addaudithook(refuse)

class Filter(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16), ("jt", ctypes.c_uint8), ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32),
    ]

class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_uint16), ("filter", ctypes.POINTER(Filter))]

# seccomp: the kernel kills the process, and any child of it, that asks for a socket other than AF_UNIX.
call, machine = {"x86_64": (41, 0xC000003E), "aarch64": (198, 0xC00000B7)}.get(platform.machine(), (None, 0))
if sys.platform == "linux" and call is not None:
    load, equal, give = 0x20, 0x15, 0x06
    steps = [
        (load, 0, 0, 4), (equal, 0, 5, machine),
        (load, 0, 0, 0), (equal, 0, 3, call),
        (load, 0, 0, 16), (equal, 1, 0, 1),
        (give, 0, 0, 0x80000000),  # kill the process
        (give, 0, 0, 0x7FFF0000),  # go on
    ]
    filters = (Filter * len(steps))(*steps)
    program = Program(len(steps), filters)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0:
        os.environ["GUARDED_BY_KERNEL"] = "1"
'''

EVERYTHING = """
import os, sys
from pathlib import Path
from tracelode import __main__ as program
from tracelode.ingest import pipeline

os.environ["TRACELODE_STORE"] = "store"
words = [
    ["import", "history"], ["import", "history", "--redact", "full", "--store", "other"], ["import"],
    [], ["--json"], ["sessions"], ["show", "de000012", "--nested"], ["show", "de000002#20"],
    ["top", "--stack", "project,day,path", "--measure", "tokens,cost"], ["tree"], ["peek", "."], ["flame"],
    ["top", "--idle", "10m", "--tz", "Europe/Berlin"], ["completion", "bash"], ["demo"], ["segment"],
    ["segment", "--with", "phase"],
    *(["segment", "--with", "llm", "--backend", name, "--model", "m", "--dry-run"] for name in (
        "openai", "anthropic",
    )),
    ["segment", "--with", "llm", "--backend", "agent", "--agent", "claude", "--dry-run"],
    ["import", "trips", "--store", "desk"], ["intents", "--store", "desk"],
    ["compile", "--all", "--emit", "all", "-o", "made", "--store", "desk"],
]
words += [["export", "--detail", "-o", f"out.{ending}"] for ending in (
    "pb.gz", "folded", "speedscope.json", "svg", "json", "csv", "parquet",
)]
size = sum(file.stat().st_size for file in Path("history").rglob("*.jsonl"))
assert size > pipeline.INLINE_BYTES, "too small for workers"
for line in words:
    code = program.main(line)
    assert code in ((3,) if line == ["import"] else (0,)), (line, code)
made = min((file.parent for file in Path("made").rglob("workflow.json")), key=lambda at: len(at.parts))
for line in (["verify", str(made), "--store", "desk"], ["explain", "e1", str(made), "--store", "desk"]):
    assert program.main(line) == 0, line
print("DONE", os.environ.get("GUARDED_BY_KERNEL"))
"""


@pytest.fixture
def guarded(tmp_path: Path) -> dict[str, str]:
    """Environment of a reader whose every Python is guarded; the reader's home is its HOME."""
    place(tmp_path / "reader")
    guard = tmp_path / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(GUARD, encoding="utf-8")
    found = environment(tmp_path / "reader")
    return found | {"PYTHONPATH": f"{guard}{os.pathsep}{found['PYTHONPATH']}"}


def run(code: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=env["HOME"], env=env, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_the_guard_sees_a_connection(guarded: dict[str, str]) -> None:
    result = run("import socket; socket.create_connection(('127.0.0.1', 9), timeout=1)", guarded)
    assert (result.returncode, "NETWORK socket." in result.stderr) == (97, True)
    result = run("import urllib.request; urllib.request.urlopen('http://localhost:9/')", guarded)
    assert result.returncode == 97


def test_the_guard_sees_what_does_not_ask_python(guarded: dict[str, str]) -> None:
    if run("import os; print(os.environ.get('GUARDED_BY_KERNEL'))", guarded).stdout.strip() != "1":
        pytest.skip(f"no system call filter on {platform.system()} {platform.machine()}")
    native = "import ctypes; print(ctypes.CDLL(None).socket({}, 1, 0) >= 0)"
    assert run(native.format(1), guarded).stdout == "True\n"
    for family in (2, 10, 16):  # IPv4, IPv6, netlink
        assert run(native.format(family), guarded).returncode == -signal.SIGSYS
    # a child inherits the filter, whatever it loads
    words = f"[sys.executable, '-S', '-c', {native.format(2)!r}]"
    child = f"import subprocess, sys; print(subprocess.run({words}).returncode)"
    assert run(child, guarded).stdout == f"{-signal.SIGSYS}\n"


def test_import_and_every_view_need_no_network(guarded: dict[str, str]) -> None:
    home = Path(guarded["HOME"])
    large = "x = 1  # a line of a long file\n" * 40_000
    for n in range(12):  # enough for worker processes
        t = Transcript(f"aaaa{n:04d}-0000-4000-8000-000000000001", cwd="/home/sam/src/large").user("read it")
        t.assistant("so", tools=[("Read", {"file_path": "/home/sam/src/large/a.py"})], usage=used(9))
        t.result(t.calls[0], large).assistant("done", usage=used(9)).write(home / "history")
    (home / "history" / "samples").symlink_to(
        home / "tracelode" / "src" / "tracelode" / "samples" / "projects"
    )
    (home / "trips").symlink_to(home / "tracelode" / "src" / "tracelode" / "samples" / "travel")
    result = run(EVERYTHING, guarded)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout.splitlines()[-1].startswith("DONE")
    assert "NETWORK" not in result.stderr


TALKERS = frozenset(
    (
        *(
            "socket",
            "ssl",
            "http",
            "urllib.request",
            "urllib.error",
            "ftplib",
            "smtplib",
            "poplib",
            "imaplib",
        ),
        *("telnetlib", "xmlrpc", "socketserver", "asyncio", "requests", "httpx", "aiohttp", "urllib3"),
        *("websockets", "grpc", "boto3", "fsspec", "openai", "anthropic", "httpx2"),
    )
)
"""Modules that speak to a network."""
SCHEDULES = frozenset(
    (
        *(
            "run",
            "sleep",
            "wait",
            "wait_for",
            "gather",
            "to_thread",
            "ensure_future",
            "create_task",
            "shield",
        ),
        *("timeout", "Future", "Task", "TaskGroup", "Lock", "Semaphore", "Event", "Queue"),
        *("CancelledError", "TimeoutError", "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"),
    )
)
"""Names of asyncio that order what runs when; others, the event loop among them, may open a connection."""


def talks(source: str) -> list[str]:
    """What of a text of Python speaks to a network; asyncio may be imported, to run steps side by side."""
    found: list[str] = []
    ordering: set[ast.expr] = set()
    for node in ast.walk(ast.parse(source)):  # a node comes before what it is made of
        names: list[str] = []
        if isinstance(node, ast.Import):
            # under another name its uses would not be seen
            names = [a.name for a in node.names if (a.name, a.asname) != ("asyncio", None)]
        elif isinstance(node, ast.ImportFrom):
            alone = node.module == "asyncio" and all(a.name in SCHEDULES for a in node.names)
            names = [] if alone else [node.module or ""]
        elif isinstance(node, ast.Attribute):
            if node.attr in SCHEDULES:
                ordering.add(node.value)
            names = ["asyncio.get_loop"] if node.attr == "get_loop" else []
        elif isinstance(node, ast.Name) and node.id == "asyncio" and node not in ordering:
            names = ["asyncio"]
        found += [n for n in names if {n, n.partition(".")[0]} & TALKERS]
    return found


@pytest.mark.parametrize(
    "source",
    [
        "import socket",
        "import os, http.client",
        "from urllib.request import urlopen",
        "def f():\n    import httpx2",
        "import asyncio as a",
        "import asyncio.streams",
        "from asyncio import sleep, open_connection",
        "from asyncio.streams import StreamReader",
        "import asyncio\nasyncio.open_connection('example.org', 443)",
        "import asyncio\nasyncio.get_running_loop().create_connection(f)",
        "import asyncio\nasyncio.ensure_future(f()).get_loop().create_connection(f)",
        "import asyncio\nname = asyncio",
        "import asyncio\ngetattr(asyncio, 'start_server')",
    ],
)
def test_a_module_that_speaks_to_a_network_is_seen(source: str) -> None:
    assert talks(source)


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio\nasyncio.run(f())\nlock: asyncio.Lock = asyncio.Lock()",
        "from asyncio import sleep",
        "import urllib.parse",
    ],
)
def test_what_only_orders_work_speaks_to_nobody(source: str) -> None:
    assert talks(source) == []


def test_no_module_that_speaks_to_a_network_is_imported() -> None:
    found = []
    package = ROOT / "src" / "tracelode"
    for path in sorted(package.rglob("*.py")):
        if path.parent == package / "providers":
            continue  # asks models and calls tools, where the user names them; loaded by nothing else
        found += [f"{path.name}: {name}" for name in talks(path.read_text(encoding="utf-8"))]
    assert not found
