"""In which order is what damaged? Rounds of single files and of folders, source by source, by one seed."""

from __future__ import annotations

import random
import resource
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from fuzzing.corpus import Corpus, renamed
from fuzzing.findings import Findings, TooLong, bounded, told
from fuzzing.made import Made, make
from fuzzing.reading import Reading
from fuzzing.storing import Member, Storing

SINGLE, FOLDER = 80, 8
"""Files of a round that go through the pipeline alone, and that lie in one folder."""
ANEW = 50
"""Rounds after which the pipeline is made anew, so that nothing gathers in it."""


def _cpu() -> int:
    """CPU microseconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return round((used.ru_utime + used.ru_stime) * 1e6)


class Rounds:
    """Runs rounds.

    Args:
        folder: for everything that is written.
        corpus: good files.
        findings: gets what is found.
        seed: decides everything.
    """

    def __init__(self, folder: Path, corpus: Corpus, findings: Findings, seed: int) -> None:
        self.folder, self.corpus, self.findings, self.seed = folder, corpus, findings, seed
        self._reading: Reading | None = None
        self._made = 0
        self._storing: dict[str, Storing] = {}

    def all(self, names: Sequence[str], until: float | None, most: int | None) -> None:
        """Rounds of every source in turn.

        Args:
            names: sources.
            until: moment of the monotonic clock after which none begins.
            most: rounds of each source.
        """
        number = 0
        while most is None or number < most:
            for name in names:
                if until is not None and time.monotonic() >= until:
                    return
                before = _cpu()
                self.round(name, number)
                self.findings.cpu[name] += _cpu() - before
            number += 1

    def round(self, name: str, number: int) -> None:
        """One round of a source."""
        if self._made % ANEW == 0:
            self._reading = None
        self._made += 1
        first = number * (SINGLE + FOLDER)
        for execution in range(first, first + SINGLE):
            self._single(name, execution)
        self._folder(name, range(first + SINGLE, first + SINGLE + FOLDER))

    def _pipeline(self) -> Reading:
        """The pipeline; a new one after a fault."""
        if self._reading is None:
            shutil.rmtree(self.folder / "r", ignore_errors=True)
            self._reading = Reading(self.folder / "r")
        return self._reading

    def _single(self, name: str, execution: int) -> None:
        rng = random.Random(f"{self.seed}/{name}/{execution}")
        base = rng.choice(self.corpus.files[name])
        good = self.corpus.lined(name) and base in self.corpus.files[name][: self.corpus.given[name]]
        made = make(rng, base, self.corpus.others(name), execution, good)
        where = f"{name}, seed {self.seed}, execution {execution}: {' '.join(made.steps)}"
        self.findings.ran[name] += 1
        reading = self._pipeline()
        try:
            with bounded(len(made.data)):
                said = reading.run(made, self.corpus.suffix[name], base)
                # an id that is a secret is another one in what is kept, and so is what is made of it
                if rng.random() < 0.3 and not made.secrets:
                    reading.in_pieces(name, made.data, rng)
            if "packed" not in made.steps:
                self.corpus.new(name, said, made.data)
        except (Exception, TooLong) as error:
            self.findings.note(name, error, made.data, where)
            self._reading = None

    def _folder(self, name: str, executions: range) -> None:
        if not executions:
            return
        members: list[Member] = []
        suffix = self.corpus.suffix[name]
        # what tells of the same records as a good file is no stranger to it
        held = self._pipeline().holds(self._storing_of(name).witnesses[0][1], suffix)
        for execution in executions:
            rng = random.Random(f"{self.seed}/{name}/{execution}")
            base = renamed(
                name, rng.choice(self.corpus.files[name][: self.corpus.given[name]]), f"r{execution}"
            )
            made: Made = make(rng, base, self.corpus.others(name), execution, False)
            where = f"{name}, seed {self.seed}, execution {execution}: {' '.join(made.steps)}"
            try:
                keys = self._pipeline().holds(made.data, suffix)
            except Exception as error:
                self.findings.note(name, error, made.data, where)
                self._reading = None
                continue
            if keys & held or self._pipeline().certain(suffix) > 1:
                # two files that tell of one session in two ways: the import decides for one of them; a
                # file of two formats: it is taken for the one that the file before it had
                continue
            held |= keys
            lined = self.corpus.lined(name) and "packed" not in made.steps and not made.secrets
            members.append(Member(made.data, made.secrets, where, lined, execution))
        self.findings.ran[name] += len(members)
        storing = self._storing_of(name)
        label = f"{self.seed}/{name}/{executions.start}"
        error = self._fails(storing, members, name, label)
        if error is None:
            return
        kind = told(error)[0]
        if (kind, name) not in self.findings.found:
            members = self._fewest(storing, members, name, label, kind)
            error = self._fails(storing, members, name, label) or error
        where = "; ".join(member.where for member in members)
        self.findings.note(name, error, b"\n=====\n".join(m.data for m in members), f"folder of {where}")

    def _storing_of(self, name: str) -> Storing:
        if name not in self._storing:
            good = self.corpus.files
            beside = [name, *(one for one in ("codex", "atif") if one != name)]
            self._storing[name] = Storing(
                self.folder / name / "f",
                [(f"witness-{b}{self.corpus.suffix[b]}", renamed(b, good[b][0], "witness")) for b in beside],
            )
        return self._storing[name]

    def _fails(
        self, storing: Storing, members: Sequence[Member], name: str, label: str
    ) -> BaseException | None:
        try:
            with bounded(sum(len(m.data) for m in members) * 4 + 4_000_000):
                storing.run(members, self.corpus.suffix[name], label)
        except (Exception, TooLong) as error:
            return error
        return None

    def _fewest(
        self, storing: Storing, members: Sequence[Member], name: str, label: str, kind: str
    ) -> Sequence[Member]:
        """The members without those that the fault does not need."""
        left = list(members)
        for member in members:
            fewer = [one for one in left if one is not member]
            error = self._fails(storing, fewer, name, label) if fewer else None
            if error is not None and told(error)[0] == kind:
                left = fewer
        return left
