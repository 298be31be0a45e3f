"""Is the picture in the README the one that the demo writes?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from docs.pages import ROOT, UPDATE, environment, place

PICTURE = ROOT / "docs" / "img" / "demo.svg"


def normal(svg: str) -> str:
    """A picture without its pseudonyms and their colours: a new workspace has new ones."""
    return re.sub(r'class="c\d+"([^>]*)><title>(name|mcp)-[0-9a-f]{12}', r'class="c"\1><title>\2', svg)


def test_the_picture_is_what_the_demo_writes(tmp_path: Path) -> None:
    home = tmp_path / "reader"
    place(home)
    subprocess.run(
        ["tracelode", "demo"],
        cwd=home,
        env=environment(home),
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=60,
    )
    drawn = (home / "tracelode-demo.svg").read_text(encoding="utf-8")
    assert drawn.count("<title>") > 20
    known = PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""
    if UPDATE and normal(drawn) != normal(known):
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(drawn, encoding="utf-8")
        return
    assert normal(drawn) == normal(known), "run: TRACELODE_UPDATE_DOCS=1 pytest tests/docs"


def test_another_figure_is_another_picture() -> None:
    known = PICTURE.read_text(encoding="utf-8")
    assert normal(known.replace("<title>deploy", "<title>undeploy", 1)) != normal(known)
    assert normal(known.replace('data-value="', 'data-value="1', 1)) != normal(known)
