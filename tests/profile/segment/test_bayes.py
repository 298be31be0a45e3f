"""Does the bayes segmenter say what its counts say, keep closed words alone, and refuse without them?"""

from __future__ import annotations

import math

import msgspec
import pytest

from cutters import COUNTS
from signals.build import raw, replace, session
from tracelode.errors import StoreError, UsageError
from tracelode.model.operation import Operation
from tracelode.profile.learned.features import readings
from tracelode.profile.learned.pairs import Counts, PairModel, calibrate, count, facts
from tracelode.profile.learned.reading import CLASS_NAMES, CUES
from tracelode.profile.segment.bayes import BayesSegmenter


def test_without_training_it_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="tracelode segment --train bayes"):
        BayesSegmenter().segment(session("Read a.py"))
    with pytest.raises(UsageError, match="granularity"):
        BayesSegmenter(COUNTS, granularity=0)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", COUNTS.replace(b"20", b'"many"'), COUNTS.replace(b'"scheme": "1"', b'"scheme": "0"')],
)
def test_damaged_counts(content: bytes) -> None:
    with pytest.raises(StoreError, match="run: tracelode segment --train bayes"):
        BayesSegmenter(content)


def test_log_odds_by_hand() -> None:
    # one fact with two values: 3 cuts and 5 others; smoothing: a half for each of two values and the unseen
    # one, spread by the share of cuts (4 of 10)
    made = count([([("x", "a")], True)] * 3 + [([("x", "b")], False)] * 4 + [([("x", "a")], False)])
    assert made.facts == {"x": {"a": (3, 1), "b": (0, 4)}}
    assert (made.cuts, made.rest) == (3, 5)
    assert made.intercept == pytest.approx(math.log(4 / 6))
    give, take = 0.5 * 0.4 * 3, 0.5 * 0.6 * 3
    model = PairModel(made)
    a = math.log((3 + give) / (3 + 3 * give)) - math.log((1 + take) / (5 + 3 * take))
    b = math.log(give / (3 + 3 * give)) - math.log((4 + take) / (5 + 3 * take))
    assert model.weigh([("x", "a")]) == pytest.approx(a)
    assert model.weigh([("x", "b")]) == pytest.approx(b)
    # what no labelled pair had says nothing
    assert model.weigh([("x", "c"), ("y", "a")]) == 0
    odds = math.exp(a) * 4 / 6
    assert model.chances([[("x", "a")]]).tolist() == [0, pytest.approx(odds / (1 + odds))]
    doubled = model.chances([[("x", "a")]], factor=2)[1]
    assert doubled / (1 - doubled) == pytest.approx(2 * odds)


def test_the_line_makes_sure_odds_hold() -> None:
    # of pairs weighed +2 three in four are cuts, of those weighed -2 one in four: half the slope of log(3)
    weights, cuts = (
        [2.0] * 400 + [-2.0] * 400,
        ([True] * 300 + [False] * 100) + ([False] * 300 + [True] * 100),
    )
    slope, intercept = calibrate(weights, cuts)
    assert slope == pytest.approx(math.log(3) / 2, abs=1e-3)
    assert intercept == pytest.approx(0, abs=1e-6)
    # facts that point the wrong way are not believed
    assert calibrate(weights, [not cut for cut in cuts])[0] == 0


def test_facts_are_closed_words() -> None:
    secret = "zebra/quagga.py"
    operations = session(f"Read {secret}", f"$ cat {secret}", "Edit a.py")
    spoken = [replace(o, output=f"Now {secret}") if o.kind == "model" else o for o in operations]
    rows = facts(readings(spoken))
    assert len(rows) == 2
    told = {value for row in rows for _, value in row} | {name for row in rows for name, _ in row}
    assert not any("zebra" in text or "quagga" in text for text in told)
    words = {*CLASS_NAMES, "start", "end", "yes", "no", "none", "some", "most", "unknown"}
    assert {word for row in rows for _, value in row for word in value.split()} <= words | {
        *map(str, range(10))
    }
    assert {f"cue {name}" for name in CUES} <= {name for row in rows for name, _ in row}
    assert all(len({name for name, _ in row}) == len(row) for row in rows)


def test_facts_by_hand() -> None:
    [one, two] = map(dict, facts(readings(session("Read a.py", "Read a.py", "Edit b.py"))))
    assert (one["pair"], two["pair"]) == ("look look", "look edit")
    assert (one["before"], two["before"]) == ("start look", "look look")
    assert (one["after"], two["after"]) == ("look edit", "edit end")
    assert (one["run"], two["run"]) == ("1", "2")
    assert (one["same"], two["same"]) == ("yes yes", "no no")
    assert (one["file"], two["file"]) == ("yes yes", "yes no")
    assert (one["paths"], two["paths"]) == ("most", "none")
    assert (one["new paths"], two["new paths"]) == ("yes no", "yes yes")
    assert one["failed"] == "no no"
    assert "cue now" not in one  # nobody said anything


def test_it_cuts_where_its_counts_say() -> None:
    operations = session("Read a.py", "Read a.py", "Read a.py", "Edit a.py", "Edit a.py", "$ pytest")
    content = msgspec.json.encode(
        Counts(
            version="v", scheme="1", cuts=50, rest=50, slope=3.0, intercept=0.0,
            facts={
                "pair": {
                    "look look": (1, 40), "look edit": (40, 1), "edit edit": (1, 40), "edit test": (40, 1),
                },
            },
        )
    )  # fmt: skip
    made = BayesSegmenter(content).segment(operations)
    assert [(s.start, s.level) for s in made.segments] == [(0, 0), (6, 0), (10, 0)]
    assert [s.confidence is None for s in made.segments] == [True, False, False]
    assert all((s.confidence or 1) > 0.9 for s in made.segments)
    assert "/v/" in made.version
    assert len({BayesSegmenter(content, granularity=g).version for g in (1.0, 2.0)}) == 2
    assert len(BayesSegmenter(content, granularity=1e-9).segment(operations).segments) == 1


@pytest.mark.parametrize("operations", [[], [raw("prompt", id="p")], session("Read a.py")])
def test_short_sessions(operations: list[Operation]) -> None:
    made = BayesSegmenter(COUNTS).segment(operations)
    made.check(len(operations))
    assert len(made.segments) == bool(operations)
