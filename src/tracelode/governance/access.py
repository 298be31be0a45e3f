"""Who may do what in a store, and who did? Roles of a policy, and a log whose lines prove each other."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tracelode.errors import StoreError
from tracelode.files import why
from tracelode.model.governing import AccessCheck, AccessEntry, Policy, Role

LOG = "access.log"
HEAD = "access.head"
"""How many lines the log has and the hash of the last one: a log that was cut at its end does not fit."""
ZERO = "0" * 64


def user() -> str:
    """The user of the system that this process runs as; what an environment says does not count."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid-{os.getuid()}"


def role_of(policy: Policy, name: str) -> Role:
    """The role of a user.

    Args:
        policy: of the store.
        name: of the system.
    """
    return policy.roles.get(name, policy.default)


def write(folder: Path, policy: Policy, command: str, allowed: bool, name: str) -> AccessEntry:
    """Add a line to the access log.

    Args:
        folder: of the store.
        policy: of the store.
        command: with the names of its options.
        allowed: was it let through?
        name: of the user.

    Returns:
        The entry.

    Raises:
        StoreError: the log cannot be written: what must be logged is then not done.
    """
    mode = 0o660 if policy.group else 0o600
    try:
        with _locked(folder, mode) as (log, head):
            count, last = _ends(log, *_head(head))
            at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            role = role_of(policy, name)
            told = AccessEntry(
                n=count + 1, at=at, user=name, role=role, command=command, allowed=allowed, prev=last, hash=""
            )
            entry = _signed(told)
            os.lseek(log, 0, os.SEEK_END)
            os.write(log, msgspec.json.encode(entry) + b"\n")
            os.fsync(log)
            os.pwrite(head, f"{entry.n:>12} {entry.hash}\n".encode(), 0)
            return entry
    except OSError as error:
        raise StoreError(f"the access log in {folder} cannot be written: {why(error)}") from error


@contextmanager
def _locked(folder: Path, mode: int) -> Iterator[tuple[int, int]]:
    """Both files open, and nobody else's."""
    log = os.open(folder / LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND, mode)
    try:
        head = os.open(folder / HEAD, os.O_RDWR | os.O_CREAT, mode)
        try:
            fcntl.flock(head, fcntl.LOCK_EX)
            yield log, head
        finally:
            os.close(head)
    finally:
        os.close(log)


def _head(head: int) -> tuple[int, str]:
    text = os.pread(head, 200, 0).decode("ascii", "replace").split()
    if len(text) != 2 or not text[0].isdigit():
        return 0, ZERO
    return int(text[0]), text[1]


def _ends(log: int, count: int, last: str) -> tuple[int, str]:
    """Number and hash of the log's last line: a writer that was killed may have left it ahead of its head."""
    size = os.fstat(log).st_size
    tail = os.pread(log, min(size, 4096), max(0, size - 4096))
    if not tail:
        return count, last
    try:
        entry = msgspec.json.decode(tail.splitlines()[-1], type=AccessEntry)
    except msgspec.DecodeError:
        if not tail.endswith(b"\n"):
            # half a line of a writer that was killed: it ends here, and the check names it
            os.write(log, b"\n")
        return count, last
    ahead = entry.n == count + 1 and entry.prev == last and _signed(entry).hash == entry.hash
    return (entry.n, entry.hash) if ahead else (count, last)


def regroup(folder: Path, group: str) -> None:
    """Let a group of the system read a store.

    Args:
        folder: of the store.
        group: its name.

    Raises:
        StoreError: there is no such group, or the files are not ours.
    """
    import grp

    try:
        number = grp.getgrnam(group).gr_gid
        for path in [folder, *folder.rglob("*")]:
            if path.is_symlink() or path.name == "pseudonyms.key":
                continue
            mode = 0o2750 if path.is_dir() else 0o660 if path.name in (LOG, HEAD) else 0o640
            about = path.stat()
            if about.st_gid != number:
                os.chown(path, -1, number)
            if about.st_mode & 0o7777 != mode:
                os.chmod(path, mode)
    except KeyError as error:
        raise StoreError(f"the policy names the group {group}, which this system does not have") from error
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{folder} cannot be given to the group {group}: {why(error)}") from error


def _signed(entry: AccessEntry) -> AccessEntry:
    told = msgspec.to_builtins(entry)
    del told["hash"]
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return msgspec.structs.replace(entry, hash=hashlib.sha256(text.encode()).hexdigest())


def entries(folder: Path) -> list[AccessEntry]:
    """The log's lines that can be read.

    Args:
        folder: of the store.
    """
    found = []
    for line in _lines(folder):
        try:
            found.append(msgspec.json.decode(line, type=AccessEntry))
        except msgspec.DecodeError:
            continue
    return found


def _lines(folder: Path) -> list[bytes]:
    try:
        return (folder / LOG).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"the access log in {folder} cannot be read: {why(error)}") from error


def verify(folder: Path) -> AccessCheck:
    """Was the log changed, or is something of it missing?

    Args:
        folder: of the store.

    Returns:
        Where it breaks first. A log that was written anew as a whole, head included, is sound to this check:
        keep its head elsewhere to notice that.
    """
    last, count = ZERO, 0
    for number, line in enumerate(_lines(folder), 1):
        try:
            entry = msgspec.json.decode(line, type=AccessEntry)
        except msgspec.DecodeError:
            return _broken(count, number, "the line is no entry", last)
        if entry.n != number or entry.prev != last:
            return _broken(count, number, "it does not follow the line before", last)
        if _signed(entry).hash != entry.hash:
            return _broken(count, number, "it was changed", last)
        last, count = entry.hash, number
    try:
        head = (folder / HEAD).read_text("ascii", "replace").split()
    except FileNotFoundError:
        head = []
    if count and not head:
        return _broken(count, None, "its head is missing", last)
    if head and head != [str(count), last]:
        # killed between the two writes, the log is one line ahead of its head
        ahead = len(head) == 2 and head[0] == str(count - 1)
        if not ahead:
            return _broken(count, None, "lines at its end are missing, or its head was changed", last)
    return AccessCheck(entries=count, sound=True, line=None, reason="", head=last)


def _broken(count: int, line: int | None, reason: str, head: str) -> AccessCheck:
    return AccessCheck(entries=count, sound=False, line=line, reason=reason, head=head)
