"""Where does a store lie when nobody says, and which time zone is ours?"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from tracelode import registry
from tracelode.errors import QueryError, UsageError
from tracelode.store.opening import is_store

_UTC = ("Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu")
"""Other names of one zone."""


def default_store() -> Path:
    """The workspace folder when none is named: $TRACELODE_STORE, else tracelode below the XDG data folder."""
    named = os.environ.get("TRACELODE_STORE")
    if named:
        return Path(named).expanduser()
    data = os.environ.get("XDG_DATA_HOME")
    base = Path(data) if data and os.path.isabs(data) else home_folder() / ".local" / "share"
    return base / "tracelode"


def assert_store(folder: Path, *, named: bool) -> None:
    """Make sure that there is something to look at, before a look would make it.

    Args:
        folder: the workspace folder.
        named: did the user name it?

    Raises:
        QueryError: there is no store.
    """
    try:
        if is_store(folder):
            return
        there = folder.is_dir()
    except OSError:
        return  # opening it says why it cannot be used
    if not named and not os.environ.get("TRACELODE_STORE"):
        raise QueryError("nothing imported yet; run tracelode import PATH, or tracelode demo")
    how = f"make one with tracelode import PATH --store {folder}"
    if there:
        raise QueryError(f"{folder} holds no store; name the folder that does, or {how}")
    raise QueryError(f"no workspace at {folder}; {how}")


def home_folder() -> Path:
    """The user's home folder: $HOME, and where that is empty or relative, what the machine knows of the user.

    Raises:
        UsageError: neither is an absolute path.
    """
    named = os.environ.get("HOME", "")
    if os.path.isabs(named):
        return Path(named)
    try:
        import pwd

        named = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        named = ""
    except ImportError:  # other systems have no such list, and ask for no HOME
        named = os.path.expanduser("~")
    if not os.path.isabs(named):
        raise UsageError("there is no home folder: HOME is no absolute path; set HOME to one")
    return Path(named)


def local_zone() -> str:
    """Name of the machine's time zone, UTC where it cannot be told."""
    from zoneinfo import ZoneInfo

    candidates = [os.environ.get("TZ", "").lstrip(":")]
    with contextlib.suppress(IndexError):
        candidates.append(os.path.realpath("/etc/localtime").split("/zoneinfo/", 1)[1])
    with contextlib.suppress(OSError):
        candidates.append(Path("/etc/timezone").read_text("utf-8").strip())
    for name in candidates:
        if name:
            try:
                ZoneInfo(name)
            except (OSError, ValueError, KeyError):
                continue
            return "UTC" if name in _UTC else name
    return "UTC"


def at_home(text: str) -> str:
    """A path with the home folder as ~, as the store writes it; other texts as they are."""
    home = str(Path.home())
    if home != "/" and (text == home or text.startswith(home + "/")):
        return "~" + text[len(home) :]
    return text


def segmenters() -> tuple[str, ...]:
    """Names of the registered segmenters."""
    return registry.names("segmenters")


def checked_segmenter(name: str) -> str:
    """A segmenter's name, if there is one of that name.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    if name not in segmenters():
        raise UsageError(f"unknown segmenter {name!r}; known: {', '.join(segmenters())}")
    return name


def checked_prices(path: Path) -> str:
    """What the store remembers of a price file, once it has been read without complaint.

    Args:
        path: the file, or the word none.

    Returns:
        Its absolute path with the home folder as ~; "" for none.

    Raises:
        UsageError: the file cannot be read or breaks the form.
    """
    if str(path) == "none":
        return ""
    from tracelode.pricing.table import PriceTable

    PriceTable.load(path.expanduser())
    return at_home(str(path.expanduser().resolve()))


def stamp(path: Path) -> str:
    """Size and time of a file: another one means that it may hold something else.

    Raises:
        OSError: it cannot be looked at.
    """
    info = path.stat()
    return f"{info.st_size} {info.st_mtime_ns}"
