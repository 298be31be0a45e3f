"""How does strace watch a command? Which calls are written down, and whether it may watch at all."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

PROCESSES = ("execve", "execveat", "clone", "clone3", "fork", "vfork")
NAMES = (
    "open", "openat", "openat2", "creat", "close", "dup", "dup2", "dup3", "fcntl", "pipe", "pipe2", "socket",
    "socketpair", "connect", "accept", "accept4", "unlink", "unlinkat", "rmdir", "rename", "renameat",
    "renameat2", "mkdir", "mkdirat", "truncate", "ftruncate", "link", "linkat", "symlink", "symlinkat",
    "chdir", "fchdir", "close_range",
)  # fmt: skip
DATA = (
    "read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg", "write", "pwrite64", "writev",
    "pwritev", "pwritev2", "sendto", "sendmsg", "sendfile", "copy_file_range", "splice",
)  # fmt: skip
"""Calls that carry what files and hosts hold: written down raw, as numbers, so that no content is logged."""
ARGUMENTS = 4_096
"""Characters kept of each argument of a program."""
NAMESPACES = "--decode-pids=pidns"
"""Says beside a number of another namespace which one it is in the log."""


def usable() -> str | None:
    """Path of a strace that may watch commands here, None without one."""
    program = shutil.which("strace")
    if program is None:
        return None
    true = shutil.which("true") or "/bin/true"
    try:
        tried = subprocess.run(
            [program, "-f", *_filter(), "-o", "/dev/null", "--", true],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return program if tried.returncode == 0 else None


def arguments(program: str, target: Path, command: list[str]) -> list[str]:
    """The command that runs a command under strace.

    Args:
        program: path of strace.
        target: the log, which has its first line already.
        command: what to run.
    """
    return [
        program, *_numbers(program), "-f", "-ttt", "-y", "-s", str(ARGUMENTS), *_filter(), "-A",
        "-o", str(target), "--", *command,
    ]  # fmt: skip


def _numbers(program: str) -> list[str]:
    """The option that tells numbers of other namespaces, where this strace has it."""
    try:
        tried = subprocess.run(
            [program, NAMESPACES, "-V"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    return [NAMESPACES] if tried.returncode == 0 else []


def _filter() -> list[str]:
    # a ? before a name: machines that do not have the call are no error
    traced = ",".join(f"?{name}" for name in (*PROCESSES, *NAMES, *DATA))
    raw = ",".join(f"?{name}" for name in DATA)
    return ["--seccomp-bpf", "-e", f"trace={traced}", "-e", f"raw={raw}", "-e", "signal=none"]
