"""What was going on when? As for every format whose records have a start and an end."""

from __future__ import annotations

from tracelode.activities import Activity, Moment, ticks

__all__ = ["Activity", "Moment", "ticks"]
