"""How do marks of people and agents get out of a store and back into it? Export, import, history."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tracelode.errors import MarksError, QueryError, UsageError
from tracelode.workspace.segmenting import Segmenting

if TYPE_CHECKING:
    from tracelode.model.annotation import Agreement, Annotation, Mark
    from tracelode.model.operation import Operation
    from tracelode.model.query import Query
    from tracelode.workspace.annotating_files import Read, Sheet
    from tracelode.workspace.annotating_now import Current
    from tracelode.workspace.annotating_report import Exported, Imported

AUTHOR = "unnamed"
"""Author of marks when nobody says."""
FEWEST = 5
"""Operations of a session below which it is not sampled: there is hardly anything to cut."""

_AUTHOR, _REASON = 80, 300


class _Answer(NamedTuple):
    """A marks file that is right."""

    file: str
    session: str
    operations: int
    last: str
    marks: tuple[Mark, ...]
    repeated: int
    blind: bool
    confirm: bool


class Annotating(Segmenting):
    """A workspace's annotators; part of Workspace."""

    def annotate_export(
        self,
        target: str | Path,
        *,
        sessions: Sequence[str] = (),
        query: Query | None = None,
        sample: int | None = None,
        seed: int = 0,
        budget: int | None = None,
        blind: bool = False,
        by_confidence: bool = False,
    ) -> Exported:
        """Write a folder for annotators: an instruction, and for each session a packet and a file for marks.

        Args:
            target: a folder that is empty or not there.
            sessions: keys or unique beginnings; sub-agents are named by theirs.
            query: where nothing is named, the root sessions that have a matching operation; None for all.
            sample: take so many of them at random; None for all.
            seed: the same seed takes the same sessions.
            budget: characters of a packet; None for the usual 24,000.
            blind: leave out how the sessions are cut now.
            by_confidence: sample alike many of the lowest, middle and highest third of confidence.

        Returns:
            What was written.

        Raises:
            QueryError: no session is chosen.
            UsageError: something lies in the folder, or a bad budget.
            ExportError: the folder cannot be written.
        """
        from tracelode.profile.packets import BUDGET, LEAST
        from tracelode.workspace.annotating_files import write_folder
        from tracelode.workspace.annotating_now import by_thirds
        from tracelode.workspace.annotating_report import Exported
        from tracelode.workspace.annotating_texts import INSTRUCTION, schema

        if budget is not None and budget < LEAST:
            raise UsageError(f"a packet needs a budget of at least {LEAST:,} characters, not {budget:,}")
        chosen = self._chosen(sessions, query, 1 if sample is None else FEWEST)
        report = Exported(folder=str(target), blind=blind, of=len(chosen))
        strata: dict[str, tuple[str, float | None]] = {}
        if by_confidence and sample is not None:
            look = self._looker()
            strata, report.looked_at = by_thirds(lambda key: look(key, self._raw(key)), chosen, sample, seed)
            chosen = list(strata)
        elif sample is not None:
            chosen = sorted(random.Random(seed).sample(sorted(chosen), min(sample, len(chosen))))
        texts = {"README.md": INSTRUCTION, "marks.schema.json": schema()}
        sheets = self._sheets(chosen, report, budget or BUDGET, strata)
        folder = Path(target).expanduser()
        write_folder(folder, texts, sheets)
        return report

    def annotate_import(
        self,
        source: str | Path,
        *,
        author: str = AUTHOR,
        reason: str = "",
        check: bool = False,
    ) -> Imported:
        """Take in the marks of a folder or file, all or nothing, and cut their sessions by them.

        Args:
            source: the folder of an export, or one marks file.
            author: who made them.
            reason: why.
            check: only say what would be done.

        Returns:
            What changed.

        Raises:
            MarksError: anything is wrong; it tells all of it, and nothing was stored.
            SourceError: there is no marks file.
            StoreError: the store can only be read.
        """
        from tracelode.model.annotation import Annotation
        from tracelode.store.annotations import put
        from tracelode.workspace.annotating_files import read_files

        files, problems = read_files(Path(source).expanduser())
        answers = self._answers(files, problems)
        if problems:
            raise MarksError(problems)
        author, reason = self._said(author, reason)
        report, rows = self._compared(answers)
        report.stored = not check and bool(rows)
        if not report.stored:
            return report
        made = time.time_ns() // 1000
        kept = put(
            self._catalog,
            [
                Annotation(
                    session=row.session, marks=row.marks, operations=row.operations,
                    last=row.last, author=author, reason=reason, made=made, agreement=agreed,
                )
                for row, agreed in rows
            ],
        )  # fmt: skip
        import msgspec

        numbers = {annotation.session: annotation.revision for annotation in kept}
        report.taken = [msgspec.structs.replace(t, revision=numbers[t.session]) for t in report.taken]
        self._import().refresh_locked()
        self._asker = None
        return report

    def annotations(self, session: str | None = None) -> list[Annotation]:
        """The revisions of a session's marks, or the last one of every session that has any.

        Args:
            session: key or unique beginning of one; None for all.

        Returns:
            Oldest first.

        Raises:
            QueryError: none or several sessions match.
        """
        from tracelode.store.annotations import history, latest

        if session is not None:
            return history(self._catalog, self.session(session).key)
        return sorted(latest(self._catalog).values(), key=lambda a: (a.made, a.session))

    # choosing -----------------------------------------------------------------------------------

    def _chosen(self, sessions: Sequence[str], query: Query | None, least: int) -> list[str]:
        """Keys of the sessions that are named, or that match and have so many operations."""
        if sessions:
            found = list(dict.fromkeys(self.session(name).key for name in sessions))
            known = {s.key for s in self._catalog.sessions() if s.operations + s.inherited}
            empty = [key for key in found if key not in known]
            if empty:
                raise QueryError(f"session {empty[0]} has no operation of its own, only its sub-agents have")
            return found
        match = None if query is None else self.totals(query).by.get("session", {})
        keys = [s.key for s in self.sessions() if s.key == s.root and (match is None or s.key in match)]
        small = {s.key for s in self._catalog.sessions() if s.operations < least}
        found = [key for key in keys if key not in small]
        if not found:
            size = f" of {least} operations or more" if least > 1 else ""
            raise QueryError(f"no session{size} matches; loosen the filters")
        return found

    def _raw(self, key: str) -> list[Operation]:
        found: list[Operation] = self._ask().operations(key)
        return found

    # showing ------------------------------------------------------------------------------------

    def _sheets(
        self,
        chosen: Iterable[str],
        report: Exported,
        budget: int,
        strata: dict[str, tuple[str, float | None]],
    ) -> Iterator[Sheet]:
        """What an annotator gets of each session; the report learns what it is."""
        from tracelode.profile.packets import estimate, identity, packet
        from tracelode.workspace.annotating_files import Sheet, stem
        from tracelode.workspace.annotating_report import Shown

        look = self._looker()
        for number, key in enumerate(chosen, 1):
            operations = self.operations(key)
            current = () if report.blind else look(key, self._raw(key)).marks
            made = packet(key, operations, None if report.blind else current, budget)
            stratum, sure = strata.get(key, ("", None))
            shown = Shown(
                session=key, file=f"marks/{stem(number, key)}.json", operations=made.operations,
                characters=len(made.text), tokens=estimate(made.text), confidence=sure, stratum=stratum,
            )  # fmt: skip
            report.sessions.append(shown)
            yield Sheet(
                key,
                made.text,
                made.operations,
                made.ids[-1],
                identity(made.ids),
                report.blind,
                tuple(current),
            )

    def _looker(self) -> Callable[[str, Sequence[Operation]], Current]:
        """What says of a session key and its operations how it is cut now; the segmenter is made once."""
        from tracelode.ingest.segmenters import make
        from tracelode.workspace.annotating_now import current

        made = make(self.segmenter, self.path)
        return lambda key, operations: current(self._catalog, made, key, operations)

    # taking in ----------------------------------------------------------------------------------

    def _said(self, author: str, reason: str) -> tuple[str, str]:
        """Author and reason as they are kept: redacted, on one line, bounded."""
        from tracelode.model.words import printable

        redactor = self._import().here.redactor
        given = " ".join(author.split())
        if len(given) > _AUTHOR:
            raise UsageError(f"--author has {len(given):,} characters; at most {_AUTHOR}")
        name = printable(redactor.name(given))
        if not name.strip():
            raise UsageError("--author is empty; write it as --author sam")
        if len(name) > _AUTHOR:
            raise UsageError(f"--author has {len(name)} characters; at most {_AUTHOR}")
        return name, printable(redactor.start(" ".join(reason.split()), _REASON))

    def _answers(self, files: Sequence[Read], problems: list[tuple[str, str]]) -> list[_Answer]:
        """The files that are right; what is wrong with the others goes to the problems."""
        from tracelode.workspace.annotating_answers import header

        known = {s.key for s in self._catalog.sessions() if s.operations + s.inherited}
        seen: dict[str, str] = {}
        found: list[_Answer] = []
        for file in files:
            before = len(problems)
            head = header(file, known, seen, problems)
            if head is None or len(problems) > before:
                continue
            operations = self._raw(head.session)
            answer = self._answer(file.name, head, operations, problems)
            if answer is not None:
                found.append(answer)
        return found

    def _answer(
        self, name: str, head: Any, operations: Sequence[Operation], problems: list[tuple[str, str]]
    ) -> _Answer | None:
        from tracelode.profile.marks import read_marks
        from tracelode.profile.packets import identity

        looked_at = operations[: head.operations]
        ids = [operation.id for operation in looked_at]
        if len(ids) < head.operations or ids[-1] != head.last or identity(ids) != head.digest:
            problems.append((name, "another version of the session is in the store; export it again"))
            return None
        if not head.marks:
            return _Answer(name, head.session, len(ids), head.last, (), 0, head.blind, False)
        try:
            marks = read_marks(head.marks, looked_at, place=name)
        except MarksError as error:
            problems += error.problems
            return None
        redactor = self._import().here.redactor
        before = len(problems)
        problems += [
            (
                f"{name}: mark at #{ids.index(mark.start_operation_id)}",
                "a name holds what the redactor removes",
            )
            for mark in marks
            if any(redactor.name(part) != part for part in mark.path)
        ]
        if len(problems) > before:
            return None
        rest = len(head.marks) - len(marks)
        return _Answer(name, head.session, len(ids), head.last, tuple(marks), rest, head.blind, head.confirm)

    def _compared(self, answers: Sequence[_Answer]) -> tuple[Imported, list[tuple[_Answer, Agreement]]]:
        """What the answers change, and how far they agree with what is there."""
        from tracelode.profile.marks import near_duplicates
        from tracelode.store.annotations import latest
        from tracelode.workspace.annotating_answers import Agreements
        from tracelode.workspace.annotating_report import Imported, Taken

        report, rows, agreements, look = Imported(), [], Agreements(), self._looker()
        for answer in answers:
            if not answer.marks:
                report.empty.append(answer.session)
                continue
            report.repeated += answer.repeated
            operations = self._raw(answer.session)
            current = look(answer.session, operations)
            held = {operation.id for operation in operations[: answer.operations]}
            old = tuple(mark for mark in current.marks if mark.start_operation_id in held)
            if old == answer.marks and not answer.confirm:
                report.unchanged.append(answer.session)
                continue
            agreed = agreements.add(answer.marks, operations[: answer.operations], current, answer.blind)
            rows.append((answer, agreed))
            report.taken.append(
                Taken(session=answer.session, file=answer.file, marks=len(answer.marks),
                      before=len(old), revision=None, agreement=agreed)
            )  # fmt: skip
        report.b3, report.boundary = agreements.pooled()
        there = {n for a in latest(self._catalog).values() for mark in a.marks for n in mark.path}
        given = {n for answer, _ in rows for mark in answer.marks for n in mark.path}
        report.names = sorted(given - there)
        new = set(report.names)
        report.alike = [row for row in near_duplicates(there | given) if row[0] in new or row[1] in new]
        return report, rows
