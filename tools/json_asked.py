"""What is asked to learn the JSON of every command? Command lines, on stores of the bundled samples."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tracelode import samples
from tracelode.samples import runs

WORK, DESK, FIX = "work", "desk", "fix"
"""Stores: sessions of Claude Code, runs of a travel desk, runs before and after a fix."""
FIRST = "de000002"
"""A session of WORK."""
OLD, NEW = "..2026-09-30", "2026-10-05.."
REQUEST = (
    "Find the cheapest flight leaving from Dublin, going to Riga, on 2027-03-02. "
    "Hold a seat for traveller T-9001 and mail the confirmation."
)


@dataclass(frozen=True)
class Ask:
    """One command, and what is asked of it."""

    command: str
    """With its action."""
    about: str
    """What is answered, a sentence."""
    asked: tuple[str, ...]
    """Lines without `tracelode` and `--json`; STORE: is put before each."""

    def lines(self, folder: Path) -> list[list[str]]:
        """The lines as words.

        Args:
            folder: where the stores are.
        """
        found = []
        for line in self.asked:
            store, _, rest = line.partition(":")
            words = shlex.split(rest)
            found.append([*words, "--store", str(folder / store)] if store else words)
        return found


def _few() -> Iterator[str]:
    """Runs of the first tasks: enough for every key."""
    keep = False
    for line in runs.lines():
        if line["type"] == "session":
            keep = line["task"] < "ticket-06"
        if keep or line["type"] == "tracelode":
            yield json.dumps(line) + "\n"


def _marks(home: Any) -> None:
    """A folder of annotators with one mark in it."""
    home.run(["annotate", "export", FIRST, "-o", "marked", "--store", str(home.folder / WORK)])
    _, text = home.run(["show", FIRST, "--json", "--store", str(home.folder / WORK)])
    first = json.loads(text)["operations"][0]["id"]
    file = next((home.folder / "marked" / "marks").glob("*.json"))
    marks = json.loads(file.read_text(encoding="utf-8"))
    marks["marks"] = [{"start_operation_id": first, "path": ["deploy service", "explore files"]}]
    file.write_text(json.dumps(marks), encoding="utf-8")


def _stores(home: Any) -> None:
    place = home.folder
    (place / "runs.jsonl").write_text("".join(_few()), encoding="utf-8")
    for store, source in ((WORK, samples.projects()), (FIX, place / "runs.jsonl")):
        home.run(["import", str(source), "--store", str(place / store)])
    for name in ("runs.jsonl", "outcomes.csv", "tools.json"):
        shutil.copyfile(samples.travel() / name, place / f"desk-{name}")
    home.run(["import", str(place / "desk-runs.jsonl"), "--store", str(place / DESK)])
    home.run(["outcome", "import", str(place / "desk-outcomes.csv"), "--store", str(place / DESK)])
    (place / "judge.csv").write_text(f"session,operation,bad\n{FIRST},22,0.9\n,2,1\n", encoding="utf-8")
    (place / "faults.csv").write_text(f"session,operation\n{FIRST},22\n", encoding="utf-8")
    (place / "odd.jsonl").write_text('{"type": "user"\n', encoding="utf-8")
    for session, word in ((FIRST, "failed"), ("de000005", "failed"), ("de000003", "succeeded")):
        home.run(["outcome", "set", session, word, "--store", str(place / WORK)])


PREPARED: tuple[Callable[[Any], None], ...] = (_stores, _marks)
"""What is done before anything is asked."""

ASKED: tuple[Ask, ...] = (
    Ask("tracelode", "The first screen.", (f"{WORK}:--no-import", f"{FIX}:--no-import")),
    Ask("demo", "The first screen of the samples.", (":demo",)),
    Ask(
        "import",
        "What was read, and what could not be.",
        ("other:import odd.jsonl", "other:import desk-runs.jsonl"),
    ),
    Ask("record", "How the command ended.", (":record -o run.jsonl -- true",)),
    Ask("sessions", "Sessions, newest first.", (f"{WORK}:sessions", f"{FIX}:sessions")),
    Ask(
        "show SESSION",
        "One session and its operations.",
        (f"{WORK}:show {FIRST}", f"{WORK}:show de000012 --nested"),
    ),
    Ask("show SESSION#N", "One operation.", (f"{WORK}:show {FIRST}#22", f"{WORK}:show {FIRST}#0")),
    Ask("top", "The largest stacks.", (f"{WORK}:top", f"{WORK}:top --measure tokens,cost")),
    Ask(
        "tree",
        "The stacks as a tree, each node after the one above it.",
        (f"{WORK}:tree", f"{WORK}:tree --measure tokens,cost"),
    ),
    Ask(
        "peek REGEX",
        "What stands above and below frames.",
        (
            f"{WORK}:peek diagnose",
            f"{WORK}:peek diagnose --measure tokens,cost",
        ),
    ),
    Ask("flame", "The stacks that a flame graph is drawn of.", (f"{WORK}:flame",)),
    Ask("export", "What was written.", (f"{WORK}:export -o x.folded", f"{WORK}:top -o x.csv")),
    Ask("export --operations", "What was written.", (f"{WORK}:export --operations -o x.jsonl",)),
    Ask(
        "diff",
        "A signed profile.",
        (
            f"{FIX}:diff --by outcome",
            f"{FIX}:diff {OLD} {NEW} --measure tokens",
            f"{FIX}:diff --by outcome --vanished",
            f"{FIX}:diff --by outcome --held-out",
        ),
    ),
    Ask(
        "diff --sensitivity",
        "How far a share depends on how sessions are cut.",
        (f"{FIX}:diff --by outcome --sensitivity",),
    ),
    Ask("diff -o FILE", "What was written.", (f"{FIX}:diff --by outcome -o x.svg",)),
    Ask(
        "compare",
        "Did a change pay?",
        (
            f"{FIX}:compare {OLD} {NEW} --measure tokens",
            f"{FIX}:compare {OLD} {NEW} --measure tokens --hold success",
        ),
    ),
    Ask(
        "rank",
        "Which operations to look at first.",
        (
            f"{WORK}:rank",
            f"{WORK}:rank --outcome failed",
            f"{WORK}:rank --direct bad=judge.csv --faults faults.csv",
        ),
    ),
    Ask(
        "guide",
        "Which groups to read.",
        (
            f"{WORK}:guide --groups 3 --budget 1000",
            f"{WORK}:guide --groups 3 --budget 1000 --faults faults.csv",
        ),
    ),
    Ask("loops", "Actions that came again with the same result.", (f"{WORK}:loops",)),
    Ask("segment SESSION", "How a session is cut.", (f"{WORK}:segment {FIRST}",)),
    Ask("segment --with", "What all sessions were cut with.", (f"{WORK}:segment --with chain",)),
    Ask(
        "annotate export", "What was written for annotators.", (f"{WORK}:annotate export {FIRST} -o labels",)
    ),
    Ask(
        "annotate import",
        "What was taken, or what is wrong with it.",
        (f"{WORK}:annotate import marked --check", f"{WORK}:annotate import marked"),
    ),
    Ask(
        "annotate review", "What was written for a review.", (f"{WORK}:annotate review --sample 2 -o review",)
    ),
    Ask("annotate history", "Revisions of marks.", (f"{WORK}:annotate history {FIRST}",)),
    Ask("rename", "What naming anew changes.", (f"{WORK}:rename", f"{WORK}:rename --all")),
    Ask("intents", "Which runs ask for the same thing.", (f"{DESK}:intents", f"{DESK}:intents --near")),
    Ask(
        "compile",
        "A verdict with its workflow or its refusals; several, with `--all`, are in `compiled`.",
        (
            f"{DESK}:compile 'mail traveller' --declare desk-tools.json -o made",
            f"{DESK}:compile 'cancel trip'",
        ),
    ),
    Ask(
        "explain",
        "An edge and the lines that prove it.",
        (f"{DESK}:explain hold_seat#1.flight 'mail traveller' --declare desk-tools.json",),
    ),
    Ask("verify", "Does a workflow hold?", (f"{DESK}:verify 'mail traveller' --declare desk-tools.json",)),
    Ask(
        "run",
        "How a run of a workflow ended.",
        (f"{DESK}:run made --tools tracelode.samples.desk:TOOLS --shadow --request '{REQUEST}'",),
    ),
    Ask("run --open", "Runs that have not ended.", (f"{DESK}:run made --open",)),
    Ask("plan check", "What is off in the record.", (f"{WORK}:plan check",)),
    Ask("plan metrics", "Figures, each with what it is made of.", (f"{WORK}:plan metrics",)),
    Ask("plan timeline", "Attempts at nodes over time.", (f"{WORK}:plan timeline",)),
    Ask("plan export", "What was written.", (f"{WORK}:plan export -o events.jsonl",)),
    Ask("plan alerts", "At which event a rule fires.", (f"{WORK}:plan alerts",)),
    Ask("plan policy", "Where to ask people.", (f"{WORK}:plan policy",)),
    Ask("plan bench", "What was written.", (f"{WORK}:plan bench -o bench.jsonl",)),
    Ask("report", "The main findings of a store.", (f"{WORK}:report",)),
    Ask("redact", "What was rewritten.", (":redact events.jsonl -o clean.jsonl",)),
    Ask("gc", "What is over, or forgotten.", (f"{WORK}:gc --dry-run",)),
    Ask("access", "Who may see what.", (f"{WORK}:access roles",)),
    Ask("audit", "Which lines make a number.", (f"{WORK}:audit cost --limit 3",)),
    Ask("doctor", "What was found, skipped, missing.", (f"{WORK}:doctor",)),
    Ask("outcome set", "Of which session.", (f"{WORK}:outcome set {FIRST} failed",)),
    Ask("outcome import", "Which sessions got an outcome.", (f"{DESK}:outcome import desk-outcomes.csv",)),
)
"""In the order of the page."""
