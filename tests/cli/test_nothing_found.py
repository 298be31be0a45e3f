"""Does every command that finds nothing say why, with exit code 3, to people and to programs alike?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import fake
from paired_runs import Told, paired
from tracelode.cli.app import COMMANDS

NO_MATCH = ("--where", "project=~/none")
MODEL = ("--with", "llm", "--backend", "agent", "--agent", "claude")
EMPTY: list[tuple[str, ...]] = [
    ("--no-import",),
    ("sessions",),
    ("show", "abc"),
    ("report", "-o", "{out}.html"),
    ("top",),
    ("tree",),
    ("peek", "x"),
    ("flame",),
    ("diff", "--by", "outcome"),
    ("compare", "model=a", "model=b"),
    ("export", "-o", "{out}.folded"),
    ("rank",),
    ("guide",),
    ("loops",),
    ("segment", "abc"),
    ("segment", *MODEL, "--dry-run"),
    ("annotate", "export", "--sample", "3", "-o", "{out}"),
    ("annotate", "review", "-o", "{out}", "--sample", "3"),
    ("annotate", "history"),
    ("plan", "check"),
    ("plan", "metrics"),
    ("plan", "timeline"),
    ("plan", "export", "-o", "{out}.jsonl"),
    ("audit", "cost"),
    ("outcome", "set", "abc", "success"),
    ("import", "{out}.none"),
    ("intents",),
    ("compile",),
    ("compile", "nobody"),
    ("verify", "nobody"),
    ("explain", "e1", "nobody"),
]
"""What finds nothing in a workspace of nothing."""
FILLED: list[tuple[str, ...]] = [
    (*NO_MATCH,),
    ("sessions", *NO_MATCH),
    ("show", "nobody"),
    ("show", "a1#99"),
    ("report", "-o", "{out}.html", *NO_MATCH),
    ("top", *NO_MATCH),
    ("tree", *NO_MATCH),
    ("peek", "nothing-matches-this"),
    ("peek", "x", *NO_MATCH),
    ("flame", *NO_MATCH),
    ("flame", *NO_MATCH, "-o", "{out}.svg"),
    ("diff", "--by", "outcome", *NO_MATCH),
    ("diff", "agent=none", "agent=bot"),
    ("diff", "agent=bot", "agent=none"),
    ("diff", "outcome=failed", "outcome=succeeded", "--pair", "project"),
    ("diff", "--by", "outcome", "--measure", "time.active", "--pair", "project"),
    ("diff", "--by", "outcome", "--measure", "bytes.written"),
    ("diff", "--by", "outcome", "--held-out", *NO_MATCH),
    ("diff", "--by", "outcome", "--sensitivity", *NO_MATCH),
    ("compare", "agent=none", "agent=bot"),
    ("compare", "outcome=failed", "outcome=succeeded", "--pair", "project"),
    ("compare", "outcome=failed", "outcome=succeeded", "--measure", "bytes.written"),
    ("export", "-o", "{out}.folded", *NO_MATCH),
    ("rank", *NO_MATCH),
    ("rank", "nobody"),
    ("rank", "--direct", "score={out}.scores.csv"),
    ("guide", *NO_MATCH),
    ("guide", "--direct", "score={out}.scores.csv"),
    ("loops", *NO_MATCH),
    ("segment", "nobody"),
    ("segment", "nobody", *MODEL, "--dry-run"),
    ("annotate", "export", "-o", "{out}", *NO_MATCH),
    ("annotate", "review", "-o", "{out}", *NO_MATCH),
    ("annotate", "review", "nobody", "-o", "{out}"),
    ("annotate", "history"),
    ("plan", "metrics", "nobody"),
    ("plan", "metrics", "nobody", "-o", "{out}.html"),
    ("plan", "timeline", "nobody"),
    ("audit", "cost", *NO_MATCH),
    ("outcome", "set", "nobody", "success"),
    ("outcome", "import", "{out}.outcomes.csv"),
    ("intents", *NO_MATCH),
    ("compile", *NO_MATCH),
    ("compile", "--all", *NO_MATCH),
    ("compile", "nobody"),
    ("verify", "nobody"),
    ("explain", "e1", "nobody"),
    ("gc", "--forget", "nobody-at-all"),
]
"""What finds nothing in a workspace that holds sessions."""
ALWAYS_SOMETHING = {
    "demo", "record", "rename", "doctor", "run", "completion", "access", "redact", "watch"
}  # fmt: skip
"""Commands whose answer is never nothing: samples, a run, counts that may be 0, a script."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nothing")
    runs = [Told(f"a{t}", f"t{t}", "success", ("git status",)) for t in range(3)]
    runs += [Told(f"b{t}", f"t{t}", "failure", ("git log", "pytest -q")) for t in range(3)]
    paired(folder, runs)
    (folder / "none").mkdir()
    return folder


def told(run: fake.Run, store: Path, out: Path, words: tuple[str, ...]) -> None:
    out.with_name("out.scores.csv").write_text("session,operation,score\na1,1,high\n,,\n")
    out.with_name("out.outcomes.csv").write_text("session,outcome\nnobody,success\n")
    line = [word.replace("{out}", str(out)) for word in words] + ["--store", str(store)]
    code, said, err = run(*line)
    assert (code, said if words[:1] != ("import",) else "") == (3, ""), err
    assert len(err.splitlines()) >= 1
    reason = err.split("tracelode: ")[-1]
    code, said, err = run(*line, "--json")
    assert code == 3, err
    answer = json.loads(said)
    assert answer["schema_version"] == 1
    assert "".join(answer["reason"].split()) in "".join(reason.split())
    assert len(answer["reason"]) > 20


@pytest.mark.parametrize("words", EMPTY, ids=" ".join)
def test_in_an_empty_workspace(run: fake.Run, folder: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    told(run, folder / "none", tmp_path / "out", words)


@pytest.mark.parametrize("words", FILLED, ids=" ".join)
def test_in_a_filled_workspace(run: fake.Run, folder: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    told(run, folder / "store", tmp_path / "out", words)


def test_every_command_is_asked() -> None:
    asked = {words[0] for words in (*EMPTY, *FILLED) if not words[0].startswith("-")}
    assert asked | ALWAYS_SOMETHING == {name for _, name, _, _ in COMMANDS}
