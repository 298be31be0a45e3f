"""tracelode compile: what of this repeated work needs no model any more, and what speaks against it?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tracelode.cli.arguments import path
from tracelode.cli.compile_options import OPTIONS, CompileOptions
from tracelode.cli.options import FILTERS, STORE, FilterOptions, StoreOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracelode.model.compiled import Compiled
    from tracelode.workspace import Workspace

PLACE = Path("tracelode-workflows")
"""Folder of the folders that are written without -o."""
REFUSED = 4


def compile_(
    *intent: Annotated[
        str, Parameter(help="Id, a unique start of it, or name. Default: the only one there is.")
    ],
    all_: Annotated[bool, Parameter(name="--all", help="Compile every intent.")] = False,
    output: Annotated[
        Path | None,
        Parameter(
            name=("--output", "-o"),
            help=f"Folder that is written (with several intents: of their folders). Default: ./{PLACE}/NAME; "
            "with --json nothing is written unless it is given.",
            metavar="DIR",
            converter=path,
        ),
    ] = None,
    emit: Annotated[
        tuple[str, ...],
        Parameter(
            help="Further artefacts, by name; repeatable. The word all: every one.", metavar="NAME,..."
        ),
    ] = (),
    force: Annotated[bool, Parameter(help="Overwrite a workflow that was edited by hand.")] = False,
    keep_values: Annotated[
        bool, Parameter(help="Evidence holds values of the traces, and not digests alone.")
    ] = False,
    rule: Annotated[
        Literal["default", "paper"],
        Parameter(help="paper: single runs alone prove a value's source. Default: runs are compared."),
    ] = "default",
    jobs: Annotated[
        int, Parameter(help="Processes with several intents; 0 for the cores there are.", metavar="N")
    ] = 0,
    how: CompileOptions = OPTIONS,
    filters: FilterOptions = FILTERS,
    store: StoreOptions = STORE,
) -> int:
    """Compile intents into workflows, each value and each order with its proof, or say what is missing.

    Args:
        intent: which.
        all_: every one.
        output: folder.
        emit: artefacts.
        force: overwrite edits.
        keep_values: values in evidence.
        rule: how sources are proven.
        jobs: processes.
        how: what intents are told apart by.
        filters: which sessions are looked at.
        store: where.

    Returns:
        0, or 4 where nothing could be compiled.
    """
    from tracelode.cli import compile_text
    from tracelode.cli.compile_options import settings
    from tracelode.cli.view import filters as query_of
    from tracelode.cli.view import open_workspace
    from tracelode.errors import UsageError

    if all_ and intent:
        raise UsageError("--all compiles every intent: name none")
    if jobs < 0:
        raise UsageError("--jobs is a number of processes; 0 for the cores there are")
    options = settings(how, rule=rule, keep_values=keep_values, workers=jobs)
    workspace = open_workspace(store)
    query = query_of(filters, workspace)
    names = list(intent)
    if not names and not all_:
        found = workspace.intents(query, options=options, declare=how.declare)
        if len(found.intents) > 1:
            ids = ", ".join(one.id for one in found.intents[:3])
            raise UsageError(f"there are {len(found.intents):,} intents ({ids}, ...): name one, or --all")
    with _told() as told:
        done = workspace.compile(
            *names,
            query=query,
            options=options,
            declare=how.declare,
            emit=_artefacts(workspace, emit),
            told=told,
        )
    if not done:
        return _none(workspace, store.json)
    compile_text.troubles(done[0].reading)
    written = _write(workspace, done, output, force, json=store.json)
    if store.json:
        _answer(done, written, several=all_ or len(names) > 1)
    else:
        _draw(done, written)
    return 0 if any(one.workflow is not None for one in done) else REFUSED


def _told() -> Any:
    """What is going on, on standard error, only where a person watches; nothing of it stays."""
    from contextlib import contextmanager

    @contextmanager
    def told() -> Iterator[Callable[[int, int], None] | None]:
        if not sys.stderr.isatty():
            yield None
            return

        def write(text: str) -> None:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

        def say(done: int, every: int) -> None:
            write(f"compiling: {done:,} of {every:,} intents done" if every > 1 else "compiling 1 intent")

        write("reading the runs")
        try:
            yield say
        finally:
            write("")

    return told()


def _artefacts(workspace: Workspace, emit: tuple[str, ...]) -> list[str]:
    words = [word.strip() for text in emit for word in text.split(",") if word.strip()]
    names = workspace.artefacts()
    if "all" in words:
        return list(names)
    for word in words:
        if word not in names:
            from tracelode.errors import UsageError

            raise UsageError(f"no artefact {word!r}; known: all, {', '.join(names)}")
    return list(dict.fromkeys(words))


def _none(workspace: Workspace, json: bool) -> int:
    from tracelode.cli.nothing import nothing_found, nothing_stored

    why = "no three runs ask for the same thing (R13); see tracelode intents"
    reason = nothing_stored(workspace) if workspace.empty() else why
    return nothing_found(reason, {"compiled": []} if json else None)


def _write(
    workspace: Workspace, done: list[Compiled], output: Path | None, force: bool, *, json: bool
) -> list[list[Path]]:
    """Write each intent into its folder; what was refused only where a folder is named."""
    written: list[list[Path]] = []
    for one in done:
        named = output is not None
        if (json and not named) or (one.workflow is None and not named):
            written.append([])
            continue
        folder = output or PLACE
        if not named or len(done) > 1:
            folder = folder / workspace.folder_name(one)
        written.append(workspace.save(one, folder, force=force))
    return written


def _answer(done: list[Compiled], written: list[list[Path]], *, several: bool) -> None:
    from tracelode.cli import shapes, shapes_compile

    rows = [
        {**shapes_compile.compiled(one), "wrote": [str(path) for path in paths]}
        for one, paths in zip(done, written, strict=True)
    ]
    shapes.write({"compiled": rows} if several else rows[0])


def _draw(done: list[Compiled], written: list[list[Path]]) -> None:
    from tracelode.cli import compile_text
    from tracelode.cli.screen import Screen
    from tracelode.cli.text import clean, shell_path

    screen = Screen()
    if len(done) > 1:
        compile_text.many(screen, done)
    else:
        compile_text.draw(screen, done[0])
    folders = [paths[0].parent for paths in written if paths]
    if not folders:
        return
    if len(folders) > 1:
        screen.flow("wrote", [f"{len(folders):,} folders in {shell_path(folders[0].parent)}"], indent=10)
        return
    paths = next(paths for paths in written if paths)
    for name, why in next(one for one, files in zip(done, written, strict=True) if files).unmade.items():
        screen.flow("not made", [f"{name}: {clean(why)}"], indent=10)
    place = _shown(folders[0])
    names = " ".join(str(path.relative_to(folders[0])) for path in paths)
    screen.flow("wrote", [f"{place}: {names}"], indent=10)
    (workflow,) = [one.workflow for one, files in zip(done, written, strict=True) if files]
    if workflow is not None:
        screen.flow("next", [f"tracelode verify {place}"], indent=10, whole=True)
        for line in compile_text.trial(workflow, place):
            screen.flow("", [line], indent=10, whole=True)
        screen.flow("", ["put your own for what stands in capitals"], indent=10)


def _shown(folder: Path) -> str:
    """A folder as a word of a shell, as short as it was named."""
    from tracelode.cli.text import clean, shell_path, shell_word

    return shell_path(folder) if folder.is_absolute() else shell_word(clean(str(folder)))
