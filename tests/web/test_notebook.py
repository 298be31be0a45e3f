"""Does a notebook show a profile as a picture that can reach nothing, and hand its numbers over?"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

import pytest

from tracelode import workspace
from tracelode.errors import MissingExtra
from tracelode.model.difference import Difference
from tracelode.model.profile import Profile, fold
from tracelode.profile.diff import difference
from tracelode.profile.pairs import Run
from web import pictures
from web.browser import Tab, chromium
from web.pages import Page, is_safe

LARGE = 2**63 + 5


def hostile_difference() -> Difference:
    """Two sets of sessions whose names and frames nobody should trust."""
    base = [Run(f"a{i}", f"t{i}", {(one, "x"): 9 for one in pictures.HOSTILE}) for i in range(4)]
    other = [Run(f"b{i}", f"t{i}", {(one, "y"): 7 for one in pictures.HOSTILE}) for i in range(4)]
    return difference(base, other, measure="tokens", names=pictures.HOSTILE[:2], per="task")


@pytest.mark.parametrize("shown", [pictures.hostile(), hostile_difference()], ids=["profile", "difference"])
def test_the_picture_is_a_page_in_a_sandbox(shown: Profile | Difference) -> None:
    made = shown._repr_html_()
    assert made is not None
    frame = re.fullmatch(r'<iframe sandbox="allow-scripts" [^<>]*srcdoc="([^"]*)"></iframe>', made)
    assert frame is not None
    is_safe(Page(html.unescape(frame[1]).encode()))


def test_what_widths_cannot_show_is_no_picture() -> None:
    assert fold([(("a",), (-1,))], ("tokens",))._repr_html_() is None


@pytest.mark.parametrize("hand_over", ["pandas", "polars", "arrow"])
def test_tables_hold_every_integer_and_what_is_unknown(hand_over: str) -> None:
    pytest.importorskip("pyarrow" if hand_over == "arrow" else hand_over)
    profile = fold(
        [(("a", "b"), (LARGE, 3, None)), (("c",), (1, 4, 9))], ("cost", "tokens", "tokens.reasoning")
    )
    table = getattr(profile, f"to_{hand_over}")()
    rows = {
        "pandas": lambda: table.to_dict("records"),
        "polars": lambda: table.to_dicts(),
        "arrow": lambda: table.to_pylist(),
    }[hand_over]()
    assert [list(row["stack"]) for row in rows] == [["a", "b"], ["c"]]
    assert [int(row["cost"]) for row in rows] == [LARGE, 1]
    assert [int(row["tokens"]) for row in rows] == [3, 4]
    unknown = rows[0]["tokens.reasoning"]
    assert unknown is None or str(unknown) == "<NA>"
    assert int(rows[1]["tokens.reasoning"]) == 9


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_a_package_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=f"{name} is not installed; run: pip install"):
        getattr(pictures.small(), f"to_{name.removeprefix('py')}")()


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_a_notebook_runs_and_its_picture_works(tmp_path: Path) -> None:
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    import nbformat

    store = workspace.demo(tmp_path / "store", tz="UTC").path
    cells = [
        f"import tracelode as tl\nws = tl.open({str(store)!r}, tz='UTC')\n"
        "ws.profile(measures=['cost', 'tokens'])",
        "ws.profile(measure='cost').to_pandas()['cost'].sum()",
        "sets = (ws.query(where={'intent': i}) for i in ('change code', 'deploy service'))\n"
        "ws.difference(*sets, names=('a', 'b'))",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    (picture,), (total,), (signed,) = (cell.outputs for cell in notebook.cells)
    assert picture["data"]["text/plain"] == "<Profile: 184 stacks of cost, tokens>"
    assert total["data"]["text/plain"] in ("5834910650000", "np.int64(5834910650000)")
    about = "<Difference: b minus a, 66 stacks of cost>"
    assert signed["data"]["text/plain"] == about
    page = tmp_path / "notebook.html"
    shown = "".join(f"<div>{one['data']['text/html']}</div>" for one in (picture, signed))
    page.write_text(f"<!doctype html>{shown}", encoding="utf-8")
    with chromium() as browser:
        tab = Tab(browser)
        opened = tab.open(page)
        opened.wait_for_timeout(300)
        assert tab.troubles == []
        assert opened.frames[2].locator(".legend").inner_text().startswith("more in b")
        frame = opened.frames[1]
        assert frame.locator(".frames tbody tr").first.inner_text().split("\t")[1].strip() == "$5.83"
        frame.locator("canvas").press("ArrowDown")
        frame.locator("canvas").press("Enter")
        assert frame.locator(".details h2").text_content() == "deploy service"
        assert frame.evaluate("window.origin") == "null"
