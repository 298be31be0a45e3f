"""Does the page of a store say what the store says, and with --share nothing that is not of a closed list?"""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from cli import fake
from paired_runs import Told, paired
from tracelode import workspace
from tracelode.errors import QueryError
from tracelode.model.words import dollars
from tracelode.pages.render import render
from tracelode.workspace import Workspace
from web.pages import Page, is_safe


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return workspace.demo(tmp_path_factory.mktemp("samples") / "store", tz="UTC")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    sessions = [
        Told(f"s{i:02}", f"ticket-{i // 4}", ("success", "failure")[i % 2],
             ("git status", *(("!pytest -q",) * 4 if i % 2 else ("ls src",))), project="~/src/secret-parcel",
             model="home-made-7" if i == 3 else "claude-sonnet-4-5-20250929", hour=i)
        for i in range(16)
    ]  # fmt: skip
    return paired(tmp_path_factory.mktemp("judged"), sessions)


def written(ws: Workspace, *, share: bool = False) -> bytes:
    stream = io.BytesIO()
    ws.export_report(stream, share=share)
    return stream.getvalue()


def test_it_says_what_the_store_says(demo: Workspace) -> None:
    data = written(demo)
    page = Page(data)
    is_safe(page)
    totals = demo.totals()
    assert dollars(totals.cost_picodollars) in page.words
    assert f"{totals.sessions} sessions, {totals.operations} operations" in page.words
    for title in ("Where the money went", "Kinds of work", "Steps to look at first", "Circles", "Plans",
                  "What is unknown"):  # fmt: skip
        assert title in page.words
    (flame,) = page.payloads
    assert flame["operations"]["rows"]
    for finding in demo.findings():
        assert finding.what in page.words
    assert "unknown" in page.words  # reasoning is told by no source


def test_failures_and_prices_are_told_where_they_are_known(judged: Workspace) -> None:
    page = Page(written(judged))
    is_safe(page)
    assert "Failed against succeeded" in page.words
    assert "home-made-7" in page.words
    assert "500" in page.words  # tokens of its calls
    assert [flame["mode"] for flame in page.payloads] == ["flame", "diff"]


def test_a_shared_report_tells_no_name(demo: Workspace, judged: Workspace) -> None:
    for ws in (demo, judged):
        data = written(ws, share=True).decode()
        is_safe(Page(data.encode()))
        private = {s.key for s in ws.sessions()} | {str(s.project) for s in ws.sessions()}
        private |= {Path(o.origin.path).name for s in ws.sessions() for o in ws.operations(s.key)}
        private |= {"secret-parcel", "home-made-7", "ticket-1", "homelab", "shop-api", "tz="}
        assert [name for name in private if name and name in data] == []
        assert "pseudonyms" in data
        assert all("operations" not in flame for flame in Page(data.encode()).payloads)
    assert "model-" in data  # the one that is in no price table
    assert "claude-sonnet-4-5" in data
    assert "project-" in written(demo, share=True).decode()


def test_filters_hold_and_nothing_left_is_said(demo: Workspace) -> None:
    page = Page(render(demo.report(demo.query(where={"project": "~/src/homelab"}))))
    assert "3 sessions" in page.words
    assert "shop-api" not in page.words
    with pytest.raises(QueryError, match="nothing to report"):
        demo.report(demo.query(where={"tool": "nothing"}))


def test_the_command_writes_a_page(demo: Workspace, run: fake.Run, tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    code, out, err = run("report", "-o", str(target), "--store", str(demo.path))
    assert (code, out) == (0, "")
    assert err == f"wrote {target}: 6 sections\n"
    assert target.stat().st_mode & 0o777 == 0o600
    code, out, _ = run("report", "-o", str(target), "--json", "--share", "--store", str(demo.path))
    answer = json.loads(out)
    assert (answer["shared"], answer["bytes"]) == (True, target.stat().st_size)
    assert answer["schema_version"]
    assert "Kinds of work" in answer["sections"]


def test_the_command_says_what_is_wrong(demo: Workspace, run: fake.Run, tmp_path: Path) -> None:
    store = ("--store", str(demo.path))
    code, out, err = run("report", "-o", str(tmp_path / "x.pdf"), *store)
    assert (code, out) == (2, "")
    assert "a report is HTML" in err
    code, out, err = run("report", "-o", str(tmp_path / "x.html"), "--where", "tool=nothing", *store)
    assert (code, out) == (3, "")
    assert "nothing matches" in err
    assert not (tmp_path / "x.html").exists()
    code, _, err = run("report", "-o", str(tmp_path / "no" / "x.html"), *store)
    assert code == 1
    assert "cannot be written" in err
    workspace.open(tmp_path / "empty")
    code, _, err = run("report", "-o", str(tmp_path / "x.html"), "--store", str(tmp_path / "empty"))
    assert code == 3
    assert "nothing imported yet" in err


def test_flame_writes_a_page_with_operations_and_share_without(
    demo: Workspace, run: fake.Run, tmp_path: Path
) -> None:
    store = ("--store", str(demo.path))
    target = tmp_path / "x.html"
    code, _, err = run("flame", "-o", str(target), *store)
    assert (code, err) == (0, f"wrote {target}: 184 stacks by cost\n")
    (found,) = Page(target.read_bytes()).payloads
    assert [c["key"] for c in found["columns"] if not c.get("hidden")] == [
        "cost", "tokens", "tokens.output", "time.active", "operations"
    ]  # fmt: skip
    assert sum(n for _, n in found["operations"]["counts"]) == demo.totals().operations
    assert all(path.endswith(".jsonl") for path in found["operations"]["paths"])
    assert run("top", "-o", str(target), "--share", "--focus", "deploy", *store)[0] == 0
    assert "operations" not in Page(target.read_bytes()).payloads[0]
    assert b"homelab" not in target.read_bytes()


def test_a_difference_and_plans_become_pages(
    judged: Workspace, demo: Workspace, run: fake.Run, tmp_path: Path
) -> None:
    target = tmp_path / "x.html"
    code, _, _ = run("diff", "--by", "outcome", "-o", str(target), "--store", str(judged.path))
    assert code == 0
    page = Page(target.read_bytes())
    is_safe(page)
    assert "failed minus succeeded" in page.words
    for action in ("metrics", "timeline"):
        code, out, _ = run("plan", action, "-o", str(target), "--store", str(demo.path))
        assert (code, out) == (0, f"wrote {target}\n")
        page = Page(target.read_bytes())
        is_safe(page)
        assert "de000003" in page.words
        assert not [t for t, _ in page.tags if t == "script"]
    code, _, err = run("plan", "metrics", "-o", str(tmp_path / "x.svg"), "--store", str(demo.path))
    assert code == 2
    assert "FILE.html" in err
