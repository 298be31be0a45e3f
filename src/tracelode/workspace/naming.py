"""What are segments called after, and what would they be called today? The registry, and all names anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.model.measure import parts
from tracelode.workspace.asking import Asking

if TYPE_CHECKING:
    from tracelode.ingest.naming import Renamed
    from tracelode.store.objects import Objects


class Alias(msgspec.Struct, frozen=True, kw_only=True):
    """A focus name that became another one, or would."""

    old: str | None
    """Name so far, None for none."""
    new: str | None
    """Name from now on, None for none."""
    segments: int
    """Segments of different content under it."""
    operations: int
    """Their operations."""
    weight: int
    """Their cost in picodollars, or their tokens."""


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """An object that may enter a name."""

    object: str
    """As names show it: one or two words."""
    sessions: int
    """Root sessions that have it, forks of one another counted once."""
    projects: int
    """Projects of these sessions."""
    ordinal: int
    """Place in the order of admission."""


class Names(msgspec.Struct, kw_only=True):
    """The registry of focus words, and what naming everything anew changes."""

    words: list[Word]
    """Objects that may enter a name, those of the most sessions first."""
    seen: int
    """Objects that any session has."""
    banned: int
    """Words that may not."""
    named: int
    """Ladders with a name."""
    ladders: int
    """Ladders: what a segment may be called, per family."""
    measure: str
    """What weights are in: cost or tokens."""
    aliases: list[Alias]
    """Names that change, the most operations first."""


class NamingNames(Asking):
    """A workspace's focus names; part of Workspace."""

    def _import(self, archive: bool = False) -> Any:
        raise NotImplementedError

    def names(self) -> Names:
        """The registry, and what rename() would change; nothing is stored."""
        from tracelode.ingest.naming import Naming

        return self._names(Naming(self._catalog).planned()[0])

    def rename(self) -> Names:
        """Name every segment with the registry of now, counted from what is stored.

        Returns:
            The registry, and the names that changed.

        Raises:
            StoreError: the store can only be read.
        """
        return self._names(self._import().rename())

    def _words(self, objects: Objects) -> list[Word]:
        from tracelode.profile.name.objects import one

        projects = {s.key: s.project for s in self._catalog.sessions() if s.key == s.root}
        where: dict[str, set[str]] = {}
        for form, root in objects.seen():
            where.setdefault(one(form), set()).add(root)
        found = []
        for key, (form, ordinal) in objects.registered().items():
            roots = where.get(key, set())
            known = {projects.get(root, "") for root in roots} - {""}
            found.append(Word(object=form, sessions=len(roots), projects=len(known), ordinal=ordinal))
        return sorted(found, key=lambda word: (-word.sessions, word.object))

    def _names(self, changed: Iterable[Renamed]) -> Names:
        from tracelode.store.objects import Objects, weights
        from tracelode.store.schema import column

        measure = "cost" if self.default_measure() == "cost" else "tokens"
        columns = ["operations", *map(column, parts(measure))]
        objects = Objects(self._catalog)
        changed = list(changed)
        weighed = weights(self._catalog, columns) if changed else {}
        found: dict[tuple[str | None, str | None], list[int]] = {}
        for item in changed:
            count, *values = weighed.get(item.key, (0,) * len(columns))
            row = found.setdefault((item.old, item.new), [0, 0, 0])
            row[0] += 1
            row[1] += count
            row[2] += sum(values)
        aliases = [
            Alias(old=old, new=new, segments=row[0], operations=row[1], weight=row[2])
            for (old, new), row in found.items()
        ]
        aliases.sort(key=lambda a: (-a.operations, -a.weight, a.old or "", a.new or ""))
        ladders = objects.ladders()
        return Names(
            words=self._words(objects),
            seen=objects.known(),
            banned=len(objects.bans()),
            named=sum(rung.name is not None for rung in ladders),
            ladders=len(ladders),
            measure=measure,
            aliases=aliases,
        )
