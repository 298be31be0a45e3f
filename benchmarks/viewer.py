"""What does the flame viewer cost? Script time a frame in Chromium, and bytes: alone, and with 5,000 frames.

Run: python benchmarks/viewer.py [--runs N] [--frames N] [--json] [--check]. Needs playwright and a Chromium
(on PATH, or CHROMIUM=PATH); without one, it says so and leaves with 3. Script time of a frame is what all
listeners and animation callbacks of the page took between two of the browser's frames, where there was any;
times are those of performance.now(), which Chromium gives in steps of 0.1 ms.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any

from measure import wait_until_quiet
from report import Figure, Report, finish, options, say
from workload import work_folder

from tracelode.exports.html_ import HtmlExporter
from tracelode.model.behind import Behind, Worked
from tracelode.model.profile import Profile, fold
from tracelode.pages.assets import style, viewer

ABSENT = 3
"""Exit code where there is no browser."""
BAR_MS, BAR_VIEWER, BAR_PAGE = 8.0, 60.0, 1_500.0
"""Milliseconds of script a frame (p95); kB of the viewer; kB of a page of 5,000 frames."""
MEASURES = ("cost", "tokens", "tokens.output", "time.active", "operations")
_COUNT = """
(() => {
  let spent = 0, depth = 0;
  window.framesSpent = [];
  const timed = (call) => function (...given) {
    const begin = performance.now();
    depth += 1;
    try { return call.apply(this, given); }
    finally { depth -= 1; if (!depth) spent += performance.now() - begin; }
  };
  const raf = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) => raf(timed(call));
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (name, call, ...more) {
    return add.call(this, name, typeof call === "function" ? timed(call) : call, ...more);
  };
  const tick = () => { if (spent) window.framesSpent.push(spent); spent = 0; raf(tick); };
  raf(tick);
})();
"""


def straight(frames: int, levels: int) -> Profile:
    """Stacks of equal width: every frame is drawn, which is the worst case for a picture.

    Args:
        frames: about how many.
        levels: of each stack.
    """
    made = random.Random(1)
    rows = [
        (
            tuple(f"work {i} of {level}" for level in range(levels)),
            [10**9 + made.randrange(10**6)] * len(MEASURES),
        )
        for i in range(frames // levels)
    ]
    return fold(rows, MEASURES)


def grown(frames: int) -> Profile:
    """A tree as real ones are: a few large frames with long names, many small ones.

    Args:
        frames: how many, about.
    """
    made = random.Random(2)
    rows: dict[tuple[str, ...], list[int]] = {}
    seen: set[tuple[str, ...]] = set()
    while len(seen) < frames:
        depth = made.randint(3, 9)
        stack = tuple(f"stage {min(int(made.paretovariate(0.9)), 400)} at {level}" for level in range(depth))
        seen.update(stack[: i + 1] for i in range(depth))
        rows[stack] = [int(10**9 * made.paretovariate(1.1)) for _ in MEASURES]
    return fold(list(rows.items()), MEASURES)


def page(profile: Profile, nodes: int, operations: int = 0) -> bytes:
    """A profile as HTML, with operations behind its frames.

    Args:
        profile: what is shown.
        nodes: frames kept.
        operations: how many.
    """
    stacks = list(profile.totals)
    rows = tuple(
        Worked(stacks[i % len(stacks)], f"{i % 90:08x}-aaaa-4bbb-8ccc-0123456789ab", i, "Bash:pytest",
               f"~/.claude/projects/-home-sam-src-shop/{i % 90:08x}-aaaa-4bbb-8ccc-0123456789ab.jsonl", i,
               (10**9 + i, 2_000 + i, 100 + i, 10**6, 1))
        for i in range(operations)
    )  # fmt: skip
    behind = Behind(MEASURES, rows, dict.fromkeys(stacks, 3)) if operations else None
    stream = io.BytesIO()
    HtmlExporter(behind=behind, nodes=nodes).write(profile, stream)
    return stream.getvalue()


def chromium() -> str | None:
    """The browser's program, None where there is none."""
    named = os.environ.get("CHROMIUM")
    return named or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


def played(browser: Any, path: Path, width: int, runs: int) -> tuple[list[float], str]:
    """Script milliseconds of each frame while somebody points, zooms, searches; how many frames are drawn."""
    tab = browser.new_page(viewport={"width": width, "height": 1000})
    tab.add_init_script(_COUNT)
    tab.goto(path.as_uri())
    tab.wait_for_timeout(400)
    box = tab.locator("canvas").bounding_box()
    drawn = str(tab.locator(".status").text_content()).split(";")[0]
    spent: list[float] = []
    for run in range(runs):
        tab.evaluate("window.framesSpent.length = 0")
        for step in range(40):
            tab.mouse.move(box["x"] + 10 + step * (box["width"] - 20) / 40, box["y"] + 13 + 26 * (step % 8))
            tab.wait_for_timeout(12)
        for share in (0.1, 0.4, 0.7):
            tab.mouse.click(box["x"] + box["width"] * share, box["y"] + 26 * 2 + 13)
            tab.wait_for_timeout(260)
            tab.mouse.click(box["x"] + 20, box["y"] + 13)
            tab.wait_for_timeout(260)
        tab.locator("input[type=search]").fill(f"{run % 10}")
        tab.wait_for_timeout(60)
        tab.locator("input[type=search]").fill("")
        tab.wait_for_timeout(60)
        spent += tab.evaluate("window.framesSpent")
    tab.close()
    return spent, drawn


def run(given: argparse.Namespace, work: Path) -> Report | None:
    """Measure everything; None where there is no browser."""
    program = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    report = Report("viewer", load=wait_until_quiet(given.load_below, given.wait))
    kilo = 1000
    alone = len(viewer().encode()) + len(style("base", "flame").encode())
    report.figures.append(Figure("script and styles", alone / kilo, "kB", BAR_VIEWER))
    size = len(page(grown(5_000), 5_000, 4_000))
    report.figures.append(Figure("a page of 5,000 frames and 4,000 operations", size / kilo, "kB", BAR_PAGE))
    if program is None:
        return None
    cases = {"of one width": straight(given.frames, 11), "as real ones": grown(given.frames)}
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        report.notes.append(f"Chromium {browser.version}, headless, without a GPU")
        for name, profile in cases.items():
            path = work / f"{name.replace(' ', '-')}.html"
            path.write_bytes(page(profile, given.frames + 100))
            for width in (1280, 2560):
                found, drawn = played(browser, path, width, given.runs)
                report.notes.append(f"{name}, {width:,} px: {drawn} at first")
                spent = sorted(found)
                p95, worst = spent[int(0.95 * (len(spent) - 1))], spent[-1]
                what = f"{given.frames:,} frames, {name}, {width:,} px: script a frame"
                report.figures.append(Figure(f"{what}, p95 of {len(spent)}", p95, "ms", BAR_MS))
                report.figures.append(Figure(f"{what}, largest", worst, "ms"))
        browser.close()
    return report


def main() -> int:
    """Run it; the exit code."""
    parser = options(__doc__.splitlines()[0], runs=3)
    parser.add_argument("--frames", type=int, default=10_000, help="frames of the tree")
    given = parser.parse_args()
    with work_folder(given.work) as work:
        report = run(given, work)
        if report is None:
            say("viewer: no Chromium, or playwright is not installed (pip install playwright)")
            return ABSENT
        return finish(report, given)


if __name__ == "__main__":
    sys.exit(main())
