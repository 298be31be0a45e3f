"""Do files of a difference hold both sides, sum, and read in pprof itself with signs?"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from tracelode.errors import UsageError
from tracelode.exports import pprof
from tracelode.model.difference import Difference
from tracelode.profile.diff import difference
from tracelode.profile.pairs import Run
from tracelode.workspace.signed import write_difference

from . import readers

SVG = "{http://www.w3.org/2000/svg}"


def made(measure: str = "cost", per: str = "task") -> Difference:
    base = [Run(f"a{i}", f"t{i % 3}", {("fix", "Bash"): 2_000 + i, ("fix", "<&>"): 900}) for i in range(6)]
    other = [Run(f"b{i}", f"t{i % 3}", {("fix", "Bash"): 500, ("test; all",): 7_000}) for i in range(5)]
    found = difference(base, other, measure=measure, names=("succeeded", "failed"), per=per)
    return msgspec.structs.replace(found, comments=("a comment",), fields=("stage", "tool"))


def written(found: Difference, format: str) -> bytes:
    stream = io.BytesIO()
    write_difference(found, stream, format)
    return stream.getvalue()


@pytest.mark.parametrize("per", ["task", "session", "total"])
def test_every_file_holds_the_same_integers(per: str) -> None:
    found = made("tokens", per)
    bases, others = found.integers()
    rows = {row.stack: (b, o) for row, b, o in zip(found.rows, bases, others, strict=True)}
    folded = written(found, "folded").decode().splitlines()
    assert len(folded) == 3
    assert f"fix;Bash {rows['fix', 'Bash'][0]} {rows['fix', 'Bash'][1]}" in folded
    answer = json.loads(written(found, "json"))
    assert {tuple(r["stack"]): (r["base"], r["other"]) for r in answer["rows"]} == rows
    assert sum(r["net"] for r in answer["rows"]) == answer["total"]["net"] == sum(others) - sum(bases)
    table = list(csv.DictReader(io.StringIO(written(found, "csv").decode())))
    assert [(int(r["base"]), int(r["other"])) for r in table] == [rows[row.stack] for row in found.rows]
    assert {row["net"] for row in table} == {str(o - b) for b, o in rows.values()}


def test_json_money_and_support() -> None:
    answer = json.loads(written(made(), "json"))
    row = next(r for r in answer["rows"] if r["stack"] == ["test; all"])
    assert (row["base_sessions"], row["other_sessions"], row["tasks"]) == (0, 5, 3)
    assert (row["only"], row["supported"], row["base_share"]) == ("other", True, 0.0)
    assert row["other_dollars"] == "0.000000021"
    assert answer["weight"] == 3


def test_pprof_samples_are_signed_and_labelled() -> None:
    found = readers.pprof_file(written(made("tokens"), "pprof")).samples
    signs = {(stack, dict(labels).get("pprof::base")): values[0] for stack, values, labels in found}
    assert all((value < 0) == (base == "true") for (_, base), value in signs.items())
    assert (("test; all",), None) in signs


def test_signs_survive_where_samples_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pprof, "LABELLED", 2)
    monkeypatch.setattr(pprof, "LARGEST", 0)
    found = readers.pprof_file(written(made("tokens"), "pprof")).samples
    assert {dict(labels).get("pprof::base") for _, values, labels in found if values[0] < 0} == {"true"}
    assert all(values[0] < 0 for _, values, labels in found if labels)


needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not on PATH")


@needs_go
def test_go_pprof_shows_net_values_of_the_base(tmp_path: Path) -> None:
    found = made("tokens")
    (tmp_path / "d.pb.gz").write_bytes(written(found, "pprof"))
    run = subprocess.run(
        ["go", "tool", "pprof", "-top", "-nodefraction=0", "d.pb.gz"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PPROF_TMPDIR": str(tmp_path)},
    )
    assert run.returncode == 0, run.stderr
    rows = {
        name: int(value) for value, name in re.findall(r"^ *(-?\d+)tokens .*%  (\S.*)$", run.stdout, re.M)
    }
    net = {row.stack[-1]: o - b for row, b, o in zip(found.rows, *found.integers(), strict=True)}
    assert {name: rows[name] for name in net} == net
    base = sum(found.integers()[0])
    assert f"of {base}tokens total" in run.stdout


def test_svg_colours_by_sign_and_support() -> None:
    found = made("tokens")
    root = ElementTree.fromstring(written(found, "svg"))
    frames = {
        (f.findtext(f"{SVG}title") or "").split("\n")[0]: f
        for f in root.iter(f"{SVG}svg")
        if f.get("data-net")
    }
    assert {name: frame.get("class") for name, frame in frames.items()} == {
        "all": "more", "fix": "less", "Bash": "less", "<&>": "less", "test; all": "more",
    }  # fmt: skip
    widths = {name: float(frame.get("width") or 0) for name, frame in frames.items()}
    for frame in frames.values():
        bar = next(r for r in frame.iter(f"{SVG}rect") if r.get("class") == "net")
        assert float(bar.get("width") or 0) <= float(frame.get("width") or 0) + 0.01
    assert widths["fix"] + widths["test; all"] == pytest.approx(widths["all"], abs=2)
    texts = " ".join(root.itertext())
    assert "more in failed" in texts
    assert "more in succeeded" in texts
    assert "<script" not in written(found, "svg").decode()
    thin = msgspec.structs.replace(found, least=(99, 1))
    shades = re.findall(r'<svg class="(\w+)" x=', written(thin, "svg").decode())
    assert shades == ["more", "same", "same", "same", "same"]


def test_an_empty_difference_draws_nothing() -> None:
    found = msgspec.structs.replace(made(), rows=(), support={})
    assert "nothing to draw" in written(found, "svg").decode()
    assert written(found, "folded") == b""


def test_formats_go_by_suffix(tmp_path: Path) -> None:
    write_difference(made(), tmp_path / "x.PB.GZ", None)
    assert (tmp_path / "x.PB.GZ").read_bytes()[:2] == b"\x1f\x8b"
    with pytest.raises(UsageError, match=r"by the suffix of 'x.xlsx'; use one of .pb.gz"):
        write_difference(made(), tmp_path / "x.xlsx", None)
    with pytest.raises(UsageError, match="no format 'parquet' for differences"):
        write_difference(made(), tmp_path / "x", "parquet")
