"""Which addresses and keys are taken, and which backend do settings mean?"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from tracelode.errors import UsageError
from tracelode.model.asked import Backend
from tracelode.providers.agent_cli import AgentCli
from tracelode.providers.anthropic_api import Anthropic
from tracelode.providers.choose import provider
from tracelode.providers.failures import wait_of
from tracelode.providers.openai_api import OpenAI
from tracelode.providers.places import checked_url, is_loopback, key_of


@pytest.mark.parametrize(
    "url",
    [
        "https://host/v1",
        "http://127.0.0.1:11434/v1",
        "http://localhost/v1/",
        "http://[::1]:80",
        "http://127.8.8.8",
    ],
)
def test_addresses_that_are_taken(url: str) -> None:
    assert checked_url(url, insecure=False) == url.rstrip("/")


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://host/v1", "--insecure"),
        ("http://127.0.0.1.example.com/v1", "--insecure"),
        ("http://localhost.example.com/", "--insecure"),
        ("https://user:word@host/v1", "--key-env"),
        ("http://127.0.0.1@host.example/", "--key-env"),
        ("https://host/v1?key=x", "query"),
        ("ftp://host/", "https://"),
        ("file:///etc/passwd", "https://"),
        ("host/v1", "https://"),
        ("https://", "https://"),
        ("http://[::1", "no address"),
        ("https://host:port/", "no address"),
    ],
)
def test_addresses_that_are_not(url: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        checked_url(url, insecure=False)


def test_plain_http_to_another_machine_only_where_it_is_wanted() -> None:
    assert checked_url("http://host/v1", insecure=True) == "http://host/v1"
    assert not is_loopback("")


def test_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USUAL", " usual\n")
    monkeypatch.setenv("OWN", "own")
    assert key_of(None, "USUAL", vendor=True) == "usual"
    assert key_of(None, "USUAL", vendor=False) == ""
    assert key_of("OWN", "USUAL", vendor=False) == "own"
    monkeypatch.setenv("USUAL", "")
    with pytest.raises(UsageError, match="USUAL is not set"):
        key_of(None, "USUAL", vendor=True)
    with pytest.raises(UsageError, match="NOWHERE is not set"):
        key_of("NOWHERE", "USUAL", vendor=False)
    monkeypatch.setenv("OWN", "two\nlines")
    with pytest.raises(UsageError, match="line break"):
        key_of("OWN", "USUAL", vendor=True)


def test_a_key_in_place_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        key_of("sk-secret-of-somebody", "USUAL", vendor=True)
    assert "secret" not in str(caught.value)


def test_backends() -> None:
    assert isinstance(provider(Backend(name="openai", model="m")), OpenAI)
    assert isinstance(provider(Backend(name="anthropic", model="m")), Anthropic)
    assert isinstance(provider(Backend(name="agent", agent="claude")), AgentCli)
    local = provider(Backend(name="openai", model="m", base_url="http://127.0.0.1:1/v1"))
    assert isinstance(local, OpenAI)
    assert not local.vendor


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (Backend(name="magic"), "known: openai, anthropic, agent"),
        (Backend(name="openai"), "needs --model"),
        (Backend(name="openai", model="m", agent="claude"), "--backend agent"),
        (Backend(name="anthropic", model="m", command="x"), "--backend agent"),
        (Backend(name="agent"), "either --agent"),
        (Backend(name="agent", agent="claude", command="x"), "either --agent"),
        (Backend(name="agent", agent="magic"), "known: claude, codex"),
        (Backend(name="agent", command="x", model="m"), "into the command"),
        (Backend(name="agent", agent="claude", base_url="https://host"), "nothing to an agent"),
        (Backend(name="agent", agent="claude", model="--dangerous"), "hyphen"),
        (Backend(name="agent", command="'x"), "quotation"),
        (Backend(name="agent", command="  "), "empty"),
    ],
)
def test_settings_that_do_not_go_together(given: Backend, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        provider(given)


@pytest.mark.parametrize("backend", ["openai", "anthropic"])
def test_a_package_that_is_not_there(backend: str) -> None:
    code = (
        f"import sys; sys.modules[{backend!r}] = None\n"
        "from tracelode.errors import MissingExtra\n"
        "from tracelode.model.asked import Backend\n"
        "from tracelode.providers.choose import provider\n"
        f"made = provider(Backend(name={backend!r}, model='m', base_url='http://127.0.0.1:9'))\n"
        "try: made.ready()\n"
        "except MissingExtra as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"{backend} is not installed; run: pip install 'tracelode[{backend}]'\n"


def test_waits() -> None:
    now = datetime(2026, 10, 21, 7, 28, tzinfo=UTC)
    assert wait_of({"retry-after": "12"}) == 12
    assert wait_of({"retry-after-ms": "1500", "retry-after": "12"}) == 1.5
    assert wait_of({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"}, now) == 30
    assert wait_of({"retry-after": "Wed, 21 Oct 2026 07:00:00 GMT"}, now) == 0
    for odd in ("", "-3", "soon", "1e9", "nan", "9" * 400):
        assert wait_of({"retry-after": odd}) is None
