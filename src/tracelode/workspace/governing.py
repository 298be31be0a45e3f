"""Who may see what, for how long? A store's policy, what it deletes, what it forgets, and who looked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracelode.errors import QueryError, StoreError
from tracelode.model.governing import AccessCheck, AccessEntry, Policy
from tracelode.model.report import GcReport
from tracelode.redact.pseudonyms import PSEUDONYM, Pseudonyms
from tracelode.workspace.asking import Asking
from tracelode.workspace.redacting import pseudonyms_of

if TYPE_CHECKING:
    from tracelode.governance.keeping import Keeper

SHORTEST = 3
"""Characters below which a name is none: it would be found everywhere."""
_SHARED = ("name-", "mcp-")
"""Beginnings of the pseudonyms of --share."""


def policy_text() -> str:
    """What a policy may say, with nothing switched on."""
    from tracelode.governance.policy import SUGGESTED

    return SUGGESTED


def policy_of(folder: str | Path, store: str | Path) -> Policy:
    """The policy for a folder of recordings: its own, else that of a store.

    Args:
        folder: of recordings.
        store: a workspace folder.

    Raises:
        SourceError: the policy file has a mistake.
    """
    from tracelode.governance.policy import load

    own = load(Path(folder).expanduser())
    return own if own.there else load(Path(store).expanduser())


def folders_gc(
    places: Sequence[str | Path],
    policy: Policy,
    *,
    forget: Iterable[str] = (),
    dry: bool = True,
    now: int | None = None,
    key: str | Path | None = None,
) -> GcReport:
    """Delete from folders of recordings what is over, or what is named.

    Args:
        places: folders.
        policy: for how long what is kept.
        forget: session ids, or pseudonyms or names of people, hosts, paths and repositories.
        dry: change nothing.
        now: UTC microseconds, None for the clock.
        key: file of the pseudonyms' key, None for that of the default store.

    Returns:
        What was deleted, or would be.

    Raises:
        SourceError: no such folder.
        QueryError: a session is held, or nothing is found.
    """
    import time

    from tracelode.governance.folders import Folder
    from tracelode.governance.keeping import whole_word

    report, asked = GcReport(dry=dry), list(forget)
    moment = now if now is not None else time.time_ns() // 1_000
    names = {token for name in asked if len(name) >= SHORTEST for token in (name, *pseudonyms_of(name, key))}
    pattern = re.compile("|".join(map(whole_word, sorted(names))).encode()) if names else None
    met = set[str]()
    for place in places:
        folder = Folder(Path(place).expanduser())
        found = folder.sessions(pattern)
        if asked:
            exact = [one for one in found.values() if one.session in asked]
            # a name is looked for only where no session is called so
            called = {one.session for one in exact}
            gone = exact if called >= set(asked) else [*exact, *(o for o in found.values() if o.names)]
            gone = list({one.session: one for one in gone}.values())
            held = [s.session for s in gone if any(s.session.startswith(h) for h in policy.hold)]
            if held:
                raise QueryError(f"{len(held):,} of these sessions are on legal hold; nothing was deleted")
            met |= {one.session for one in gone}
            report.forgotten += sorted(one.session for one in gone)
        else:
            gone = folder.expired(found.values(), policy, moment, report)
        if not dry:
            folder.delete(gone, report)
        report.tombstones += folder.tombstones
    if asked and not met:
        raise QueryError("no recorded session has such an id or holds such a name")
    return report


class Governing(Asking):
    """How a store is kept in order."""

    def policy(self) -> Policy:
        """What the owner of the store decided.

        Raises:
            SourceError: the policy file has a mistake.
        """
        from tracelode.governance.policy import load

        return load(self._catalog.folder)

    def gc(self, *, dry: bool = True, now: int | None = None) -> GcReport:
        """Delete what is over as the policy says, and finish what was begun.

        Args:
            dry: change nothing, only say what would go.
            now: UTC microseconds, None for the clock.

        Returns:
            What went, or would.

        Raises:
            SourceError: the policy file has a mistake.
            StoreError: the store can only be read.
        """
        report = GcReport(dry=dry)
        self._keeper(now, dry=dry).run(report)
        return report

    def forget_sessions(self, *names: str, dry: bool = True, key: str | Path | None = None) -> GcReport:
        """Delete sessions for good: no later import brings them back.

        Args:
            names: session keys or unique beginnings; or pseudonyms, or names of people, hosts, paths and
                repositories: every session goes in which one occurs.
            dry: change nothing, only say what would go.
            key: file of the pseudonyms' key, None for that of the default store.

        Returns:
            What went, or would. Sessions that hold copies of its records are in `kin` and stay.

        Raises:
            QueryError: nothing is found, or a session is held.
            StoreError: the store can only be read.
        """
        keeper = self._keeper(None, dry=dry)
        roots = {root for name in names for root in self._named(name, key)}
        hold = self.policy().hold
        keys = {s.key: s.root for s in self._catalog.sessions() if s.root in roots}
        if any(key.startswith(held) for key in keys for held in hold):
            raise QueryError("at least one of these sessions is on legal hold; nothing was deleted")
        report = GcReport(dry=dry)
        if dry:
            report.forgotten = sorted(keys)
        else:
            report.kin = keeper.forget(roots, report)
        return report

    def _keeper(self, now: int | None, *, dry: bool) -> Keeper:
        from tracelode.governance.keeping import Keeper

        if not dry and self._catalog.readonly:
            raise StoreError(f"the store in {self._catalog.folder} can only be read")
        importer: Any = self._import()  # type: ignore[attr-defined]
        return Keeper(importer, self.policy(), now)

    def _named(self, name: str, key: str | Path | None) -> set[str]:
        from tracelode.governance.keeping import holding, shown

        sessions = self._catalog.sessions()
        exact = {s.root for s in sessions if s.key == name} or {
            s.root for s in sessions if len(name) >= 4 and s.key.startswith(name)
        }
        if len(exact) > 1:
            raise QueryError(f"{name!r} is the beginning of several keys; give more of it")
        if exact:
            return exact
        importer: Any = self._import()  # type: ignore[attr-defined]
        connection = importer.here.connection
        if name.startswith(_SHARED):
            shared, kind = Pseudonyms(self._salt().encode()), name.partition("-")[0]
            found = shown(self._catalog, connection, lambda frame: shared.of(kind, frame) == name)
        elif len(name) < SHORTEST:
            found = set()
        else:
            names = {name} if PSEUDONYM.fullmatch(name) else {name, *pseudonyms_of(name, key)}
            found = holding(self._catalog, connection, names)
        if not found:
            raise QueryError(f"no session is {name!r}, and none holds it as a name; run: tracelode sessions")
        return found

    # access ---------------------------------------------------------------------------------------

    def access_log(self) -> list[AccessEntry]:
        """Who looked, the oldest first; lines that cannot be read are left out (access_check tells)."""
        from tracelode.governance.access import entries

        return entries(self._catalog.folder)

    def access_check(self) -> AccessCheck:
        """Does the access log hang together?"""
        from tracelode.governance.access import verify

        return verify(self._catalog.folder)


__all__ = ["Governing", "folders_gc", "policy_of", "policy_text"]
