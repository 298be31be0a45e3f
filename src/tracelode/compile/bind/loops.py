"""For which elements of which list is a fanned-out step called, and when does a polled one end?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from tracelode.compile import transforms
from tracelode.compile.bind.observe import Scenes, fanned
from tracelode.compile.evaluate import Missing, Scene, value
from tracelode.compile.paths import get, parsed, written
from tracelode.compile.work import Traced
from tracelode.model import binding as b
from tracelode.model.run import Tree
from tracelode.model.workflow import Argument, ForEach, Wait

STATUSES, LONGEST = 50, 40
"""Most fields that may tell a status, and characters of one."""


@dataclass(frozen=True)
class Loop:
    """A fanned-out step as it is called."""

    each: ForEach
    """The list."""
    arguments: tuple[Argument, ...]
    """Each for what varies, the rest is bound as usual."""


def fan_slots(scenes: Scenes) -> tuple[str, ...]:
    """Slots that are a fan-out in some run.

    Args:
        scenes: all runs.
    """
    alignment = scenes.work.alignment
    assert alignment is not None
    found = []
    for slot in alignment.slots:
        for run in range(len(scenes.work.runs)):
            calls = alignment.calls(run, slot.name)
            if len(calls) > 1 and fanned(scenes.work, run, calls):
                found.append(slot.name)
                break
    return tuple(found)


def polled_slots(scenes: Scenes) -> tuple[str, ...]:
    """Slots that are called several times in some run, and are no fan-out there.

    Args:
        scenes: all runs.
    """
    alignment = scenes.work.alignment
    assert alignment is not None
    found = []
    for slot in alignment.slots:
        for run in range(len(scenes.work.runs)):
            calls = alignment.calls(run, slot.name)
            if len(calls) > 1 and not fanned(scenes.work, run, calls):
                found.append(slot.name)
                break
    return tuple(found)


def loop(slot: str, scenes: Scenes, runs: frozenset[int], accept: float) -> Loop | None:
    """The list that explains the calls of a fan-out in enough runs.

    Args:
        slot: the step.
        scenes: all runs.
        runs: those it is learned from.
        accept: share that it must explain.

    Returns:
        The loop, None where no list does.
    """
    seen = {run: calls for run in sorted(runs) if (calls := _calls(slot, run, scenes))}
    if not seen:
        return None
    paths = sorted({path for calls in seen.values() for call in calls for path in call})
    varying = [
        p
        for p in paths
        if any(len({transforms.text(_value(c, p)) for c in calls}) > 1 for calls in seen.values())
    ]
    best: tuple[int, b.Copy, dict[str, str]] | None = None
    for over, fields in _lists(seen, varying, slot, scenes):
        fits = sum(_fits(over, fields, calls, scenes.by_run[run]) for run, calls in seen.items())
        if best is None or fits > best[0]:
            best = (fits, over, fields)
    if best is None or best[0] < accept * len(seen) - 1e-9:
        return None
    _, over, fields = best
    most = max(len(calls) for calls in seen.values())
    top = most if any(_count(over, scenes.by_run[run]) > len(c) for run, c in seen.items()) else None
    if top is not None and len({len(c) for c in seen.values()}) > 1:
        return None
    arguments = tuple(
        Argument(path=p, binding=b.Each(fields[p]), support=best[0], runs=len(seen), proof="hard")
        for p in varying
    )
    return Loop(ForEach(over=over, most=most, top=top), arguments)


def _calls(slot: str, run: int, scenes: Scenes) -> list[dict[str, Traced]]:
    alignment = scenes.work.alignment
    assert alignment is not None
    by_call: dict[int, dict[str, Traced]] = {n: {} for n in alignment.calls(run, slot)}
    for traced in scenes.work.traced[run]:
        if traced.call in by_call:
            by_call[traced.call][traced.path] = traced
    return list(by_call.values())


def _value(call: Mapping[str, Traced], path: str) -> Tree:
    return call[path].value if path in call else None


def _lists(
    seen: Mapping[int, list[dict[str, Traced]]], varying: list[str], slot: str, scenes: Scenes
) -> Iterator[tuple[b.Copy, dict[str, str]]]:
    """Lists of earlier outputs with the varying values of a run's calls, one element a call, in order."""
    alignment = scenes.work.alignment
    assert alignment is not None
    given: set[tuple[str, str]] = set()
    for run, calls in seen.items():
        if len(calls) < 2 or not varying or varying[0] not in calls[0]:
            continue
        for source in calls[0][varying[0]].sources:
            producer = alignment.of[run][source.call]
            keys = parsed(source.path)
            for depth, key in enumerate(keys):
                if not producer or producer == slot or key != 0 or source.span is not None:
                    continue
                over = b.Copy(producer, written(keys[:depth]))
                fields = _fields(over, calls, varying, alignment.of[run])
                if fields is not None and (producer, over.path) not in given:
                    given.add((producer, over.path))
                    yield over, fields


def _fields(
    over: b.Copy, calls: list[dict[str, Traced]], varying: list[str], slots: tuple[str, ...]
) -> dict[str, str] | None:
    """Varying argument to the field of the first element that has its value in the first call."""
    head = parsed(over.path)
    found: dict[str, str] = {}
    for path in varying:
        for source in calls[0][path].sources if path in calls[0] else ():
            keys = parsed(source.path)
            if (
                slots[source.call] == over.step
                and keys[: len(head) + 1] == (*head, 0)
                and not source.transforms
            ):
                found[path] = written(keys[len(head) + 1 :])
                break
        else:
            return None
    return found


def _fits(over: b.Copy, fields: Mapping[str, str], calls: list[dict[str, Traced]], scene: Scene) -> bool:
    try:
        rows = value(over, scene)
    except Missing:
        return False
    if not isinstance(rows, list) or len(rows) < len(calls):
        return False
    for row, call in zip(rows, calls, strict=False):
        for path, field in fields.items():
            try:
                if not transforms.same(get(row, field), _value(call, path)):
                    return False
            except LookupError:
                return False
    return True


def _count(over: b.Copy, scene: Scene) -> int:
    try:
        rows = value(over, scene)
    except Missing:
        return 0
    return len(rows) if isinstance(rows, list) else 0


def wait(slot: str, scenes: Scenes, runs: frozenset[int]) -> Wait | None:
    """What a polled step waits for: a field that changes, with a value at the end that it had never before.

    Args:
        slot: the step.
        scenes: all runs.
        runs: those it is learned from.

    Returns:
        The rule, None where the step is not polled or no field tells.
    """
    alignment = scenes.work.alignment
    assert alignment is not None
    work = scenes.work
    ends: dict[str, list[Tree]] = {}
    before: dict[str, list[Tree]] = {}
    gaps: list[int] = []
    most = 0
    for run in sorted(runs):
        calls = alignment.calls(run, slot)
        if len(calls) < 2 or fanned(work, run, calls):
            continue
        most = max(most, len(calls))
        outputs = [work.runs[run].calls[n].output for n in calls]
        times = [work.runs[run].calls[n].started for n in calls]
        gaps += [z - a for a, z in pairwise(times) if a is not None and z is not None]
        for path in _statuses(outputs):
            ends.setdefault(path, []).append(_leaf(outputs[-1], path))
            before.setdefault(path, []).extend(_leaf(o, path) for o in outputs[:-1])
    clean = [p for p in sorted(ends) if not any(transforms.same(e, x) for e in ends[p] for x in before[p])]
    if not clean:
        return None
    path = max(clean, key=lambda p: (len(ends[p]), -len(p)))
    until = sorted({transforms.text(e): e for e in ends[path]}.items())
    pause = sorted(gaps)[len(gaps) // 2] // 1000 if gaps else 1000
    return Wait(path=path, until=tuple(e for _, e in until), every_ms=max(100, pause), most=2 * most)


def _statuses(outputs: list[Tree]) -> list[str]:
    """Words and flags, outside of lists, that were not always so."""
    return [
        written(keys)
        for keys, leaf in islice(_words(outputs[-1]), STATUSES)
        if any(not transforms.same(_leaf(o, written(keys)), leaf) for o in outputs[:-1])
    ]


def _words(tree: Tree, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str | bool]]:
    if isinstance(tree, dict):
        for key, inner in tree.items():
            yield from _words(inner, (*keys, key))
    elif isinstance(tree, bool) or (isinstance(tree, str) and len(tree) <= LONGEST):
        yield keys, tree


def _leaf(tree: Tree, path: str) -> Tree:
    try:
        return get(tree, path)
    except LookupError:
        return None
