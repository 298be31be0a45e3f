"""Does a tool's input give the fields it holds, whatever the product calls them?"""

from __future__ import annotations

from typing import Any

import pytest

from tracelode.signals.arguments import argument_fields, asks_person, host_of, tool_kind


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({"command": "ls", "description": "look"}, {"command": "ls", "description": "look"}),
        ({"cmd": ["bash", "-lc", "ls | wc"]}, {"command": "ls | wc"}),
        ({"cmd": ["git", "commit", "-m", "a b"]}, {"command": "git commit -m 'a b'"}),
        ({"cmd": ["ls", 1]}, {}),
        ({"file_path": "a.py", "path": "b"}, {"path": "a.py"}),
        ({"absolute_path": "/a"}, {"path": "/a"}),
        ({"path": "two\nlines"}, {}),
        ({"url": "https://user:pw@Example.org:80/x?y"}, {"domain": "example.org"}),
        ({"run_in_background": True}, {"background": "1"}),
        ({"run_in_background": "yes", "command": 7, "path": None, "url": "nowhere"}, {}),
        ("text", {}),
        (None, {}),
    ],
)
def test_fields(given: Any, fields: dict[str, str]) -> None:
    assert argument_fields(given) == fields


def test_tools_that_are_more_than_tools() -> None:
    assert (tool_kind("TodoWrite"), tool_kind("update_plan"), tool_kind("Task")) == (
        "plan",
        "plan",
        "subagent",
    )
    assert tool_kind("anything else") == "tool"
    assert asks_person("ask_user")
    assert not asks_person("bash")


def test_an_address_without_a_scheme_has_no_host() -> None:
    assert (host_of("example.org/x"), host_of(5), host_of("ftp://a.b/c")) == (None, None, "a.b")
