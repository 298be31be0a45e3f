"""Which OpenHands files belong together, in which order, and which conversation are they?"""

from __future__ import annotations

import re

NAME = "openhands"
ZONE = "times without a zone, read as UTC"
"""What is counted where nothing tells the zone of a conversation's times."""
_NUMBER = re.compile(r"(?:event-)?(\d{1,9})\b")
_HEX = re.compile(r"[0-9a-fA-F]{32}")


def kin_of(path: str) -> str:
    """The conversation's folder for an event or a state, else the file itself."""
    folder, _, name = path.rpartition("/")
    if folder.endswith("/events"):
        return folder.rpartition("/")[0]
    return folder if name == "base_state.json" else path


def order_of(path: str) -> str:
    """Events by number, then the state: what it tells of calls finds them known."""
    folder, _, name = path.rpartition("/")
    if folder.endswith("/events"):
        number = _NUMBER.match(name)
        return f"{kin_of(path)}/0/{int(number[1]):010d}/{name}" if number else f"{kin_of(path)}/0/{name}"
    return f"{kin_of(path)}/1/{name}"


def conversation_of(path: str) -> str:
    """The conversation id that the folder tells, "" where it tells none."""
    folder = kin_of(path)
    return plain(folder.rpartition("/")[2]) if folder != path else ""


def plain(ident: str) -> str:
    """An id as folders spell it: a UUID without its dashes, anything else as it is."""
    bare = ident.replace("-", "")
    return bare.lower() if _HEX.fullmatch(bare) else ident
