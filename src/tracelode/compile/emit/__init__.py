"""In which forms is a workflow given out? One plain function for each; whoever calls writes the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

from tracelode.compile.emit.given import Extra, Files, Given
from tracelode.errors import UsageError

__all__ = ["ARTEFACTS", "Artefact", "Extra", "Files", "Given", "emit"]


class Artefact(NamedTuple):
    """One form."""

    files: str
    """What is written."""
    description: str
    """What it is for."""
    home: str
    """module:function below this package; loaded when it is asked for."""
    extra: bool = False
    """True: takes Extra as well."""
    runs: bool = False
    """True: needs the runs, and not the file of a workflow alone."""

    @property
    def function(self) -> Callable[..., Files]:
        """The function that makes it."""
        module, _, name = self.home.partition(":")
        found: Any = getattr(import_module(f"{__name__}.{module}"), name)
        return found  # type: ignore[no-any-return]


ARTEFACTS: dict[str, Artefact] = {
    "json": Artefact("workflow.json", "the workflow itself, canonical", "file:workflow_file"),
    "schema": Artefact("workflow.schema.json", "JSON Schema of workflow.json", "file:schema_file"),
    "python": Artefact("NAME.py", "typed async Python module, standard library alone", "module:python"),
    "skill": Artefact("SKILL.md folders", "a skill for Claude Code and for Codex", "skill:skill"),
    "mcp": Artefact("mcp/server.py", "MCP server that offers the workflow as one tool", "mcp_server:mcp"),
    "arazzo": Artefact(
        "workflow.arazzo.json",
        "Arazzo 1.0.1, where every step is an OpenAPI operation",
        "arazzo:arazzo",
        extra=True,
    ),
    "mermaid": Artefact("workflow.mmd", "the graph for Mermaid", "graph:mermaid"),
    "dot": Artefact("workflow.dot", "the graph for Graphviz", "graph:dot"),
    "html": Artefact("workflow.html", "report: the graph and its proof", "report:html"),
    "evidence": Artefact(
        "evidence.jsonl", "one line for each traced argument", "evidence_lines:evidence", runs=True
    ),
    "pprof": Artefact(
        "removable.pb.gz",
        "what the calls cost that need no model any more, for pprof",
        "removable:pprof",
        runs=True,
    ),
    "pytest": Artefact(
        "test_workflow.py, folds.json, NAME.py",
        "the recorded runs as tests, with their values: --keep-values only",
        "folds:folds",
        runs=True,
    ),
}
"""Name to form, in the order in which they are told."""


def emit(given: Given, formats: Iterable[str], extra: Extra | None = None) -> Files:
    """Make several forms.

    Args:
        given: a workflow, or the work of an intent.
        formats: names of ARTEFACTS.
        extra: what some need besides.

    Returns:
        Relative file name to content. Nothing is written.

    Raises:
        UsageError: there is no such form.
        WorkflowError: the intent was refused, or a form cannot say the workflow.
    """
    found: Files = {}
    for name in formats:
        if name not in ARTEFACTS:
            raise UsageError(f"no form {name!r}; there are: {', '.join(ARTEFACTS)}")
        form = ARTEFACTS[name]
        made = form.function(given, extra or Extra()) if form.extra else form.function(given)
        found.update(made)
    return found
