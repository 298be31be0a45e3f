"""What can be asked of a store? Totals, profiles, sessions, operations, findings; nothing is changed."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import msgspec

from tracelode.errors import QueryError, UsageError
from tracelode.model.finding import Finding
from tracelode.model.measure import STORED, parts, unit
from tracelode.model.operation import Operation
from tracelode.model.plan import PlanEvent
from tracelode.model.profile import Profile
from tracelode.model.query import Query
from tracelode.model.report import Audit, AuditLine, Sums, Totals
from tracelode.model.session import Session
from tracelode.store.catalog import Catalog
from tracelode.workspace.places import at_home
from tracelode.workspace.totals import add, empty_sums
from tracelode.workspace.writing import private, write, write_operations


class Asking:
    """The questions a workspace answers.

    Args:
        catalog: the store's catalog.
        tz: zone of days.
    """

    def __init__(self, catalog: Catalog, tz: str) -> None:
        self.tz = tz
        self._catalog = catalog
        self._asker: Any = None

    @property
    def put_aside(self) -> Path | None:
        """Where a store of an older layout was put that lay in the folder, None if none did."""
        return self._catalog.aside

    def _ask(self) -> Any:
        if self._asker is None:
            from tracelode.store.duckdb import DuckAsker

            self._asker = DuckAsker(self._catalog)
        return self._asker

    def empty(self) -> bool:
        """Does the store hold no operation?"""
        return not self._catalog.shards()

    def query(self, **kw: Any) -> Query:
        """A query in this workspace's zone.

        Args:
            kw: fields of Query; stack, measures, tagroot and tagleaf may be lists; measure="m" is
                measures=["m"].

        Raises:
            UsageError: an unknown keyword.
        """
        if "measure" in kw:
            one = kw.pop("measure")
            kw["measures"] = (one,) if isinstance(one, str) else one
        for key in ("stack", "measures", "tagroot", "tagleaf", "where"):
            if isinstance(kw.get(key), list):
                kw[key] = tuple(kw[key])
        if isinstance(kw.get("where"), dict):
            kw["where"] = tuple(kw["where"].items())
        if kw.get("where"):
            kw["where"] = tuple((field, at_home(value)) for field, value in kw["where"])
        if "measures" not in kw:
            kw["measures"] = (self.default_measure(),)
        try:
            return Query(**{"tz": self.tz, **kw})
        except TypeError as error:
            raise UsageError(f"{error}; a query has: {', '.join(Query.__struct_fields__)}") from error

    def default_measure(self) -> str:
        """cost if at least one call is priced, else tokens.output."""
        if self.empty():
            return "cost"
        return "cost" if self._ask().priced() else "tokens.output"

    def totals(self, query: Query | None = None, *, split: bool = True) -> Totals:
        """Totals of the store, and the same along every dimension.

        Args:
            query: filters (where, since, until) and zone; None for everything.
            split: False leaves the dimensions out.

        Returns:
            Integers that reconcile: every dimension sums to the totals.

        Source:
            accounting: what counts.
        """
        from tracelode.store.duckdb import CELLS

        query = query or Query(tz=self.tz)
        cells = self._ask().cells(query)
        whole = add(cells, None).get("", empty_sums())
        filtered = bool(query.where or query.since is not None or query.until is not None)
        span = self._ask().span(query if filtered else None)
        inherited = {s.key for s in self._catalog.sessions() if s.key == s.root and s.inherited}
        threads = {row[7] for row in cells if row[5] == "subagent"}
        return Totals(
            **{name: getattr(whole, name) for name in Sums.__struct_fields__},
            by={name: add(cells, place) for place, name in enumerate(CELLS)} if split else {},
            first=span[0] if span else None,
            last=span[1] if span else None,
            subagents=len(threads),
            forks=len(inherited & {row[3] for row in cells}),
            tz=query.tz,
        )

    def profile(self, query: Query | None = None, **kw: Any) -> Profile:
        """Fold the store on a stack.

        Args:
            query: what to fold; or give its fields as keywords.
            kw: stack=[...], measure="cost", where={...}, focus="...", lane="separate", ...

        Returns:
            Totals per stack per measure.

        Raises:
            UnknownField: a field that no operation has.
            UnknownMeasure: a measure that does not exist.
            QueryError: a regular expression or zone that is none.
        """
        query = query if query is not None else self.query(**kw)
        for measure in query.measures:
            parts(measure)
        from tracelode.profile.view import shape

        profile: Profile = self._ask().fold(query)
        return shape(profile, query, comments=self.comments(query), salt=self._salt())

    def comments(self, query: Query) -> tuple[str, ...]:
        """What a profile was made with, for its readers: versions, filters, zone."""
        versions = sorted({v for _, v in self._catalog.families().values()})
        given = [f"{k}={v}" for k, v in msgspec.to_builtins(query).items() if v and k in ("lane", "tz")]
        return ("tracelode", *versions, *given)

    def _salt(self) -> str:
        """Secret of this store that makes its pseudonyms its own."""
        return self._catalog.meta("salt") or ""

    def set_salt(self, salt: str) -> None:
        """Fix the secret that makes this store's pseudonyms its own."""
        self._catalog.set_meta("salt", salt)

    def sessions(self) -> list[Session]:
        """Stored sessions and sub-agents, newest first."""
        return sorted(self._catalog.sessions(), key=lambda s: (-(s.started or 0), s.key))

    def session(self, key: str) -> Session:
        """One session by its key or a unique beginning of it.

        Raises:
            QueryError: none or several match.
        """
        found = [s for s in self._catalog.sessions() if s.key == key]
        if not found:
            found = [s for s in self._catalog.sessions() if s.key.startswith(key) and s.key == s.root]
        if not found:
            found = [s for s in self._catalog.sessions() if s.key.startswith(key)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise QueryError(f"no session begins with {key!r}; run: tracelode sessions")
        some = ", ".join(s.key[:13] for s in found[:4])
        raise QueryError(f"{len(found)} sessions begin with {key!r} ({some}, ...); give more of the key")

    def operations(self, session: str) -> list[Operation]:
        """The operations of one session in order, named by intent, stage and tool.

        Args:
            session: its key or a unique beginning of it.

        Returns:
            Operations with redacted previews; fields intent, stage and frame (the tool frame) and
            the stored measures are added.

        Raises:
            QueryError: none or several sessions match.
        """
        key = self.session(session).key
        named = {row[0]: row[1:] for row in self._ask().named(key)}
        found: list[Operation] = []
        for operation in self._ask().operations(key):
            row = named.get(operation.index)
            if row is not None:
                named_by = {"intent": row[0], "stage": row[1], "frame": row[2]}
                # processes and files have no stage
                fields = {**operation.fields, **{k: v for k, v in named_by.items() if v is not None}}
                measures = dict(operation.measures)
                measures.update({m: v for m, v in zip(STORED, row[3:], strict=True) if v})
                operation = msgspec.structs.replace(operation, fields=fields, measures=measures)
            found.append(operation)
        return found

    def plan_events(self, session: str | None = None) -> list[PlanEvent]:
        """What people and agents planned, started, finished, changed and decided.

        Args:
            session: its key or a unique beginning of it, a root with its sub-agents; None for all.

        Returns:
            Events by session, the oldest session first, in the order of its operations; a session
            without a plan has those of its people. Derived from the stored operations at each call.

        Raises:
            QueryError: none or several sessions match.

        Source:
            plan rules, section 5.
        """
        from tracelode.workspace.plans import found

        one = None if session is None else self.session(session)
        return [event for plan in found(self._catalog, self._ask(), one) for event in plan.events]

    def sessions_by(self, query: Query, depth: int) -> dict[tuple[str, ...], int]:
        """Number of root sessions under each stack prefix of a length."""
        counts: dict[tuple[str, ...], int] = self._ask().sessions_by(query, depth)
        return counts

    def findings(self, query: Query | None = None) -> list[Finding]:
        """What looks wrong, most worth a look first.

        Args:
            query: filters; None for the whole store.
        """
        query = query or Query(tz=self.tz)
        from tracelode.profile.findings import repeated_failures

        return repeated_failures(self._ask().failures(query), self._ask().attempts(query))

    def audit(self, measure: str, query: Query | None = None, limit: int = 20) -> Audit:
        """Which lines of which files make a number.

        Args:
            measure: a stored or derived measure.
            query: filters; None for the whole store.
            limit: at most this many lines, the largest first.

        Returns:
            The sum, the number of lines it is made of, and the largest of them.

        Raises:
            UnknownMeasure: a measure that does not exist.
        """
        parts(measure)
        total, count, rows = self._ask().lines(query or Query(tz=self.tz), measure, limit)
        found = [
            AuditLine(value=v, path=p, line=n, place=f"{s}#{i}", name=name) for v, p, n, s, i, name in rows
        ]
        return Audit(measure=measure, unit=unit(measure), total=total, lines=count, largest=found)

    # writing ------------------------------------------------------------------------------------

    def export(self, profile: Profile, target: str | Path | IO[bytes], format: str | None = None) -> None:
        """Write a profile to a file, the format chosen by its suffix.

        Args:
            profile: what to write.
            target: a path or an open binary stream.
            format: name of an exporter, None to go by the suffix.

        Raises:
            UsageError: no format of that name or suffix.
            ExportError: the format cannot hold the profile, or the file cannot be written.
        """
        write(profile, target, format)

    def export_operations(self, target: str | Path | IO[bytes]) -> int:
        """Write the whole store as JSON Lines that another store can import: same totals, same folds.

        Args:
            target: a path or an open binary stream.

        Returns:
            Number of operations, inherited ones included.

        Raises:
            ExportError: the file cannot be written.
        """
        if not isinstance(target, str | Path):
            return write_operations(self._catalog, target)
        with private(str(Path(target).expanduser())) as stream:
            return write_operations(self._catalog, stream)
