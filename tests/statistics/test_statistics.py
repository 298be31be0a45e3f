"""Do intervals, tests and scores agree with what they are defined as, and with other libraries?"""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from tracelode.statistics.beta import posterior
from tracelode.statistics.cluster import Rate, corrected, rate, shuffles
from tracelode.statistics.divergence import apart, divergence
from tracelode.statistics.paired import hodges_lehmann, ranked, signs, wilcoxon
from tracelode.statistics.scores import auroc, average_precision, calibration_error, skill
from tracelode.statistics.several import benjamini_hochberg, holm
from tracelode.statistics.student import widened

scipy_stats = pytest.importorskip("scipy.stats")


def test_too_few_clusters_have_no_interval() -> None:
    rates = [Rate(i % 4, i % 3, 2) for i in range(40)]
    found = rate(rates)
    assert (found.interval, found.method, found.clusters) == (None, "", 4)
    assert found.value == sum(r.top for r in rates) / 80


def test_sessions_of_one_cluster_are_one() -> None:
    """Ten copies of each session tell no more than one: the interval must not shrink."""
    chance = random.Random(0)
    rates = [Rate(i, chance.random(), 1) for i in range(20)]
    one, ten = rate(rates).interval, rate([r for r in rates for _ in range(10)]).interval
    alone = rate([Rate(10 * r.cluster + n, r.top, 1) for r in rates for n in range(10)]).interval
    assert one is not None
    assert ten is not None
    assert alone is not None
    assert ten == pytest.approx(one)
    assert alone.high - alone.low < 0.5 * (one.high - one.low)


def test_bca_as_scipy() -> None:
    values = np.random.default_rng(1).exponential(size=60) - 1
    ours = rate([Rate(i, v, 1) for i, v in enumerate(values)], times=20_000)
    theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=2,
                                    confidence_level=widened(60))  # fmt: skip
    assert ours.method == "bca"
    assert ours.interval is not None
    assert ours.interval.low == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert ours.interval.high == pytest.approx(theirs.confidence_interval.high, abs=0.01)


def test_the_same_everywhere() -> None:
    found = corrected(1.0, [1.0] * 50, [1.0] * 30)
    assert (found.low, found.high) == (1.0, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_paired_as_scipy(seed: int) -> None:
    chance = np.random.default_rng(seed)
    gaps = chance.normal(0.4, 1, size=12).tolist()
    theirs = scipy_stats.wilcoxon(gaps, method="exact")
    assert wilcoxon(gaps) == pytest.approx(theirs.pvalue)
    tied = [round(g) for g in chance.normal(0.4, 2, size=40).tolist()]
    theirs = scipy_stats.wilcoxon(tied, zero_method="wilcox", correction=True, method="asymptotic")
    assert wilcoxon(tied) == pytest.approx(theirs.pvalue)
    assert ranked(tied) == scipy_stats.rankdata(tied).tolist()


def test_sign_flips_are_counted() -> None:
    gaps = [0.3, -0.1, 0.25, 0.4, 0.05, 0.3, -0.2]
    ways = [abs(sum(s * g for s, g in zip(w, gaps, strict=True)))
            for w in itertools.product((1, -1), repeat=len(gaps))]  # fmt: skip
    found = signs(gaps)
    assert found.exact
    assert found.p == pytest.approx(sum(w >= abs(sum(gaps)) - 1e-9 for w in ways) / len(ways))


def test_hodges_lehmann_bounds() -> None:
    """Of the published table for n = 10: the 8th smallest and largest of 55 means, at .9512."""
    gaps = [1.1, -0.4, 2.3, 0.7, 1.9, -1.2, 0.2, 3.1, 0.9, 1.4]
    means = sorted((a + b) / 2 for i, a in enumerate(gaps) for b in gaps[i:])
    found = hodges_lehmann(gaps)
    assert found is not None
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (means[8], means[-9])
    few = hodges_lehmann([1.0, 2.0, 3.0])
    assert few is not None
    assert few.interval is None


def test_adjusted() -> None:
    values = [0.001, 0.2, 0.03, 0.04, 0.8]
    theirs = scipy_stats.false_discovery_control(values)
    assert benjamini_hochberg(values) == pytest.approx(theirs.tolist())
    assert holm(values) == pytest.approx([0.005, 0.4, 0.12, 0.12, 0.8])


def test_scores_as_their_library() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    chance = np.random.default_rng(3)
    said, came = np.round(chance.random(300), 1), chance.random(300) < 0.4
    weights = chance.integers(0, 4, 300)
    assert auroc(said, came, weights) == pytest.approx(
        metrics.roc_auc_score(came, said, sample_weight=weights)
    )
    theirs = metrics.average_precision_score(came, said, sample_weight=weights)
    assert average_precision(said, came, weights) == pytest.approx(theirs)
    assert auroc(said, came) == pytest.approx(metrics.roc_auc_score(came, said))
    assert auroc([0.1], [True]) is None
    assert skill([0.4] * 10, [0.4] * 10, [True] * 4 + [False] * 6) == 0.0
    assert calibration_error([0.4] * 10, [True] * 4 + [False] * 6, 1) == pytest.approx(0.0)


def test_posterior_as_scipy() -> None:
    for hits, misses in ((0, 0), (3, 1), (0, 40), (120, 7), (2_000, 1_500)):
        for share in (0.05, 0.5, 0.95):
            theirs = scipy_stats.beta.ppf(share, 1 + hits, 1 + misses)
            assert posterior(hits, misses, share) == pytest.approx(theirs, abs=1e-6)


def test_divergence_as_scipy() -> None:
    distance = pytest.importorskip("scipy.spatial.distance")
    one, other = [5, 1, 0], [1, 3, 4]
    assert divergence(one, other) == pytest.approx(distance.jensenshannon(one, other, base=2) ** 2)
    assert divergence([0, 0], [1, 1]) is None


def test_the_same_source_is_chance_and_another_is_not() -> None:
    chance = np.random.default_rng(5)
    one = {i: chance.multinomial(4, [0.5, 0.3, 0.2]) for i in range(12)}
    same = {i: chance.multinomial(4, [0.5, 0.3, 0.2]) for i in range(12)}
    other = {i: chance.multinomial(4, [0.1, 0.1, 0.8]) for i in range(12)}
    for near, far in ((same, other), ({f"x{k}": v for k, v in same.items()},
                                      {f"x{k}": v for k, v in other.items()})):  # fmt: skip
        alike, unlike = apart(one, near, times=500), apart(one, far, times=500)
        assert alike is not None
        assert unlike is not None
        assert alike.p is not None
        assert unlike.p is not None
        assert alike.p > 0.05 > unlike.p
        assert unlike.chance is not None
        assert unlike.interval is not None
        assert unlike.chance < unlike.interval.low < unlike.value


def test_dealt_clusters() -> None:
    values = [Rate(i, 1 if i < 10 else 3, 1) for i in range(20)]
    sides = [i < 10 for i in range(20)]
    p = shuffles(values, sides, times=500)
    assert p is not None
    assert p < 0.01
    assert shuffles(values[:12], sides[:12]) is None
    mixed = shuffles(values, [i % 2 == 0 for i in range(20)], times=500)
    assert mixed is not None
    assert mixed > 0.5


def test_intervals_hold_their_level() -> None:
    """A pooled rate over 40 tasks with 3 sessions each, and a mean of skewed durations over 24 tasks."""
    source = np.random.default_rng(11)
    times, held = 400, [0, 0]
    for trial in range(times):
        shares = source.beta(2, 4, 40)
        sizes = source.integers(2, 9, (40, 3))
        rates = [Rate(t, source.binomial(sizes[t, s], shares[t]), float(sizes[t, s]))
                 for t in range(40) for s in range(3)]  # fmt: skip
        spans = [Rate(t, v, 1) for t in range(24) for v in source.lognormal(source.normal(0, 0.4), 0.5, 2)]
        truth = 1 / 3, math.exp(0.4**2 / 2 + 0.5**2 / 2)
        both = (rate(one, times=500, seed=trial) for one in (rates, spans))
        for place, (found, true) in enumerate(zip(both, truth, strict=True)):
            assert found.interval is not None
            held[place] += found.interval.low <= true <= found.interval.high
    assert all(0.91 <= count / times <= 0.985 for count in held), held
