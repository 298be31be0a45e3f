"""When does a focus word become a name? Families are counted, words admitted, ladders named, bans applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from tracelode.model.operation import Operation
from tracelode.profile.label import Labels
from tracelode.profile.name.bans import APART, banned
from tracelode.profile.name.focus import ladders
from tracelode.profile.name.objects import Ladder, admitted, focus_name, one
from tracelode.store.catalog import Catalog
from tracelode.store.objects import Objects, Rung

_TEXTS = ("command", "description", "path", "cwd", "plan", "branch")
"""Fields that hold a source's own words."""


class Renamed(NamedTuple):
    """One ladder whose name changes."""

    key: str
    """What the frames hold."""
    old: str | None
    """Its name so far."""
    new: str | None
    """Its name from now on."""


def keyed(
    root: str, project: str, operations: Sequence[Operation], named: Labels, known: dict[str, Ladder]
) -> list[str | None]:
    """What the frames of a session hold in the column focus.

    Args:
        root: key of its family.
        project: working folder of the session.
        operations: its n operations in order.
        named: how it is cut and named.
        known: key to ladder; gets those of the own operations.

    Returns:
        n keys, None where a segment has no object.

    Source:
        decision 0011.
    """
    keys: dict[Ladder, str] = {}
    found: list[str | None] = []
    for operation, ladder in zip(
        operations, ladders(operations, named.segmentation, named.stages, project), strict=True
    ):
        key = None
        if ladder is not None and not operation.inherited:
            key = keys.get(ladder)
            if key is None:
                text = "\x1f".join((root, ladder.verb, *ladder.objects))
                key = keys[ladder] = blake2b(text.encode(), digest_size=8).hexdigest()
                known[key] = ladder
        found.append(key)
    return found


def banned_words(operations: Iterable[Operation]) -> set[str]:
    """Words of a family's kept texts that must not enter a name.

    Args:
        operations: as they are stored.

    Returns:
        Words as one() writes them.
    """
    texts: list[str] = []
    for operation in operations:
        texts += (operation.arguments, operation.output)
        texts += [value for key in _TEXTS if (value := operation.fields.get(key))]
    return banned(APART.join(filter(None, texts)))


class Naming:
    """Gives the ladders of a store their names.

    Args:
        catalog: the store's catalog; its user holds the import lock.
    """

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.objects = Objects(catalog)
        self.bans: set[str] = set()
        """Digests of banned words, as ban() found them."""

    def put(self, root: str, ladders: Mapping[str, Ladder], origin: str | None) -> None:
        """Store the ladders of a family, inside the transaction that stores it.

        Args:
            root: key of its root session.
            ladders: key to ladder.
            origin: key of the session it was forked from, None for none.
        """
        rungs = []
        forms: dict[str, str] = {}
        for key, ladder in ladders.items():
            kept = tuple(name for name in ladder.objects if self._allowed(name))
            if kept:
                rungs.append(Rung(key, ladder.verb, kept))
                forms.update((name, one(name)) for name in kept)
        self.objects.put(root, rungs, forms, origin)

    def _allowed(self, name: str) -> bool:
        return not any(self.objects.digest(word) in self.bans for word in one(name).split())

    def ban(self, words: Iterable[str]) -> None:
        """Keep words out of names from now on, inside the transaction that stores what brought them.

        Args:
            words: as one() writes them.
        """
        # another process may have added some since this one last held the import lock
        self.bans = self.objects.bans()
        new = {self.objects.digest(word) for word in words} - self.bans
        if not new:
            return
        self.bans.update(new)
        gone = set(self.objects.ban(new))
        if not gone:
            return
        registered = {key: row for key, row in self.objects.registered().items() if key not in gone}
        then: dict[int, dict[str, str]] = {}
        kept = []
        for rung in self.objects.holding(gone):
            objects = tuple(name for name in rung.objects if one(name) not in gone)
            if objects == rung.objects:
                continue
            name = None
            if rung.ordinal is not None:
                last = rung.ordinal
                if last not in then:
                    then[last] = {key: form for key, (form, ordinal) in registered.items() if ordinal <= last}
                name = focus_name(Ladder(rung.verb, objects), then[last])
            kept.append(rung._replace(objects=objects, name=name))
        self.objects.forget(gone, kept)

    def settle(self) -> None:
        """Admit what occurs in two families, then name every ladder that was never named."""
        gone = self.objects.gone()
        if not gone and not self.objects.pending():
            return
        with self.catalog.transaction():
            self.objects.forget_families(gone)
            last = self.objects.ordinal()
            found = admitted(self.objects.seen(pending=True))
            self.objects.admit(
                (key, form, last + n) for n, (key, form) in enumerate(sorted(found.items()), 1)
            )
            last = self.objects.ordinal()
            forms = {key: form for key, (form, _) in self.objects.registered().items()}
            self.objects.name(
                (focus_name(Ladder(rung.verb, rung.objects), forms), last, rung.key)
                for rung in self.objects.ladders(pending=True)
            )

    def planned(self) -> tuple[list[Renamed], dict[str, str]]:
        """What naming everything anew would change.

        Returns:
            (ladders whose name would be another one, the registry it would be named with).
        """
        forms = admitted(self.objects.seen())
        changed = []
        for rung in self.objects.ladders():
            new = focus_name(Ladder(rung.verb, rung.objects), forms)
            if new != rung.name:
                changed.append(Renamed(rung.key, rung.name, new))
        return changed, forms

    def rename(self) -> list[Renamed]:
        """Name every ladder with the registry of now, counted from what is stored.

        Returns:
            The ladders whose name is another one now.
        """
        with self.catalog.transaction():
            self.objects.forget_families(self.objects.gone())
            changed, forms = self.planned()
            old = self.objects.registered()
            self.objects.dismiss(sorted(old.keys() - forms.keys()))
            last = self.objects.ordinal()
            for key in sorted(forms):
                if key not in old:
                    last += 1
                self.objects.admit([(key, forms[key], old[key][1] if key in old else last)])
            names = {item.key: item.new for item in changed}
            now = self.objects.ordinal()
            self.objects.name(
                (names.get(rung.key, rung.name), now, rung.key) for rung in self.objects.ladders()
            )
        return changed
