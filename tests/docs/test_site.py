"""Is the documentation a site? Each page is in it, each link leads somewhere, nothing is fetched."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from docs.pages import ROOT

DOCS = ROOT / "docs"
needs_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None,
    reason="mkdocs-material is not installed",
)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("site_tool", ROOT / "tools" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
            continue
        for inner in entry.values():
            yield from [inner] if isinstance(inner, str) else pages(inner)


def test_every_page_is_once_in_the_navigation(tool: ModuleType) -> None:
    found = list(pages(tool.navigation((DOCS / "index.md").read_text(encoding="utf-8"))))
    assert len(found) == len(set(found))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert set(found) == there | set(tool.BESIDE.values())


def test_the_three_parts_and_the_reference_are_its_sections(tool: ModuleType) -> None:
    entries = tool.navigation((DOCS / "index.md").read_text(encoding="utf-8"))
    sections = [head for entry in entries for head in entry]
    for part in ("Profile", "Compile", "Plan", "Reference"):
        assert any(head.startswith(part) for head in sections)


PAGE = """# Head
<!-- run: made -->
See [views](views.md#the-stack), [a test](../tests/docs/test_pages.py), [`mkdocs.yml`](../mkdocs.yml),
[first](../README.md), [out](https://example.org/x), [here](#head), ![p](img/demo.svg).

```console
$ tracelode top <a.json
[no](link.md)
 $0.83  14%
```
"""


def test_links_are_turned_to_where_the_site_has_the_page(tool: ModuleType) -> None:
    new = tool.relinked(PAGE, "docs/page.md")
    assert "<!--" not in new
    assert "[views](views.md#the-stack), a test (`tests/docs/test_pages.py`), `mkdocs.yml`,\n" in new
    assert "[first](readme.md), [out](https://example.org/x), [here](#head), ![p](img/demo.svg)." in new
    assert "<b>tracelode top &lt;a.json</b>\n[no](link.md)\n $0.83  14%</code>" in new


def test_bars_in_the_code_of_a_table_lose_their_escape(tool: ModuleType) -> None:
    assert tool.relinked("| `a\\|b` | c\\|d |\n", "docs/x.md") == "| `a|b` | c\\|d |\n"


def test_pages_of_other_folders_are_linked_from_where_they_are(tool: ModuleType) -> None:
    assert tool.relinked("[a](docs/store.md) [b](LICENSE)", "README.md") == "[a](store.md) b (`LICENSE`)"
    assert tool.relinked("[a](../../README.md)", "docs/sources/x.md") == "[a](../readme.md)"


@pytest.fixture(scope="module")
def site(tool: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = tool.build(folder / "pages", folder / "site")
    assert done.returncode == 0, done.stdout
    return folder / "site"


@needs_mkdocs
def test_it_builds_without_a_broken_link_and_fetches_nothing(site: Path) -> None:
    made = sorted(site.rglob("*.html"))
    assert len(made) >= len(list(DOCS.rglob("*.md")))
    outside = re.compile(
        r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?(?:https?:)?//|<link[^>]*\shref=[\"']?(?:https?:)?//[^>]*>"
    )
    found = [
        f"{page.relative_to(site)}: {match[0][:80]}"
        for page in made
        for match in outside.finditer(page.read_text(encoding="utf-8"))
        if 'rel="canonical"' not in match[0]
    ]
    assert not found


@needs_mkdocs
def test_search_works_from_a_folder(site: Path) -> None:
    assert (site / "search" / "search_index.js").stat().st_size > 100_000
    home = (site / "index.html").read_text(encoding="utf-8")
    assert "assets/iframe-worker.js" in home


@needs_mkdocs
def test_a_link_to_nowhere_fails(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# x\n\n## a\n\n- [b](b.md)\n", encoding="utf-8")
    (docs / "b.md").write_text("# b\n\n[c](index.md#not-there)\n", encoding="utf-8")
    monkeypatch.setattr(tool, "DOCS", docs)
    monkeypatch.setattr(tool, "BESIDE", {})
    (tmp_path / "mkdocs.yml").write_text(
        re.sub(
            r"extra_css:.*?plugins:",
            "plugins:",
            (ROOT / "mkdocs.yml").read_text(encoding="utf-8"),
            flags=re.S,
        ),
        encoding="utf-8",
    )
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    done = tool.build(tmp_path / "pages", tmp_path / "site")
    assert done.returncode != 0
    assert "not-there" in done.stdout
