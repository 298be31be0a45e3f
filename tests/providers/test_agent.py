"""Is a local agent asked by its standard input alone, in an empty folder, and does nothing of it stay?"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tracelode.errors import ProviderError, UsageError
from tracelode.model.answer import Answer, Request, Turn
from tracelode.providers import agent_cli
from tracelode.providers.agent_cli import AgentCli

HOSTILE = "$(touch PWNED) `touch PWNED` ; touch PWNED \"quoted' \x00 -- --help\n"
REQUEST = Request(
    system="Rules.",
    turns=(Turn("user", f"A packet. {HOSTILE}"), Turn("assistant", "{}"), Turn("user", "Again.")),
    name="marks",
    schema={"type": "object"},
)


def script(place: Path, name: str, body: str) -> Path:
    """A program of Python on the path."""
    path = place / name
    path.write_text(f"#!{sys.executable}\nimport json, os, subprocess, sys, time\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def own(tmp_path: Path, body: str, **more: Any) -> AgentCli:
    return AgentCli(command=shlex.quote(str(script(tmp_path, "own agent", body))), **more)


def failing(agent: AgentCli) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        agent.complete(REQUEST)
    assert "SPY" not in str(caught.value)
    return caught.value


def test_it_reads_what_sending_says_and_its_words_are_fixed(tmp_path: Path) -> None:
    agent = own(tmp_path, "print(json.dumps([sys.argv[1:], os.getcwd(), os.listdir(), sys.stdin.read()]))")
    words, folder, there, read = json.loads(agent.complete(REQUEST).text)
    assert (words, there) == ([], [])
    assert read == agent.sending(REQUEST).body
    for part in ("Rules.", HOSTILE, "Your earlier answer was:\n{}", "Again.", '{"type": "object"}'):
        assert part in read
    assert folder != os.getcwd()
    assert not Path(folder).exists()
    assert not list(tmp_path.rglob("PWNED"))


def test_a_preset_gets_its_words_and_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    tell = "result = json.dumps(sys.argv[1:])\n"
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 70,
        "cache_creation_input_tokens": 3,
        "output_tokens": 8,
    }
    claude = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "usage": usage,
        "modelUsage": {"m-1": {}},
    }
    script(tmp_path, "claude", f"{tell}print(json.dumps({claude!r} | {{'result': result}}))")
    agent = AgentCli("claude", model="m")
    agent.ready()
    answer = agent.complete(REQUEST)
    words = json.loads(answer.text)
    assert words[:3] == ["-p", "--output-format", "json"]
    assert words[words.index("--tools") + 1] == ""
    assert words[-2:] == ["--model", "m"]
    assert answer == Answer(
        text=answer.text, model="m-1", tokens_in=78, tokens_cached=70, tokens_out=8, stop="success"
    )
    assert (agent.backend, agent.model) == ("agent", "claude:m")

    events = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "SPY"}},
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 9, "cached_input_tokens": 4, "output_tokens": 2},
        },
    ]
    body = (
        f"{tell}events = {events!r}\n"
        "events.insert(2, {'type': 'item.completed', 'item': {'type': 'agent_message', 'text': result}})\n"
        "print('not an event'); [print(json.dumps(event)) for event in events]"
    )
    script(tmp_path, "codex", body)
    answer = AgentCli("codex").complete(REQUEST)
    words = json.loads(answer.text)
    assert (words[0], words[-1]) == ("exec", "-")
    assert words[words.index("--sandbox") + 1] == "read-only"
    assert (answer.tokens_in, answer.tokens_cached, answer.tokens_out) == (9, 4, 2)


@pytest.mark.parametrize(
    ("name", "out", "kind"),
    [
        ("claude", "SPY", "malformed"),
        ("claude", '{"type": "result", "is_error": true, "result": "SPY"}', "failed"),
        ("claude", '{"type": "result", "subtype": "error_max_turns"}', "failed"),
        ("claude", '{"type": "result", "result": 3}', "malformed"),
        ("codex", "SPY", "malformed"),
        ("codex", '{"type": "turn.failed", "error": {"message": "SPY"}}', "failed"),
        ("codex", "[" * 5_000, "malformed"),
    ],
)
def test_output_that_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, out: str, kind: str
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    script(tmp_path, name, f"print({out!r})")
    assert failing(AgentCli(name)).kind == kind


def test_failures(tmp_path: Path) -> None:
    error = failing(own(tmp_path, "print('SPY'); print('SPY', file=sys.stderr); sys.exit(3)"))
    assert (error.kind, "code 3" in str(error)) == ("failed", True)
    (tmp_path / "own agent").chmod(0o644)
    gone = AgentCli(command=shlex.quote(str(tmp_path / "own agent")))
    assert failing(gone).kind == "misdirected"
    with pytest.raises(UsageError, match="there is no command"):
        AgentCli(command="no-such-agent-anywhere").ready()


def test_one_that_does_not_read_still_answers(tmp_path: Path) -> None:
    big = Request(system="x" * 3_000_000, turns=(), name="marks", schema={})
    assert own(tmp_path, "print('early')").complete(big).text == "early\n"


def gone(number: int) -> bool:
    """Has a process ended, within a moment?"""
    for _ in range(100):
        try:
            os.kill(number, 0)
            state = Path(f"/proc/{number}/stat")
            if state.exists() and ") Z " in state.read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    os.kill(number, signal.SIGKILL)
    return False


STUBBORN = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open({note!r}, 'w').write(f"{{os.getpid()}} {{child.pid}}")
{then}
"""


def test_a_late_one_is_ended_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_cli, "_GRACE", 0.2)
    note = tmp_path / "note"
    body = STUBBORN.format(note=str(note), then="time.sleep(60)")
    start = time.monotonic()
    assert failing(own(tmp_path, body, timeout=2.0)).kind == "timeout"
    assert time.monotonic() - start < 10
    assert [gone(int(word)) for word in note.read_text().split()] == [True, True]


def test_what_a_quick_one_left_behind_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_cli, "_GRACE", 0.2)
    note = tmp_path / "note"
    body = STUBBORN.format(note=str(note), then="print('done', flush=True); os._exit(0)").replace(
        "time.sleep(60)'])", "time.sleep(60)'], stdout=subprocess.DEVNULL)"
    )
    assert own(tmp_path, body).complete(REQUEST).text == "done\n"
    assert gone(int(note.read_text().split()[1]))


def test_one_that_writes_without_end(tmp_path: Path) -> None:
    body = "block = 'SPY ' * 100_000\nwhile True: print(block)"
    start = time.monotonic()
    assert failing(own(tmp_path, body, timeout=60.0)).kind == "malformed"
    assert time.monotonic() - start < 30


def test_closing_ends_what_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_cli, "_GRACE", 0.2)
    agent = own(tmp_path, "time.sleep(60)")
    found: list[str] = []

    def ask() -> None:
        try:
            agent.complete(REQUEST)
        except ProviderError as error:
            found.append(error.kind)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    time.sleep(0.5)
    agent.close()
    thread.join(10)
    assert found == ["cut"]
    assert failing(agent).kind == "cut"
