"""Is every count with a noun said so that 1 of it reads right?"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/tracelode"
FOLDERS = ("cli", "workspace", "profile")
NOUNS = re.compile(
    r" (?:\w+ )?(?:sessions|operations|calls|tasks|files|stacks|groups|runs|rows|pairs|lines|values|models|"
    r"reasons|levels|cuts|stages|ops|names|problems|questions|sub-agents|forks|marks|words|segments|cells|scores)\b"
)
SEVERAL = {
    # of what there is a total that is said with its own noun, or that is at least two where the text is said
    "cli/board.py": {" calls have no final count: at least this"},
    "cli/doctor.py": {" calls (", " sessions in the prompt history"},
    "cli/keys.py": {
        " sessions (",
        " names a sub-agent, and session is the root session with all of its sub-agents; "
        "write it as --where session=",
    },
    "cli/record.py": {" sessions were"},
    "cli/ranking_text.py": {" scores are", " of operations that are not ranked here"},
    "cli/view.py": {" names no "},
    "profile/marks.py": {" words; at most ", " names; at most ", " marks; a session takes at most "},
    "profile/packets/lines.py": {" operations that look like their neighbours share lines (x N)"},
    "profile/pairs.py": {" sessions on both sides, "},
    "profile/score/partition.py": {" operations lie in [1, "},
    "profile/score/permutation.py": {" sessions beside "},
    "profile/score/tally.py": {" sessions; pass one each"},
    "workspace/annotating.py": {" operations or more"},
    "workspace/writing.py": {" names no format; known: "},
    "workspace/asking.py": {" sessions begin with "},
    "workspace/comparing.py": {" versions of rules; tracelode import names them alike"},
    "workspace/annotating_files.py": {" marks files; at most "},
}
"""File to the texts behind a count that is never 1."""
COUNTS = {"number", "counted", "_number", "count"}
"""Functions that say a count; count() is of tokens and other large figures."""


def said(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, text) of every text that stands behind a count and begins with a noun in its plural."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, after in zip(node.values, node.values[1:], strict=False):
            if not (isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant)):
                continue
            call = value.value
            name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
            limit = isinstance(call, ast.Name) and call.id.isupper()
            if name not in COUNTS and not limit and NOUNS.match(str(after.value)):
                found.append((node.lineno, str(after.value)))
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_counts_have_their_noun_from_one_place(folder: str) -> None:
    wrong = []
    for path in sorted((SOURCE / folder).rglob("*.py")):
        name = str(path.relative_to(SOURCE))
        for line, text in said(ast.parse(path.read_text(encoding="utf-8"))):
            if text not in SEVERAL.get(name, set()):
                wrong.append(f"{name}:{line} {text!r}")
    assert not wrong, "say it with number(): " + "; ".join(wrong)


def test_it_sees_a_count() -> None:
    assert said(ast.parse('f"{len(x):,} operations of it"')) == [(1, " operations of it")]
    assert not said(ast.parse("f\"{number(n, 'operation')} of {x}\""))
