"""How does the flame viewer look? Writes docs/img/flame.png: the demo's workspace in Chromium, zoomed once.

Run: python tools/make_picture.py. Needs playwright and a Chromium (on PATH, or CHROMIUM=PATH).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tracelode import workspace

TARGET = Path(__file__).resolve().parent.parent / "docs" / "img" / "flame.png"
WIDTH, HEIGHT = 1100, 640
VIEW = "#z=deploy%20service&f=deploy%20service/diagnose%20authentication%20error/Bash%3Asshpass"
"""What is shown: a zoom, and a chosen frame with its operations."""


def main() -> int:
    """Write the picture; the exit code."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.stderr.write("make_picture: there is no Chromium\n")
        return 1
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        store = workspace.demo(Path(folder) / "store", tz="UTC")
        query = store.query(measures=["cost", "tokens", "tokens.output", "time.active", "operations"])
        page = Path(folder) / "flame.html"
        store.export_page(store.profile(query), query, page)
        # the samples lie where this project is: nobody wants to read that
        text = page.read_text(encoding="utf-8")
        here = str(Path(workspace.__file__).resolve().parents[1] / "samples")
        page.write_text(text.replace(here, "~/.claude"), encoding="utf-8")
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
            tab.goto(page.as_uri() + VIEW)
            tab.wait_for_timeout(400)
            tab.screenshot(path=TARGET)
            browser.close()
    print(f"wrote {TARGET.relative_to(Path.cwd()) if TARGET.is_relative_to(Path.cwd()) else TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
