"""Is a number that Python would take, and nobody means, refused wherever one is typed or read?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import fake
from paired_runs import Told, paired
from tracelode.model.numbers import decimal, whole

ODD = ["1_0", "٣", "１０", "0x10", " 3", "3 ", "1e", "", "--1", "1__0", "1,000", "½", "1.5.2"]
SETS = ("outcome=failed", "outcome=succeeded", "--measure", "tokens")
ANSWERS = ("segment", "--with", "llm", "--backend", "agent", "--agent", "claude", "--dry-run")
COUNTS = [
    ("top", "--nodecount"), ("top", "--nodefraction"), ("rank", "--limit"), ("guide", "--groups"),
    ("guide", "--budget"), ("guide", "--examples"), ("loops", "--least"), ("loops", "--limit"),
    ("audit", "cost", "--limit"), ("diff", *SETS, "--seed"), ("diff", *SETS, "--least-tasks"),
    ("diff", *SETS, "--least-sessions"), ("compare", *SETS, "--seed"),
    ("compare", *SETS, "--hold", "success", "--margin"), ("segment", "--granularity"),
    ("annotate", "export", "-o", "out", "--sample"), ("annotate", "export", "-o", "out", "--seed"),
    ("annotate", "export", "-o", "out", "--budget"), (*ANSWERS, "--jobs"), (*ANSWERS, "--timeout"),
    (*ANSWERS, "--budget-tokens"), (*ANSWERS, "--budget-cost"),
]  # fmt: skip
"""Every option that takes a number."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("numbers")
    paired(folder, [Told("a", "t", "success", ("git status",)), Told("b", "t", "failure", ("git log",))])
    return str(folder / "store")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("words", COUNTS, ids=lambda words: f"{words[0]} {words[-1]}")
def test_on_the_command_line(run: fake.Run, store: str, words: tuple[str, ...], odd: str) -> None:
    code, out, err = run(*words[:-1], f"{words[-1]}={odd}", "--store", store)
    assert (code, out) == (2, "")
    assert words[-1] in err


@pytest.mark.parametrize("odd", [odd for odd in ODD if odd.strip() == odd and odd and "," not in odd])
def test_in_a_file_of_scores(run: fake.Run, store: str, tmp_path: Path, odd: str) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(f"session,operation,score\na,1,{odd}\nb,1,0.5\n", encoding="utf-8")
    code, _, err = run("rank", "--direct", f"score={file}", "--store", store)
    assert code == 0
    assert "score that is no number" in err


@pytest.mark.parametrize("jobs", ["33", "99", "2147483648"])
def test_more_jobs_than_are_asked_at_once_are_refused(run: fake.Run, store: str, jobs: str) -> None:
    code, out, err = run(*ANSWERS, "--jobs", jobs, "--store", store)
    assert (code, out) == (2, "")
    assert "is above 32" in err


@given(st.text(max_size=12))
def test_what_is_taken_is_plain(text: str) -> None:
    for read in (whole, decimal):
        value = read(text)
        assert value is None or text.isascii()
        assert value is None or not set(text) & set("_ \t\n,")


@given(st.integers(-(10**18) + 1, 10**18 - 1), st.floats(allow_nan=False))
def test_what_is_written_is_read(n: int, x: float) -> None:
    assert whole(str(n)) == n
    assert decimal(repr(x)) == x
