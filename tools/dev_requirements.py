"""Which packages does development need? Prints the dev group of pyproject.toml: older pips lack --group."""

from __future__ import annotations

import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def main() -> None:
    """Print the requirements, one a line, without blanks: words for a shell."""
    group = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["dependency-groups"]["dev"]
    print("\n".join(requirement.replace(" ", "") for requirement in group))


if __name__ == "__main__":
    main()
