"""What does a descriptor of strace stand for? A file, a host, or nothing that leaves the process tree."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from tracelode.model.operation import operation_id
from tracelode.sources.strace.lines import integer, unescaped

_FD = re.compile(
    r"\s*(?P<number>0x[0-9a-f]{1,16}\b|-?\d{1,19}\b|AT_FDCWD)(?:<(?P<what>(?:->|[^<>]|<[^<>]*>)*)>(?:\(deleted\))?)?"
)
_PEER = re.compile(r"(?:TCP|UDP|UDP-Lite|TCPv6|UDPv6|UDP-Litev6|SCTP|SCTPv6):\[.*->\[?([^\]>]*?)\]?:(\d+)\]$")
_ADDRESS = re.compile(
    r"\{sa_family=AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\(\"([^\"\\]*)\"\)\}"
    r"|\{sa_family=AF_INET6, sin6_port=htons\((\d+)\),[^\"]*inet_pton\(AF_INET6, \"([^\"\\]*)\""
)
_DEVICE = re.compile(r"<(?:char|block) [^<>]*>$")
_ASIDE = ("/dev/", "/proc/", "/sys/", "/memfd:", "/[")
"""Beginnings of paths that are no files: devices, what the kernel shows, memory."""
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root)(?=/|$)")
WHOLE = ("/", "~/")
"""Beginnings of whole paths; the second one is what a resume state keeps of a home folder."""


class Thing(msgspec.Struct, frozen=True):
    """A file or host, or what is neither."""

    kind: str = ""
    """file, network, or "" for pipes, terminals, devices and the like."""
    what: str = ""
    """Digest that tells it from others, the same before and after a resume state was cleaned."""
    text: str = ""
    """Path or host."""
    port: str = ""
    """Port of a host."""

    @property
    def fields(self) -> dict[str, str]:
        """Fields of its operation."""
        if self.kind == "file":
            return {"path": self.text}
        return {"domain": self.text, "port": self.port}


NOTHING = Thing()


@lru_cache(maxsize=4_096)
def file_of(path: str) -> Thing:
    """The thing at a path."""
    if not path or path.startswith(_ASIDE):
        return NOTHING
    home = _HOME.match(path)
    # the same before and after a resume state was cleaned
    known = f"~{path[home.end() :]}" if home else path
    return Thing("file", operation_id("path", known), path)


def host_of(host: str, port: str) -> Thing:
    """The thing at an address."""
    return Thing("network", operation_id("address", f"{host} {port}"), host, port)


@lru_cache(maxsize=4_096)
def thing_of(told: str) -> Thing | None:
    """What strace -y says a descriptor is.

    Args:
        told: the text between < and >.

    Returns:
        The thing; None for a socket of which only a connection tells more.
    """
    if told.startswith(WHOLE):
        return NOTHING if _DEVICE.search(told) else file_of(unescaped(told))
    peer = _PEER.match(told)
    if peer is not None:
        return host_of(peer[1], peer[2])
    sockets = ("socket:", "TCP:", "TCPv6:", "UDP:", "UDPv6:")
    return None if told.startswith(sockets) else NOTHING


def descriptor(arguments: str) -> tuple[int, str, int] | None:
    """The descriptor that some arguments begin with.

    Args:
        arguments: text from the descriptor on.

    Returns:
        (number, what strace says it is or "", end of its text); -100 stands for the working folder.
        None where there is none.
    """
    found = _FD.match(arguments)
    if found is None:
        return None
    number = found["number"]
    return -100 if number == "AT_FDCWD" else integer(number), found["what"] or "", found.end()


def address(arguments: str) -> Thing | None:
    """The last address of the internet among some arguments."""
    last = next(reversed(list(_ADDRESS.finditer(arguments))), None)
    if last is None:
        return None
    return host_of(last[2], last[1]) if last[1] else host_of(last[4], last[3])
