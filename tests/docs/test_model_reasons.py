"""Does the page on asking a model name every reason for which a session gets no marks, and no other?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = ("src/tracelode/providers", "src/tracelode/profile/model_cut", "src/tracelode/workspace/model_cut.py")


def texts(node: ast.AST) -> set[str]:
    """Every plain text that a value may be."""
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def in_code() -> set[str]:
    """What `kind` and `reason` are set to wherever a model is asked."""
    found: set[str] = set()
    for place in CODE:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in ("ProviderError", "Outcome"):
                    for word in node.keywords:
                        if word.arg in ("kind", "reason"):
                            found |= texts(word.value)
                elif isinstance(node, ast.Assign):
                    for target in node.targets:
                        names = target.elts if isinstance(target, ast.Tuple) else [target]
                        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                        for name, value in zip(names, values, strict=False):
                            if isinstance(name, ast.Name) and name.id in ("kind", "reason"):
                                found |= texts(value)
    return {text for text in found if re.fullmatch("[a-z_]+", text)}


def test_the_page_names_every_reason() -> None:
    page = (ROOT / "docs/ask-a-model.md").read_text(encoding="utf-8")
    table = page.partition("| reason |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == in_code()
    errors = (ROOT / "src/tracelode/errors.py").read_text(encoding="utf-8")
    kinds = (
        errors.partition("class ProviderError")[2]
        .partition("kind: ")[2]
        .partition("\n        retry_after")[0]
    )
    assert set(re.findall(r"\w+", kinds)) - {"or"} == in_code() - {"invalid", "budget", "stopped"}
