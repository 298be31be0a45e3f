"""Is every kind of place caught as a whole, and do its innocent relatives stay?"""

from __future__ import annotations

import json

import pytest

from redact.kinds import CAUGHT, EXACT
from redact.lookalikes import KEPT
from redact.samples import TOKENS, drawn
from tracelode.redact import fast, plain

ENGINES = [pytest.param(fast.redact_text, id="fast"), pytest.param(plain.redact_text, id="plain")]
CAUGHT_TEXTS = [
    pytest.param(text, id=f"{kind}-{i}") for kind in CAUGHT for i, text in enumerate(CAUGHT[kind])
]
KEPT_TEXTS = [pytest.param(text, id=f"{kind}-{i}") for kind in KEPT for i, text in enumerate(KEPT[kind])]


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize("text", CAUGHT_TEXTS)
def test_the_secret_goes(redact, text: str) -> None:
    for wrapped in (text, f"first\n{text}\nlast", f"{text}\n\n", f"```\n{text}\n```"):
        redacted = redact(wrapped)
        assert "swordfish" not in redacted
        assert "sw0rdfish" not in redacted
        assert "[secret:" in redacted
        assert redacted.count("\n") == wrapped.count("\n")
        assert redact(redacted) == redacted


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize("text", KEPT_TEXTS)
def test_what_only_looks_like_it_stays(redact, text: str) -> None:
    assert redact(text) == text
    assert redact(f"first\n{text}\nlast") == f"first\n{text}\nlast"


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize(("text", "expected"), EXACT)
def test_the_rest_stays_as_it_is(redact, text: str, expected: str) -> None:
    assert redact(text) == expected
    assert redact(f"a\n{text}\n") == f"a\n{expected}\n"


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize(("name", "token"), TOKENS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(TOKENS)])
def test_known_makes_behind_an_underscore(redact, name: str, token: str) -> None:
    redacted = redact(f"mcp__server__{token}")
    assert redacted.startswith("mcp__server__")
    assert f"[secret:{name}]" in redacted
    assert token[-12:] not in redacted


GLUED = (
    *("AKIA" + "ABCDEFGHIJKLMN27", "AIza" + drawn(35), "sk-or-v1-" + drawn(64, "0123456789abcdef")),
    *(
        "sk-proj-" + drawn(60),
        "npm_" + drawn(36),
        "hf_" + drawn(34),
        "gsk_" + drawn(52),
        "sk_live_" + drawn(24),
    ),
    *("ghp_" + drawn(36), "glpat-" + drawn(20), "xai-" + drawn(80), "sk-" + drawn(48)),
    "eyJ" + drawn(33) + ".eyJ" + drawn(80) + "." + drawn(43),
)


@pytest.mark.parametrize("redact", ENGINES)
@pytest.mark.parametrize("token", GLUED)
@pytest.mark.parametrize("before", ["key", "KEY", "x1"])
def test_known_makes_glued_to_a_word(redact, before: str, token: str) -> None:
    redacted = redact(f"see {before}{token}")
    assert redacted.startswith(f"see {before}[secret:")
    assert token[-12:] not in redacted


@pytest.mark.parametrize("redact", ENGINES)
def test_words_that_end_in_a_mark_stay(redact) -> None:
    for text in (
        "task-" + drawn(24, "0123456789abcdef"),
        "disk-0123456789abcdef0123456789abcdef",
        "_D6object14TypeInfo_Array8argTypesMFNbNfJC8TypeInfoJC8TypeInfoZi",
        "AAGGATATGCCATTCTAGACAGTTAACACACCAACAAAG",
        "MKVLAAGASIAGTWDELKQNPSTRVLLA",
        "monkey-0123456789abcdef0123456789abcde",
        "task_0123456789abcdef0123456789abcdef01234567",
    ):
        assert redact(text) == text


def test_names_of_tools_lose_keys() -> None:
    name = fast.Redactor().name("mcp__s__AKIA" + "ABCDEFGHIJKLMN27")
    assert name == "mcp__s__[secret:aws]"


def test_commands_given_as_lists() -> None:
    value = {
        "a": ["docker", "login", "-u", "bob", "-p", "swordfish"],
        "b": ["curl", "-u", "bob:swordfish", "https://x"],
        "c": ["mysql", "-pswordfish"],
        "d": ["ls", "-p", "swordfish"],
        "e": ["sh", "-c", "docker login -p swordfish"],
        "smtp_pass": "swordfish",
        "SSHPASS": "swordfish",
        "first_pass": "x",
        "bypass": "x",
    }
    assert json.loads(fast.Redactor().value(value, 10_000)) == {
        "a": ["docker", "login", "-u", "bob", "-p", "[secret:password]"],
        "b": ["curl", "-u", "bob:[secret:password]", "https://x"],
        "c": ["mysql", "-p[secret:password]"],
        "d": ["ls", "-p", "swordfish"],
        "e": ["sh", "-c", "docker login -p [secret:password]"],
        "smtp_pass": "[secret:password]",
        "SSHPASS": "[secret:password]",
        "first_pass": "x",
        "bypass": "x",
    }
