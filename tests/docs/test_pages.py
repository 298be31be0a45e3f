"""Is every page true? Each is made again and compared; TRACELODE_UPDATE_DOCS=1 writes what differs."""

from __future__ import annotations

import difflib
import re
import shutil
from pathlib import Path

import pytest

from docs import tables
from docs.pages import PAGES, ROOT, UPDATE, WIDTH, normal, parts, regenerate
from tracelode.record import tracer


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_says_what_happens(page: Path, tmp_path: Path) -> None:
    old = page.read_text(encoding="utf-8")
    for tool in re.findall(r"<!-- needs: (\S+) -->", old):
        if shutil.which(tool) is None or (tool == "strace" and tracer.usable() is None):
            pytest.skip(f"the page needs {tool}, which is not here or may not be used")
    new = regenerate(old, tmp_path / "reader", tables.TABLES)
    if UPDATE and new != old:
        page.write_text(new, encoding="utf-8")
        return
    assert new == old, "run: TRACELODE_UPDATE_DOCS=1 pytest tests/docs\n" + "\n".join(
        difflib.unified_diff(old.split("\n"), new.split("\n"), name(page), "now", lineterm="", n=1)
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_and_outputs_fit_a_terminal(page: Path) -> None:
    for part in parts(page.read_text(encoding="utf-8")):
        if part.kind == "console":
            wide = [line for step in part.steps for line in step.lines() if len(line) > WIDTH]
            assert not wide


FALSE = """<!-- run: export WORD=right -->
```console
$ echo $WORD
wrong
$ false
$ echo \\
> two
two
```
```pycon
>>> if True:
...     print(1 + 1)
3
>>> 1 / 0
```
<!-- made: word -->
wrong
<!-- end -->"""


def test_the_check_sees_what_is_false(tmp_path: Path) -> None:
    new = regenerate(FALSE, tmp_path / "reader", {"word": lambda: "made"})
    assert new == FALSE.replace("$WORD\nwrong", "$WORD\nright").replace("\n3\n", "\n2\n").replace(
        "-->\nwrong", "-->\nmade"
    ).replace(
        ">>> 1 / 0\n",
        ">>> 1 / 0\nTraceback (most recent call last):\n    ...\nZeroDivisionError: division by zero\n",
    )


def test_what_varies_is_no_difference_and_all_else_is() -> None:
    same = "read     16 of 16 files, 445 kB, {} s\nexport X=~/.cache/tracelode/demo-{}\n {} > Bash"
    assert normal([same.format("0.1", "0.1.0.dev0", "name-0123456789ab")]) == normal(
        [same.format("3.0", "0.2", "name-ffffffffffff")]
    )
    assert normal(["cost  $5.83"]) != normal(["cost  $5.84"])
    assert normal(["read     16 of 16 files, 445 kB, 0.1 s"]) != normal(
        ["read     15 of 16 files, 445 kB, 0.1 s"]
    )


def test_the_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") < 200


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = {(ROOT / "docs" / target).resolve() for target in re.findall(r"\]\(([^)#:\s]+)", index)}
    pages = {*PAGES, *(ROOT / "docs" / "reference").glob("*.md")} - {
        ROOT / "README.md",
        ROOT / "docs" / "index.md",
    }
    assert pages <= linked
