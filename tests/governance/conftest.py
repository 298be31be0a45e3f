"""A store of the samples that each test may spoil."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tracelode.workspace import demo


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store, imported once; nobody writes into it."""
    place = tmp_path_factory.mktemp("samples") / "s"
    demo(place, tz="UTC")._catalog.close()
    return place


@pytest.fixture
def store(samples: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(samples, tmp_path / "s"))
