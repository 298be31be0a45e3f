"""Are logs of strace read as what they are, damaged ones too?"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effects import told
from tracelode import registry, touches
from tracelode.sources.strace import forks
from tracelode.sources.strace.lines import parse, unescaped
from tracelode.testing import _read_in_pieces

SAMPLES = Path(__file__).parent / "samples"
RUN = '7 1791280800.000000 execve("/bin/a", ["a"], 0x1 /* 1 var */) = 0'


def log(*lines: str) -> str:
    return "\n".join((RUN, *lines)) + "\n"


# strace -------------------------------------------------------------------------------------------


def test_strace_sums_calls_by_process_and_file() -> None:
    many = [f'7 1791280801.{n:06d} write(3</w/a b>, "x"..., 8192) = {n}' for n in range(100)]
    drafts, skipped = told(
        "strace", log('7 1791280801.000000 openat(AT_FDCWD</w>, "a b", O_RDWR) = 3</w/a b>', *many)
    )
    file = drafts["7 a b"]
    assert file.measures == {"bytes.read": 0, "bytes.written": sum(range(100)), "events": 101}
    assert (file.origin.line, file.fields["touch"]) == (2, "write")
    assert (file.started, file.ended) == (1791280801000000, 1791280801000099)
    assert not skipped


def test_strace_answers_come_after_other_processes_and_data_may_look_like_answers() -> None:
    drafts, skipped = told(
        "strace",
        log(
            "7 1791280801.000000 fork() = 8",
            "7 1791280801.000001 read(3</w/a>,  <unfinished ...>",
            '8 1791280801.000002 write(3</w/b>, "x) = 77", 8 <unfinished ...>',
            '7 1791280801.000003 <... read resumed>"y) = 99", 100) = 5',
            "8 1791280801.000004 <... write resumed>) = 8 <0.000010>",
        ),
    )
    assert drafts["7 /w/a"].measures["bytes.read"] == 5
    assert drafts["8 /w/b"].measures["bytes.written"] == 8
    assert not skipped


@pytest.mark.parametrize("cuts", [(), (2,), (3,), (4,), (5,), (6,), (2, 4, 6)])
def test_strace_raw_calls_follow_descriptors_through_forks_and_copies(cuts: tuple[int, ...]) -> None:
    drafts, _ = told(
        "strace",
        log(
            '7 1791280801.000000 openat(AT_FDCWD</w>, "out", O_WRONLY|O_CREAT, 0666) = 4</w/out>',
            "7 1791280801.000001 dup2(4</w/out>, 1) = 1</w/out>",
            "7 1791280801.000002 clone(child_stack=NULL, flags=SIGCHLD) = 8",
            "8 1791280801.000003 write(0x1, 0x55, 0x10) = 0x10",
            "7 1791280801.000004 close(1</w/out>) = 0",
            "7 1791280801.000005 write(0x1, 0x55, 0x10) = 0x10",
        ),
        *cuts,
    )
    assert drafts["8 out"].measures["bytes.written"] == 16
    assert drafts["7 out"].measures["bytes.written"] == 0


def test_strace_without_names_of_descriptors_follows_them_as_well() -> None:
    drafts, _ = told(
        "strace",
        log(
            '7 1791280801.000000 chdir("/w") = 0',
            '7 1791280801.000000 open("in", O_RDONLY) = 3',
            '7 1791280801.000001 read(3, "abc", 4096) = 3',
            "7 1791280801.000002 close(3) = 0",
            "7 1791280801.000003 pipe2([3, 4], 0) = 0",
            '7 1791280801.000004 write(4, "abc", 3) = 3',
            "7 1791280801.000005 socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP) = 5",
            "7 1791280801.000006 connect(5, {sa_family=AF_INET6, sin6_port=htons(443), "
            'sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = 0',
            '7 1791280801.000007 sendto(5, "x", 1, 0, NULL, 0) = 1',
            '7 1791280801.000008 connect(6, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = 0',
            "7 1791280801.000009 sendfile(5, 3, NULL, 10) = 10",
        ),
    )
    assert drafts["7 /w/in"].measures["bytes.read"] == 3
    assert drafts["7 2001:db8::1"].measures == {"bytes.received": 0, "bytes.sent": 11, "events": 3}
    assert drafts["7 2001:db8::1"].fields["port"] == "443"
    assert len(drafts) == 3


def test_strace_a_number_is_used_again() -> None:
    drafts, _ = told(
        "strace",
        log(
            "7 1791280801.000000 fork() = 8",
            '8 1791280801.000001 execve("/bin/b", ["b"], 0x1) = 0',
            "8 1791280802.000000 +++ exited with 0 +++",
            "7 1791280803.000000 fork() = 8",
            '8 1791280803.000001 execve("/bin/c", ["c"], 0x1) = 0',
            # its end is not in the log
            "7 1791280804.000000 fork() = 8",
            '8 1791280804.000001 execve("/bin/d", ["d"], 0x1) = 0',
        ),
    )
    assert {k: (d.started, d.status) for k, d in drafts.items() if k != "7 a"} == {
        "8 b": (1791280801000000, "ok"),
        "8 c": (1791280803000000, "unknown"),
        "8 d": (1791280804000000, "running"),
    }
    assert {d.fields.get("process") for k, d in drafts.items() if k != "7 a"} == {drafts["7 a"].id}


def test_strace_threads_are_their_process_also_when_they_show_first() -> None:
    drafts, _ = told(
        "strace",
        log(
            "7 1791280801.000000 clone3({flags=CLONE_VM|CLONE_THREAD}, 88 <unfinished ...>",
            '8 1791280801.000001 write(1</w/out>, "x", 1) = 1',
            "7 1791280801.000002 <... clone3 resumed> => {parent_tid=[8]}, 88) = 8",
            "8 1791280801.000003 +++ exited with 0 +++",
            '7 1791280801.000004 write(1</w/out>, "x", 1) = 1',
            "9 1791280801.000004 +++ exited with 0 +++",
            "7 1791280801.000005 +++ exited with 3 +++",
        ),
    )
    assert drafts["7 /w/out"].measures["bytes.written"] == 2
    assert (drafts["7 a"].status, drafts["7 a"].fields["exit"]) == ("nonzero", "3")
    # nothing in the log started 9: its descent is unknown
    assert not {"process", "lineage"} & drafts["9 process"].fields.keys()


def test_strace_a_thread_that_runs_a_program_goes_on_as_its_process() -> None:
    drafts, skipped = told(
        "strace",
        log(
            "7 1791280801.000000 clone(child_stack=0x1, flags=CLONE_VM|CLONE_THREAD) = 8",
            '8 1791280801.000001 execve("/bin/b", ["b"], 0x1 <unfinished ...>',
            "7 1791280801.000002 +++ superseded by execve in pid 8 +++",
            "7 1791280801.000003 <... execve resumed>) = 0",
            "7 1791280801.000004 +++ exited with 0 +++",
        ),
    )
    assert [(k, d.status, d.fields["command"]) for k, d in drafts.items()] == [("7 b", "ok", "b")]
    assert not skipped


def test_strace_children_that_show_before_several_open_forks_are_linked_later() -> None:
    drafts, _ = told(
        "strace",
        log(
            "7 1791280801.000000 fork() = 8",
            "7 1791280801.000001 vfork( <unfinished ...>",
            "8 1791280801.000002 fork( <unfinished ...>",
            '9 1791280801.000003 execve("/bin/b", ["b"], 0x1) = 0',
            "8 1791280801.000004 <... fork resumed>) = 9",
            "7 1791280801.000005 <... vfork resumed>) = 10",
            '10 1791280801.000006 execve("/bin/c", ["c"], 0x1) = 0',
            "8 1791280801.000007 +++ exited with 0 +++",
        ),
    )
    assert drafts["9 b"].fields["process"] == drafts["8 a"].id
    assert drafts["10 c"].fields["process"] == drafts["7 a"].id


NESTED = (
    '7 1791280801.000000 openat(AT_FDCWD</w>, "log", O_WRONLY|O_CREAT, 0666) = 3</w/log>',
    "7 1791280801.000001 vfork( <unfinished ...>",
    '8 1791280801.000002 openat(AT_FDCWD</w>, "out", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 1</w/out>',
    "8 1791280801.000003 vfork( <unfinished ...>",
    "9 1791280801.000004 write(0x1, 0x55, 0x10) = 0x10",
    "9 1791280801.000005 write(0x3, 0x55, 0x20) = 0x20",
    "8 1791280801.000006 <... vfork resumed>) = 9",
    "7 1791280801.000007 <... vfork resumed>) = 8",
)
BESIDE = (
    '7 1791280801.000000 openat(AT_FDCWD</w>, "log", O_WRONLY|O_CREAT, 0666) = 3</w/log>',
    "7 1791280801.000000 clone(flags=SIGCHLD) = 8",
    '8 1791280801.000002 openat(AT_FDCWD</w>, "out", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 1</w/out>',
    "8 1791280801.000003 vfork( <unfinished ...>",
    "7 1791280801.000003 vfork( <unfinished ...>",
    # 9 is of 8, its own child as well; 10 of 7
    "9 1791280801.000004 write(0x1, 0x55, 0x10 <unfinished ...>",
    "10 1791280801.000004 write(0x3, 0x55, 0x3) = 0x3",
    "9 1791280801.000005 <... write resumed>) = 0x10",
    "9 1791280801.000005 clone(flags=CLONE_VM|CLONE_THREAD <unfinished ...>",
    "11 1791280801.000005 write(0x3, 0x55, 0x20) = 0x20",
    "9 1791280801.000006 <... clone resumed>) = 11",
    "7 1791280801.000007 <... vfork resumed>) = 10",
    "11 1791280801.000007 +++ exited with 0 +++",
    "8 1791280801.000008 <... vfork resumed>) = 9",
    "9 1791280801.000009 +++ exited with 0 +++",
)


@pytest.mark.parametrize("cuts", [(), *((n,) for n in range(2, 17)), tuple(range(2, 17))], ids=str)
@pytest.mark.parametrize(
    ("lines", "starts"),
    [(NESTED, {"8": "7", "9": "8"}), (BESIDE, {"8": "7", "9": "8", "10": "7"})],
    ids=["nested", "beside"],
)
def test_strace_children_that_show_early_write_where_those_that_started_them_did(
    lines: tuple[str, ...], starts: dict[str, str], cuts: tuple[int, ...]
) -> None:
    drafts, skipped = told("strace", log(*lines), *(cut for cut in cuts if cut < len(lines) + 2))
    written = {key: d.measures["bytes.written"] for key, d in drafts.items() if d.kind == "file"}
    wanted = {"7 log": 0, "8 out": 0, "9 out": 16, "9 log": 32, "10 log": 3}
    assert written == {k: v for k, v in wanted.items() if k.split()[0] in (*starts, "7")}
    processes = {d.fields["pid"]: d for d in drafts.values() if d.kind == "process"}
    assert {pid: d.fields.get("process") for pid, d in processes.items()} == {
        "7": None, **{pid: processes[above].id for pid, above in starts.items()}
    }  # fmt: skip
    assert not skipped


def test_strace_what_waits_is_read_when_nothing_can_tell_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    write = '9 1791280801.000004 write(1</w/out>, "x", 1) = 1'
    both = ("7 1791280801.000000 fork() = 8", "8 1791280801.000003 vfork( <unfinished ...>",
            "7 1791280801.000003 vfork( <unfinished ...>")  # fmt: skip
    ends = [f"{pid} 1791280801.000005 +++ killed by SIGKILL +++" for pid in (7, 8)]
    for most, lines in ((forks.MOST_HELD, (*both, *[write] * 5, *ends)), (4, (*both, *[write] * 5))):
        monkeypatch.setattr(forks, "MOST_HELD", most)
        drafts, _ = told("strace", log(*lines))
        assert drafts["9 /w/out"].measures["bytes.written"] == 5
        assert "process" not in drafts["9 process"].fields


@pytest.mark.parametrize("stamp", ["12:00:00.000001 ", "12:00:00 ", "", "     0.000010 "])
def test_strace_moments_without_a_date_are_unknown_and_said(stamp: str) -> None:
    text = f'{stamp}execve("/bin/a", ["a"], 0x1) = 0\n{stamp}unlink("/w/x") = 0\n{stamp}close(3) = 0\n'
    assert registry.load("sources", "strace").sniff(text.encode()) >= 0.5 or not stamp
    drafts, skipped = told("strace", text)
    assert {d.started for d in drafts.values()} == {None}
    assert drafts["0 /w/x"].fields["touch"] == "delete"
    assert list(skipped.values()) == [(1, 3)]
    assert "strace -ttt" in next(iter(skipped))


def test_strace_what_failed_did_nothing_but_what_was_refused_is_kept() -> None:
    drafts, _ = told(
        "strace",
        log(
            '7 1791280801.000000 openat(AT_FDCWD</w>, "none", O_RDONLY) = -1 ENOENT (No such file)',
            '7 1791280801.000001 unlink("/w/kept") = -1 EPERM (Operation not permitted)',
            '7 1791280801.000002 openat(AT_FDCWD</w>, "key", O_RDONLY) = -1 EACCES (Permission denied)',
            '7 1791280801.000003 openat(AT_FDCWD</w>, "key", O_RDONLY) = 3</w/key>',
            '7 1791280801.000004 openat(AT_FDCWD</w>, "/dev/tty", O_RDWR) = 3</dev/tty<char 5:0>>',
            '7 1791280801.000005 openat(AT_FDCWD</w>, ".", O_RDONLY|O_DIRECTORY) = 4</w>',
            '7 1791280801.000006 write(3</dev/tty<char 5:0>>, "x", 1) = 1',
        ),
    )
    assert {k: d.status for k, d in drafts.items() if d.kind == "file"} == {"7 kept": "denied", "7 key": "ok"}


def test_strace_damage_is_counted_and_located() -> None:
    drafts, skipped = told(
        "strace",
        log(
            "7 1791280801.000000 writ",
            "7 1791280801.000001 <... read resumed>) = 5",
            "7 1791280790.000000 close(3) = 0",
            '7 1791280801.000002 write(1</w/x>, "' + "y" * 200_000 + '", 200000) = 200000',
            "\x00\x01\x02",
            '7 1791280801.000003 write(1</w/x>, "yy',
        ),
    )
    assert drafts["7 /w/x"].measures["bytes.written"] == 200_000
    assert skipped == {
        "no line of strace": (2, 3),
        "end of a call whose beginning is not in the log": (3, 1),
        "clock goes back": (4, 1),
    }


def test_strace_texts_are_unescaped_and_cut_ones_say_so() -> None:
    assert unescaped(r"a\tb\"\\\303\244\x41\0") == 'a\tb"\\äA\0'
    drafts, _ = told("strace", '7 1791280800.000000 execve("/bin/a", ["a", "b c"...], 0x1) = 0\n')
    assert drafts["7 a"].fields["command"] == "a 'b c…'"
    assert (
        parse('7 1791280800.5 openat(AT_FDCWD</w>, "\\303\\244", O_RDONLY) = 3</w/\\303\\244>').told
        == r"/w/\303\244"
    )


def test_more_files_than_are_kept_apart_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touches, "MOST", 10)
    lines = [f'7 1791280801.{n:06d} write(3</w/f{n}>, "x", 1) = 1' for n in range(50)]
    lines.append(
        "7 1791280801.000050 connect(4, {sa_family=AF_INET, sin_port=htons(1), "
        'sin_addr=inet_addr("9.9.9.9")}, 16) = 0'
    )
    drafts, _ = told("strace", log(*lines))
    assert sum(d.measures.get("bytes.written", 0) for d in drafts.values()) == 50
    assert drafts["7 more files"].measures == {"bytes.read": 0, "bytes.written": 40, "events": 40}
    assert drafts["7 more hosts"].measures["events"] == 1
    assert len(drafts) == 13


MANY = {
    "one after the other": "1 {t} fork() = {pid}\n{pid} {t} +++ exited with 0 +++\n",
    "all waiting": "1 {t} fork() = {pid}\n{pid} {t} read(3</w/a>,  <unfinished ...>\n",
    "each starts the next, unanswered": "{above} {t} clone(flags=SIGCHLD <unfinished ...>\n"
    "{pid} {t} read(3</w/a>, 1, 1) = 1\n",
    "all start one at once": "{pid} {t} fork( <unfinished ...>\n",
    "early ones, answered later": "1 {t} fork( <unfinished ...>\n{pid} {t} read(3</w/a>, 1, 1) = 1\n"
    "1 {t} <... fork resumed>) = {pid}\n",
    "without descent": "{pid} {t} read(3</w/a>,  <unfinished ...>\n",
    "threads": "1 {t} clone(flags=CLONE_VM|CLONE_THREAD) = {pid}\n{pid} {t} read(3</w/a>, <unfinished ...>\n",
}


def steps(data: bytes) -> int:
    """Steps of the interpreter that the reading of a log takes."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        _read_in_pieces(registry.load("sources", "strace"), data, ())
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("lines", MANY.values(), ids=MANY)
def test_strace_takes_twice_the_steps_for_twice_the_processes(lines: str) -> None:
    def made(processes: int) -> bytes:
        each = (
            lines.format(t=f"179128080{n // 1000}.{n % 1000:03d}000", pid=n + 8, above=n + 7 if n else 7)
            for n in range(processes)
        )
        return log("".join(each)).replace("\n1 ", "\n7 ").encode()

    steps(made(2))  # what is made once
    few, many = steps(made(60)), steps(made(240))
    assert many < 4.4 * few


@given(seed=st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_strace_survives_any_damage_and_reads_on_from_anywhere(seed: int) -> None:
    rng = random.Random(seed)
    data = bytearray((SAMPLES / "strace.strace").read_bytes())
    for _ in range(rng.randrange(1, 6)):
        place = rng.randrange(len(data))
        data[place : place + rng.choice([0, 1, 30])] = rng.choice(
            [b"", b"\n", b")", b'"', b"<", b"\xff\x00", b" = 1", b"9", b"9" * 5000]
        )
    lines = data.split(b"\n")
    if rng.random() < 0.5:
        rng.shuffle(lines)
    damaged = b"\n".join(lines) + b"\n"
    source = registry.load("sources", "strace")
    whole = _read_in_pieces(source, damaged, ())
    count = sum(1 for line in lines if line.strip())
    assert _read_in_pieces(source, damaged, (rng.randrange(count + 1),)) == whole
    assert all(v >= 0 for o in whole for v in o["measures"].values())


def test_a_line_of_another_format_amid_a_log_does_not_make_it_that_format() -> None:
    samples = Path(__file__).parent / "samples"
    (one,), (other,) = samples.glob("strace.*"), samples.glob("claude-stream.*")
    rows = one.read_bytes().splitlines(keepends=True)
    for line in other.read_bytes().splitlines(keepends=True):
        head = b"".join([*rows[:10], line, *rows[10:]])
        found = {name: registry.load("sources", name).sniff(head) for name in registry.names("sources")}
        assert max(found, key=lambda name: found[name]) == "strace", found
