"""Which JSON do plan study and plan metrics --against answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from tracelode.model.plan_study import Against, Contrast, Study


def contrast(one: Contrast) -> dict[str, Any]:
    """One metric of two sets."""
    answer: dict[str, Any] = msgspec.to_builtins(one)
    answer["net"] = one.net
    return answer


def study(found: Study) -> dict[str, Any]:
    """What plan study answers."""
    answer: dict[str, Any] = msgspec.to_builtins(found)
    answer["contrasts"] = [contrast(one) for one in found.contrasts]
    answer["sound"] = found.sound
    return answer


def against(found: Against) -> dict[str, Any]:
    """What plan metrics --against answers."""
    answer: dict[str, Any] = msgspec.to_builtins(found)
    answer["contrasts"] = [contrast(one) for one in found.contrasts]
    return answer
