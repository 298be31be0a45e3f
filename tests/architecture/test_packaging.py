"""What is published installs and runs: wheel and source distribution, each in an empty environment."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from architecture import tree
from tracelode.cli import helptext

pytestmark = pytest.mark.xdist_group("packaging")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Output of a command that must succeed."""
    result = subprocess.run(
        [str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel and the source distribution, built from the files that belong to the project."""
    place = tmp_path_factory.mktemp("built")
    source = place / "source"
    for path in tree.files():
        target = source / path.relative_to(tree.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    # No isolation: the build backend is a development package, so nothing is fetched.
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place / "dist", source)
    return {
        "wheel": next((place / "dist").glob("*.whl")),
        "sdist": next((place / "dist").glob("*.tar.gz")),
    }


@pytest.mark.parametrize("kind", ["wheel", pytest.param("sdist", marks=pytest.mark.slow)])
def test_it_installs_and_runs(built: dict[str, Path], kind: str, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # Dependencies are borrowed from the environment of this run: nothing is fetched.
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(site, "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n", encoding="utf-8")
    flags = ("--no-deps", "--no-build-isolation", "--no-index", "--ignore-installed", "--quiet")
    run(python, "-m", "pip", "install", "--disable-pip-version-check", *flags, built[kind])
    command = tmp_path / "venv" / "bin" / "tracelode"
    assert run(command, "--help", cwd=tmp_path) == helptext.text()
    assert run(command, "--version", cwd=tmp_path).startswith("tracelode 0.")
    where = run(python, "-c", "import tracelode; print(tracelode.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(site)
    code = "from tracelode.pricing.table import PriceTable as T; print(T.load().find('claude-opus-4-5').id)"
    assert run(python, "-c", code, cwd=tmp_path).strip() == "claude-opus-4-5"
    assert "cost" in run(command, "demo", cwd=tmp_path)


def test_the_wheel_holds_the_package_and_nothing_else(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    ours = {p.relative_to(tree.ROOT / "src").as_posix() for p in tree.files() if tree.PACKAGE in p.parents}
    assert inside == ours
    assert {"tracelode/py.typed", "tracelode/cli/help.txt", "tracelode/pricing/prices.json"} <= inside


def test_the_source_distribution_can_be_tested(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as sdist:
        inside = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"Makefile", "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", ".importlinter"} <= inside
    assert any(name.startswith("tests/") for name in inside)
    assert {"tools/gen_docs.py", "tools/dev_requirements.py"} <= inside
