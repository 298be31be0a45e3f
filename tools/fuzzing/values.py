"""What may stand in a hostile file: odd values, hostile words, secrets and bytes that are no text?"""

from __future__ import annotations

from typing import Any

CANARY = "QZXCANARY"
"""A word that stands in hostile strings and must never appear in a message."""
HOSTILE: tuple[str, ...] = (
    "",
    " ",
    "\x00",
    "\x1b[31mred\x1b[0m\x07",
    "\x1b]0;title\x07",
    "\u202eevil\u2066\u2069",
    "\u2028\u2029\x85",
    "\ufeffmark",
    "\ud800",
    "a\udfffb",
    "<script>alert(1)</script>",
    "</script><!--",
    "'\"><img src=x onerror=alert(1)>",
    "../../../../etc/passwd",
    "..\\..\\windows\\system32",
    "/dev/stdin",
    "C:\\Users\\a\\b",
    "file:///etc/passwd",
    "=cmd|' /C calc'!A0",
    "%s%n%x{0}{x!r}$HOME`id`",
    "'; DROP TABLE operations; --",
    "a;b\tc\rd\ne",
    "\U0001f600e\u0301\u05e9\u05dc",
    "NaN",
    "null",
    "{}",
    "[[]]",
    '{"a": 1}',
    "1e999",
    "-1",
    "0x10",
    "9" * 400,
    "2026-13-45T99:99:99Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "2026-10-05T09:00:00+99:99",
    "subagent",
    "tracelode",
)
"""Strings that mean something to somebody."""
NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    -(2**63),
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**64,
    10**30,
    1.5,
    -0.0,
    1e308,
    5e-324,
    1e18,
    float("nan"),
    float("inf"),
    -float("inf"),
    1_700_000_000,
    1_700_000_000_000,
    1_700_000_000_000_000_000,
)
"""Numbers at the ends of what JSON and a column can hold."""
OTHERS: tuple[Any, ...] = (
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None, 1],
    {"": ""},
    {"a": {"b": []}},
    [{}],
    [[{}]],
)
"""Values of another type."""
SECRETS: dict[str, tuple[str, str]] = {
    "github token": ("ghp_{n:036d}", "ghp_{n:036d}"),
    "anthropic key": (
        "sk-ant-api03-{n:040d}abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS-AA",
        "{n:040d}abcdef",
    ),
    "password in a url": ("https://bob:hunter{n:09d}xyz@example.org/repo.git", "hunter{n:09d}xyz"),
    "header": ("Authorization: Bearer tok{n:09d}QWERTYuiop1234567890", "tok{n:09d}QWERTY"),
    "e-mail": ("write to person{n:09d}@example.org today", "person{n:09d}"),
    "home folder": ("/home/sammy{n:09d}/src/app.py", "sammy{n:09d}"),
    "assignment": ("PASSWORD=correcthorse{n:09d}", "correcthorse{n:09d}"),
}
"""Kind to (text to plant, part of it that must not be found), both with a number."""
NOISE: tuple[bytes, ...] = (
    b"\x00",
    b"\x00" * 64,
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"}{",
    b"}",
    b"{",
    b'"',
    b"\\",
    b"\\u",
    b"\\ud800",
    b"[" * 300,
    b'{"a":' * 300,
    b"]",
    b",",
    b"\n",
    b"\r",
    b"\r\n",
    b"\x85",
    b"\xe2\x80\xa8",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"PK\x03\x04",
)
"""Bytes that readers stumble over."""
GARBAGE: tuple[bytes, ...] = (b"\x00\xff\xfe not json", b"}", b'{"type":', b"hello world", b'"', b"{]")
"""Lines that no format can read."""
