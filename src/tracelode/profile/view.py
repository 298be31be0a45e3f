"""How does a folded profile become the view that was asked for? Frames filtered, hidden, pseudonymised."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import re2

from tracelode.errors import QueryError
from tracelode.model.profile import Profile, Sample, Stack, fold
from tracelode.model.query import Query
from tracelode.profile.share import pseudonymiser


def shape(profile: Profile, query: Query, *, comments: tuple[str, ...] = (), salt: str = "") -> Profile:
    """Apply a query's frame filters to a folded profile.

    Args:
        profile: folded on the query's stack.
        query: focus, ignore, show, hide, share.
        comments: what the profile was made with.
        salt: secret of the store, for pseudonyms.

    Returns:
        A profile; focus and ignore drop stacks, show and hide only frames, so that with hide alone
        the totals stay.

    Raises:
        QueryError: an expression that is none.

    Source:
        pprof's focus, ignore, show, hide.
    """
    view = viewer(query, salt)
    if view is None:
        return msgspec.structs.replace(profile, comments=comments)
    seen_as = ((view(stack), profile.told(stack)) for stack in profile.totals)
    shown = fold(((stack, values) for stack, values in seen_as if stack is not None), profile.measures)
    samples = []
    for sample in profile.samples:
        seen = view(sample.stack)
        if seen is not None:
            labels = () if query.share else sample.labels
            samples.append(Sample(seen, sample.totals, labels))
    return msgspec.structs.replace(shown, samples=tuple(samples), comments=comments, fields=profile.fields)


def viewer(query: Query, salt: str = "") -> Callable[[Stack], Stack | None] | None:
    """How a query's frame filters show a stack.

    Args:
        query: focus, ignore, show, hide, share.
        salt: secret of the store, for pseudonyms.

    Returns:
        Stack to the frames that are shown, None for a stack that is dropped; None where every stack is shown
        as it is.

    Raises:
        QueryError: an expression that is none.
    """
    focus, ignore = _matcher(query.focus, "focus"), _matcher(query.ignore, "ignore")
    show, hide = _matcher(query.show, "show"), _matcher(query.hide, "hide")
    rename = pseudonymiser(query, salt) if query.share else None
    if not (focus or ignore or show or hide or rename):
        return None

    @cache
    def view(stack: Stack) -> Stack | None:
        if focus and not any(focus(f) for f in stack):
            return None
        if ignore and any(ignore(f) for f in stack):
            return None
        kept = [f for f in stack if not (hide and hide(f)) and (not show or show(f))]
        if rename:
            kept = [rename(f) for f in kept]
        return tuple(kept) or ("(hidden)",)

    return view


def _matcher(expression: str | None, option: str) -> Callable[[str], Any] | None:
    if not expression:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        search = re2.compile(expression, options=options).search
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else error
        raise QueryError(f"--{option} is not a regular expression of RE2: {why}") from error
    # linear in the frame, whatever the expression; a frame stands in many stacks
    return cache(lambda frame: search(frame) is not None)
