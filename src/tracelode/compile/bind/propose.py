"""Which rules could explain an argument leaf? Every rule that one run suggests; the others are its judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta

from tracelode.compile import transforms
from tracelode.compile.bind.observe import Leaf, Scenes
from tracelode.compile.bind.spans import pattern
from tracelode.compile.paths import get, leaves, parsed, written
from tracelode.compile.work import Source, Traced
from tracelode.model import binding as b
from tracelode.model.run import Tree

SOURCES, FIELDS, ELEMENTS, DAYS, MINUTES = 12, 24, 400, 60, 24 * 60
"""Most sources of a leaf, fields of an element, elements of a list and distances that are tried."""
LONGEST = 6 * 60
"""Minutes after a moment of an output that a fixed distance may be."""
_SPANS = ("\0days\0", "\0minutes\0")
TIMES = 6
"""Days, and times of day, that are put together."""
_DAY, _TIME = re.compile(r"\d{4}-\d{2}-\d{2}\Z"), re.compile(r"\d{2}:\d{2}\Z")
_TIMELY = re.compile(r"\d{2}:\d{2}\Z|\d{4}-\d{2}-\d{2}\Z")
_WORD = re.compile(r"[^\W\d][^\W\d \-]{0,11}(?:[ \-_][^\W\d]{1,12})?\Z")
_ID = re.compile(r"(?:^|[._\]])(?:id|ids|key|token|uuid|code|slug)$|[a-z]Id$|_id$", re.I)


def simple(leaf: Leaf, run: int, scenes: Scenes) -> Iterator[b.Binding]:
    """Constants, inputs, copies, equal arguments, dates and times at a distance.

    Args:
        leaf: what is explained.
        run: place of the run that suggests.
        scenes: all runs.

    Yields:
        Bindings with stand-in inputs.
    """
    traced = leaf.seen[run]
    yield b.Constant(traced.value)
    if traced.prompt is not None:
        yield b.FromInput(leaf.name)
    for source in traced.sources[:SOURCES]:
        slot = _slot(scenes, run, source)
        if slot:
            yield from copied(source, slot, traced, scenes.by_run[run].outputs[slot])
    yield from _of_inputs(leaf, run, scenes)


def _after_moments(leaf: Leaf, run: int, scenes: Scenes) -> Iterator[b.Binding]:
    """A date or time after a moment that an output tells: by a span that was asked, or always the same."""
    value = leaf.seen[run].value
    if not (isinstance(value, str) and _TIMELY.match(value)):
        return
    spans = [(n, v) for n, v in scenes.by_run[run].inputs.items() if n.startswith("\0minutes\0")]
    for slot, path, moment in scenes.moments(run):
        if not scenes.before(run, slot, leaf.slot):
            continue
        source = b.Copy(slot, path)
        for name, length in spans:
            shape = _later(moment, length, value)
            if shape:
                yield b.Derived("minutes", (source, b.FromInput(name)), transforms=shape)
        gap = _clock_gap(moment, value)
        if gap:
            shape = _later(moment, gap, value)
            if shape:
                yield b.Derived("minutes", (source,), gap, shape)


def _later(moment: str, minutes: Tree, value: Tree) -> tuple[b.Transform, ...]:
    """How a moment so many minutes later becomes a value, () where it does not."""
    try:
        later = datetime.fromisoformat(moment[:16]) + timedelta(minutes=minutes)
    except (ValueError, TypeError, OverflowError):
        return ()
    if value not in (later.date().isoformat(), f"{later:%H:%M}"):
        return ()
    try:
        return _shape(transforms.derive("minutes", [moment, minutes]), value)
    except ValueError:
        return ()


def _clock_gap(moment: str, value: str) -> int:
    """Minutes from a moment's clock to a time of day, 0 where that is no time or no round gap."""
    there, here = _moment(moment[11:16]), _moment(value)
    if len(value) != 5 or not isinstance(there, datetime) or not isinstance(here, datetime):
        return 0
    minutes = round((here - there).total_seconds() / 60) % (24 * 60)
    return minutes if minutes <= LONGEST and minutes % 5 == 0 else 0


def _slot(scenes: Scenes, run: int, source: Source) -> str:
    alignment = scenes.work.alignment
    assert alignment is not None
    return alignment.of[run][source.call]


def copied(source: Source, slot: str, traced: Traced, output: Tree) -> Iterator[b.Binding]:
    """A leaf of an output, a piece of it, or text around it.

    Args:
        source: where the evidence found it.
        slot: its step.
        traced: the argument leaf.
        output: what that step gave.

    Yields:
        Copy, Span or Template.
    """
    if source.span is not None:
        text = _text_at(output, source.path)
        rule = pattern(text, source.span) if text is not None else None
        if rule is not None:
            yield _framed(b.Span(slot, source.path, rule, source.transforms), source)
        return
    yield _framed(b.Copy(slot, source.path, source.transforms), source)


def _framed(inner: b.Binding, source: Source) -> b.Binding:
    parts = tuple(p for p in (source.prefix, inner, source.suffix) if p != "")
    return b.Template(parts) if len(parts) > 1 else inner


def _text_at(output: Tree, path: str) -> str | None:
    try:
        found = get(output, path)
    except LookupError:
        return None
    return found if isinstance(found, str) else None


def _of_inputs(leaf: Leaf, run: int, scenes: Scenes) -> Iterator[b.Binding]:
    """The same value as an earlier argument, or a date or time at a distance from one or from a mention."""
    value = leaf.seen[run].value
    known = scenes.by_run[run].inputs
    equal = [n for n in scenes.like(run, value) if earlier(n, leaf, run, scenes) and not n.startswith(_SPANS)]
    for name in equal:
        yield b.FromInput(name, _shape(known[name], value))
    if not (isinstance(value, str) and _TIMELY.match(value)) and _moment(value) is None:
        return
    inputs = {n: v for n, v in known.items() if earlier(n, leaf, run, scenes)}
    spans = {n: v for n, v in inputs.items() if n.startswith(_SPANS)}
    for name, other in inputs.items():
        if name not in spans and name not in equal:
            yield from _distance(name, other, value, spans)
    yield from _clocked(inputs, spans, value)


def _clocked(inputs: Mapping[str, Tree], spans: Mapping[str, Tree], value: Tree) -> Iterator[b.Binding]:
    """The day or the time that comes so many asked hours after a day and a time."""
    if not (isinstance(value, str) and _TIMELY.match(value)):
        return
    asked = [(n, v) for n, v in spans.items() if n.startswith("\0minutes\0")]
    if not asked:
        return
    days = [(n, v) for n, v in inputs.items() if isinstance(v, str) and _DAY.match(v)][:TIMES]
    times = [(n, v) for n, v in inputs.items() if isinstance(v, str) and _TIME.match(v)][:TIMES]
    for span, length in asked:
        for day, on in days:
            for time, at in times:
                shape = _later(f"{on}T{at}", length, value)
                if shape:
                    start = b.Template((b.FromInput(day), "T", b.FromInput(time)))
                    yield b.Derived("minutes", (start, b.FromInput(span)), transforms=shape)


def _shape(other: Tree, value: Tree) -> tuple[b.Transform, ...]:
    found = transforms.explain(other, value)
    return found[1] if found else ()


def _distance(name: str, other: Tree, value: Tree, spans: Mapping[str, Tree]) -> Iterator[b.Binding]:
    there, here = _moment(other), _moment(value)
    if there is None or here is None or type(there) is not type(here):
        return
    gap = here - there
    if isinstance(here, datetime):
        minutes = round(gap.total_seconds() / 60)
        if 0 < abs(minutes) <= MINUTES:
            yield b.Derived("minutes", (b.FromInput(name),), minutes)
            yield from _spanned("minutes", name, minutes, spans)
    elif 0 < abs(gap.days) <= DAYS:
        yield b.Derived("days", (b.FromInput(name),), gap.days)
        yield from _spanned("days", name, gap.days, spans)


def _spanned(op: str, name: str, gap: int, spans: Mapping[str, Tree]) -> Iterator[b.Binding]:
    """At a distance that the request tells."""
    for span, length in spans.items():
        if span.startswith(f"\0{op}\0") and length == gap:
            yield b.Derived(op, (b.FromInput(name), b.FromInput(span)))


def _moment(value: Tree) -> date | datetime | None:
    """A date, or a time of a day that is of no matter."""
    if not isinstance(value, str) or not 4 <= len(value) <= 25:
        return None
    if len(value) == 5 and value[2] == ":":
        value = f"2000-01-01T{value}"
    try:
        return datetime.fromisoformat(value) if len(value) > 10 else date.fromisoformat(value)
    except ValueError:
        return None


def earlier(name: str, leaf: Leaf, run: int, scenes: Scenes) -> bool:
    """Is an input known before a leaf: a mention, an argument of an earlier step, another one of the same?

    Args:
        name: stand-in name.
        leaf: the leaf.
        run: place of the run.
        scenes: all runs.
    """
    _, slot, path = name.split("\0")
    if slot not in scenes.first[run]:
        return slot in ("date", "time", "days", "minutes", "number")
    if slot != leaf.slot:
        return scenes.first[run][slot] < scenes.first[run][leaf.slot]
    return path != leaf.path


def selections(leaf: Leaf, run: int, scenes: Scenes) -> Iterator[b.Binding]:
    """Rules that pick an element of a list: last, smallest, largest, one whose field fits; reckoned times.

    Args:
        leaf: what is explained.
        run: place of the run that suggests.
        scenes: all runs.

    Yields:
        Selected and Derived with stand-in inputs.
    """
    yield from _after_moments(leaf, run, scenes)
    traced = leaf.seen[run]
    for source in traced.sources[:SOURCES]:
        slot = _slot(scenes, run, source)
        if not slot or source.span is not None:
            continue
        keys = parsed(source.path)
        for depth, key in enumerate(keys):
            if not isinstance(key, int):
                continue
            try:
                rows = get(scenes.by_run[run].outputs[slot], written(keys[:depth]))
            except LookupError:
                continue
            if not isinstance(rows, list) or not 2 <= len(rows) <= ELEMENTS or not 0 <= key < len(rows):
                continue
            for picks in _picks(rows, key, leaf, run, scenes):
                inner = b.Selected(
                    slot, written(keys[:depth]), picks, written(keys[depth + 1 :]), source.transforms
                )
                yield _framed(inner, source)


def _picks(rows: list[Tree], at: int, leaf: Leaf, run: int, scenes: Scenes) -> Iterator[tuple[b.Pick, ...]]:
    if at == len(rows) - 1:
        yield (b.At(-1),)
    for number, (keys, value) in enumerate(leaves(rows[at])):
        if number == FIELDS:
            return
        field = written(keys)
        yield from _extremes(rows, at, field, value)
        if value is None or isinstance(value, float) or (isinstance(value, str) and len(value) > 200):
            continue
        word = isinstance(value, bool) or (isinstance(value, str) and _WORD.match(value))
        names = [n for n in scenes.like(run, value) if earlier(n, leaf, run, scenes)]
        if not (word or names) or _first(rows, field, value, at) != at:
            continue
        if word:
            yield (b.Where(field, "eq", b.Constant(value), first=True),)
        for name in names:
            yield (b.Where(field, "eq", b.FromInput(name), first=True),)


def _first(rows: list[Tree], field: str, value: Tree, at: int) -> int:
    """The place of the first element whose field has a value."""
    return next((n for n, row in enumerate(rows) if transforms.same(_field(row, field), value)), at)


def _extremes(rows: list[Tree], at: int, field: str, value: Tree) -> Iterator[tuple[b.Pick, ...]]:
    own = transforms.number(value)
    if own is None or isinstance(value, bool) or _ID.search(field):
        return
    column = [transforms.number(_field(r, field)) for r in rows]
    known = [n for n in column if n is not None]
    if len(set(known)) < 2:
        return
    if own == min(known) and column.index(own) == at:
        yield (b.Least(field),)
    if own == max(known) and column.index(own) == at:
        yield (b.Most(field),)


def _field(row: Tree, path: str) -> Tree:
    try:
        return get(row, path)
    except LookupError:
        return None
