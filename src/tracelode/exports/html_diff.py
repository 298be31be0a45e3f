"""HTML: a difference in the flame viewer, with the largest differences as a table, in one file.

Specification: https://html.spec.whatwg.org/; layout after AgentPProf (arXiv 2609.20301), figure 3.
"""

from __future__ import annotations

from typing import IO

from tracelode.model.difference import Difference
from tracelode.pages.difference import page
from tracelode.pages.render import render


class DiffHtmlExporter:
    """Writes a difference: more in other is pink, more in base green, too little support grey."""

    def write(self, difference: Difference, stream: IO[bytes]) -> None:
        """Write the page.

        Args:
            difference: what to show.
            stream: an open binary stream.
        """
        stream.write(render(page(difference)))
