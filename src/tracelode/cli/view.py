"""How do options become a query and a profile? The one place where views ask the workspace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from tracelode.cli.options import FilterOptions, StoreOptions, ViewOptions
from tracelode.cli.when import instant, seconds
from tracelode.errors import UsageError
from tracelode.model.measure import TOKEN_KINDS, unit
from tracelode.model.priced import money_text
from tracelode.model.profile import Profile, Sample
from tracelode.model.query import MOST_FIELDS, Query
from tracelode.model.words import UNKNOWN, value_text

if TYPE_CHECKING:
    from tracelode.model.report import Totals
    from tracelode.workspace import Workspace

_BESIDE = ("cost", "tokens.output", "tokens", "tokens.unpriced")
_IN_FILES = ("cost", "tokens", "tokens.output", "time.active", "operations")
_NAMES = {
    "stack": ("field", "intent,stage,tool"),
    "measure": ("measure", "cost,tokens"),
    "tagroot": ("field", "project"),
    "tagleaf": ("field", "model"),
}
OUTCOMES = {"failed": "failure", "failure": "failure", "succeeded": "success", "success": "success"}
"""Words of --outcome to outcomes."""


@dataclass(frozen=True)
class View:
    """A profile with what is needed to read it."""

    workspace: Workspace
    """Where it came from."""
    query: Query
    """What was asked; measures are the shown ones, the first sorts."""
    profile: Profile
    """Totals of the shown measures and of those beside them."""

    @property
    def measure(self) -> str:
        """The measure that sorts."""
        return self.query.measures[0]

    def at(self, measure: str) -> int | None:
        """Place of a measure in the profile, None if it was not folded."""
        measures = self.profile.measures
        return measures.index(measure) if measure in measures else None

    def total(self, measure: str | None = None) -> int:
        """Sum of a measure; 0 if it was not folded."""
        place = self.at(measure or self.measure)
        return 0 if place is None else self.profile.total(place)

    @cached_property
    def untold(self) -> bool:
        """Are there calls, and no source tells a token of them? Then tokens and money are unknown."""
        return not self.total("tokens") and self._whole.untold

    @cached_property
    def _whole(self) -> Totals:
        """Totals under the filters."""
        return self.workspace.totals(msgspec.structs.replace(self.query, share=False))

    def text(self, measure: str, value: int | None, bare: int | None) -> str:
        """A value as a cell of a view.

        Args:
            measure: which.
            value: None where unknown.
            bare: tokens without a price in the same place.
        """
        if self.untold and (measure == "cost" or measure.startswith("tokens")):
            return UNKNOWN
        if measure.startswith("time") and not self.total(measure) and self._whole.first is None:
            return UNKNOWN
        return money_text(value, bare) if measure == "cost" else value_text(measure, value)

    @property
    def bare(self) -> Profile:
        """Tokens without a price of every stack."""
        return select(self.profile, ("tokens.unpriced",))

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of the frames, root to leaf."""
        return (*self.query.tagroot, *self.query.stack, *self.query.tagleaf)

    def shown(self) -> Profile:
        """The profile with the shown measures only."""
        return select(self.profile, self.query.measures)


def select(profile: Profile, measures: tuple[str, ...]) -> Profile:
    """A profile with fewer measures.

    Args:
        profile: has every one of measures.
        measures: m names, in the order wanted.

    Returns:
        The same stacks with m totals each.
    """
    places = [profile.measures.index(m) for m in measures]
    if measures == profile.measures:
        return profile
    return msgspec.structs.replace(
        profile,
        measures=measures,
        totals={stack: tuple(values[i] for i in places) for stack, values in profile.totals.items()},
        untold={m: stacks for m, stacks in profile.untold.items() if m in measures},
        samples=tuple(Sample(s.stack, tuple(s.totals[i] for i in places), s.labels) for s in profile.samples),
    )


def open_workspace(
    options: StoreOptions, *, redact: str | None = None, fresh: bool = False, renew: bool = False
) -> Workspace:
    """The workspace the options name.

    Args:
        options: folder, zone, idle limit, prices.
        redact: what an import keeps of previews, None for what the workspace keeps.
        fresh: may make a workspace that is not there.
        renew: may put a store of an older layout aside, because it is filled again.

    Returns:
        An open workspace.

    Raises:
        UsageError: the idle limit is no length of time, or there is no such zone.
        QueryError: there is no store.
        TracelodeError: the workspace cannot be used.
    """
    from tracelode import workspace

    if options.tz is not None:
        check_zone(options.tz)
    opened = workspace.admitted(
        options.store,
        redact=redact,
        tz=options.tz,
        idle=None if options.idle is None else seconds(options.idle),
        prices=options.price_file,
        renew=renew,
        make=fresh,
    )
    from tracelode.cli.screen import warn

    for note in opened.notes:
        warn(note)
    if opened.put_aside is not None:
        warn(f"a store of an older layout was put into {opened.put_aside}; import again to fill this one")
    return opened


def check_zone(tz: str) -> None:
    """Assert that a zone exists.

    Args:
        tz: its name.

    Raises:
        UsageError: it does not.
    """
    try:
        ZoneInfo(tz)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise UsageError(f"no time zone {tz!r}; write it as Europe/Berlin or UTC") from error


def filters(options: FilterOptions, workspace: Workspace) -> Query:
    """The query of the filters alone.

    Args:
        options: where, since, until, outcome.
        workspace: gives the zone of days, and the sessions that short names stand for.

    Returns:
        A query with the default stack and measure.

    Raises:
        UsageError: a word that cannot be read.
        QueryError: a session that is not there.
    """
    zone, now = ZoneInfo(workspace.tz), datetime.now(UTC)
    where = [named_filter(workspace, *_pair(text)) for text in options.where]
    if options.outcome is not None:
        if options.outcome not in OUTCOMES:
            raise UsageError(f"no outcome {options.outcome!r}; write it as --outcome failed or succeeded")
        where.append(("outcome", OUTCOMES[options.outcome]))
    return Query(
        where=tuple(where),
        since=None if options.since is None else instant(options.since, zone, now),
        until=None if options.until is None else instant(options.until, zone, now, end=True),
        tz=workspace.tz,
    )


def query_of(options: ViewOptions, workspace: Workspace) -> Query:
    """The query of a view's options; without --measure its measures are empty.

    Args:
        options: everything a view takes.
        workspace: as for filters().

    Returns:
        The query.

    Raises:
        UsageError: a word that cannot be read.
    """
    named = {
        option: _words(getattr(options, option)) for option in ("stack", "measure", "tagroot", "tagleaf")
    }
    for option, words in named.items():
        if not words and (option == "stack" or getattr(options, option)):
            noun, example = _NAMES[option]
            raise UsageError(f"--{option} names no {noun}; write it as --{option} {example}")
    fields = sum(len(named[option]) for option in ("stack", "tagroot", "tagleaf"))
    if fields > MOST_FIELDS:
        raise UsageError(
            f"--stack, --tagroot and --tagleaf take at most {MOST_FIELDS} fields, not {fields:,}"
        )
    for option in ("focus", "ignore", "show", "hide"):
        pattern(getattr(options, option), f"--{option}")
    return msgspec.structs.replace(
        filters(options, workspace),
        stack=named["stack"],
        measures=tuple(dict.fromkeys(named["measure"])),
        focus=options.focus,
        ignore=options.ignore,
        show=options.show,
        hide=options.hide,
        tagroot=named["tagroot"],
        tagleaf=named["tagleaf"],
        lane=options.lane,
        share=options.share,
    )


def load(options: ViewOptions, store: StoreOptions, *, to_file: bool = False, detail: bool = False) -> View:
    """Ask for the profile of a view.

    Args:
        options: what is counted and shown.
        store: where.
        to_file: without --measure, take the measures a file should hold.
        detail: samples with labels too.

    Returns:
        The view; its measures start with the asked or the default one.

    Raises:
        TracelodeError: an unknown field or measure, an unreadable word, a workspace that cannot be used.
    """
    workspace = open_workspace(store)
    query = query_of(options, workspace)
    for measure in query.measures:
        unit(measure)
    asked = query.measures
    beside = _BESIDE + (TOKEN_KINDS if asked[:1] == ("tokens",) else ())
    more = _IN_FILES if to_file and not asked else ()
    folded = tuple(dict.fromkeys((*asked, *more, *beside)))
    profile = workspace.profile(msgspec.structs.replace(query, measures=folded, detail=detail))
    if not asked:
        tokens, bare = (profile.total(folded.index(m)) for m in ("tokens", "tokens.unpriced"))
        asked = tuple(dict.fromkeys((default_measure(tokens, bare), *more)))
    return View(workspace, msgspec.structs.replace(query, measures=asked, detail=detail), profile)


def default_measure(tokens: int, unpriced: int) -> str:
    """Cost where at least one call is priced, else output tokens.

    Args:
        tokens: all tokens.
        unpriced: those without a price.

    Returns:
        A measure's name.

    Source:
        accounting rules, tokens and cost.
    """
    return "cost" if tokens > unpriced else "tokens.output"


def unpriced(view: View) -> dict[str, int]:
    """Tokens without a price, by model.

    Args:
        view: a loaded view.

    Returns:
        Model to tokens, largest first; under filters that models cannot be told through, and where names must
        not be told, one entry "?".
    """
    count = view.total("tokens.unpriced")
    if not count:
        return {}
    query = view.query
    if query.share or query.focus or query.ignore or query.show or query.hide:
        return {"?": count}
    return dict(view.workspace.totals(query).unpriced)


def pattern(text: str | None, name: str) -> re.Pattern[str] | None:
    """A regular expression from the command line.

    Args:
        text: the expression, or None.
        name: of the option or argument.

    Returns:
        The compiled expression, None for none.

    Raises:
        UsageError: it is none.
    """
    try:
        return None if text is None else re.compile(text)
    except re.error as error:
        raise UsageError(f"{name} is no regular expression: {error}; escape . ( ) [ with \\") from error


def _pair(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not equals or not field.strip():
        raise UsageError(f"--where {text!r} is not FIELD=VALUE; write it as --where tool=Bash")
    return field.strip(), value


def named_filter(workspace: Workspace, field: str, value: str) -> tuple[str, str]:
    """A filter, with the whole key where it names a session as screens do."""
    if field not in ("session", "root") or workspace.empty():
        return field, value
    from tracelode.cli.keys import root_of

    return field, root_of(value, workspace.sessions())


def _words(texts: str | tuple[str, ...]) -> tuple[str, ...]:
    texts = (texts,) if isinstance(texts, str) else texts
    return tuple(word.strip() for text in texts for word in text.split(",") if word.strip())
