"""Do bytes and descent hold whatever order strace tells a tree of processes in? Against trees made here."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from effects import told


class Tree:
    """Processes that open, write, close and start others at random, and the log strace would write.

    Args:
        seed: of the random choices.
        threads: share of starts that are threads.
    """

    def __init__(self, seed: int, threads: float) -> None:
        self.rng, self.share = random.Random(seed), threads
        self.lines = ['7 1791280800.000000 execve("/bin/a", ["a"], 0x1 /* 1 var */) = 0']
        self.files: dict[int, dict[int, str]] = {7: {}}  # of each process: descriptor to path
        self.of = {7: 7}  # thread to process
        self.answers: dict[int, str] = {}  # thread to the end of its open call
        self.written: Counter[tuple[int, str]] = Counter()
        self.parents: dict[int, int] = {}
        self.number = 7
        for _ in range(self.rng.randrange(10, 120)):
            self.step(self.rng.choice(list(self.of)))
        for thread, answer in list(self.answers.items()):
            self.say(thread, answer)

    def say(self, thread: int, text: str) -> None:
        self.lines.append(f"{thread} 1791280801.{len(self.lines):06d} {text}")

    def call(self, thread: int, call: str, answer: str, late: float) -> None:
        """A call, of which the answer comes later at times."""
        if self.rng.random() < late:
            self.say(thread, f"{call} <unfinished ...>")
            self.answers[thread] = f"<... {call.partition('(')[0]} resumed>) = {answer}"
        else:
            self.say(thread, f"{call}) = {answer}")

    def step(self, thread: int) -> None:
        process = self.of[thread]
        files, alone = self.files[process], list(self.of.values()).count(process) == 1
        if thread in self.answers:
            if self.rng.random() < 0.4:
                self.say(thread, self.answers.pop(thread))
            return
        what = self.rng.random()
        if what < 0.2 and alone:
            fd = min(set(range(40)) - files.keys())
            files[fd] = f"/w/f{self.rng.randrange(20)}"
            name = files[fd].removeprefix("/w/")
            self.say(thread, f'openat(AT_FDCWD</w>, "{name}", O_WRONLY|O_CREAT, 0666) = {fd}<{files[fd]}>')
        elif what < 0.26 and alone and files:
            fd = self.rng.choice(list(files))
            self.say(thread, f"close({fd}<{files.pop(fd)}>) = 0")
        elif what < 0.6 and files:
            fd, size = self.rng.choice(list(files)), self.rng.randrange(1, 100)
            self.written[process, files[fd]] += size
            self.call(thread, f"write({fd:#x}, 0x55, {size:#x}", f"{size:#x}", 0.3 * alone)
        elif what < 0.95 and len(self.of) < 25:
            self.start(thread, process)
        elif what >= 0.95 and thread != 7:
            self.say(thread, "+++ exited with 0 +++")
            del self.of[thread]

    def start(self, thread: int, process: int) -> None:
        self.number += 1
        child = self.number
        if self.rng.random() < self.share:
            self.of[child] = process
            self.call(thread, "clone(flags=CLONE_VM|CLONE_THREAD", str(child), 0.7)
            return
        self.of[child], self.files[child], self.parents[child] = child, dict(self.files[process]), process
        self.call(thread, "vfork(", str(child), 0.7)


@pytest.mark.parametrize("threads", [0.0, 0.3])
def test_trees_told_in_any_order_are_right_to_the_byte(threads: float) -> None:
    early = 0
    for seed in range(200):
        tree = Tree(seed, threads)
        rng = random.Random(seed)
        cuts = sorted(rng.sample(range(1, len(tree.lines)), rng.randrange(4)))
        drafts, skipped = told("strace", "\n".join(tree.lines) + "\n", *cuts)
        written: Counter[tuple[int, str]] = Counter()
        for draft in drafts.values():
            if draft.kind == "file" and draft.measures["bytes.written"]:
                path = draft.fields["path"]
                key = int(draft.fields["pid"]), path if path.startswith("/") else f"/w/{path}"
                written[key] += draft.measures["bytes.written"] or 0
        assert written == tree.written, seed
        processes = {int(d.fields["pid"]): d for d in drafts.values() if d.kind == "process"}
        found = {pid: d.fields.get("process") for pid, d in processes.items()}
        for pid, above in tree.parents.items():
            assert pid not in found or above not in found or found[pid] == processes[above].id, seed
        assert not skipped
        early += any(shows_early(tree.lines, pid) for pid in found if pid != 7)
    # else nothing of it was tried
    assert early > 150


def shows_early(lines: list[str], pid: int) -> bool:
    """Is a process in the log before the answer of the call that started it?"""
    first = next(n for n, line in enumerate(lines) if line.startswith(f"{pid} "))
    return not any(line.endswith(f" = {pid}") for line in lines[:first])
