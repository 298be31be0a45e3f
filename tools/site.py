"""How does the documentation become a site? Lays pages out in build/pages; mkdocs makes build/site of them.

The navigation is what docs/index.md links. Pages outside of docs/ that docs/ links to become pages of the
site; links to other files of the repository become their names: a site has no sources beside it.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
INDEX = "index.md"
SETTINGS = "mkdocs.yml"
BESIDE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""Pages outside of docs/ that the site has too: where they lie, what they are called there."""
WHOLE = ("decisions",)
"""Folders of which every page is in the navigation, below the page of the folder, by its number."""

_FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_COMMENT = re.compile(r"^<!-- [^\n]* -->\n", re.MULTILINE)


def title(text: str) -> str:
    """Heading of a page.

    Args:
        text: Markdown.
    """
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1].replace("`", "") if found else ""


def short(name: str, text: str) -> str:
    """What a page is called in the navigation: as it is linked, a decision by its number and heading.

    Args:
        name: of the page's file.
        text: Markdown of the page.
    """
    number = name.rpartition("/")[2][:4]
    head = title(text)
    return head if not number.isdigit() or head.startswith(number) else f"{number} {head}"


def navigation(index: str) -> list[dict[str, Any]]:
    """The navigation that an index page stands for.

    Args:
        index: Markdown: `##` headings, below each of them links to pages.

    Returns:
        One entry a heading with entries of its links, in their order, each page once.
    """
    entries: list[dict[str, Any]] = [{"Home": INDEX}]
    seen = {INDEX}
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        head, _, body = section.partition("\n")
        pages: list[Any] = []
        for _, words, target, _ in _LINK.findall(body):
            place = inside(posixpath.join("docs", target))
            if place is None or place in seen or not place.endswith(".md"):
                continue
            seen.add(place)
            folder, _, last = place.rpartition("/")
            if folder in WHOLE and last == "README.md":
                pages.append({words: [place, *numbered(folder)]})
                seen.update(path.relative_to(DOCS).as_posix() for path in (DOCS / folder).glob("*.md"))
            else:
                pages.append({words: place})
        entries.append({head: pages})
    return entries


def numbered(folder: str) -> list[dict[str, str]]:
    """Pages of a folder by their number.

    Args:
        folder: below docs/.
    """
    found = []
    for path in sorted((DOCS / folder).glob("[0-9]*.md")):
        place = path.relative_to(DOCS).as_posix()
        found.append({short(place, path.read_text(encoding="utf-8")): place})
    return found


def _entries(folder: str) -> list[tuple[str, str]]:
    """Headings of the numbered pages of a folder, and where they lie in it."""
    return [(head, posixpath.basename(path)) for entry in numbered(folder) for head, path in entry.items()]


def inside(path: str) -> str | None:
    """Where a file of the repository lies in the site.

    Args:
        path: from the root of the repository.

    Returns:
        From the root of the site; None where the site does not have it.
    """
    path = posixpath.normpath(path)
    if path in BESIDE:
        return BESIDE[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def relinked(text: str, source: str) -> str:
    """A page with its links as the site needs them, without the comments that tests read.

    Args:
        text: Markdown.
        source: the page, from the root of the repository.
    """
    here = posixpath.dirname(inside(source) or "")

    def link(match: re.Match[str]) -> str:
        mark, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        place = inside(path)
        if place is None:
            return words if words.strip("`").endswith(posixpath.basename(path)) else f"{words} (`{path}`)"
        return f"{mark}[{words}]({posixpath.relpath(place, here or '.')}{anchor})"

    pieces = _FENCED.split(_COMMENT.sub("", text))
    return "".join(_fence(p) if p.startswith("```") else _bars(_LINK.sub(link, p)) for p in pieces)


def _bars(text: str) -> str:
    """Text whose bars in code stand bare: in a table mkdocs shows the escape that others need."""
    return re.sub(r"`[^`\n]+`", lambda code: code[0].replace("\\|", "|"), text)


def _fence(block: str) -> str:
    """A fenced block; a screen of the terminal as HTML: lexers take an amount of dollars for a prompt."""
    if not block.startswith("```console\n"):
        return block
    lines = []
    for line in block.split("\n")[1:-1]:
        plain = html.escape(line)
        command = re.match(r"(\$|&gt;) (.*)", plain)
        lines.append(f'<span class="gp">{command[1]} </span><b>{command[2]}</b>' if command else plain)
    body = "\n".join(lines)
    return f'<div class="language-console highlight"><pre><code>{body}</code></pre></div>'


def lay_out(folder: Path) -> Path:
    """Write the pages and the settings that a site is made of.

    Args:
        folder: its own; what is in it is deleted.

    Returns:
        The file of settings.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    for path in sorted(DOCS.rglob("*")):
        if path.is_file():
            _put(pages / path.relative_to(DOCS), path)
    for source, name in BESIDE.items():
        _put(pages / name, ROOT / source)
    for name in WHOLE:
        if (pages / name / "README.md").exists():
            with (pages / name / "README.md").open("a", encoding="utf-8") as page:
                page.write("\n" + "".join(f"- [{head}]({path})\n" for head, path in _entries(name)))
    settings = yaml.safe_load((ROOT / SETTINGS).read_text(encoding="utf-8"))
    settings["nav"] = navigation((DOCS / INDEX).read_text(encoding="utf-8"))
    settings["docs_dir"] = "pages"
    target = folder / SETTINGS
    target.write_text(yaml.safe_dump(settings, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return target


def _put(target: Path, source: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix != ".md":
        shutil.copyfile(source, target)
        return
    text = source.read_text(encoding="utf-8")
    target.write_text(relinked(text, source.relative_to(ROOT).as_posix()), encoding="utf-8")


def build(pages: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Make the site; a link that leads nowhere or a page that is not in the navigation is a failure.

    Args:
        pages: folder for what the site is made of.
        site: folder of the site.

    Returns:
        How mkdocs ended, and what it said.
    """
    settings = lay_out(pages)
    # The notice about the end of mkdocs 1 is for us, not for every build.
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    # Not --quiet: what it does not say it does not count either.
    command = ["build", "--strict", "--config-file", str(settings), "--site-dir", str(site)]
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", *command],
        env=quiet,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def main() -> int:
    """Make build/site.

    Returns:
        0, or 1 where something is wrong with a page.
    """
    site = ROOT / "build" / "site"
    done = build(ROOT / "build" / "pages", site)
    if done.returncode:
        print(done.stdout.strip())
        return 1
    print(f"wrote {site.relative_to(ROOT)}: open {site.relative_to(ROOT)}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
