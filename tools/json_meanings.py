"""What does a key of an answer mean? The docstring of the noun's field that the code reads for it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from json_words import WORDS

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tracelode"
Texts = dict[str, str]

_NEAR = 0.3
"""Share of keys that an object and what it may be made of have at least in common."""


class Meanings:
    """Keys of answers and what they mean.

    Attributes:
        missing: places of which nothing is known.
        used: keys of WORDS that were needed.
    """

    def __init__(self) -> None:
        self.missing: set[str] = set()
        self.used: set[str] = set()
        trees = [
            ast.parse(path.read_text(encoding="utf-8"))
            for folder in ("model", "workspace", "cli")
            for path in sorted((PACKAGE / folder).glob("*.py"))
        ]
        self._fields = {
            node.name: _fields(node)
            for tree in trees
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
        }
        self._kinds: list[Texts] = [texts for texts in self._fields.values() if texts]
        for tree in trees:
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    self._kinds += self._made(node)

    def of(self, keys: frozenset[str], command: str, place: str) -> Texts:
        """Meanings of the keys of one object.

        Args:
            keys: all that were seen.
            command: what was asked.
            place: of the object in the answer.

        Returns:
            A text for each key; "" for the values of a map.
        """
        near = sorted(
            (kind for kind in self._kinds if _share(keys, kind) >= _NEAR),
            key=lambda kind: -_share(keys, kind),
        )
        found: Texts = {}
        for key in keys:
            where = f"{place}.{key}".lstrip(".")
            plain = where.replace("[]", "").replace(".{…}", "")
            tail = ".".join(plain.split(".")[-2:])
            own = [f"{command}:{plain}", *[plain, tail] * (plain != key)]
            first = next((word for word in own if word in WORDS), None)
            told = next((kind[key] for kind in near if kind.get(key)), "") if first is None else ""
            word = first or (key if not told and key in WORDS else None)
            self.used |= {word} if word else set()
            text = told or WORDS.get(word or "", "")
            if not text and key not in ("*", "schema_version"):
                self.missing.add(f"{command}:{where}")
            found[key] = _as_json(text)
        return found

    def _made(self, function: ast.FunctionDef) -> list[Texts]:
        """Objects that a function makes, with the docstrings of the fields it reads for their keys."""
        nouns = {a.arg: _noun(a.annotation) for a in (*function.args.args, *function.args.kwonlyargs)}
        made = []
        for node in ast.walk(function):
            if not isinstance(node, ast.Dict):
                continue
            texts: Texts = {}
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    texts[key.value] = self._read(value, nouns)
            if texts:
                made.append(texts)
        return made

    def _read(self, value: ast.expr, nouns: dict[str, str]) -> str:
        for node in ast.walk(value):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                noun = nouns.get(node.value.id, "")
                text = self._fields.get(noun, {}).get(node.attr)
                if text:
                    return text
        return ""


def _as_json(text: str) -> str:
    """What a noun says, said of the answer: null for None, a time for microseconds."""
    text = re.sub(r"UTC microseconds( since the epoch)?", "Time", text)
    return re.sub(r"\bNone\b", "null", text)


def _share(keys: frozenset[str], kind: Texts) -> float:
    return len(keys & kind.keys()) / len(keys | kind.keys())


def _noun(annotation: ast.expr | None) -> str:
    """The class that an annotation names first."""
    names = [n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)] if annotation else []
    return next((n for n in names if n[0].isupper()), "")


def _fields(node: ast.ClassDef) -> Texts:
    """Fields of a class that have a docstring below them, and its properties."""
    found: Texts = {}
    for here, after in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(here, ast.AnnAssign)
            and isinstance(here.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[here.target.id] = _line(str(after.value.value))
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and (doc := ast.get_docstring(item)):
            found.setdefault(item.name, _line(doc.split("\n\n")[0]))
    return found


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
