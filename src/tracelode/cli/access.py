"""tracelode access: who may see this store, and who did? Roles, the access log, and its check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tracelode.cli.options import STORE, StoreOptions

if TYPE_CHECKING:
    from tracelode.cli.screen import Screen
    from tracelode.workspace import Workspace

BROKEN = 4
"""Exit code of a log that does not hang together."""
ROWS = 50
"""Entries on the screen, the latest."""


def access(
    action: Annotated[
        Literal["roles", "log", "verify"],
        Parameter(help="roles: who may see what. log: who looked. verify: is the log whole?"),
    ] = "roles",
    /,
    *,
    head: Annotated[
        str | None,
        Parameter(help="Hash that an earlier verify printed: the log must still hold it.", metavar="HASH"),
    ] = None,
    store: StoreOptions = STORE,
) -> int:
    """Show a store's roles and its access log, or check that log (exit 4 where it was changed).

    Roles keep colleagues from looking by accident. They are no sandbox: whoever may read the files can.

    Args:
        action: what to show.
        head: of an earlier check.
        store: where.

    Returns:
        Exit code.
    """
    from tracelode.cli.screen import Screen
    from tracelode.cli.view import open_workspace
    from tracelode.errors import UsageError

    if head is not None and action != "verify":
        raise UsageError("--head goes with access verify")
    workspace = open_workspace(store)
    if action == "verify":
        return _verify(workspace, head, store)
    return _log(workspace, store) if action == "log" else _roles(Screen(), workspace, store)


def _roles(screen: Screen, workspace: Workspace, store: StoreOptions) -> int:
    import msgspec

    from tracelode.cli import shapes
    from tracelode.cli.table import Column

    policy = workspace.policy()
    if store.json:
        shapes.write(msgspec.to_builtins(policy))
        return 0
    if not policy.there:
        screen.sentence("no policy: everybody who may read the files is an owner; see tracelode gc --policy")
        return 0
    rows = [[user, role] for user, role in sorted(policy.roles.items())]
    screen.table([Column("user", least=8), Column("role")], [*rows, ["(others)", policy.default]])
    group = policy.group or "the owner of the files alone"
    screen.sentence(f"files: {group}; access log: {'on' if policy.log else 'off'}")
    return 0


def _log(workspace: Workspace, store: StoreOptions) -> int:
    import msgspec

    from tracelode.cli import shapes
    from tracelode.cli.nothing import nothing_found
    from tracelode.cli.screen import Screen
    from tracelode.cli.table import Column, Flex
    from tracelode.cli.text import clean

    listed = workspace.access_log()
    if not listed:
        return nothing_found("no access was written down; access.log: true in policy.yaml switches it on",
                             {"entries": []} if store.json else None)  # fmt: skip
    if store.json:
        shapes.write({"entries": [msgspec.to_builtins(entry) for entry in listed]})
        return 0
    rows = [[f"{e.n:,}", f"{e.at[:10]} {e.at[11:19]}", clean(e.user), e.role, Flex(clean(e.command)),
             "" if e.allowed else "refused"] for e in listed[-ROWS:]]  # fmt: skip
    screen = Screen()
    screen.table([Column("", right=True), Column("UTC"), Column("user", rank=2), Column("role", rank=1),
                  Column("command", grow=True, least=10), Column("")], rows)  # fmt: skip
    if len(listed) > ROWS:
        screen.sentence(f"and {len(listed) - ROWS:,} before; see --json")
    return 0


def _verify(workspace: Workspace, head: str | None, store: StoreOptions) -> int:
    import msgspec

    from tracelode.cli import shapes
    from tracelode.cli.screen import Screen

    found = workspace.access_check()
    known = head is None or head == "0" * 64 or any(e.hash == head for e in workspace.access_log())
    if store.json:
        shapes.write({**msgspec.to_builtins(found), "head_known": known})
    elif not found.sound:
        where = f"line {found.line:,}: " if found.line is not None else ""
        Screen().sentence(f"the log does not hang together: {where}{found.reason}")
    elif not known:
        Screen().sentence("the log hangs together, but it is not the one of that head")
    else:
        Screen().sentence(f"{found.entries:,} entries hang together; head {found.head}")
    return 0 if found.sound and known else BROKEN
