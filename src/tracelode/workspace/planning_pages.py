"""How do metrics, timelines and studies of plans become pages?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tracelode.model.planning import PlanReport, SessionPlan
from tracelode.workspace.writing import private

if TYPE_CHECKING:
    from tracelode.model.plan_study import Study
    from tracelode.pages.parts import Page


def write_page(page: Page, target: str | Path | IO[bytes]) -> None:
    """Write a report as one HTML file that asks for nothing outside.

    Args:
        page: what it holds.
        target: a path, written whole or not at all, or an open binary stream.

    Raises:
        ExportError: the file cannot be written.
    """
    from tracelode.pages.render import render

    data = render(page)
    if isinstance(target, str | Path):
        with private(str(target)) as stream:
            stream.write(data)
    else:
        target.write(data)


def metrics_page(report: PlanReport, target: str | Path | IO[bytes]) -> None:
    """Write how sessions planned and worked as a page.

    Args:
        report: at least one session.
        target: as for write_page().

    Raises:
        ExportError: the file cannot be written.
    """
    from tracelode.pages.planning import metrics_page as made

    write_page(made(report), target)


def timeline_page(sessions: Sequence[SessionPlan], target: str | Path | IO[bytes]) -> None:
    """Write plans over time as a page, a picture a session.

    Args:
        sessions: measured sessions.
        target: as for write_page().

    Raises:
        ExportError: the file cannot be written.
    """
    from tracelode.pages.planning import timeline_page as made
    from tracelode.plan.timeline_svg import draw

    write_page(made(sessions, lambda one: draw(one, inside=True)), target)


def study_page(study: Study, target: str | Path | IO[bytes]) -> None:
    """Write what a study says as a page.

    Args:
        study: as analysed.
        target: as for write_page().

    Raises:
        ExportError: the file cannot be written.
    """
    from tracelode.pages.study import page as made

    write_page(made(study), target)
