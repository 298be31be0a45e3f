"""What is in a written page? A reader that shares no code with the writer."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """A page as a browser reads it.

    Args:
        data: the file.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._inside: str | None = None
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in self.raw:
            self.raw[tag].append("")
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside][-1] += data
        else:
            self.words += data

    @property
    def policy(self) -> dict[str, list[str]]:
        """The page's Content-Security-Policy."""
        (rule,) = [a["content"] for t, a in self.tags if t == "meta" and a.get("http-equiv")]
        return {words.split()[0]: words.split()[1:] for words in str(rule).split("; ")}

    @property
    def payloads(self) -> list[Any]:
        """Data of its flame graphs."""
        scripts = [a for t, a in self.tags if t == "script"]
        held = zip(scripts, self.raw["script"], strict=True)
        return [json.loads(text) for a, text in held if a.get("type") == "application/json"]


def is_safe(page: Page) -> None:
    """Assert that a page asks for nothing, and runs nothing but what its policy names by hash."""
    policy = page.policy
    assert policy["default-src"] == ["'none'"]
    assert policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert "'unsafe-inline'" not in [word for words in policy.values() for word in words]
    hashes = {kind: set(policy.get(f"{kind}-src", [])) for kind in page.raw}
    for kind, texts in page.raw.items():
        kinds = [a.get("type") for t, a in page.tags if t == kind]
        for text, type_ in zip(texts, kinds, strict=True):
            if type_ != "application/json":
                digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                assert f"'sha256-{digest}'" in hashes[kind]
    for tag, attributes in page.tags:
        assert tag not in {"img", "iframe", "object", "embed", "base", "form", "link"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src"):
                assert re.match("#", str(value))
