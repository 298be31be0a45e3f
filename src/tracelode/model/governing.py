"""What did keeping order in a store change? Reports of rewriting, forgetting and access."""

from __future__ import annotations

from typing import Literal

import msgspec

Class = Literal["raw", "redacted", "aggregates"]
CLASSES: tuple[Class, ...] = ("raw", "redacted", "aggregates")
"""Whole texts and unbounded previews; bounded, redacted texts; everything that is left."""
Role = Literal["reader", "analyst", "owner"]
ROLES: tuple[Role, ...] = ("reader", "analyst", "owner")
"""Each may do what those before it may."""


def may(role: Role, needed: Role) -> bool:
    """Is a role enough?

    Args:
        role: that somebody has.
        needed: that something asks for.
    """
    return ROLES.index(role) >= ROLES.index(needed)


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """For how long each class is kept; None: for ever."""

    raw: int | None = None
    """Days."""
    redacted: int | None = None
    """Days."""
    aggregates: int | None = None
    """Days."""

    def limit(self, kind: Class) -> int | None:
        """Days after which a class is over: whole texts never stay longer than bounded ones, and so on.

        Args:
            kind: the class.
        """
        told = [getattr(self, name) for name in CLASSES[CLASSES.index(kind) :]]
        return min((days for days in told if days is not None), default=None)


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What the owner of a store decided."""

    retention: Retention = Retention()
    """For how long."""
    hold: tuple[str, ...] = ()
    """Sessions that are kept whatever retention says."""
    group: str | None = None
    """Group of the system that may read the store's files."""
    roles: dict[str, Role] = {}
    """User of the system to role."""
    default: Role = "owner"
    """Role of whoever is not named."""
    log: bool = False
    """Is every access written down?"""
    there: bool = False
    """Is there a file that says so?"""


class Expired(msgspec.Struct, frozen=True, kw_only=True):
    """One session, or file of a session, of which a class is over."""

    session: str
    """Its key."""
    what: Class
    """The class that goes."""
    where: str
    """store, or the file's folder."""
    days: int
    """Days since its last event."""
    size: int
    """Bytes on disk of recorded files; operations of a store."""


class AccessEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the access log."""

    n: int
    """1-based number."""
    at: str
    """UTC."""
    user: str
    """Of the system."""
    role: Role
    """As the policy had it."""
    command: str
    """Of the command line, with the names of its options; never their values."""
    allowed: bool
    """Was it let through?"""
    prev: str
    """Hash of the line before, 64 zeros before the first one."""
    hash: str
    """SHA-256 of the line without this field."""


class AccessCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Does an access log hang together?"""

    entries: int
    """Lines that hold."""
    sound: bool
    """Is it whole?"""
    line: int | None
    """1-based line of the first break."""
    reason: str
    """What broke, "" for nothing."""
    head: str
    """Hash of the last line that holds; kept elsewhere, it proves what is missing later."""
