"""Is the flame graph honest, safe to open, and readable on a light and on a dark page?"""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest

from tracelode.errors import ExportError, UnknownMeasure
from tracelode.exports import svg as module
from tracelode.exports.svg import FILLS, SvgExporter
from tracelode.model.profile import Profile, fold
from tracelode.testing import export_profiles

from . import readers


def drawn(profile: Profile, exporter: SvgExporter | None = None) -> bytes:
    stream = io.BytesIO()
    (exporter or SvgExporter()).write(profile, stream)
    return stream.getvalue()


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colours(data: bytes, dark: bool) -> dict[str, str]:
    """Fill by selector, as a browser on such a page would see it."""
    style = ElementTree.fromstring(data).findtext("{http://www.w3.org/2000/svg}style", "")
    light, _, night = style.partition("@media(prefers-color-scheme:dark)")
    found = {}
    for part in (light, night) if dark else (light,):
        found.update(re.findall(r"(\.?\w+)\{[^{}]*?fill:(#\w{6})", part))
    return found


@pytest.mark.parametrize("dark", [False, True])
def test_contrast(dark: bool) -> None:
    found = colours(drawn(export_profiles()["ordinary"]), dark)
    frames = {name for name in found if re.fullmatch(r"\.(c\d+|r|o)", name)}
    assert len(frames) == len(FILLS) + 2
    for name in (*frames, ".page"):
        assert contrast(found["text"], found[name]) >= 7, name
    assert contrast(found[".note"], found[".page"]) >= 4.5
    assert (luminance(found[".page"]) < 0.1) == dark


@pytest.mark.parametrize("name", sorted(export_profiles()))
def test_nothing_runs_and_nothing_is_fetched(name: str) -> None:
    page = ElementTree.fromstring(drawn(export_profiles()[name]))
    tags = {element.tag.rpartition("}")[2] for element in page.iter()}
    assert tags <= {"svg", "style", "rect", "text", "title"}
    attributes = {key for element in page.iter() for key in element.attrib}
    assert not [key for key in attributes if key.startswith("on") or "href" in key]
    assert "url(" not in page.findtext("{http://www.w3.org/2000/svg}style", "")


def test_hostile_names_are_text() -> None:
    data = drawn(export_profiles()["hostile names"])
    titles = [frame["title"][0] for frame in readers.svg_frames(data)]
    assert "<script>&amp;</script>" in titles
    assert b"<script" not in data
    assert "\u241b[31mred\u2400" in titles
    assert "\ufffdevil" in titles


def test_tooltips_say_value_and_percent() -> None:
    frames = readers.svg_frames(drawn(export_profiles()["ordinary"]))
    assert frames[0]["title"] == ["all", "$5.27 · 100%"]
    assert ["Bash:pytest", "$2.31 · 44%"] in [frame["title"] for frame in frames]


def test_header_says_title_and_total_in_human_units() -> None:
    profile = export_profiles()["ordinary"]
    for measure, title, total in (
        (None, "Cost by intent › stage › tool", "$5.27"),
        ("tokens", "Tokens by intent › stage › tool", "tokens 9.4M"),
        ("time.active", "Active time by intent › stage › tool", "active 7 min 45"),
    ):
        texts = [
            t.text for t in ElementTree.fromstring(drawn(profile, SvgExporter(measure))).iter() if t.text
        ]
        assert title in texts
        assert total in texts


def test_width_is_value() -> None:
    frames = readers.svg_frames(
        drawn(fold([(("a",), (3,)), (("b",), (1,))], ("calls",)), SvgExporter(width=432))
    )
    assert [(frame["title"][0], round(frame["width"] + 1)) for frame in frames] == [
        ("all", 400),
        ("a", 300),
        ("b", 100),
    ]


def test_small_frames_are_summed_and_counted() -> None:
    rows = [(("big",), (100_000,))]
    rows += [(("small", f"s{i}", leaf), (3,)) for i in range(500) for leaf in ("x", "y")]
    frames = readers.svg_frames(drawn(fold(rows, ("tokens",))))
    names = [frame["title"][0] for frame in frames]
    # 500 frames and two below each, none of them two pixels wide.
    assert names == ["all", "big", "small", "(other 1,500): frames too small to draw"]
    assert [frame["value"] for frame in frames] == [103_000, 100_000, 3_000, 3_000]
    text = drawn(fold(rows, ("tokens",))).decode()
    assert "2 frames; 1,500 too small to draw, summed as (other n)" in text


def test_no_more_than_the_limit_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [((f"a{i % 40}", f"b{i % 200}", f"c{i}"), (1_000 + i,)) for i in range(2_000)]
    profile = fold(rows, ("tokens",))
    everything = readers.svg_frames(drawn(profile, SvgExporter(width=20_000)))
    assert len(everything) == 1 + 40 + 200 + 2_000
    monkeypatch.setattr(module, "NODES", 300)
    frames = readers.svg_frames(drawn(profile, SvgExporter(width=20_000)))
    others = [frame for frame in frames if frame["class"] == "o"]
    assert len(frames) - len(others) == 300
    counted = sum(int(re.findall(r"[\d,]+", frame["title"][0])[0].replace(",", "")) for frame in others)
    assert counted + 300 == len(everything)
    assert sum(readers.svg(drawn(profile, SvgExporter(width=20_000)))[""].values.values()) == profile.total()


def test_ties_at_the_limit_do_not_depend_on_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NODES", 20)
    rows = [((f"a{i % 7}", f"b{i}"), (5,)) for i in range(70)]
    profile = fold(rows, ("tokens",))
    turned = Profile(measures=profile.measures, totals=dict(reversed(profile.totals.items())))
    assert drawn(profile) == drawn(turned)


def test_a_title_is_text() -> None:
    page = ElementTree.fromstring(
        drawn(export_profiles()["ordinary"], SvgExporter(title='a\x00 <b> "c" & d'))
    )
    assert page.attrib["aria-label"] == 'a\u2400 <b> "c" & d: $5.27'


def test_a_frame_may_be_called_like_our_own() -> None:
    rows = [(("(other 2)",), (50_000,)), (("all",), (50_000,)), (("x",), (1,)), (("y",), (1,))]
    frames = readers.svg_frames(drawn(fold(rows, ("tokens",))))
    assert [(frame["title"][0], frame["class"] == "o") for frame in frames] == [
        ("all", False),
        ("(other 2)", False),
        ("all", False),
        ("(other 2): frames too small to draw", True),
    ]


def test_nothing_to_draw_is_said() -> None:
    assert b"nothing to draw: the total is 0" in drawn(export_profiles()["empty"])


def test_colour_follows_the_name() -> None:
    frames = readers.svg_frames(drawn(fold([(("a", "same"), (1,)), (("b", "same"), (1,))], ("calls",))))
    assert len({frame["class"] for frame in frames if frame["title"][0] == "same"}) == 1


def test_values_below_zero_are_refused() -> None:
    with pytest.raises(ExportError, match="below 0"):
        drawn(fold([(("a",), (-1,))], ("tokens",)))


def test_unknown_measure() -> None:
    with pytest.raises(UnknownMeasure, match=r"cost, time\.active, tokens|tokens"):
        drawn(export_profiles()["ordinary"], SvgExporter("token"))
