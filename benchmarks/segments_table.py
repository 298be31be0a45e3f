"""Which rows and columns does the table of segmenters have, and what stands in a cell?"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from segments_controls import BEST_B3, BEST_BOUNDARY, HELD_OUT, best, controls, held_out, scored, shuffles
from segments_data import Dataset, Session, labels_of
from segments_published import beside

from tracelode import registry
from tracelode.errors import UsageError
from tracelode.model.ports import Segmenter
from tracelode.model.segment import Segmentation
from tracelode.profile.learned.weights import digest, shipped_weights
from tracelode.profile.score.assess import Lift, Sample, assess, b3_f1, boundary_f1, lift
from tracelode.profile.score.partition import cuts, leaves
from tracelode.profile.score.ratio import Score
from tracelode.profile.score.tally import Tally, total
from tracelode.profile.train import trial
from tracelode.profile.train.examples import examples
from tracelode.profile.train.trial import FOLDS, SHUFFLES, trainer_of
from tracelode.statistics.bootstrap import Interval, resamples

APART, SHUFFLED = ", equal names apart", ", lengths shuffled"
"""Second and third row of a segmenter: its segments as they are, and its groups in another order."""
TRAINED, OUT_OF_FOLD = "bayes", ", out of fold"
"""What is trained here, on the other folds by task; its segments are groups as they are."""
REFIT = f"{FOLDS} folds by task, mean of {SHUFFLES} divisions; nothing scored that was learned from"
ALL = "all"
"""Framework of the rows over a whole set."""
WINDOW = re.compile(r"window \d+")
"""Single windows are shown where they are asked for."""


class Method(NamedTuple):
    """One way to cut, scored on every session of a set."""

    tallies: list[Tally]
    """One per session."""
    segmenter: bool = False
    """False for a control."""
    speed: float | None = None
    """Operations a second of CPU time, None where it was not timed."""
    note: str = ""
    """What was chosen for it."""


class Settings(NamedTuple):
    """What the table rests on."""

    names: tuple[str, ...] = ()
    """Methods to show; () for the usual ones."""
    runs: int = 3
    """Timed runs that count; the middle one is shown."""
    warm: int = 1
    """Timed runs before them."""
    times: int = 2_000
    """Resamples of sessions."""
    seed: int = 0
    """Of resamples, exchanges, random cuts and shuffles."""


def speed(segmenter: Segmenter, sessions: Sequence[Session], settings: Settings) -> float | None:
    """Operations a second of CPU time for cutting and naming what is already enriched."""
    seconds = []
    for number in range(settings.warm + settings.runs):
        start = time.process_time()
        for session in sessions:
            segmenter.segment(session.whole)
        if number >= settings.warm:
            seconds.append(time.process_time() - start)
    middle = statistics.median(seconds) if seconds else 0.0
    return sum(len(session.operations) for session in sessions) / middle if middle else None


def _labels(made: Segmentation, session: Session, *, merge: bool = True) -> list[int]:
    """The leaf of each labelled operation."""
    found = leaves(made, len(session.whole), merge=merge)
    return [found[place] for place in session.places]


def segmenters(sessions: Sequence[Session], settings: Settings) -> dict[str, Method]:
    """Every registered segmenter, with the rows that go with it."""
    found: dict[str, Method] = {}
    for name in registry.names("segmenters"):
        wanted = settings.names or (name,)
        if not any(label.partition(",")[0] == name for label in wanted):
            continue
        segmenter = registry.load("segmenters", name)
        if name == TRAINED:
            rows = out_of_fold(name, sessions)
            found |= {} if rows is None else {TRAINED + OUT_OF_FOLD: Method(rows, True, note=REFIT)}
        if getattr(segmenter, "missing", ""):
            continue  # it cuts nothing before it is given something
        made = [(segmenter.segment(session.whole), session) for session in sessions]
        ours = [_labels(one, session) for one, session in made]
        kept = [_labels(one, session, merge=False) for one, session in made]
        note = f"version {segmenter.version}"
        found[name] = Method(scored(sessions, ours), True, speed(segmenter, sessions, settings), note)
        if kept != ours:
            found[name + APART] = Method(scored(sessions, kept))
        if any(labels[-1] for labels in ours):  # without a cut there is nothing to shuffle
            found[name + SHUFFLED] = Method(shuffles(sessions, ours, name, settings.seed))
    return found


def out_of_fold(name: str, sessions: Sequence[Session]) -> list[Tally] | None:
    """What a segmenter that learns scores on tasks that it did not see; None where there is one task."""
    if len({session.task for session in sessions}) < 2:
        return None
    trainer = trainer_of(name)
    return trial.out_of_fold(trainer, examples(trainer, labels_of(sessions)))


def methods(sessions: Sequence[Session], settings: Settings) -> dict[str, Method]:
    """Everything that is scored on a set, by name."""
    found = segmenters(sessions, settings)
    found |= {name: Method(rows) for name, rows in controls(sessions, settings.seed).items()}
    if (held := held_out(sessions)) is not None:
        chosen = ", ".join(f"{name} {size}" for name, size in held[1].items())
        found[HELD_OUT] = Method(held[0], note=f"sizes for {chosen}")
    return found


def shown(name: str, framework: str, settings: Settings) -> bool:
    """Does a method have a row?"""
    if settings.names:
        return name in settings.names
    side = name.endswith((APART, SHUFFLED)) or name.startswith("random")
    return not WINDOW.fullmatch(name) and not (framework != ALL and side)


def table(sets: Sequence[Dataset], settings: Settings) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Every row: each set as a whole, then each framework where there are several.

    Returns:
        The rows, and those of published figures beside ours.

    Raises:
        UsageError: a method that was asked for is not there.
    """
    found, published = [], []
    known = {BEST_B3, BEST_BOUNDARY, *registry.names("segmenters")}
    for dataset in sets:
        scores = methods(dataset.sessions, settings)
        known.update(scores)
        if not settings.names:
            drawn = resamples(len(dataset.sessions), settings.times, settings.seed)
            published += beside(dataset.name, {n: m.tallies for n, m in scores.items()}, drawn)
        frameworks = sorted({session.framework for session in dataset.sessions})
        for framework in (ALL, *(frameworks if len(frameworks) > 1 else ())):
            found += rows(dataset, framework, scores, settings)
    missing = [name for name in settings.names if name not in known]
    if missing and sets:
        raise UsageError(f"no method {missing[0]!r}; known: {'; '.join(sorted(known))}")
    return found, published


def rows(
    dataset: Dataset, framework: str, scores: dict[str, Method], settings: Settings
) -> list[dict[str, Any]]:
    """Rows over one framework, or all, of a set."""
    places = [i for i, s in enumerate(dataset.sessions) if framework in (ALL, s.framework)]
    sessions = [dataset.sessions[i] for i in places]
    # chosen on these sessions, in the control's favour
    blind = best(sessions)
    held = {n: m._replace(tallies=[m.tallies[i] for i in places]) for n, m in scores.items()}
    held |= {name: Method(tallies, note=f"size {size}") for name, (tallies, size) in blind.items()}
    drawn = resamples(len(sessions), settings.times, settings.seed)
    windows = {name: Sample(tallies, drawn) for name, (tallies, _) in blind.items()}
    found = []
    for name, method in held.items():
        if not shown(name, framework, settings):
            continue
        own = Sample(method.tallies, drawn)
        found.append(
            {
                "set": dataset.name,
                "truth": dataset.truth,
                "framework": framework,
                "sessions": len(sessions),
                "operations": sum(len(session.operations) for session in sessions),
                "method": name,
                "kind": "segmenter" if method.segmenter else "control",
                **measured(own),
                "lift_b3": lifted(lift(own, windows[BEST_B3], b3_f1, seed=settings.seed)),
                "lift_boundary": lifted(lift(own, windows[BEST_BOUNDARY], boundary_f1, seed=settings.seed)),
                "operations_per_second": method.speed if framework == ALL else None,
                "note": method.note,
            }
        )
    return found


def missed(found: Sequence[dict[str, Any]], bars: Mapping[tuple[str, str], tuple[float, float]]) -> list[str]:
    """Rows over all of a set that lie below their bar, in words.

    Args:
        found: rows.
        bars: (set, method) to the least B3 F1 and the least boundary F1.
    """
    said = []
    for row in found:
        bar = bars.get((row["set"], row["method"])) if row["framework"] == ALL else None
        figures = (row["b3"]["f1"], row["boundary"]["f1"])
        if bar is not None and any((value or 0) < least for value, least in zip(figures, bar, strict=True)):
            shown = " and ".join(number(value) for value in figures)
            said.append(f"{row['set']}, {row['method']}: {shown}, the bars are {bar[0]} and {bar[1]}")
    return said


def measured(sample: Sample) -> dict[str, Any]:
    """The figures of a row."""
    given, sums = assess(sample), total(sample.tallies)
    return {
        "cuts": {"predicted": sums.predicted, "true": sums.true},
        "b3": {**parts(given.figures.b3), "interval": given.b3},
        "b3_macro": {**parts(given.figures.b3_macro), "interval": given.b3_macro},
        "boundary": {**parts(given.figures.exact), "interval": given.exact},
        "boundary_near": {**parts(given.figures.near), "interval": given.near},
        "boundary_macro": {"exact": given.figures.exact_macro, "near": given.figures.near_macro},
    }


def parts(score: Score) -> dict[str, float | None]:
    """A score as JSON."""
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}


def lifted(found: Lift) -> dict[str, Any]:
    """A lift as JSON."""
    return {"value": found.value, "interval": found.interval, "p": found.p}


COLUMNS = (
    "set", "framework", "method", "B3 P", "R", "F1 [95 %]", "macro P", "R", "F1 [95 %]", "cuts P", "R",
    "F1 [95 %]", "F1 +-1 [95 %]", "macro F1", "+-1", "B3 over window [95 %]", "cuts over window [95 %]",
    "op/s",
)  # fmt: skip
"""The p values of both lifts are in the JSON."""


def cells(row: dict[str, Any]) -> list[str]:
    """One line of the table."""
    b3, macro, cut, near = row["b3"], row["b3_macro"], row["boundary"], row["boundary_near"]
    speed = row["operations_per_second"]
    return [
        row["set"],
        row["framework"],
        row["method"],
        number(b3["precision"]),
        number(b3["recall"]),
        between(b3["f1"], b3["interval"]),
        number(macro["precision"]),
        number(macro["recall"]),
        between(macro["f1"], macro["interval"]),
        number(cut["precision"]),
        number(cut["recall"]),
        between(cut["f1"], cut["interval"]),
        between(near["f1"], near["interval"]),
        number(row["boundary_macro"]["exact"]),
        number(row["boundary_macro"]["near"]),
        between(row["lift_b3"]["value"], row["lift_b3"]["interval"], sign=True),
        between(row["lift_boundary"]["value"], row["lift_boundary"]["interval"], sign=True),
        "" if speed is None else f"{speed:,.0f}",
    ]


def number(value: float | None, *, sign: bool = False) -> str:
    """Three digits, "-" where it is not known."""
    if value is None:
        return "-"
    text = f"{value + 0.0:+.3f}" if sign else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def between(value: float | None, bounds: Interval | None, *, sign: bool = False) -> str:
    """A figure and its interval."""
    if bounds is None:
        return number(value, sign=sign)
    return f"{number(value, sign=sign)} [{number(bounds[0], sign=sign)},{number(bounds[1], sign=sign)}]"


def show(found: Sequence[dict[str, Any]]) -> str:
    """The rows as one aligned text table."""
    return aligned([list(COLUMNS), *map(cells, found)], {0, 1, 2})


def aligned(lines: Sequence[Sequence[str]], texts: set[int]) -> str:
    """Columns of texts to the left, of figures to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def notes(sets: Sequence[Dataset], found: Sequence[dict[str, Any]]) -> list[str]:
    """What the figures rest on."""
    said = []
    for dataset in sets:
        held = dataset.sessions
        said.append(
            f"{dataset.name}: {len(held)} sessions, {sum(len(s.operations) for s in held)} operations, "
            f"{sum(len(cuts(s.truth)) for s in held)} true cuts; truth: {dataset.truth}"
        )
        known = set(shipped_weights().trained)
        seen = sum(digest(session.key) in known for session in held)
        if seen and any(row["method"].partition(",")[0] in ("chain", "learned") for row in found):
            said.append(
                f"{dataset.name}: learned, which chain asks, was trained on {seen} of these: their scores "
                "here are no evidence; segments_learned.py trains without the sessions that it scores"
            )
        if len({session.framework for session in held}) == 1:
            said.append(f"{dataset.name}: one framework, so none can be held out")
    sizes: dict[str, list[str]] = {}
    for row in found:
        if (
            row["kind"] == "control"
            and row["note"]
            and (row["method"] != HELD_OUT or row["framework"] == ALL)
        ):
            sizes.setdefault(f"{row['set']}: {row['method']}", []).append(f"{row['framework']} {row['note']}")
    said += [f"{method}: {'; '.join(chosen)}" for method, chosen in sizes.items()]
    for row in found:
        if row["kind"] == "segmenter" and row["framework"] == ALL and not row["cuts"]["predicted"]:
            said.append(f"{row['set']}: {row['method']} makes no cut: nothing here is what it cuts by")
    versions = {f"{row['method']}: {row['note']}" for row in found if row["kind"] == "segmenter"}
    return [*said, *sorted(versions)]


def compared(published: Sequence[dict[str, Any]]) -> str:
    """Published figures beside ours as one text table."""
    head = [
        "set",
        "method",
        "figure",
        "ours [95 %]",
        "sessions",
        "published",
        "sessions",
        "difference",
        "where",
    ]
    lines = [
        [
            row["set"],
            row["method"],
            row["figure"],
            between(row["ours"], row["interval"]),
            str(row["sessions"]),
            number(row["published"]) + ("" if row["covered"] else " *"),
            str(row["published_sessions"]),
            "-" if row["ours"] is None else number(row["ours"] - row["published"], sign=True),
            row["source"],
        ]
        for row in published
    ]
    return aligned([head, *lines], {0, 1, 2, 8}) + "\n* outside our interval"
