"""Which file does a descriptor of strace's stand for, whatever happened to its number before?"""

from __future__ import annotations

import pytest

from effects import told

START = '100 {t} execve("/bin/x", ["x"], 0x0) = 0'
OPEN = '100 {{t}} openat(AT_FDCWD</w>, "f", O_RDWR|O_CREAT{}, 0666) = {}</w/f>'
EXEC = '100 {t} execve("/bin/y", ["y"], 0x0) = 0'
WRITE = "100 {{t}} write({:#x}, 0x7f, 0x7) = 0x7"
LOGS = {
    "closed late, its number given to another thread": (
        "100 {t} clone(flags=CLONE_THREAD) = 101",
        '100 {t} openat(AT_FDCWD</w>, "p", O_RDONLY) = 9</w/p>',
        "100 {t} close(9</w/p> <unfinished ...>",
        '101 {t} openat(AT_FDCWD</w>, "f", O_WRONLY|O_CREAT, 0666) = 9</w/f>',
        "100 {t} <... close resumed>) = 0",
        "101 {t} write(0x9, 0x7f, 0x7) = 0x7",
        {"f": 7},
    ),
    "ended by a program that is run": (OPEN.format("|O_CLOEXEC", 10), EXEC, WRITE.format(10), {}),
    "kept by a program that is run": (OPEN.format("", 10), EXEC, WRITE.format(10), {"f": 7}),
    "marked afterwards": (
        OPEN.format("", 10), "100 {t} fcntl(10</w/f>, F_SETFD, FD_CLOEXEC) = 0", EXEC, WRITE.format(10), {},
    ),
    "the mark taken off": (
        OPEN.format("|O_CLOEXEC", 10), "100 {t} fcntl(10</w/f>, F_SETFD, 0) = 0", EXEC, WRITE.format(10),
        {"f": 7},
    ),
    "a copy without the mark": (
        OPEN.format("|O_CLOEXEC", 10), "100 {t} dup2(10</w/f>, 1) = 1</w/f>", EXEC, WRITE.format(1),
        WRITE.format(10), {"f": 7},
    ),
    "a copy with the mark": (
        OPEN.format("", 10), "100 {t} fcntl(10</w/f>, F_DUPFD_CLOEXEC, 3) = 11</w/f>", EXEC, WRITE.format(11),
        WRITE.format(10), {"f": 7},
    ),
    "named like the mark": (
        '100 {t} openat(AT_FDCWD</w>, "O_CLOEXEC", O_WRONLY) = 3</w/O_CLOEXEC>',
        "100 {t} dup2(3</w/O_CLOEXEC>, 1) = 1</w/O_CLOEXEC>", EXEC, WRITE.format(1), {"O_CLOEXEC": 7},
    ),
    "given to a pipe": (
        OPEN.format("", 4), "100 {t} pipe2([3<pipe:[1]>, 4<pipe:[1]>], O_CLOEXEC) = 0", WRITE.format(4), {},
    ),
    "a pipe leaves 0 alone": (OPEN.format("", 0), "100 {t} pipe2([3, 4], 0) = 0", WRITE.format(0), {"f": 7}),
    "given to an event": (OPEN.format("", 4), "100 {t} eventfd2(0, 0) = 4", WRITE.format(4), {}),
    "closed with others": (OPEN.format("", 4), "100 {t} close_range(3, 999, 0) = 0", WRITE.format(4), {}),
    "not closed with others": (
        OPEN.format("", 2), "100 {t} close_range(3, 9, 0) = 0", WRITE.format(2), {"f": 7},
    ),
    "deleted": (
        OPEN.format("", 4),
        "100 {t} copy_file_range(5</w/a>(deleted), NULL, 4</w/f>(deleted), NULL, 0x7, 0) = 0x7",
        {"f": 7},
    ),
    "in a folder that was opened": (
        '100 {t} chdir("/a") = 0', '100 {t} openat(AT_FDCWD, "b", O_RDONLY|O_DIRECTORY) = 3',
        '100 {t} openat(3, "g", O_WRONLY|O_CREAT, 0666) = 4', "100 {t} fchdir(3) = 0",
        '100 {t} openat(AT_FDCWD, "h", O_WRONLY|O_CREAT, 0666) = 5', WRITE.format(4), WRITE.format(5),
        {"/a/b/g": 7, "/a/b/h": 7},
    ),
    "in a folder that is not known": (
        '100 {t} chdir("/a") = 0', '100 {t} openat(9, "g", O_WRONLY|O_CREAT, 0666) = 4', WRITE.format(4),
        {"g": 7},
    ),
    "in a home folder, told late": (
        '100 {t} chdir("/w") = 0',
        '100 {t} openat(AT_FDCWD, "/root/f", O_WRONLY|O_CREAT, 0666 <unfinished ...>',
        "100 {t} <... openat resumed>) = 4", WRITE.format(4), {"~/f": 7},
    ),
}  # fmt: skip


@pytest.mark.parametrize("cut", [None, 2, 3, 4, 5])
@pytest.mark.parametrize("what", LOGS)
def test_bytes_go_where_the_number_stands_for(what: str, cut: int | None) -> None:
    *lines, wanted = LOGS[what]
    made = [f"{line}".format(t=f"1700000000.{n:06d}") for n, line in enumerate((START, *lines))]
    drafts, skipped = told("strace", "\n".join(made) + "\n", *([cut] if cut and cut < len(made) else []))
    files = [d for d in drafts.values() if d.kind == "file" and d.measures["bytes.written"]]
    assert {d.fields["path"]: d.measures["bytes.written"] for d in files} == wanted
    assert not skipped


NAMES = {
    "its own number": ("100 {t} fork() = 100", "100 {t} write(1</w/f>, 0x7, 0x7) = 0x7"),
    "its own number, late": (
        "100 {t} clone(flags=CLONE_THREAD <unfinished ...>", "100 {t} <... clone resumed>) = 100",
        "100 {t} write(1</w/f>, 0x7, 0x7) = 0x7",
    ),
    "replaced by itself": (
        "100 {t} +++ superseded by execve in pid 100 +++", "100 {t} write(1</w/f>, 0x7, 0x7) = 0x7",
    ),
    "of another namespace": (
        '100 {t} openat(AT_FDCWD</w>, "f", O_WRONLY|O_CREAT, 0666) = 1</w/f>',
        "100 {t} fork() = 2 /* 101 in strace's PID NS */", "101 {t} write(0x1, 0x7f, 0x7) = 0x7",
    ),
    "used again, the call that may have started it killed": (
        '100 {t} openat(AT_FDCWD</w>, "f", O_WRONLY|O_CREAT, 0666) = 1</w/f>', "100 {t} fork() = 150",
        "150 {t} fork( <unfinished ...>", "101 {t} write(0x1, 0x7f, 0x3) = 0x3",
        "150 {t} +++ killed by SIGKILL +++", "101 {t} +++ exited with 0 +++", "100 {t} fork() = 101",
        "101 {t} write(0x1, 0x7f, 0x4) = 0x4",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NAMES)
def test_numbers_of_processes_may_mean_other_ones(what: str) -> None:
    made = [line.format(t=f"1700000000.{n:06d}") for n, line in enumerate((START, *NAMES[what]))]
    drafts, skipped = told("strace", "\n".join(made) + "\n")
    files = {key: d.measures["bytes.written"] for key, d in drafts.items() if d.kind == "file"}
    last = made[-1].partition(" ")[0]
    assert files[f"{last} /w/f" if f"{last} /w/f" in files else f"{last} f"] == (4 if "again" in what else 7)
    processes = {d.fields["pid"]: d for d in drafts.values() if d.kind == "process"}
    if last != "100":
        assert processes[last].fields["process"] == processes["100"].id
    assert not skipped
