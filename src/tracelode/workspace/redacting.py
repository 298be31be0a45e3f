"""Which texts of recorded files go? Old files are brought under a profile of redaction, their ids kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tracelode.errors import SourceError, UsageError
from tracelode.files import why
from tracelode.model.report import RedactReport
from tracelode.redact.fast import MODES
from tracelode.redact.pseudonyms import KEY_FILE, Pseudonyms, key_of
from tracelode.workspace.places import default_store


def key_at(path: str | Path | None = None) -> bytes:
    """The key of pseudonyms, made where it is absent.

    Args:
        path: its file; None: pseudonyms.key in the default store's folder, apart from what is redacted.

    Raises:
        SourceError: it cannot be read or made.
    """
    place = Path(path).expanduser() if path is not None else default_store() / KEY_FILE
    try:
        return key_of(place)
    except OSError as error:
        raise SourceError(f"the key cannot be used: {why(error)}", path=str(place)) from error
    except ValueError as error:
        raise SourceError(str(error), path=str(place)) from error


def redact_files(
    paths: Sequence[str | Path],
    profile: str,
    target: str | Path | None,
    *,
    in_place: bool = False,
    names: bool = False,
    key: str | Path | None = None,
) -> RedactReport:
    """Rewrite recorded files under a profile.

    Args:
        paths: files and folders.
        profile: summary, metadata or full.
        target: file or folder that is written, None in place.
        in_place: replace the files themselves.
        names: pseudonyms for people, hosts, paths and repositories in every profile.
        key: file of their key, None for that of the default store.

    Returns:
        Counts by kind, and what was left.

    Raises:
        UsageError: an unknown profile, or neither a target nor in_place.
        SourceError: a path or the key cannot be read.
        ExportError: a file cannot be written.

    Source:
        plan rules, section 10.3.
    """
    from tracelode.governance.rewrite import Rewriter

    _known(profile)
    if (target is None) == (not in_place):
        raise UsageError("say where to: a target, or in place")
    made = Rewriter(profile, key_at(key), names=names)
    listed = [Path(path).expanduser() for path in paths]
    return made.run(listed, None if target is None else Path(target).expanduser())


def check_files(paths: Sequence[str | Path], profile: str) -> RedactReport:
    """What in recorded files goes beyond a profile (PT100); nothing is written.

    Args:
        paths: files and folders.
        profile: summary, metadata or full.

    Raises:
        UsageError: an unknown profile.
        SourceError: a path is not there.
    """
    from tracelode.governance.rewrite import recheck

    _known(profile)
    return recheck([Path(path).expanduser() for path in paths], profile)


def pseudonyms_of(name: str, key: str | Path | None = None) -> tuple[str, ...]:
    """Every pseudonym that a name goes under.

    Args:
        name: of a person, host, path or repository; a pseudonym stands for itself.
        key: file of the key, None for that of the default store.
    """
    return tuple(Pseudonyms(key_at(key)).known(name))


def _known(profile: str) -> None:
    if profile not in MODES:
        raise UsageError(f"a profile is one of {', '.join(MODES)}")
