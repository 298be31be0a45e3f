"""How does a test look at a page as a person does? Chromium by playwright, or a skip that says why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def program() -> str:
    """Chromium's program, or skip the test."""
    named = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if named is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    return named


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync.sync_playwright() as play:
        made = play.chromium.launch(executable_path=program(), args=["--no-sandbox"])
        yield made
        made.close()


class Tab:
    """A page in a browser: what it asked for, what it complained of.

    Args:
        browser: of chromium().
        how: as for browser.new_page().
    """

    def __init__(self, browser: Any, **how: Any) -> None:
        self.page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **how})
        self.asked: list[str] = []
        self.troubles: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on(
            "console", lambda line: self.troubles.append(line.text) if line.type == "error" else None
        )

    def open(self, path: Path, fragment: str = "") -> Any:
        """Open a file; its page."""
        self.page.goto(path.as_uri() + fragment)
        self.page.wait_for_timeout(250)
        return self.page

    def frame_at(self, x: float, row: int) -> None:
        """Click a frame of the picture, x as a share of its width."""
        box = self.page.locator("canvas").first.bounding_box()
        self.page.mouse.click(box["x"] + box["width"] * x, box["y"] + 26 * row + 13)
        self.page.wait_for_timeout(300)

    def title(self) -> str:
        """The chosen frame."""
        return str(self.page.locator(".details h2").first.text_content())

    def rows(self) -> list[list[str]]:
        """The cells of the table of frames."""
        lines = self.page.locator(".frames tbody tr")
        return [line.locator("td").all_text_contents() for line in lines.all()]
