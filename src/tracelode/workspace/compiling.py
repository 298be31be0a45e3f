"""Which intents are there, what becomes of them when they are compiled, and does a workflow still hold?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.errors import QueryError, UsageError
from tracelode.model.numbers import number
from tracelode.workspace.asking import Asking

if TYPE_CHECKING:
    from tracelode.compile.work import Declared, Options
    from tracelode.model.compiled import Checked, Compiled, Found, Reading
    from tracelode.model.intent import Intent
    from tracelode.model.query import Query
    from tracelode.model.run import Run
    from tracelode.model.session import Session
    from tracelode.workspace.compiling_pool import Job

_ALWAYS = ("json", "evidence")
_Declared = tuple["Declared", list[tuple[str, int, str]]]


class Compiling(Asking):
    """A workspace's compiler; part of Workspace."""

    def runs(self, query: Query | None = None, *, sessions: Sequence[str] | None = None) -> list[Run]:
        """Sessions as the compiler reads them: tool calls whole, what was said, what it cost.

        Args:
            query: filters; a session counts with any operation that passes. None for all.
            sessions: keys or unique beginnings; None for all that pass the query.

        Returns:
            Runs with one call or more, by key; calls whose texts are gone have a missing output.

        Raises:
            QueryError: none or several sessions match a name.

        Source:
            compiler rules, S0.
        """
        from tracelode.workspace.compiling_runs import whole

        keys = None if sessions is None else {self.session(name).key for name in sessions}
        chosen = self._matching(query, keys)
        return whole(self._ask(), self._contents(), chosen)[0]

    def intents(
        self,
        query: Query | None = None,
        *,
        options: Options | None = None,
        declare: Iterable[str | Path] = (),
    ) -> Found:
        """Which runs ask for the same thing? No content is read again.

        Args:
            query: filters; None for all sessions.
            options: settings of the compiler; None for the defaults.
            declare: files and folders with skills, tool lists, OpenAPI documents and effects.

        Returns:
            Intents by size, with the outcomes of their runs.

        Raises:
            MissingExtra: scipy is not installed.
        """
        return self._looked(query, options, self._declared(declare))[0]

    def compile(
        self,
        *names: str,
        query: Query | None = None,
        sessions: Sequence[str] | None = None,
        options: Options | None = None,
        declare: Iterable[str | Path] = (),
        emit: Sequence[str] = (),
        told: Callable[[int, int], None] | None = None,
    ) -> list[Compiled]:
        """Compile intents, each with its proof; contents are read one intent at a time.

        Args:
            names: ids, unique beginnings of one, or names of intents; none for all.
            query: filters on sessions; None for all.
            sessions: keys that are one intent, whatever they ask for; then no name is taken.
            options: settings; None for the defaults.
            declare: as for intents().
            emit: names of artefacts that are made; see artefacts().
            told: called with (done, all) before the first and after each.

        Returns:
            One verdict an intent, by the size of the intent; the same on any number of cores. Of several
            intents none has a learning curve unless the options ask for it.

        Raises:
            QueryError: no such intent, or a name of several.
            MissingExtra: scipy is not installed.

        Source:
            compiler specification.
        """
        from tracelode.compile.work import Options
        from tracelode.workspace.compiling_pool import Job, together
        from tracelode.workspace.tooling import openapi_documents

        options = options or Options()
        declare = list(declare)
        declared = self._declared(declare)
        if sessions is not None:
            jobs = [self._one(sessions, options, declared, tuple(emit))]
        else:
            found, light = self._looked(query, options, declared)
            chosen = [named(found.intents, name) for name in names] if names else list(found.intents)
            shown = [run for run in light if run.effects or run.observed]
            jobs = [
                Job(
                    one,
                    tuple(run for run in shown if run.key not in one.runs),
                    options,
                    declared[0],
                    tuple(emit),
                )
                for one in dict.fromkeys(chosen)
            ]
        if len(jobs) > 1 and options.curve is None:
            jobs = [
                dataclasses.replace(job, options=dataclasses.replace(job.options, curve=False))
                for job in jobs
            ]
        if "arazzo" in emit:
            documents = openapi_documents(declare)
            jobs = [dataclasses.replace(job, documents=documents) for job in jobs]
        done = together(self, jobs, options.workers, told)
        return [_with(one, declared[1]) for one in done]

    def explain(self, edge: str, target: str | Path, **how: Any) -> list[str]:
        """Why is one step before another, and where does an argument come from?

        Args:
            edge: id of an edge, a step, or STEP.ARGUMENT.
            target: folder or file that compile() wrote, or an intent.
            how: as for compile(), where the target is an intent.

        Returns:
            Lines of plain text.

        Raises:
            QueryError: no such edge.
            WorkflowError: the file cannot be taken.
        """
        from tracelode.workspace.compiling_files import folder_of
        from tracelode.workspace.compiling_words import explain, explained

        if folder_of(target) is not None:
            return explain(edge, target)
        (one,) = self.compile(str(target), **how)
        return explained(edge, one.workflow, one.edges, one.evidence)

    def verify(self, target: str | Path, *, accept_edits: bool = False, **how: Any) -> Checked:
        """Does a workflow hold together, and do its runs still make the same one?

        Args:
            target: folder or file that compile() wrote, or an intent.
            accept_edits: take a file that was edited by hand.
            how: as for compile().

        Returns:
            What does not hold, and what leaving runs out, other orders and changed values showed.

        Raises:
            WorkflowError: the file cannot be taken.
            QueryError: no such intent, or it was refused.
        """
        from tracelode.model.compiled import Checked
        from tracelode.workspace.compiling_files import differences, folder_of, read, static

        if folder_of(target) is None:
            (one,) = self.compile(str(target), **how)
            if one.workflow is None:
                codes = ", ".join(dict.fromkeys(r.code for r in one.verdict.refusals))
                raise QueryError(
                    f"intent {one.intent.id} was refused ({codes}): there is no workflow to verify"
                )
            return Checked(workflow=one.workflow, problems=static(one.workflow), compiled=one)
        workflow, _, evidence = read(target, accept_edits=accept_edits)
        problems = static(workflow)
        keys = sorted({e.run for e in evidence})
        if not keys:
            reason = "there is no evidence.jsonl beside it that names its runs"
            return Checked(workflow=workflow, problems=problems, reason=reason)
        held = {s.key for s in self._catalog.sessions()}
        if gone := [key for key in keys if key not in held]:
            reason = f"{len(gone):,} of {number(len(keys), 'run')} are not in this store"
            return Checked(workflow=workflow, problems=problems, reason=reason)
        (one,) = self.compile(sessions=keys, **how)
        other = differences(workflow, one.workflow)
        return Checked(workflow=workflow, problems=problems, compiled=one, same=not other, differs=other)

    def save(self, one: Compiled, folder: str | Path, *, force: bool = False) -> list[Path]:
        """Write what was compiled: workflow.json, evidence.jsonl, and the artefacts that were made.

        Args:
            one: compiled or refused.
            folder: made if it is not there; files of other names in it stay.
            force: overwrite a workflow that was edited by hand.

        Returns:
            Paths of the files.

        Raises:
            UsageError: an edited workflow lies there, or the folder is none.
            ExportError: it cannot be written.
        """
        from tracelode.workspace.compiling_files import write

        return write(one, Path(folder).expanduser(), force=force)

    def artefacts(self) -> dict[str, str]:
        """What compile() can make besides workflow.json and evidence.jsonl: name to what it is."""
        from tracelode.compile.emit import ARTEFACTS

        return {
            name: f"{one.files}: {one.description}" for name, one in ARTEFACTS.items() if name not in _ALWAYS
        }

    def folder_name(self, one: Compiled) -> str:
        """What the folder of a compiled intent is called where its user names none.

        Args:
            one: compiled or refused.
        """
        from tracelode.compile.emit.names import file_name

        return file_name(one.workflow.id if one.workflow else one.intent.id, one.intent.name)

    # reading ------------------------------------------------------------------------------------

    def _matching(
        self,
        query: Query | None,
        keys: Iterable[str] | None = None,
        every: Sequence[Session] | None = None,
    ) -> list[Session]:
        """The sessions that pass, with the logs of effects of their families."""
        every = sorted(self._catalog.sessions(), key=lambda s: s.key) if every is None else every
        wanted = None if keys is None else set(keys)
        filtered = query is not None and bool(
            query.where or query.since is not None or query.until is not None
        )
        roots = set(self.totals(query).by.get("session", {})) if filtered else None
        chosen = [
            s
            for s in every
            if s.role != "effects"
            and (wanted is None or s.key in wanted)
            and (roots is None or s.root in roots)
        ]
        families = {s.root for s in chosen}
        return [*chosen, *(s for s in every if s.role == "effects" and s.root in families)]

    def _contents(self) -> Any:
        from tracelode.ingest.content import Contents

        worker = self._import().here  # type: ignore[attr-defined]
        return Contents(self._catalog, worker.redactor, worker.connection)

    def _declared(self, paths: Iterable[str | Path]) -> _Declared:
        from tracelode.compile.normalise.declared import declared

        given = [Path(p).expanduser() for p in paths]
        if lacking := [p for p in given if not p.exists()]:
            raise UsageError(f"{lacking[0]} is not there: name a file or folder with declarations")
        found, troubles = declared(given)
        return found, [(t.path, t.line, t.reason) for t in troubles]

    def _looked(
        self, query: Query | None, options: Options | None, declared: _Declared
    ) -> tuple[Found, list[Run]]:
        from tracelode.compile.intents import intents
        from tracelode.compile.work import Options, State
        from tracelode.ingest.process import collecting_rarely
        from tracelode.model.compiled import Found
        from tracelode.workspace.compiling_runs import copied, light

        if options is not None:
            checked(options)
        with collecting_rarely():
            runs, reading = light(self._ask(), self._matching(query), tuple(declared[0].tools.values()))
            state = intents(State(tuple(runs), options or Options(), declared[0])) if runs else State(())
        ended = {run.key: run.outcome for run in runs}
        found = Found(
            intents=state.intents,
            outcomes={one.id: _ended(one, ended) for one in state.intents},
            alone=len(state.alone) if runs else 0,
            forks=state.forks,
            reading=copied(reading, declared[1]),
        )
        return found, runs

    def _one(
        self, sessions: Sequence[str], options: Options, declared: _Declared, emit: tuple[str, ...]
    ) -> Job:
        """The named sessions as one intent."""
        from tracelode.workspace.compiling_pool import Job
        from tracelode.workspace.compiling_runs import intent_of, light

        keys = {self.session(name).key for name in sessions}
        specs = tuple(declared[0].tools.values())
        runs, _ = light(self._ask(), self._matching(None, keys), specs)
        if not runs:
            raise QueryError("none of these sessions has a tool call")
        return Job(intent_of(runs, options, declared[0]), (), options, declared[0], emit)


def _ended(one: Intent, outcomes: dict[str, str | None]) -> tuple[int, int, int]:
    ends = [outcomes[key] for key in one.runs]
    good, bad = ends.count("success"), ends.count("failure")
    return good, bad, len(ends) - good - bad


def named(intents: Sequence[Intent], name: str) -> Intent:
    """The intent that a word names.

    Args:
        intents: all.
        name: id, unique beginning of one, or name.

    Raises:
        QueryError: none, or several.
    """
    exact = [one for one in intents if one.id == name]
    called = [one for one in intents if one.name == name]
    begun = [one for one in intents if one.id.startswith((name, f"i_{name}"))]
    for found in (exact, called, begun):
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(one.id for one in found[:4])
            raise QueryError(f"{len(found)} intents go by that name ({ids}); give the id")
    raise QueryError("there is no such intent; run: tracelode intents")


def options_of(**given: Any) -> Options:
    """Settings of the compiler, for faces that know its words alone.

    Args:
        given: fields of Options.

    Raises:
        UsageError: one cannot be taken.
    """
    from tracelode.compile.work import Options

    found = Options(**given)
    checked(found)
    return found


def checked(options: Options) -> None:
    """Assert that settings can be taken.

    Args:
        options: settings.

    Raises:
        UsageError: one cannot.
    """
    if options.similarity is not None and not 0 < options.similarity <= 1:
        raise UsageError("the similarity of runs is a share above 0, at most 1")
    if options.fewest < 3:
        raise UsageError("an intent has 3 runs at least")


def _with(one: Compiled, troubles: list[tuple[str, int, str]]) -> Compiled:
    from tracelode.workspace.compiling_runs import copied

    reading: Reading = copied(one.reading, troubles)
    return msgspec.structs.replace(one, reading=reading)
