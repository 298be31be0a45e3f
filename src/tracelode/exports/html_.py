"""HTML: a flame graph to zoom, search and switch measures in, in one file that asks for nothing outside.

Specification: https://html.spec.whatwg.org/; the policy of the page by https://www.w3.org/TR/CSP3/.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

from tracelode.errors import ExportError
from tracelode.model.behind import Behind
from tracelode.model.difference import Difference
from tracelode.model.profile import Profile
from tracelode.model.words import noun, value_text
from tracelode.pages import difference as differences
from tracelode.pages.document import document, head, made_with
from tracelode.pages.flame import block, payload, script
from tracelode.pages.render import render
from tracelode.pages.tree import NODES


class HtmlExporter:
    """Writes the flame viewer with the measures of a profile.

    Args:
        shown: measures to choose from, the first at first; None for all of the profile's.
        behind: operations behind the frames; None for none.
        nodes: frames kept, at most; the smaller ones are summed as (other n).
    """

    name = "html"
    suffixes = (".html",)
    binary = False

    def __init__(
        self, shown: Sequence[str] | None = None, behind: Behind | None = None, nodes: int = NODES
    ) -> None:
        self.shown, self.behind, self.nodes = shown, behind, nodes

    def write(self, profile: Profile, stream: IO[bytes]) -> None:
        """Write the page.

        Args:
            profile: what to show.
            stream: an open binary stream.

        Raises:
            ExportError: a value is negative; width cannot show it.
        """
        check(profile)
        shown = _shown(profile) if self.shown is None else tuple(self.shown)
        found = payload(profile, shown, self.behind, nodes=self.nodes)
        title = f"Work by {' › '.join(profile.fields)}" if profile.fields else "Work"
        body = [head(title, _totals(profile, shown)), _unpriced(profile), block(found)]
        page = document(title, [*body, made_with(profile.comments)], styles=("flame",), script=script())
        stream.write(page.encode())

    def write_difference(self, difference: Difference, stream: IO[bytes]) -> None:
        """Write the page of a difference: what is compared, the signed viewer, the largest differences.

        Args:
            difference: what to show.
            stream: an open binary stream.
        """
        stream.write(render(differences.page(difference, nodes=self.nodes)))


def _shown(profile: Profile) -> tuple[str, ...]:
    """All measures; beside cost, tokens without a price are spoken of instead."""
    beside = "tokens.unpriced" if "cost" in profile.measures else ""
    return tuple(measure for measure in profile.measures if measure != beside)


def check(profile: Profile) -> None:
    """Assert that widths can show a profile.

    Args:
        profile: what is to be drawn.

    Raises:
        ExportError: a value is negative.
    """
    for place, measure in enumerate(profile.measures):
        if any(values[place] < 0 for values in profile.totals.values()):
            raise ExportError(f"{measure}: a flame graph cannot show values below 0; write pprof instead")


def _totals(profile: Profile, shown: Sequence[str]) -> str:
    """The totals of the shown measures in one line."""
    parts = []
    for measure in shown:
        place = profile.place(measure)
        value = profile.total(place) if profile.known(place) else None
        text, name = value_text(measure, value), noun(measure)
        parts.append(text if measure == "cost" and value is not None else f"{text} {name}")
    return " · ".join(parts)


def _unpriced(profile: Profile) -> str:
    """A note where tokens have no price: cost does not hold them."""
    if "tokens.unpriced" not in profile.measures or "cost" not in profile.measures:
        return ""
    lacking = profile.total(profile.place("tokens.unpriced"))
    if not lacking:
        return ""
    return (
        f'<p class="note">unpriced {lacking:,} tokens: no price of their model is known, so '
        "cost and its widths are without them. The measure tokens has them.</p>"
    )
