"""The whole exception tree: what can go wrong, and where each error comes from.

    TracelodeError
    ├── SourceError            a file or record could not be read (path, line, adapter)
    │   ├── UnknownFormat      no adapter recognises the content
    │   └── MalformedRecord    a record is broken; the good part is kept
    ├── ModelError             a noun was built against its own rules
    │   └── MarksError         marks of a session cannot be taken (all problems, each with its place)
    ├── StoreError             the workspace folder cannot be used
    │   ├── AccessDenied       the store's policy does not allow it
    │   ├── SchemaTooNew       written by a newer tracelode
    │   └── SchemaTooOld       written by an older tracelode
    ├── QueryError             a view asks for something that is not there
    │   ├── UnknownField
    │   └── UnknownMeasure
    ├── ExportError            a file cannot be written in the asked format
    ├── PluginError            an entry point is broken
    ├── MissingExtra           an optional package is not installed (also ImportError)
    ├── ProviderError          outside help failed
    ├── WorkflowError          a workflow file cannot be taken (place, reason)
    │   └── EditedWorkflow     it was edited by hand, and nobody accepts that
    ├── RunError               a run of a workflow cannot start or go on; its journal is as it was
    │   ├── NoRun              the journal has no such run
    │   ├── Demoted            the workflow acts no more
    │   ├── Repeated           an earlier run of the same inputs wrote and has not ended
    │   └── InputError         a given value is not of the type of its input (also UsageError)
    ├── ToolError              a tool did not do what it was asked
    │   ├── ToolFailed         it is certain that the call failed
    │   └── ToolUnsure         it may have been done, or may still be
    └── UsageError             the call's words are off

Every message says what happened, where, and what to do. No message carries text of a trace.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TracelodeError(Exception):
    """Base of every error tracelode raises on purpose."""


class SourceError(TracelodeError):
    """A file or a record could not be read.

    Args:
        message: what happened and what to do; never text of the trace.
        path: the file, as named in output.
        line: 1-based line, None where the format has no lines.
        adapter: name of the source adapter.
    """

    def __init__(self, message: str, *, path: str = "", line: int | None = None, adapter: str = "") -> None:
        where = ":".join(str(part) for part in (path, line) if part not in ("", None))
        super().__init__(f"{where}: {message}" if where else message)
        self.path, self.line, self.adapter = path, line, adapter


class UnknownFormat(SourceError):
    """No adapter recognises the content of a file."""


class MalformedRecord(SourceError):
    """A record is broken; what could be read of it is kept."""


class ModelError(TracelodeError):
    """A noun was built against its own rules."""


class MarksError(ModelError):
    """Marks of sessions cannot be taken; it tells all that is wrong with them.

    Args:
        problems: at least one (place, reason); neither holds text of a trace or a name that is no plain word.
    """

    def __init__(self, problems: Iterable[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        """(place, reason) of each."""
        shown = [": ".join(part for part in problem if part) for problem in self.problems[:3]]
        more = len(self.problems) - len(shown)
        super().__init__("; ".join([*shown, f"and {more:,} problems more"] if more else shown))


class StoreError(TracelodeError):
    """The workspace folder cannot be used."""


class AccessDenied(StoreError):
    """The store's policy does not allow it to this user; ask whoever owns the store."""


class SchemaTooNew(StoreError):
    """The store was written by a newer tracelode; upgrade, or name another store."""


class SchemaTooOld(StoreError):
    """The store was written by an older tracelode; open it to import, and it is put aside."""


class QueryError(TracelodeError):
    """A view asks for something that is not there."""


def _nearest(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    rest = [k for k in known if k not in near]
    return ", ".join(near + rest)


class UnknownField(QueryError):
    """A field that no operation has.

    Args:
        name: the field asked for.
        known: the fields that exist; the message lists the nearest first.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown field {name!r}; known fields: {_nearest(name, known)}")
        self.name = name


class UnknownMeasure(QueryError):
    """A measure that does not exist.

    Args:
        name: the measure asked for.
        known: the measures that exist; the message lists the nearest first.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown measure {name!r}; known measures: {_nearest(name, known)}")
        self.name = name


class ExportError(TracelodeError):
    """A file cannot be written in the asked format."""


class PluginError(TracelodeError):
    """An entry point is broken; the message names it and the package it came from."""


class MissingExtra(TracelodeError, ImportError):
    """An optional package is not installed.

    Args:
        package: what is missing.
        extra: the extra of tracelode that brings it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'tracelode[{extra}]'")


class ProviderError(TracelodeError):
    """Outside help (a model endpoint, a local agent) failed.

    Args:
        message: what happened and what to do; never text that the other side sent.
        kind: refused, rate_limited, timeout, cut, malformed, unauthorised, misdirected, unreachable,
            rejected or failed.
        retry_after: seconds the other side asks to wait; None if it said nothing.
    """

    def __init__(self, message: str, *, kind: str = "failed", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind, self.retry_after = kind, retry_after
        self.tokens = (0, 0, 0)
        """Input tokens, those of them that were cached, output tokens: spent all the same."""


class WorkflowError(TracelodeError):
    """A workflow file cannot be taken.

    Args:
        message: what is wrong and what to do; never a value of the file.
        path: the file, as named in output.
        place: where in it, such as "line 3" or "steps[0].tool".
    """

    def __init__(self, message: str, *, path: str = "", place: str = "") -> None:
        super().__init__(": ".join(part for part in (path, place, message) if part))
        self.path, self.place = path, place


class EditedWorkflow(WorkflowError):
    """A workflow was edited by hand after it was compiled, and nobody accepts that."""


class RunError(TracelodeError):
    """A run of a workflow cannot start or go on; its journal is as it was."""


class NoRun(RunError):
    """The journal has no such run."""


class Demoted(RunError):
    """The workflow acts no more."""


class Repeated(RunError):
    """An earlier run of the same workflow and inputs began a write and has not ended.

    Args:
        message: what it wrote, and how to go on.
        run: its id.
    """

    def __init__(self, message: str, run: str) -> None:
        super().__init__(message)
        self.run = run


class ToolError(TracelodeError):
    """A tool did not do what it was asked.

    Args:
        message: what happened; never text that the tool sent.
        kind: absent, refused, unreachable, failed, timeout, cut, malformed or large.
    """

    def __init__(self, message: str, *, kind: str = "failed") -> None:
        super().__init__(message)
        self.kind = kind


class ToolFailed(ToolError):
    """The call failed for certain: the tool says so, or it never got the call."""


class ToolUnsure(ToolError):
    """The call may have been done, or may still be: no answer, a late one, or one that cannot be read."""


class UsageError(TracelodeError):
    """The call's words are off."""


class InputError(RunError, UsageError):
    """A value that was given to a workflow is not of the type of its input."""
