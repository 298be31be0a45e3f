"""May this user do that in this store? Where there is no policy, nothing is asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tracelode.errors import AccessDenied
from tracelode.model.governing import Policy, Role, may
from tracelode.workspace.places import default_store

POLICY = "policy.yaml"


class Door(NamedTuple):
    """What the policy of a store lets this process's user do.

    It keeps colleagues from looking by accident; whoever can read the files can read them without it.
    """

    folder: Path
    """Of the store."""
    policy: Policy
    """Of the store, as it was when the door was made."""
    name: str
    """Of the user."""
    role: Role
    """That the user has."""

    def ask(self, needed: Role, what: str) -> None:
        """Check a command or a call, and write it down where the policy says so.

        Args:
            needed: least role.
            what: a command with the names of its options, or a method; never values.

        Raises:
            AccessDenied: the role is not enough.
            StoreError: the access cannot be written down.
        """
        allowed = may(self.role, needed)
        if self.policy.log:
            from tracelode.governance import access

            access.write(self.folder, self.policy, what, allowed, self.name)
        if not allowed:
            raise AccessDenied(f"{what} needs the role {needed} in {self.folder}; {self.name} is {self.role}")


def door(store: str | Path | None) -> Door | None:
    """The door of a store.

    Args:
        store: folder, None for the default one.

    Returns:
        None where the store has no policy.

    Raises:
        SourceError: the policy has a mistake.
    """
    folder = Path(store).expanduser() if store is not None else default_store()
    if not (folder / POLICY).exists():
        return None
    from tracelode.governance import access
    from tracelode.governance.policy import load

    policy, name = load(folder), access.user()
    return Door(folder, policy, name, access.role_of(policy, name))


def admit(store: str | Path | None, needed: Role, command: str) -> Role | None:
    """Check a command against the policy of a store, and write it down where the policy says so.

    Args:
        store: folder, None for the default one.
        needed: least role.
        command: with the names of its options; never their values.

    Returns:
        The role of this process's user; None where the store has no policy.

    Raises:
        AccessDenied: the role is not enough.
        SourceError: the policy has a mistake.
        StoreError: the access cannot be written down.
    """
    found = door(store)
    if found is None:
        return None
    found.ask(needed, command)
    return found.role


def regroup(store: Path) -> None:
    """Give a store's files to the group that its policy names, if it names one.

    Args:
        store: folder.
    """
    if (store / POLICY).exists():
        from tracelode.governance.access import regroup as given
        from tracelode.governance.policy import load

        group = load(store).group
        if group is not None:
            given(store, group)
