"""Does a folder with damaged files become a sound store: once, in any order, grown or whole?"""

from __future__ import annotations

import io
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tracelode
from fuzzing.findings import Broken
from fuzzing.reading import check_operations, check_skips
from tracelode.store.shards import connect
from tracelode.workspace import Workspace, formats

MEASURES = ("tokens", "cost", "time", "calls", "operations")
STACKS = (["session"], ["tool"], ["stage"], ["day"], ["model", "kind"], ["intent", "stage", "tool"])
NAMES = (
    "{n}", "{n} with spaces", "-{n}", "{n}\x1b[31m", "{n}\u202etxt", "{n}<script>alert(1)", "{n}\nline",
    "{n}'\"`$(id)", "{n}%s%n", "\u00e9\u6f22{n}", "{n}" + "x" * 150,
)  # fmt: skip
RAW_NAME = b"\xff\xfe{n}"
"""A file name that is no text."""


@dataclass
class Member:
    """One damaged file of a folder."""

    data: bytes
    """Its bytes."""
    secrets: list[str]
    """What must not be found."""
    where: str
    """How to make it again."""
    lined: bool
    """It may be read on where it grows."""
    number: int
    """Of its execution."""


class Storing:
    """Imports folders.

    Args:
        folder: for what is imported and for stores.
        witnesses: (file name, bytes) of good files that lie beside the damaged ones.
    """

    def __init__(self, folder: Path, witnesses: Sequence[tuple[str, bytes]]) -> None:
        self.folder = folder
        self.witnesses = list(witnesses)
        self._apart: dict[str, Any] | None = None

    def run(self, members: Sequence[Member], suffix: str, label: str) -> None:
        """Import damaged files beside good ones, and look at the store.

        Args:
            members: the damaged files.
            suffix: of their names.
            label: decides their names, their order and where they are cut.

        Raises:
            Broken: something does not hold.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "h").mkdir(parents=True)
        files = self._written(members, suffix)
        workspace = tracelode.open(self.folder / "s", tz="UTC")
        report = workspace.add(self.folder / "h")
        if report.files != len(files):
            raise Broken("files were not counted", f"{report.files} of {len(files)}")
        check_skips(report.skipped, None)
        sound = seen(workspace)
        for name, operations in self._alone().items():
            if sound[1].get(name) != operations:
                raise Broken("a good file beside damaged ones changed", name)
        check_views(workspace, random.Random(label))
        again = workspace.add(self.folder / "h")
        if again.files_read or seen(workspace) != sound:
            raise Broken("a second import changed something", f"{again.files_read} files read")
        secrets = [secret for member in members for secret in member.secrets]
        text = _everything(workspace) + repr(report) if secrets else ""
        if leaked := [secret for secret in secrets if secret in text]:
            at = text.index(leaked[0])
            raise Broken("a secret is in the store", f"{leaked[0]}: {text[max(0, at - 200) : at + 50]!r}")
        _another(self.folder, files, members, sound, random.Random(label))

    def _alone(self) -> dict[str, Any]:
        """What the good files become without any other, by session."""
        if self._apart is None:
            place = self.folder.with_name("alone")
            shutil.rmtree(place, ignore_errors=True)
            (self.folder / "w").mkdir(exist_ok=True)
            (place / "h").mkdir(parents=True)
            for name, data in self.witnesses:
                (place / "h" / name).write_bytes(data)
            workspace = tracelode.open(place / "s", tz="UTC")
            workspace.add(place / "h")
            self._apart = seen(workspace)[1]
        return self._apart

    def _written(self, members: Sequence[Member], suffix: str) -> list[Path]:
        """The files on disk, the damaged ones first."""
        files: list[Path] = []
        for member in members:
            # a file has its name by itself, whichever others are there
            rng, number = random.Random(member.where), member.number
            if rng.random() < 0.1:
                raw = os.fsencode(self.folder / "h") + b"/" + RAW_NAME.replace(b"{n}", b"%d" % number)
                path = Path(os.fsdecode(raw + os.fsencode(suffix)))
            else:
                path = self.folder / "h" / (rng.choice(NAMES).format(n=number) + suffix)
            path.write_bytes(member.data)
            files.append(path)
        for name, data in self.witnesses:
            (self.folder / "h" / name).write_bytes(data)
            files.append(self.folder / "h" / name)
        return files


def _another(
    folder: Path, files: Sequence[Path], members: Sequence[Member], sound: Any, rng: random.Random
) -> None:
    """The same files one after another in another order, or grown in two steps, become the same store."""
    workspace = tracelode.open(folder / "s2", tz="UTC")
    if rng.random() < 0.5:
        order = list(files)
        rng.shuffle(order)
        for start in range(0, len(order), 4):
            workspace.add(*order[start : start + 4])
        kind = "another order of files gives another store"
    else:
        for path, member in zip(files, members, strict=False):
            if member.lined:
                place = random.Random(f"cut {member.where}").randrange(len(member.data) + 1)
                path.write_bytes(member.data[:place])
        workspace.add(folder / "h")
        for path, member in zip(files, members, strict=False):
            path.write_bytes(member.data)
            os.utime(path, (1, 1))  # two writes within one tick of the clock are two times
        workspace.add(folder / "h")
        kind = "files that grew give another store"
    other = seen(workspace)
    if other != sound:
        raise Broken(kind, difference(sound, other))


def seen(workspace: Workspace) -> tuple[Any, dict[str, Any]]:
    """What a store answers: totals, and sessions with their operations.

    Args:
        workspace: with a store.
    """
    held: dict[str, Any] = {}
    for session in workspace.sessions():
        operations = workspace.operations(session.key)
        check_operations(operations, None)
        told = (session.root, session.agent, session.role, session.project, session.task, session.outcome)
        held[session.key] = (told, [_facts(o) for o in operations])
    return workspace.totals(), held


def _facts(o: Any) -> Any:
    return (
        o.index, o.id, o.actor, o.kind, o.name, o.status, o.started, o.ended, o.parent, o.fields, o.measures,
        o.arguments, o.output, o.inherited, o.origin.line,
    )  # fmt: skip


def difference(one: Any, two: Any) -> str:
    """Where two answers of seen() differ first."""
    for key in sorted(one[1].keys() | two[1].keys()):
        a, b = one[1].get(key), two[1].get(key)
        if a == b:
            continue
        if a is None or b is None:
            return f"session {key} only in the {'second' if a is None else 'first'}"
        if a[0] != b[0]:
            return f"session {key}: {a[0]} -> {b[0]}"
        for x, y in zip(a[1], b[1], strict=False):
            if x != y:
                parts = [f"{p!r} -> {q!r}" for p, q in zip(x, y, strict=True) if p != q]
                return f"session {key}, operation {x[0]} {x[3]} line {x[-1]}: {'; '.join(parts)}"[:900]
        return f"session {key}: {len(a[1])} -> {len(b[1])} operations"
    for field in one[0].__struct_fields__:
        a, b = getattr(one[0], field), getattr(two[0], field)
        if field == "by":
            for split in a:
                for name in a[split].keys() | b[split].keys():
                    if a[split].get(name) != b[split].get(name):
                        return f"totals by {split}, {name}: {a[split].get(name)} -> {b[split].get(name)}"
        elif a != b:
            return f"totals, {field}: {a} -> {b}"
    return "totals differ"


def _row(sums: Any) -> list[int]:
    """Operations, calls, money, tokens and time of a row of totals."""
    return [sums.operations, sums.calls, sums.cost_picodollars, sums.total_tokens, sum(sums.time_us.values())]


def check_views(workspace: Workspace, rng: random.Random) -> None:
    """Every split of the totals sums to them, and so does every view; exports can be written.

    Args:
        workspace: with a store.
        rng: chooses an export.

    Raises:
        Broken: a sum differs.
    """
    totals = workspace.totals()
    wanted = _row(totals)
    for field, rows in totals.by.items():
        got = [sum(column) for column in zip(*map(_row, rows.values()), strict=True)]
        if rows and got != wanted:
            raise Broken("a split does not sum to the totals", f"{field}: {got} of {wanted}")
    if min(wanted) < 0:
        raise Broken("a total is negative", repr(wanted))
    for stack in STACKS:
        profile = workspace.profile(stack=stack, measures=list(MEASURES))
        sums = [profile.total(place) for place in range(len(profile.measures))]
        shown = [wanted[3], wanted[2], wanted[4], wanted[1], wanted[0]]
        if sums != shown:
            raise Broken("a view does not sum to the totals", f"{stack}: {sums} of {shown}")
    profile = workspace.profile(stack=STACKS[-1], measures=list(MEASURES), detail=True)
    name = rng.choice(sorted(n for n in formats() if n != "parquet"))
    workspace.export(profile, io.BytesIO(), name)
    workspace.findings()
    workspace.doctor()


def _everything(workspace: Workspace) -> str:
    """All that lies on disk, unpacked, and what answers say."""
    found = [repr(workspace.sessions()), repr(workspace.findings()), repr(workspace.doctor())]
    found.append(repr(workspace.profile(stack=["project", "intent", "stage", "focus", "tool"], detail=True)))
    database = connect()
    for file in workspace.path.rglob("*"):
        if file.suffix == ".parquet":
            found.append(repr(database.execute(f"SELECT * FROM read_parquet('{file}')").fetchall()))
        elif file.is_file():
            found.append(file.read_bytes().decode("utf-8", "replace"))
    database.close()
    for (state,) in workspace._catalog.db.execute("SELECT state FROM sources"):
        found.append(state.decode("utf-8", "replace"))
    return "\n".join(found)
