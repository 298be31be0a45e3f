"""How does a group of operations split failed from succeeded sessions? Spectrum scores of fault location."""

from __future__ import annotations

from math import inf, isinf, sqrt

from tracelode.model.ranking import Spectrum

Z = 1.959963984540054
"""Quantile of the 95 % interval."""


def ochiai(failed: int, passed: int, all_failed: int) -> float | None:
    """Ochiai's coefficient of having a group and having failed.

    Args:
        failed: failed sessions that have the group.
        passed: succeeded sessions that have it.
        all_failed: failed sessions.

    Returns:
        0..1, None where no session failed.

    Source:
        Abreu, Zoeteweij and van Gemund (2007).

    Example:
        >>> ochiai(1, 3, 1), ochiai(0, 3, 4), ochiai(1, 1, 0)
        (0.5, 0.0, None)
    """
    if not all_failed:
        return None
    return failed / sqrt(all_failed * (failed + passed)) if failed else 0.0


def dstar(failed: int, passed: int, all_failed: int, star: int = 2) -> float | None:
    """D*: suspicion that grows with failed sessions faster than Ochiai's.

    Args:
        failed: failed sessions that have the group.
        passed: succeeded sessions that have it.
        all_failed: failed sessions.
        star: the exponent.

    Returns:
        0 or more; infinity where every failed session has the group and no succeeded one; None where no
        session failed.

    Source:
        Wong, Debroy, Gao and Li (2014).

    Example:
        >>> dstar(2, 1, 3), dstar(2, 0, 2), dstar(0, 0, 1)
        (2.0, inf, 0.0)
    """
    if not all_failed:
        return None
    beside = passed + all_failed - failed
    if not failed:
        return 0.0
    return float(failed**star / beside) if beside else inf


def wilson(hits: int, n: int) -> float | None:
    """Lower bound of a share.

    Args:
        hits: successes.
        n: trials.

    Returns:
        The lower end of Wilson's 95 % interval, None without trials.

    Source:
        Wilson (1927).

    Example:
        >>> round(wilson(1, 1), 4), round(wilson(8, 10), 4), wilson(0, 0)
        (0.2065, 0.4902, None)
    """
    if not n:
        return None
    if not hits:
        return 0.0
    share = hits / n
    spread = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return (share + Z * Z / (2 * n) - spread) / (1 + Z * Z / n)


def spectrum(failed: int, passed: int, all_failed: int, all_passed: int) -> Spectrum:
    """All scores of one group.

    Args:
        failed: failed sessions that have the group.
        passed: succeeded sessions that have it.
        all_failed: failed sessions.
        all_passed: succeeded sessions.

    Returns:
        The counts and their scores.
    """
    star = dstar(failed, passed, all_failed)
    return Spectrum(
        failed,
        passed,
        all_failed,
        all_passed,
        ochiai(failed, passed, all_failed),
        None if star is None or isinf(star) else star,
        wilson(failed, failed + passed),
    )
