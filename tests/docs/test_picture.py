"""Is the picture in the README the one that the demo writes?"""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from docs.pages import ROOT, UPDATE


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("picture_tool", ROOT / "tools" / "picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_what_the_demo_writes(tool: ModuleType) -> None:
    drawn = tool.drawn()
    assert drawn.count("<title>") > 20
    if UPDATE and tool.normal(drawn) != tool.normal(tool.known()):
        tool.PICTURE.parent.mkdir(exist_ok=True)
        tool.PICTURE.write_text(drawn, encoding="utf-8")
        return
    assert tool.normal(drawn) == tool.normal(tool.known()), "run: make docs"


def test_the_readme_shows_it(tool: ModuleType) -> None:
    assert f"]({tool.PICTURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_another_figure_is_another_picture(tool: ModuleType) -> None:
    known = tool.known()
    assert tool.normal(known.replace("<title>deploy", "<title>undeploy", 1)) != tool.normal(known)
    assert tool.normal(known.replace('data-value="', 'data-value="1', 1)) != tool.normal(known)
