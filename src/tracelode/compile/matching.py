"""Which rows go with which columns so that the sum is largest? The assignment problem, in full."""

from __future__ import annotations

from collections.abc import Sequence

_NEVER = 1e6
"""Cost of a pair that must not be, and of staying alone: above all sums of scores."""


def matched(scores: Sequence[Sequence[float | None]]) -> list[int | None]:
    """Match each row with at most one column: as many pairs as can be, then the largest sum.

    Args:
        scores: per row, per column: at least 0, well below a thousand; None for a pair that must not be.

    Returns:
        Per row its column, None for a row that stays alone. The same for the same scores.

    Source:
        Kuhn (1955), Munkres (1957), with potentials: O(rows squared x columns) time.

    Example:
        >>> matched([[0.9, 0.8], [0.8, None]]), matched([[None], [0.2]])
        ([1, 0], [None, 0])
    """
    rows, columns = len(scores), len(scores[0]) if scores else 0
    if rows == 1 or not columns:
        best = [(-score, n) for n, score in enumerate(scores[0]) if score is not None] if columns else []
        return [min(best)[1] if best else None] * rows
    width = columns + rows  # every row has a column of its own to stay alone in
    cost = [[_NEVER if s is None else -s for s in row] + [_NEVER] * rows for row in scores]
    over, under = [0.0] * (rows + 1), [0.0] * (width + 1)
    row_of, way = [0] * (width + 1), [0] * (width + 1)
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        least, used = [float("inf")] * (width + 1), [False] * (width + 1)
        while row_of[column]:
            used[column] = True
            at, step, following = row_of[column], float("inf"), 0
            for n in range(1, width + 1):
                if used[n]:
                    continue
                rest = cost[at - 1][n - 1] - over[at] - under[n]
                if rest < least[n]:
                    least[n], way[n] = rest, column
                if least[n] < step:
                    step, following = least[n], n
            for n in range(width + 1):
                if used[n]:
                    over[row_of[n]] += step
                    under[n] -= step
                else:
                    least[n] -= step
            column = following
        while column:
            row_of[column] = row_of[way[column]]
            column = way[column]
    found: list[int | None] = [None] * rows
    for column in range(1, columns + 1):
        row = row_of[column]
        if row and scores[row - 1][column - 1] is not None:
            found[row - 1] = column - 1
    return found
