"""Is a command run as if nobody watched, and is what it did written down, with strace and without?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tracelode
from tracelode.errors import UsageError
from tracelode.record import header, run
from tracelode.redact.plain import redact_text
from tracelode.workspace import Workspace, recording

pytestmark = pytest.mark.skipif(not run.supported(), reason="commands are watched on Linux alone")
NO_STRACE = run.choose("strace") == ("", "")
TRACERS = [
    pytest.param("strace", marks=pytest.mark.skipif(NO_STRACE, reason="no strace that may watch is at hand")),
    "proc",
]
KEY = "5e551011-0000-4000-8000-0000000000{:02d}"
AGENT = Path(__file__).parent / "agent.py"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and working folder."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "proj").mkdir()
    monkeypatch.chdir(tmp_path / "proj")
    return tmp_path


def recorded(*command: str, tracer: str, place: Path) -> run.Recorded:
    return recording.record(command, place / f"log{run.SUFFIXES[tracer]}", tracer)


def agent(number: int, *commands: str) -> list[str]:
    """An agent that writes a transcript of Claude Code's and runs commands as its tool calls."""
    return [sys.executable, str(AGENT), KEY.format(number), *commands]


def imported(place: Path, log: Path) -> Workspace:
    workspace = tracelode.open(place / "store", tz="UTC")
    workspace.add(place / "home" / ".claude")
    workspace.add(log)
    return workspace


@pytest.mark.parametrize("tracer", TRACERS)
def test_what_an_agent_does_is_found_below_its_tool_calls(place: Path, tracer: str) -> None:
    write = "sleep 0.15; dd if=/dev/zero of={} bs=4096 count=10 conv=fsync 2>&1; sleep 0.15"
    commands = [write.format("one.bin"), write.format("two.bin")]
    done = recorded(*agent(1, *commands), tracer=tracer, place=place)
    assert (done.code, done.tracer) == (0, tracer)
    assert recording.join(done) == [KEY.format(1)]
    workspace = imported(place, done.target)
    (session,) = [s for s in workspace.sessions() if s.role != "effects"]
    tools = {o.id: o.fields["command"] for o in workspace.operations(session.key) if o.kind == "tool"}
    (effects,) = [s for s in workspace.sessions() if s.role == "effects"]
    assert effects.root == session.key
    written: dict[str, int] = {}
    for o in workspace.operations(effects.key):
        assert (o.parent in tools) == (o.fields["assigned"] == "tree")
        if o.parent in tools:
            name = tools[o.parent]
            written[name] = written.get(name, 0) + o.measures.get("bytes.written", 0)
    # storage may be told in whole pages, and some of them elsewhere
    assert written.keys() == set(commands)
    if tracer == "strace":
        assert set(written.values()) == {40_960}


def test_no_or_several_sessions_leave_the_recording_alone(place: Path) -> None:
    done = recorded("true", tracer="proc", place=place)
    assert recording.join(done) == []
    both = " & ".join(" ".join(agent(n)) for n in (1, 2))
    done = recording.record(["sh", "-c", f"{both} & wait"], place / "two.record.jsonl", "proc")
    assert recording.join(done) == [KEY.format(1), KEY.format(2)]
    assert json.loads(done.target.read_bytes().split(b"\n")[0])["session"] == ""


def test_sessions_of_other_folders_and_other_times_are_not_the_commands(place: Path) -> None:
    subprocess.run(agent(1), check=True)
    time.sleep(0.02)
    (place / "elsewhere").mkdir()
    words = " ".join(agent(2))
    done = recorded("sh", "-c", f"cd ../elsewhere && {words}", tracer="proc", place=place)
    assert recording.join(done) == []


@pytest.mark.parametrize("tracer", TRACERS)
def test_input_output_and_exit_code_are_the_commands_own(place: Path, tracer: str) -> None:
    script = (
        "from pathlib import Path; from tracelode.workspace import recording; import sys; "
        "words = ['sh', '-c', 'read x; echo out $x; echo err >&2; exit 7']; "
        f"sys.exit(recording.record(words, Path('l'), {tracer!r}).code)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], input="word\n", capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "out word\n", "err\n")


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_command(place: Path, tracer: str, number: int) -> None:
    command = "trap 'echo got; exit 9' TERM INT; echo ready; while true; do sleep 0.05; done"
    script = (
        "from pathlib import Path; from tracelode.workspace import recording; import sys; "
        f"sys.exit(recording.record(['sh', '-c', {command!r}], Path('l'), {tracer!r}).code)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    if number == signal.SIGINT:
        # as a terminal does: to every process in front
        os.killpg(child.pid, number)
    else:
        child.send_signal(number)
    rest, _ = child.communicate(timeout=20)
    assert (rest, child.returncode) == ("got\n", 9)


RECORD = (
    "from pathlib import Path; from tracelode.workspace import recording; import sys; "
    "code = recording.record(sys.argv[2:], Path('l'), sys.argv[1]).code; "
    "sys.exit(code if code >= 0 else 128 - code)"
)


def ends(pid: int) -> bool:
    """Does a process end within a few seconds?"""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("tracer", TRACERS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "command",
    [
        "echo $$; exec sleep 60",
        "sleep 60 & echo $!; wait; touch went-on",
        "sh -c 'echo $$; sleep 60; touch went-on'; touch went-on",
        "(sleep 60 & echo $!); sleep 60; touch went-on",
    ],
    ids=["the command", "in the background", "two below", "without its parent"],
)
def test_a_signal_that_ends_the_recorder_ends_all_that_runs_below(
    place: Path, tracer: str, number: int, command: str
) -> None:
    # who runs the tests may ignore hang-ups, and a process inherits that
    heed = f"import signal; signal.signal({number}, signal.SIG_DFL)"
    child = subprocess.Popen(
        [sys.executable, "-c", f"{heed}\n{RECORD}", tracer, "sh", "-c", command],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    below = int(child.stdout.readline())
    child.send_signal(number)
    assert child.wait(timeout=20) == 128 + number
    child.stdout.close()
    assert ends(below)
    assert not Path("went-on").exists()


INTERRUPTED = """
import os, subprocess, sys
from tracelode.record import proc, run

class Nothing:
    def find_spec(self, *_):
        raise ImportError("half done")

below = run.Below(lambda: [child.pid], lambda: proc.children(os.getpid()) + proc.traced(os.getpid()))
child = subprocess.Popen(["sleep", "60"])
assert "encodings.ascii" not in sys.modules
sys.meta_path.insert(0, Nothing())
below.tell(15)
print(child.wait())
"""


def test_a_signal_may_come_in_the_middle_of_an_import() -> None:
    # even a codec is a module, and asking for one whose import was interrupted fails
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("-15\n", "")


def test_a_recorder_that_is_killed_takes_its_command_along(place: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", RECORD, "proc", "sh", "-c", "echo $$; exec sleep 60"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    below = int(child.stdout.readline())
    child.kill()
    child.wait(timeout=20)
    child.stdout.close()
    assert ends(below)


@pytest.mark.parametrize("tracer", TRACERS)
def test_a_command_that_is_killed_says_by_what(place: Path, tracer: str) -> None:
    assert recorded("sh", "-c", "kill -9 $$", tracer=tracer, place=place).code == -signal.SIGKILL


@pytest.mark.skipif(NO_STRACE, reason="no strace that may watch is at hand")
def test_no_content_gets_into_a_log_of_strace(place: Path) -> None:
    (place / "proj" / "in").write_text("the content of a file")
    script = "cat in > out; printf 'more content' > out2; cat out | wc -c > out3"
    done = recorded("sh", "-c", script, tracer="strace", place=place)
    text = done.target.read_text()
    assert "content of" not in text
    assert '"more' not in text.replace(script, "")
    assert done.target.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(NO_STRACE, reason="no strace that may watch is at hand")
def test_every_byte_of_commands_that_run_side_by_side_is_told(place: Path) -> None:
    one = 'sh -c "seq $n > out$n; wc -c < out$n > size$n; sort -r out$n > sorted$n" &'
    done = recorded("sh", "-c", f"for n in $(seq 100 140); do {one} done; wait", tracer="strace", place=place)
    workspace = imported(place, done.target)
    (effects,) = workspace.sessions()
    told: dict[str, int] = {}
    for o in workspace.operations(effects.key):
        if o.kind == "file":
            name = Path(o.fields["path"]).name
            told[name] = told.get(name, 0) + (o.measures["bytes.written"] or 0)
    files = {path.name: path.stat().st_size for path in (place / "proj").iterdir()}
    assert len(files) == 123
    assert {name: told.get(name) for name in files} == files
    processes = [o for o in workspace.operations(effects.key) if o.kind == "process"]
    assert [o.fields["command"] for o in processes if "process" not in o.fields] == [
        processes[0].fields["command"]
    ]


def test_secrets_in_command_lines_are_gone_from_a_recording_of_proc(place: Path) -> None:
    secret = "sk-ant-api03-" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789" * 2 + "AA"
    done = recorded("sh", "-c", f"sleep 0.2 # --api-key {secret}", tracer="proc", place=place)
    assert secret not in done.target.read_text()
    assert '"event":"start"' in done.target.read_text()


def test_bytes_of_children_are_not_counted_again_in_their_parents(place: Path) -> None:
    write = "dd if=/dev/zero of=x bs=1M count=4 conv=fsync 2>/dev/null; sleep 0.2"
    done = recorded("sh", "-c", f"sh -c '{write}'; sleep 0.2", tracer="proc", place=place)
    told: dict[str, int] = {}
    for line in done.target.read_bytes().splitlines()[1:]:
        event = json.loads(line)
        if event["event"] == "io":
            told[event["process"]] = event["written"]
    # a folder in memory writes nothing to storage
    assert sum(told.values()) < 6 << 20


def test_what_cannot_be_recorded_is_said(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no such program"):
        recording.record(["no-such-program-here"], tracer="proc")
    with pytest.raises(UsageError, match="needs a command"):
        recording.record([])
    with pytest.raises(UsageError, match="unknown tracer"):
        recording.record(["true"], tracer="magic")
    (place / "there").write_text("kept")
    with pytest.raises(UsageError, match="is there already"):
        recording.record(["true"], place / "there", "proc")
    assert (place / "there").read_text() == "kept"
    monkeypatch.setattr("tracelode.record.tracer.usable", lambda: None)
    with pytest.raises(UsageError, match="--with proc"):
        recording.record(["true"], tracer="strace")
    assert run.choose() == ("proc", "")
    monkeypatch.setattr(run, "supported", lambda: False)
    with pytest.raises(UsageError, match="needs Linux"):
        recording.record(["true"])


def test_the_first_line_keeps_its_length(tmp_path: Path) -> None:
    path = tmp_path / "x"
    header.write(path, {"id": "a", "session": "", "cwd": "/" + "long" * 5_000})
    with path.open("ab") as stream:
        stream.write(b"next\n")
    header.update(path, {"id": "a", "session": "s" * 300, "cwd": "/short"})
    first, second, _ = path.read_bytes().split(b"\n")
    assert (json.loads(first)["session"], second) == ("s" * 300, b"next")
    assert redact_text("plain") == "plain"
