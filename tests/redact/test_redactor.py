"""Does the choke point keep its promises: modes, paths, names, previews, nested values?"""

from __future__ import annotations

import json
import pickle
import time

import pytest

from redact.samples import drawn
from tracelode.errors import UsageError
from tracelode.redact.fast import MODES, Redactor
from tracelode.redact.window import cut

SUMMARY = Redactor()


def test_unknown_mode_is_refused_without_repeating_it() -> None:
    with pytest.raises(UsageError, match="summary, metadata, full") as caught:
        Redactor("loud")
    assert "loud" not in str(caught.value)


def test_modes() -> None:
    text = "password=swordfish " + "x" * 9_000
    whole = "password=[secret:password] " + "x" * 9_000
    results = {mode: Redactor(mode) for mode in MODES}
    assert results["summary"].text(text) == whole
    assert results["full"].text(text) == whole
    assert results["metadata"].text(text) == ""
    assert results["summary"].preview(text, 100) == cut(whole, 100, 0, len(text))
    assert results["full"].preview(text, 100) == whole
    assert results["metadata"].preview(text, 100, 100) == ""
    assert results["metadata"].value({"a": 1}, 100) == ""
    assert results["full"].value({"a": "x" * 500}, 100) == json.dumps({"a": "x" * 500}, separators=(",", ":"))
    for redactor in results.values():
        assert redactor.path("/home/alice/x") == "~/x"
        assert redactor.name("bob@example.com") == "[email]"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/alice/src/a.py", "~/src/a.py"),
        ("/Users/alice", "~"),
        ("/root/a", "~/a"),
        ("C:\\Users\\alice\\src\\a.py", "~/src/a.py"),
        ("C:\\Users\\John Smith\\a.py", "~/a.py"),
        ("/c/Users/alice/a", "~/a"),
        ("/mnt/c/Users/alice/a", "~/a"),
        ("\\\\wsl.localhost\\Ubuntu\\home\\alice\\a", "~/a"),
        ("-home-alice-src", "~-src"),
        ("/work/app/src/a.py", "/work/app/src/a.py"),
        ("D:\\build\\a.py", "D:/build/a.py"),
        ("", ""),
    ],
)
def test_paths(path: str, expected: str) -> None:
    assert SUMMARY.path(path) == expected


def test_names_are_short_single_lines() -> None:
    assert SUMMARY.name("mcp__server__tool") == "mcp__server__tool"
    assert SUMMARY.name("feat/a\nb\x00\x1b[31mc\u202ed") == "feat/a b [31mc d"
    assert len(SUMMARY.name("x" * 100_000)) == 200
    assert SUMMARY.name("fix-" + "ghp_" + drawn(36)) == "fix-[secret:github]"


def test_preview_tells_how_much_is_left_out() -> None:
    assert SUMMARY.preview("a" * 10, 4, 4) == "aaaa\n…[2 characters]…\naaaa"
    assert SUMMARY.preview("a" * 10, 4) == "aaaa\n…[6 characters]…"
    assert SUMMARY.preview("a" * 10, 5, 5) == "a" * 10
    assert SUMMARY.preview("pw=1 password=ab", 16) == "pw=1 password=ab"
    assert SUMMARY.preview("pw=1 password=abc", 16) == "pw=1 password=[s\n…[1 characters]…"


def test_a_secret_across_the_cut_is_not_halved() -> None:
    token = "ghp_" + drawn(36)
    for at in range(960, 1_001):
        text = "x" * (at - 1) + " " + token + " " + "y" * 20_000
        assert token[:8] not in SUMMARY.preview(text, 1_000)
        assert token[-8:] not in SUMMARY.preview(text[::-1].replace(token[::-1], token), 0, 1_000)


def test_values_are_redacted_and_keys_judged() -> None:
    value = {
        "password": "swordfish",
        "api_key": {"nested": ["swordfish"]},
        "Authorization": "swordfish",
        "cookie": ["a", "b"],
        "clientSecret": 12345,
        "empty": "",
        "token": "",
        "max_tokens": 100,
        "next_token": "abc",
        "command": "curl -u bob:swordfish https://x",
        "cwd": "/home/alice/x",
        "/home/alice/key": [True, None, 1.5],
        "env": [{"name": "DB_PASSWORD", "value": "swordfish"}, {"name": "MODE", "value": "fast"}],
        "argv": ["tool", "--password", "swordfish", "--verbose", "x"],
        "mail": "bob@example.com",
    }
    assert json.loads(SUMMARY.value(value, 10_000)) == {
        "password": "[secret:password]",
        "api_key": "[secret:api-key]",
        "Authorization": "[secret:authorization]",
        "cookie": "[secret:cookie]",
        "clientSecret": "[secret:secret]",
        "empty": "",
        "token": "",
        "max_tokens": 100,
        "next_token": "abc",
        "command": "curl -u bob:[secret:password] https://x",
        "cwd": "~/x",
        "~/key": [True, None, 1.5],
        "env": [{"name": "DB_PASSWORD", "value": "[secret:password]"}, {"name": "MODE", "value": "fast"}],
        "argv": ["tool", "--password", "[secret:password]", "--verbose", "x"],
        "mail": "[email]",
    }


def test_value_is_cut_after_redaction() -> None:
    value = {"a": "x" * 50, "password": "swordfish", "b": ["y" * 5_000] * 3, "c": 'quote " and \n feed'}
    whole = SUMMARY.value(value, 1_000_000)
    assert json.loads(whole)["password"] == "[secret:password]"
    for limit in range(200):
        assert SUMMARY.value(value, limit) == whole[:limit] + "…"
    assert SUMMARY.value(value, len(whole)) == whole
    assert SUMMARY.value("text", 100) == '"text"'
    assert SUMMARY.value(None, 100) == "null"


def test_value_survives_depth_and_odd_types() -> None:
    deep: object = "x"
    for _ in range(3_000):
        deep = [deep]
    assert SUMMARY.value(deep, 100_000).count("[") == 101
    assert SUMMARY.value({"when": b"ab", 3: (1, 2)}, 100) == '{"when":"b\'ab\'","3":[1,2]}'


def test_large_texts_cost_only_their_windows() -> None:
    text = "def f(x):\n    return x + 1  # plain\n" * 300_000
    SUMMARY.preview(text, 500, 500)
    begin = time.process_time()
    for _ in range(20):
        SUMMARY.preview(text, 500, 500)
        SUMMARY.value({"content": text}, 1_000)
    assert time.process_time() - begin < 0.2, "20 previews of 10 MB took as long as reading them whole"


def test_redactor_travels_to_workers() -> None:
    redactor = pickle.loads(pickle.dumps(Redactor(home_names=["alice"])))
    assert redactor.text("/srv/alice/x") == "~/x"
