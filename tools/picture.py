"""Which picture does the README show? Draws docs/img/demo.svg as the demo does; --check says if it is old."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "img" / "demo.svg"


def drawn() -> str:
    """The picture as the demo draws it now, in a home folder of its own.

    Returns:
        SVG text.

    Raises:
        CalledProcessError: the demo failed.
    """
    with tempfile.TemporaryDirectory() as home:
        subprocess.run(
            [sys.executable, "-m", "tracelode", "demo", "-o", "demo.svg"],
            cwd=home,
            # no variable of whoever runs it may change a figure
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home, "TZ": "UTC"},
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=120,
        )
        return (Path(home) / "demo.svg").read_text(encoding="utf-8")


def normal(svg: str) -> str:
    """A picture without its pseudonyms and their colours: a new workspace has new ones.

    Args:
        svg: a picture.
    """
    return re.sub(r'class="c\d+"([^>]*)><title>(name|mcp)-[0-9a-f]{8}', r'class="c"\1><title>\2', svg)


def known() -> str:
    """The picture that is there; "" for none."""
    return PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""


def main() -> int:
    """Write the picture where it differs.

    Returns:
        1 when asked to --check and it is out of date, else 0.
    """
    new = drawn()
    if normal(new) == normal(known()):
        return 0
    name = PICTURE.relative_to(ROOT)
    if "--check" in sys.argv[1:]:
        print(f"out of date: {name}; run: make docs")
        return 1
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(new, encoding="utf-8")
    print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
