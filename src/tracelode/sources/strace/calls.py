"""What does one call do to a file or host? Answered calls become touches of their process."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator

from tracelode.model.operation import Status
from tracelode.model.ports import Item, Line
from tracelode.sources.strace.descriptors import NOTHING, WHOLE, Thing, address, descriptor, file_of, thing_of
from tracelode.sources.strace.lines import Entry, integer, strings
from tracelode.sources.strace.state import Own
from tracelode.touches import Process, Touches

IN = frozenset({"read", "pread64", "readv", "preadv", "preadv2", "recv", "recvfrom", "recvmsg"})
OUT = frozenset({"write", "pwrite64", "writev", "pwritev", "pwritev2", "send", "sendto", "sendmsg"})
OPENS = frozenset({"open", "openat", "openat2", "creat"})
REFUSED = frozenset({"EACCES", "EPERM", "EROFS"})
NEW = frozenset({
    "socket", "accept", "accept4", "eventfd", "eventfd2", "epoll_create", "epoll_create1", "memfd_create",
    "timerfd_create", "signalfd", "signalfd4", "inotify_init", "inotify_init1", "pidfd_open",
})  # fmt: skip
"""Calls that give a descriptor which is no file."""
GIVES = frozenset({*OPENS, *NEW, "dup", "dup2", "dup3", "fcntl", "fcntl64"})
"""Calls that give a descriptor, or say whether one ends when a program is run."""
RANGE = re.compile(r"\b(?:0x[0-9a-f]{1,16}|\d{1,19})\b")
"""A number among arguments."""
PATHS = {
    "unlink": "delete", "unlinkat": "delete", "rmdir": "delete", "rename": "rename", "renameat": "rename",
    "renameat2": "rename", "mkdir": "write", "mkdirat": "write", "truncate": "write",
}  # fmt: skip
"""Calls that change what their paths name, and how."""
PAIRS = re.compile(r"\[(\d{1,19})(?:<[^<>]*>)?, (\d{1,19})(?:<[^<>]*>)?\]")
"""The two descriptors that a pipe or a pair of sockets has."""
MOST_PATHS = 2
"""Paths that a call can name."""
LINKS = frozenset({"link", "linkat", "symlink", "symlinkat"})
COPIES = {"sendfile": (1, 0), "copy_file_range": (0, 1), "splice": (0, 1)}
"""Calls that move bytes: which descriptor is read and which one is written."""


class Calls:
    """Applies answered calls.

    Args:
        touches: makes operations; its line and moment are set for each call.
    """

    def __init__(self, touches: Touches) -> None:
        self.touches = touches
        self.line = Line(0, 0, b"")
        self.at: int | None = None
        self.calls: dict[str, Callable[[Process, Own, Entry], Iterator[Item]]] = {
            **dict.fromkeys(IN, self._in),
            **dict.fromkeys(OUT, self._out),
            **dict.fromkeys(OPENS, self._open),
            **dict.fromkeys(PATHS, self._change),
            **dict.fromkeys(LINKS, self._link),
            **dict.fromkeys(COPIES, self._copy),
            **dict.fromkeys(("execve", "execveat"), self._exec),
            **dict.fromkeys(("dup", "dup2", "dup3", "fcntl", "fcntl64"), self._dup),
            **dict.fromkeys(("connect", "accept", "accept4"), self._connect),
            **dict.fromkeys(("pipe", "pipe2", "socketpair"), self._pair),
            "close": self._close,
            "close_range": self._close_range,
            "fchdir": self._open_folder,
            "ftruncate": self._cut,
            "chdir": self._folder,
        }

    def apply(self, process: Process, own: Own, entry: Entry, line: Line) -> Iterator[Item]:
        """Apply one call.

        Args:
            process: who called.
            own: its descriptors and folder, changed in place.
            entry: the answered call.
            line: where it is told.
        """
        self.line, self.at = line, entry.at
        if entry.told and entry.value is not None and entry.value >= 0:
            thing = thing_of(entry.told)
            if thing is None:
                own.fds.pop(entry.value, None)
            else:
                own.fds[entry.value] = thing
        elif entry.name in NEW and entry.value is not None:
            own.fds.pop(entry.value, None)
        self._mark(own, entry)
        handler = self.calls.get(entry.name)
        if handler is not None:
            yield from handler(process, own, entry)

    @staticmethod
    def _mark(own: Own, entry: Entry) -> None:
        """Does the descriptor that a call gave, or was told of, end when another program is run?"""
        number = entry.value
        if number is None or number < 0 or not (entry.told or entry.name in GIVES):
            return
        # behind paths, which may be called anything
        flags = entry.arguments.rpartition('"')[2].rpartition(">")[2]
        if entry.name.startswith("fcntl") and "F_DUPFD" not in flags:
            found = descriptor(entry.arguments)
            if "F_SETFD" not in flags or found is None:
                return
            number = found[0]
        if "CLOEXEC" in flags:
            own.ends.add(number)
        else:
            own.ends.discard(number)

    def _exec(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        found = strings(entry.arguments)
        if entry.value != 0 or not found:
            return
        for number in own.ends:
            own.fds.pop(number, None)
        own.ends.clear()
        program, *words = found if entry.name == "execve" else found[1:] or found
        process.name = posixpath.basename(program) or program
        yield from self.touches.became(process, self.line, shlex.join(words or [program]), own.cwd)

    def _thing(self, own: Own, arguments: str) -> Thing:
        """What the descriptor is that some arguments begin with."""
        found = descriptor(arguments)
        if found is None:
            return NOTHING
        number, told, _ = found
        thing = thing_of(told) if told else None
        if thing is None:
            return own.fds.get(number, NOTHING)
        own.fds[number] = thing
        return thing

    def _touch(
        self, process: Process, thing: Thing, touch: str = "open", into: int = 0, out: int = 0,
        failed: Status | None = None,
    ) -> Iterator[Item]:  # fmt: skip
        if thing.kind:
            yield from self.touches.touch(
                process, "file" if thing.kind == "file" else "network", thing.what, self.at, self.line,
                fields=thing.fields, into=into, out=out, touch=touch, failed=failed,
            )  # fmt: skip

    def _in(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.value is not None and entry.value >= 0:
            thing = self._thing(own, entry.arguments)
            yield from self._touch(process, thing, "read", into=entry.value)

    def _out(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.value is not None and entry.value >= 0:
            thing = self._thing(own, entry.arguments)
            if not thing.kind and entry.name == "sendto":
                thing = address(entry.arguments) or thing
            yield from self._touch(process, thing, "write", out=entry.value)

    def _copy(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        moved = entry.value
        if moved is None or moved < 0:
            return
        first = descriptor(entry.arguments)
        rest = entry.arguments[first[2] :].lstrip(", ") if first else ""
        if entry.name != "sendfile":
            rest = rest.partition(", ")[2]
        things = (self._thing(own, entry.arguments), self._thing(own, rest))
        source, target = COPIES[entry.name]
        yield from self._touch(process, things[source], "read", into=moved)
        yield from self._touch(process, things[target], "write", out=moved)

    def _open(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        arguments = entry.arguments
        paths = self._paths(own, arguments)
        if not paths:
            return
        thing = file_of(paths[0])
        flags = arguments.rpartition('"')[2]
        if entry.value is None or entry.value < 0:
            if entry.error in REFUSED:
                yield from self._touch(process, thing, failed="denied")
            return
        if entry.told:
            thing = own.fds.get(entry.value, NOTHING)
        else:
            own.fds[entry.value] = thing
        if "O_DIRECTORY" in flags or "O_PATH" in flags:
            return
        emptied = entry.name == "creat" or "O_TRUNC" in flags
        yield from self._touch(process, thing, "write" if emptied else "open")

    def _change(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        failed: Status | None = None
        if entry.value != 0:
            if entry.error not in REFUSED:
                return
            failed = "denied"
        for path in self._paths(own, entry.arguments):
            yield from self._touch(process, file_of(path), PATHS[entry.name], failed=failed)

    def _link(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.value == 0:
            for path in self._paths(own, entry.arguments)[-1:]:
                yield from self._touch(process, file_of(path), "write")

    def _cut(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.value == 0:
            yield from self._touch(process, self._thing(own, entry.arguments), "write")

    def _paths(self, own: Own, arguments: str) -> list[str]:
        """The paths among some arguments, whole where the log tells the folder."""
        found: list[str] = []
        rest = arguments
        while len(found) < MOST_PATHS:
            before, quote, after = rest.partition('"')
            if not quote:
                break
            told = descriptor(before.lstrip(", "))
            folder = self._folder_of(own, told)
            if told and told[0] == -100 and told[1].startswith(WHOLE):
                own.cwd = told[1]
            end = _end_of_string(after)
            (path, *_) = strings('"' + after[: end + 3]) or [""]
            # a home folder is whole also where a resume state has shortened it
            whole = path if path.startswith(WHOLE) else posixpath.join(folder, path)
            found.append(posixpath.normpath(whole) if path else "")
            rest = after[end:].lstrip(".").removeprefix(", ")
        return found

    @staticmethod
    def _folder_of(own: Own, told: tuple[int, str, int] | None) -> str:
        """The folder that a path begins in, "" if unknown."""
        if told is None or told[0] == -100:
            return told[1] if told and told[1].startswith(WHOLE) else own.cwd
        if told[1].startswith(WHOLE):
            return told[1]
        thing = own.fds.get(told[0], NOTHING)
        return thing.text if thing.kind == "file" else ""

    def _dup(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.name.startswith("fcntl") and "F_DUPFD" not in entry.arguments:
            return
        if entry.value is not None and entry.value >= 0 and not entry.told:
            own.fds[entry.value] = self._thing(own, entry.arguments)
        yield from ()

    def closes(self, own: Own, arguments: str) -> None:
        """A descriptor ends with the beginning of its call, however late that is answered.

        Args:
            own: descriptors, changed in place.
            arguments: of the call.
        """
        found = descriptor(arguments)
        if found is not None:
            own.fds.pop(found[0], None)
            own.ends.discard(found[0])

    def _close(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.value == 0:
            self.closes(own, entry.arguments)
        yield from ()

    def _close_range(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        numbers = [integer(word) for word in RANGE.findall(entry.arguments)[:2]]
        if entry.value == 0 and len(numbers) == 2:
            inside = {fd for fd in own.fds if numbers[0] <= fd <= numbers[1]}
            if "CLOEXEC" in entry.arguments:
                own.ends |= inside
            else:
                own.ends -= inside
                for fd in inside:
                    del own.fds[fd]
        yield from ()

    def _pair(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        found = PAIRS.search(entry.arguments)
        if found is not None and entry.value == 0:
            for word in found.groups():
                own.fds.pop(integer(word), None)
                own.ends.discard(integer(word))
        yield from ()

    def _open_folder(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        if entry.value == 0:
            own.cwd = self._thing(own, entry.arguments).text
        yield from ()

    def _connect(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        thing, found = address(entry.arguments), descriptor(entry.arguments)
        if thing is None or found is None:
            return
        if entry.name != "connect":
            if entry.value is None or entry.value < 0:
                return
            own.fds[entry.value] = thing
            yield from self._touch(process, thing)
        elif entry.value == 0 or entry.error in ("EINPROGRESS", "EAGAIN", "EISCONN", "EALREADY"):
            own.fds[found[0]] = thing
            yield from self._touch(process, thing)
        else:
            yield from self._touch(process, thing, failed="denied" if entry.error in REFUSED else "error")

    def _folder(self, process: Process, own: Own, entry: Entry) -> Iterator[Item]:
        paths = self._paths(own, entry.arguments)
        if entry.value == 0 and paths:
            own.cwd = paths[0] if paths[0].startswith(WHOLE) else ""
        yield from ()


def _end_of_string(text: str) -> int:
    """Where the string ends that text is the inside and the rest of."""
    place = 0
    while place < len(text):
        if text[place] == "\\":
            place += 2
        elif text[place] == '"':
            return place + 1
        else:
            place += 1
    return len(text)
