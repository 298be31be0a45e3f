"""What did the owner of a store decide? A file beside the data: how long, what is held, who sees what."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tracelode.errors import SourceError
from tracelode.files import why
from tracelode.model.governing import CLASSES, ROLES, Policy, Retention

FILE = "policy.yaml"
LARGEST = 1 << 20
SUGGESTED = """\
# Who may see what, and for how long. Nothing is deleted and nobody is refused until it is said here.
version: 1

# Classes: raw is whole texts (archive, recordings in profile full), redacted is bounded texts (previews,
# other recordings), aggregates is everything else. A class without a line is kept for ever.
# retention:
#   raw: 30 d
#   redacted: 180 d
#   aggregates: 730 d

# Legal hold: sessions that stay whatever retention says.
# hold: [SESSION, ...]

# Roles: a reader sees aggregates, an analyst redacted texts, an owner everything.
# access:
#   default: owner
#   group: GROUP
#   log: true
#   roles:
#     reader: [USER, ...]
#     analyst: [USER, ...]
"""
"""What a policy may say, with nothing switched on."""
_DAYS = re.compile(r"([1-9][0-9]{0,4})\s*(?:d|days?)")
_USER = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.@-]{0,63}")


def load(folder: Path) -> Policy:
    """Read a store's policy.

    Args:
        folder: the workspace folder.

    Returns:
        The policy; where there is no file: nothing is deleted, everybody is an owner, nothing is logged.

    Raises:
        SourceError: the file cannot be read or has a mistake: then nothing is allowed, not everything.
    """
    path = folder / FILE
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileNotFoundError:
        return Policy()
    except OSError as error:
        raise SourceError(f"cannot be read: {why(error)}", path=str(path)) from error
    if len(data) > LARGEST:
        raise SourceError("is larger than 1 MB", path=str(path))
    return read(data.decode("utf-8", "replace"), str(path))


def read(text: str, path: str = "") -> Policy:
    """Read the text of a policy.

    Args:
        text: YAML.
        path: its file, as it is named in messages.

    Raises:
        SourceError: a mistake, with its line.
    """
    return _Reader(path).policy(text)


class _Reader:
    """Walks the nodes of a YAML document."""

    def __init__(self, path: str) -> None:
        self.path = path

    def off(self, node: Any, what: str) -> SourceError:
        return SourceError(what, path=self.path, line=node.start_mark.line + 1)

    def policy(self, text: str) -> Policy:
        import yaml

        try:
            top = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except (yaml.YAMLError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else 1
            raise SourceError("no YAML", path=self.path, line=line) from error
        if top is None:
            return Policy(there=True)
        given = self.mapping(top, ("version", "retention", "hold", "access"))
        if "version" in given and given["version"].value != "1":
            raise self.off(given["version"], "version is 1")
        access = (
            self.mapping(given["access"], ("default", "group", "log", "roles")) if "access" in given else {}
        )
        default = self.word(access["default"], ROLES) if "default" in access else "owner"
        return Policy(
            retention=self.retention(given.get("retention")),
            hold=self.names(given["hold"]) if "hold" in given else (),
            group=self.user(access["group"]) if "group" in access else None,
            roles=self.roles(access["roles"]) if "roles" in access else {},  # type: ignore[arg-type]
            default=default,  # type: ignore[arg-type]
            log=self.word(access["log"], ("true", "false")) == "true" if "log" in access else False,
            there=True,
        )

    def mapping(self, node: Any, known: tuple[str, ...]) -> dict[str, Any]:
        if node.id != "mapping":
            raise self.off(node, f"this is a mapping with {', '.join(known)}")
        found: dict[str, Any] = {}
        for key, value in node.value:
            if key.id != "scalar" or key.value not in known:
                raise self.off(key, f"unknown key; known: {', '.join(known)}")
            if key.value in found:
                raise self.off(key, f"{key.value} comes twice")
            found[key.value] = value
        return found

    def word(self, node: Any, known: tuple[str, ...]) -> str:
        if node.id != "scalar" or node.value not in known:
            raise self.off(node, f"this is one of {', '.join(known)}")
        return str(node.value)

    def names(self, node: Any) -> tuple[str, ...]:
        if node.id != "sequence" or any(one.id != "scalar" or not one.value for one in node.value):
            raise self.off(node, "this is a list of names")
        return tuple(str(one.value) for one in node.value)

    def user(self, node: Any) -> str:
        if node.id != "scalar" or not _USER.fullmatch(str(node.value)):
            raise self.off(node, "this is a name of the system")
        return str(node.value)

    def roles(self, node: Any) -> dict[str, str]:
        found: dict[str, str] = {}
        for role, listed in self.mapping(node, ROLES).items():
            if listed.id != "sequence":
                raise self.off(listed, "this is a list of users")
            for one in listed.value:
                user = self.user(one)
                if user in found:
                    raise self.off(one, f"{user} has a role already")
                found[user] = role
        return found

    def retention(self, node: Any) -> Retention:
        if node is None:
            return Retention()
        days: dict[str, int] = {}
        for name, value in self.mapping(node, CLASSES).items():
            text = value.value if value.id == "scalar" else ""
            found = _DAYS.fullmatch(str(text).strip())
            if found is None and text != "off":
                raise self.off(value, 'this is a number of days, as "30 d", or off')
            if found is not None:
                days[name] = int(found[1])
        told = [days[name] for name in CLASSES if name in days]
        if told != sorted(told):
            raise self.off(node, "raw texts go before redacted ones, and these before aggregates")
        return Retention(**days)
