"""The written word: pages follow the code, adapters are registered and documented, nothing strays in."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from architecture import tree
from tracelode import registry
from tracelode.cli.app import COMMANDS

PROJECT = tomllib.loads((tree.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ADAPTERS = [
    (group, name, place)
    for group in registry.GROUPS
    for name, place in PROJECT["project"]["entry-points"].get(f"tracelode.{group}", {}).items()
]


def test_generated_pages_are_what_the_code_says() -> None:
    result = subprocess.run(
        [sys.executable, str(tree.ROOT / "tools" / "gen_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(("group", "name", "place"), ADAPTERS)
def test_an_adapter_is_registered_loads_and_is_documented(group: str, name: str, place: str) -> None:
    installed = {point.name: point.value for point in entry_points(group=f"tracelode.{group}")}
    assert installed.get(name) == place, "pyproject.toml changed; run: make install"
    adapter = registry.load(group, name)
    assert adapter.name == name
    if group not in ("segmenters", "engines"):
        assert isinstance(adapter.suffixes, tuple)
        assert adapter.suffixes
        # a source may also name whole endings, such as claude-code.txt
        if group == "exports":
            assert all(suffix.startswith(".") for suffix in adapter.suffixes)
    page = (tree.ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")
    assert f"| `{name}` |" in page


def test_endings_of_exports_are_not_claimed_twice() -> None:
    claims = [s for n in registry.names("exports") for s in registry.load("exports", n).suffixes]
    assert len(claims) == len(set(claims))


def test_every_command_is_documented() -> None:
    page = (tree.ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for _, name, _, line in COMMANDS:
        assert re.search(rf"^  {name}\s+{re.escape(line)}$", page, re.MULTILINE)


def test_the_changelog_has_room_for_what_is_next() -> None:
    text = (tree.ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## Unreleased$", text, re.MULTILINE)


MARKDOWN = [p for p in tree.files() if p.suffix == ".md"]


@pytest.mark.parametrize("page", MARKDOWN, ids=tree.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), target


def test_decisions_have_a_number_of_their_own_and_a_title() -> None:
    pages = sorted((tree.ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", page.name) for page in pages)
    numbers = [page.name[:4] for page in pages]
    assert len(numbers) == len(set(numbers))
    assert all(page.read_text(encoding="utf-8").startswith("# ") for page in pages)


# Put together from parts, so that this file does not hold what it looks for.
STRAY = re.compile(
    "|".join(
        (
            r"/work/" + r"(?:main|shared)",
            r"/tmp/" + r"[a-z]/",
            r"/root/" + r"\.pyenv",
            "pypi" + r"\.org",
            "python" + r"hosted\.org",
            "npmjs" + r"\.(?:org|com)",
            "deb" + r"ian\.org",
            "proxy" + r"\.golang",
            r"(?<![\w.])[Ii]ss" + r"ue #?\d",
            "BRIEF" + r"\.md",
        )
    )
)


def test_nothing_of_the_workplace_strays_in() -> None:
    found = []
    for path in tree.files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := STRAY.search(line):
                found.append(f"{tree.name(path)}:{number}: {match[0]}")
    assert not found


@pytest.mark.parametrize(
    "text", ["see /work/" + "main/x", "pypi" + ".org", "in issue " + "12", "deb" + "ian.org", "/tmp/" + "w/v"]
)
def test_the_search_for_strays_finds_them(text: str) -> None:
    assert STRAY.search(text)
