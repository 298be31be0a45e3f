"""Which JSON does plan forecast answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tracelode.model.planning import METRICS_VERSION

if TYPE_CHECKING:
    from tracelode.model.forecast import Forecast, Kept, Risks


def forecast(found: Forecast, kept: Kept | None) -> dict[str, Any]:
    """What plan forecast answers; kept: the label and moment of the model that was written."""
    answer: dict[str, Any] = {"metrics_version": METRICS_VERSION, **msgspec.to_builtins(found)}
    answer["kept"] = (
        None if kept is None else {"label": kept.label, "at": kept.at, "threshold": kept.threshold}
    )
    return answer


def risks(found: Risks) -> dict[str, Any]:
    """What plan forecast --with answers."""
    answer: dict[str, Any] = {"metrics_version": METRICS_VERSION, **msgspec.to_builtins(found)}
    return answer
