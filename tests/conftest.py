"""What every test stands on: nobody's own history, one time zone, repeatable examples."""

from __future__ import annotations

import gc
import os
import signal
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import settings

_FOREIGN = ("TRACELODE_STORE", "TRACELODE_DEBUG", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "FORCE_COLOR", "COLUMNS")

settings.register_profile("ci", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("local", deadline=None, max_examples=25)


def pytest_configure() -> None:
    """Give the run a home folder of its own, so that no test can read or write a person's files."""
    home = Path(tempfile.mkdtemp(prefix="tracelode-home-"))
    for name in list(os.environ):
        if name in _FOREIGN or name.startswith("XDG_"):
            del os.environ[name]
    os.environ.update(HOME=str(home), TZ="UTC", NO_COLOR="1", TERM="dumb")
    time.tzset()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # as a shell starts what runs in the background; the commands under test would inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Tests that take long for what they find are left out, unless they are asked for."""
    parser.addoption("--slow", action="store_true", help="run the tests marked slow as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out."""
    if not config.getoption("--slow"):
        left = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """Thousands of collected tests are no garbage: whoever collects in a test need not look at them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def project() -> Path:
    """Root folder of the project."""
    return Path(__file__).resolve().parent.parent
