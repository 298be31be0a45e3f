"""Does every source keep the port's promises? One test for all: a sample of ours and a golden each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracelode import registry
from tracelode.testing import check_source

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", registry.names("sources"))
def test_source(name: str) -> None:
    (sample,) = (HERE / "samples").glob(f"{name}.*")
    others = [registry.load("sources", other) for other in registry.names("sources") if other != name]
    check_source(registry.load("sources", name), sample, HERE / "golden" / f"{name}.json", others)
