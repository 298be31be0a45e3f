"""Where are sessions recorded, which of them, and how do child processes join? One recorder for a folder."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from tracelode.record.clean import MODES, Cleaner
from tracelode.record.event import fitting, new_id
from tracelode.record.live import Session
from tracelode.record.scope import Scope, enter, here, is_async
from tracelode.record.sink import Sink

P = ParamSpec("P")
R = TypeVar("R")

FOLDER = "traces"
SESSION, NODE, PLACE = "TRACELODE_SESSION", "TRACELODE_NODE", "TRACELODE_DIR"
TASK, REDACT, DAY, SAMPLED = "TRACELODE_TASK", "TRACELODE_REDACT", "TRACELODE_DAY", "TRACELODE_SAMPLED"


class Recorder:
    """Records sessions into a folder, one file for each session and writer.

    Args:
        place: the folder; or one file, *.jsonl, that all writers share. None: TRACELODE_DIR, else traces/.
        redact: summary, metadata or full; default is summary.
        sample: share of sessions that are kept, 0 to 1. Sessions that fail, roll back or are corrected by a
            human are kept in any case. Sessions, never events: a life cycle with holes tells nothing.
        strict: raise for what is no event, end open nodes as failed.
        durability: session, event or none: when the disk is made to hold what was written.
        pseudonyms: keyed pseudonyms for people, hosts, paths and repositories; in mode metadata always.

    Raises:
        ValueError: an unknown mode, or a share beyond 0 to 1.
    """

    def __init__(
        self,
        place: str | os.PathLike[str] | None = None,
        *,
        redact: str = "default",
        sample: float = 1.0,
        strict: bool = False,
        durability: str = "session",
        pseudonyms: bool = False,
    ) -> None:
        self.place = Path(place if place is not None else os.environ.get(PLACE) or FOLDER)
        self.shared = self.place.suffix == ".jsonl"
        self.redact = "summary" if redact == "default" else redact
        if not 0 <= sample <= 1:
            raise ValueError("sample is a share of sessions: 0 to 1")
        if self.redact not in MODES:
            raise ValueError(f"redact is one of {', '.join(MODES)}")
        self.sample = sample
        self.strict = strict
        self.durability = durability
        keys = self.place.parent if self.shared else self.place
        self._cleaner = Cleaner(self.redact, keys, names=pseudonyms)

    def session(
        self,
        session_id: str | None = None,
        *,
        task: str | None = None,
        task_type: str | None = None,
    ) -> Session:
        """A session: `with` and `async with`.

        Args:
            session_id: its id; made where it is left out.
            task: what joins it with other sessions.
            task_type: procedure, explore or domain, or a word of your own.

        Returns:
            The session; complete is recorded at its end, failed where it is left by an exception.
        """
        session_id = fitting(session_id or new_id())
        sampled = chosen(session_id, self.sample)
        day = time.strftime("%Y-%m-%d", time.gmtime())
        sink = self._sink(session_id, day, sampled)
        session = Session(
            session_id,
            sink,
            strict=self.strict,
            task_id=task,
            task_type=task_type,
            rate=self.sample if sampled else 1.0,
            closing=None if self.shared else self._manifest,
        )
        session.day, session.place = day, self.place
        return session

    def adopt(self, env: Mapping[str, str] | None = None) -> Session | None:
        """Go on in the session of the process that started this one, in the node it was in.

        Args:
            env: what environment() of the parent gave; the process's own environment.

        Returns:
            The session, None where the environment names none. What the parent ends stays the parent's:
            no complete event is recorded here.
        """
        env = os.environ if env is None else env
        session_id = env.get(SESSION)
        if not session_id:
            return None
        day = env.get(DAY) or time.strftime("%Y-%m-%d", time.gmtime())
        sink = self._sink(session_id, day, env.get(SAMPLED) != "0")
        session = Session(session_id, sink, strict=self.strict, task_id=env.get(TASK) or None)
        session.day, session.place = day, self.place
        node = env.get(NODE)
        enter(Scope(session, (node,) if node else ()))
        return session

    def node(self, text: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Make a function a node: planned and executed with each call, below the node that calls it.

        Args:
            text: what it does; the function's name where it is left out. A node of this wording that is
                planned, or failed, is executed, else a new one.

        Returns:
            A decorator for functions and coroutine functions.
        """

        def decorate(function: Callable[P, R]) -> Callable[P, R]:
            wording = text or getattr(function, "__name__", "node").replace("_", " ")
            if is_async(function):

                @functools.wraps(function)
                async def awaited(*args: P.args, **kwargs: P.kwargs) -> Any:
                    session = here().session
                    if session is None:
                        return await function(*args, **kwargs)  # type: ignore[misc]
                    async with session.execute(session.found(wording)):
                        return await function(*args, **kwargs)  # type: ignore[misc]

                return awaited  # type: ignore[return-value]

            @functools.wraps(function)
            def called(*args: P.args, **kwargs: P.kwargs) -> R:
                session = here().session
                if session is None:
                    return function(*args, **kwargs)
                with session.execute(session.found(wording)):
                    return function(*args, **kwargs)

            return called

        return decorate

    def _sink(self, session_id: str, day: str, sampled: bool) -> Sink:
        if self.shared:
            return Sink(lambda _: self.place, self._cleaner, self.durability, sampled)
        folder = folder_of(self.place, session_id, day)
        return Sink(lambda writer: folder / f"{writer}.jsonl", self._cleaner, self.durability, sampled)

    def _manifest(self, session: Session) -> None:
        from tracelode.record.manifest import write

        folder = folder_of(self.place, session.session_id, session.day)
        if folder.is_dir():
            write(folder, session, self.redact)


def folder_of(place: Path, session_id: str, day: str) -> Path:
    """Where the files of a session lie.

    Args:
        place: the recorder's folder.
        session_id: the session.
        day: YYYY-MM-DD in UTC, when it began.

    Returns:
        place/date=DAY/session=HASH.
    """
    try:
        # hashlib loads all of OpenSSL, which a hook would feel at every call
        from _sha1 import sha1  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import sha1
    digest = sha1(session_id.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return place / f"date={day}" / f"session={digest[:12]}"


def chosen(session_id: str, share: float) -> bool:
    """Is a session among those kept? Every process answers alike.

    Args:
        session_id: the session.
        share: of sessions, 0 to 1.
    """
    if share >= 1:
        return True
    import hashlib

    digest = hashlib.sha256(f"sample {session_id}".encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def environment() -> dict[str, str]:
    """What a child process needs to go on in this session and node, for `env=` of subprocess.

    Returns:
        The process's environment with the session's names; without them outside of a session.
    """
    env = dict(os.environ)
    scope = here()
    session = scope.session
    for name in (SESSION, NODE, TASK, DAY, SAMPLED):
        env.pop(name, None)
    if session is None or session.place is None:
        return env
    env |= {SESSION: session.session_id, PLACE: os.path.abspath(session.place), DAY: session.day}
    env |= {REDACT: session.redact, SAMPLED: "1" if session.kept else "0"}
    if scope.nodes:
        env[NODE] = scope.nodes[-1]
    if session.task_id:
        env[TASK] = session.task_id
    return env


def adopt(env: Mapping[str, str] | None = None) -> Session | None:
    """Go on in the session of the process that started this one: what environment() told it.

    Args:
        env: the environment; the process's own.

    Returns:
        The session, None where the environment names none.
    """
    env = os.environ if env is None else env
    if not env.get(SESSION):
        return None
    return Recorder(env.get(PLACE) or None, redact=env.get(REDACT) or "default").adopt(env)


def session(session_id: str | None = None, **options: Any) -> Session:
    """A session recorded into TRACELODE_DIR, else traces/.

    Args:
        session_id: its id; made where it is left out.
        options: task and task_type of Recorder.session(); all others are Recorder's own.

    Returns:
        The session: `with` and `async with`.
    """
    own = {name: options.pop(name) for name in ("task", "task_type") if name in options}
    return Recorder(options.pop("place", None), **options).session(session_id, **own)


def node(text: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function a node of whichever session calls it; see Recorder.node.

    Args:
        text: what it does; the function's name where it is left out.

    Returns:
        A decorator for functions and coroutine functions.
    """
    return Recorder.node(_ANY, text)


class _Outside(Session):
    """What current() gives outside of a session: it counts what is lost, and keeps nothing."""

    def _take(self, event: Any) -> None:
        raise LookupError("outside of a session")


def current() -> Session:
    """The session the calling code is part of.

    Returns:
        The session; outside of one, a stand-in that records nothing and counts what it was given.
    """
    found: Session | None = here().session
    return found if found is not None else _outside


_ANY = Recorder(FOLDER)
_outside = _Outside("outside")
