"""May this user do that in this store? Where there is no policy, nothing is asked."""

from __future__ import annotations

from pathlib import Path

from tracelode.errors import AccessDenied
from tracelode.model.governing import Role
from tracelode.workspace.places import default_store

POLICY = "policy.yaml"


def admit(store: str | Path | None, needed: Role, command: str) -> Role | None:
    """Check a command against the policy of a store, and write it down where the policy says so.

    It keeps colleagues from looking by accident; whoever can read the files can read them without it.

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
    folder = Path(store).expanduser() if store is not None else default_store()
    if not (folder / POLICY).exists():
        return None
    from tracelode.governance import access
    from tracelode.governance.policy import load

    policy, name = load(folder), access.user()
    role = access.role_of(policy, name)
    allowed = access.may(role, needed)
    if policy.log:
        access.write(folder, policy, command, allowed, name)
    if not allowed:
        raise AccessDenied(f"{command} needs the role {needed} in {folder}; {name} is {role}")
    return role


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
