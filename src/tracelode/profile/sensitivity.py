"""How far do shares move when sessions are cut otherwise? The same operations, named by each segmenter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tracelode.model.difference import Cut
from tracelode.model.operation import Operation
from tracelode.model.ports import Segmenter
from tracelode.profile.label import stages


class Tally:
    """Sums of both sides per stage under every segmenter; holds numbers, never operations.

    Args:
        segmenters: name to what cuts.
    """

    def __init__(self, segmenters: Mapping[str, Segmenter]) -> None:
        self._segmenters = segmenters
        self._doubtful: dict[str, list[int]] = {}
        self._sums: dict[str, dict[str, list[int]]] = {name: {} for name in segmenters}
        self.totals = [0, 0]
        """Weighted sums of base and other."""

    def add(
        self,
        operations: Sequence[Operation],
        values: Mapping[int, int],
        weights: tuple[int, int],
        *,
        doubtful: bool = False,
    ) -> None:
        """Count one session.

        Args:
            operations: its n operations in order.
            values: index to value.
            weights: what it counts in base and in other.
            doubtful: its work is mixed up, by its contiguity.
        """
        if not values:
            return
        whole = sum(values.values())
        for side, weight in enumerate(weights):
            self.totals[side] += weight * whole
        for place, (name, segmenter) in enumerate(self._segmenters.items()):
            sums = self._sums[name]
            for operation, stage in zip(operations, stages(operations, segmenter), strict=True):
                value = values.get(operation.index)
                if value:
                    row = sums.setdefault(stage, [0, 0])
                    row[0] += weights[0] * value
                    row[1] += weights[1] * value
                    if not place:
                        mixed = self._doubtful.setdefault(stage, [0, 0])
                        mixed[0] += doubtful * sum(weights) * value
                        mixed[1] += sum(weights) * value

    def cuts(self) -> tuple[Cut, ...]:
        """Shares of every stage under every segmenter.

        Returns:
            One row per stage, the largest range of other - base first.
        """
        names = sorted({stage for sums in self._sums.values() for stage in sums})
        rows = []
        for stage in names:
            held = [self._sums[name].get(stage, [0, 0]) for name in self._segmenters]
            base, other = (
                tuple(row[side] / total if total else 0.0 for row in held)
                for side, total in enumerate(self.totals)
            )
            mixed, whole = self._doubtful.get(stage, (0, 0))
            share = mixed / whole if whole else None
            rows.append(Cut(stage, tuple(self._segmenters), base, other, share))
        rows.sort(key=lambda row: (-max(abs(net) for net in row.net), row.stage))
        return tuple(rows)
