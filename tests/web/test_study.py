"""Does the page of a study say what the study says: its design, what differs, what cannot be told?"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli import fake
from plan.arms import write
from tracelode.model.plan_study import Arm, Contrast, Group, Positions, Problem, Study
from tracelode.pages.render import render
from tracelode.pages.study import page
from tracelode.workspace.studying import study_files
from web.browser import Tab, chromium
from web.pages import Page, is_safe
from web.pictures import HOSTILE

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("arms")).parent


def contrast(metric: str, **figures: Any) -> Contrast:
    base, other = HOSTILE[1], HOSTILE[2]
    told: dict[str, Any] = {
        "family": "all", "base": base, "other": other, "metric": metric, "unit": "ratio", "paired": True,
        "clusters": (16, 16), "before": 0.5, "after": 0.25, "interval": (-0.4, -0.1), "shift": None,
        "p": 0.001, "exact": True, "wilcoxon": None, "adjusted": 0.004, "detectable": 0.125, "reason": "",
    }  # fmt: skip
    return Contrast(**{**told, **figures})


def hostile() -> Study:
    """Every kind of answer, with names nobody should trust."""
    base, other = HOSTILE[1], HOSTILE[2]
    group = Group(
        family="all", arm=base, metric=HOSTILE[0], unit="ratio", pooled=None, pooled_interval=None, mean=None,
        mean_interval=None, sessions=0, clusters=0, missing={HOSTILE[3]: 7},
    )  # fmt: skip
    return Study(
        name=HOSTILE[0], metrics_version=1,
        arms=(Arm(name=base, sessions=7, left_out={HOSTILE[4]: 2}), Arm(name=other, sessions=7, left_out={})),
        tasks={HOSTILE[5]: "explore", "b": "domain"}, problems=(Problem("warning", HOSTILE[0]),),
        groups=(group, msgspec.structs.replace(group, arm=other)),
        contrasts=(
            contrast("less"),
            contrast("more", after=0.75, interval=(0.1, 0.4)),
            contrast("open", p=0.4, adjusted=0.8, interval=(-0.4, 0.1)),
            contrast("same", after=0.5, interval=(0.0, 0.0), p=1.0, adjusted=1.0, detectable=0.0),
            contrast("five", clusters=(5, 5), p=0.06, adjusted=0.06, detectable=None),
            contrast("few", clusters=(3, 3), p=None, adjusted=None, interval=None, detectable=None,
                     reason=HOSTILE[3]),
            contrast("none", before=None, after=None, p=None, adjusted=None, interval=None, detectable=None,
                     paired=False, clusters=(0, 4), reason="a set has no value"),
            contrast("loose", paired=False, clusters=(9, 8), p=0.3, adjusted=0.9, detectable=None),
        ),
        positions=(
            Positions(family="all", base=base, other=other, before=(1, 8, 0), after=(9, 1, 0), divergence=0.6,
                      interval=(0.2, 0.9), chance=0.1, p=0.001, adjusted=0.01),
            Positions(family="explore", base=base, other=other, before=(0, 0, 0), after=(0, 0, 0),
                      divergence=None, interval=None, chance=None, p=None),
        ),
        guide=(HOSTILE[1], "p is p"),
    )  # fmt: skip


class Texts(Page):
    """The texts of a page, one a piece of markup."""

    def handle_data(self, data: str) -> None:
        super().handle_data(data)
        if not self._inside:
            self.__dict__.setdefault("texts", []).append(data.strip())


def lines(study: Study) -> str:
    """What the page of a study reads, a line a text."""
    found = Texts(render(page(study)))
    is_safe(found)
    assert not [tag for tag, _ in found.tags if tag == "script"]
    return "".join(f"{text}\n" for text in found.__dict__["texts"] if text)


def test_golden_of_hostile_names_and_every_answer() -> None:
    text = lines(hostile())
    path = GOLDEN / "hostile-study.txt"
    if os.environ.get("TRACELODE_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_what_cannot_be_told_is_said() -> None:
    text = lines(hostile())
    for word in (
        "cannot tell", "alike in every task", "cannot tell (below 6 pairs no difference reaches .05)",
        "not tested (a set has no value)", "not tested (nobody steps in in an arm)", "at other moments",
        "Not task by task, the arms share too few: loose.", "unknown",
    ):  # fmt: skip
        assert word in text.splitlines()


def test_it_says_what_the_command_says(arms: Path) -> None:
    study = study_files(arms / "study.yaml")
    text = lines(study)
    assert "The design holds." in text
    assert (
        "rules against plain, all tasks: less in rules: rollback_rate, unplanned, corrective; "
        "alike in every task: coverage; cannot tell: node_duration."
    ) in text
    assert "13 of 32 of plain, 12 of 32 of rules" in text
    assert "definitions version 1 · seed 0" in text
    for row in study.contrasts:
        if row.interval is not None and row.unit == "ratio":
            assert f"[{row.interval[0]:+.3f}, {row.interval[1]:+.3f}]" in text
    for group in study.groups:
        if group.pooled is not None and group.unit == "ratio":
            assert f"{group.pooled:.3f}" in text


def test_the_command_writes_it(run: fake.Run, arms: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    words = ("plan", "study", str(arms / "study.yaml"), "-o", str(target))
    assert run(*words) == (0, f"wrote {target}\n", "")
    assert target.stat().st_mode & 0o777 == 0o600
    is_safe(Page(target.read_bytes()))
    answer = json.loads(run(*words, "--json")[1])
    assert (answer["output"], answer["sound"], answer["arms"]) == (str(target), True, ["plain", "rules"])
    code, _, err = run("plan", "study", str(arms / "study.yaml"), "-o", str(tmp_path / "x.svg"))
    assert code == 2
    assert "FILE.html" in err


def test_a_design_that_fails_tells_no_difference(run: fake.Run, arms: Path, tmp_path: Path) -> None:
    path, target = arms / "off.yaml", tmp_path / "x.html"
    path.write_text((arms / "study.yaml").read_text().replace("{family: domain}", "{family: explore}", 9))
    code, out, _ = run("plan", "study", str(path), "-o", str(target))
    assert (code, out) == (4, f"wrote {target}: the design fails, no differences are told\n")
    words = Page(target.read_bytes()).words
    assert "The design fails: no difference is told." in words
    assert "1 task of family domain; 5 are needed" in words
    assert "Every arm" not in words
    assert run("plan", "study", str(path), "--describe", "-o", str(target))[0] == 4
    words = Page(target.read_bytes()).words
    assert "Figures of the arms stand below as they are." in words
    assert "rules minus plain" not in words
    assert "coverage" in words


@pytest.mark.xdist_group("browser")
def test_it_fits_every_screen(tmp_path: Path) -> None:
    target = tmp_path / "x.html"
    target.write_bytes(render(page(hostile())))
    with chromium() as browser:
        for width in (400, 1280, 2560):
            for scheme in ("light", "dark"):
                tab = Tab(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
                opened = tab.open(target)
                root = "document.documentElement"
                assert opened.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
                assert (tab.troubles, tab.asked) == ([], [target.as_uri()])
                assert opened.evaluate("window.bad") is None
