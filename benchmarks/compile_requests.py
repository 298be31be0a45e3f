"""How many right requests does a compiled workflow turn down, and how many wrong ones does it take?

Run: python benchmarks/compile_requests.py [--intents 0-49] [--tasks 200] [--data DIR] [--json]. Right: the
request of a run that was left out of the learning (ComplexFuncBench, AgentDojo's first 48 runs), or of a
member of a BFCL family that was not learned from. ComplexFuncBench has no writes: it is read as it is, and
once more as if its last step wrote, since its requests are said in many ways and those of BFCL in one. Wrong:
each right request that tells all inputs, with something put before, into or behind it that calls it off or
asks for something else. None of these words was looked at when the rules were made.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from bfcl_world import install, tasks
from compile_data import agentdojo, complexfuncbench, options, records
from compile_folds import groups, replace_outcome
from workload import Absent
from writes_execute import TRAIN, _split
from writes_families import Family, family
from writes_replay import alone, pooled

from tracelode.compile.request import told
from tracelode.compile.work import Options
from tracelode.model.run import Run
from tracelode.model.workflow import Effect, Workflow

BEFORE = {
    "another language": ("Bloß nicht: ", "Jangan: ", "Älä tee tätä: ", "Nu face asta: ", "Cofnij: "),
    "another script": ("취소: ", "ยกเลิก ", "रद्द करो: ", "בטל: ", "Скасуй: ", "中止。"),
    "English": (
        "Outdated: ", "Scrapped: ", "Hoax: ", "Superseded: ", "Satire: ", "Obsolete: ", "Bogus: ",
        "My late uncle wrote: ", "Overheard: ", "Blocked by legal: ",
    ),
}  # fmt: skip
"""What is put before a request: kind to texts."""
AFTER = {
    "another language": (" Lascia perdere.", " Laisse tomber.", " Glöm.", " Zapomnij.", " Vergeet het maar."),
    "another script": (" 算了吧。", " やめて。", " Забудь.", " \N{NO ENTRY SIGN}", " \N{THUMBS DOWN SIGN}"),
    "English": (" Strike the above.", " That ship has sailed.", " As per the prank.", " Gotcha.", " Psych."),
    "addition": (
        ", for my sister", " by courier", " below 40 dollars", " within 2 hours", " at 7:45 pm",
        " and to eve@example.org", " on behalf of Mallory", " in blue", " near the station", " on 2031-01-05",
        " with insurance", " via Lyon",
    ),
}  # fmt: skip
"""What is put behind it."""


def wrong(request: str) -> Iterator[tuple[str, str]]:
    """Kind and text of requests that are not to be done."""
    body = request.rstrip()
    for kind, texts in BEFORE.items():
        yield from ((kind, text + request) for text in texts)
    for kind, texts in AFTER.items():
        whole = body.rstrip(".") if kind == "addition" else body
        yield from ((kind, whole + text) for text in texts)
    half = body.find(" ", len(body) // 2)
    if half > 0:
        yield "inside", f"{body[:half]} purportedly{body[half:]}"
        yield "inside", f"{body[:half]} (lapsed){body[half:]}"
    yield "beyond", f"{body} {'please ' * 3000}Revoke all of it."


def cfb(runs: Sequence[Run]) -> Iterator[tuple[Workflow, str]]:
    """Workflow learned without a run, and the run's request."""
    for _, same in groups([replace_outcome(run) for run in runs]):
        for held in same:
            verdict = alone([run for run in same if run is not held]).verdict
            if isinstance(verdict, Workflow):
                yield verdict, held.request


def dojo(runs: Sequence[Run]) -> Iterator[tuple[Workflow, str]]:
    """The same for intents that are found."""
    by_key = {run.key: run for run in runs}
    for work in pooled(runs, Options()):
        for held in work.runs:
            verdict = alone([by_key[k] for k in work.intent.runs if k != held.key]).verdict
            if isinstance(verdict, Workflow):
                yield verdict, held.request


def bfcl(data: Any, most: int) -> Iterator[tuple[Workflow, str]]:
    """Workflows of BFCL families, and requests of members that they were not learned from."""
    install()
    made = (family(row, run)[0] for row, run in tasks(data)[:most])
    for one in made:
        if not isinstance(one, Family):
            continue
        train, held = _split(one, "all")
        verdict = alone([m.run for m in train]).verdict if len(train) >= TRAIN else None
        if isinstance(verdict, Workflow):
            yield from ((verdict, member.run.request) for member in held)


def acting(workflow: Workflow) -> Workflow:
    """The same as if its last step wrote."""
    *rest, last = workflow.steps
    last = msgspec.structs.replace(last, effect=Effect("append", "configured"))
    return msgspec.structs.replace(workflow, steps=(*rest, last))


def writes(workflow: Workflow) -> bool:
    """Does any step change something, or may it?"""
    return any(step.effect.writes for step in workflow.steps)


def measure(pairs: Sequence[tuple[Workflow, str]]) -> dict[str, Any]:
    """Ends of right requests, and of the wrong ones made of them how many are taken."""
    ends: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    for workflow, request in pairs:
        found = told(workflow, request)
        ends["requests"] += 1
        if found.missing or found.unclear:
            ends["missing or unclear"] += 1
            continue
        ends["tells all inputs"] += 1
        ends["taken"] += found.fits
        ends["turned down"] += not found.fits
        for kind, text in wrong(request):
            tried[kind] += 1
            taken[kind] += told(workflow, text).fits
    return {"right": dict(ends), "wrong": {k: (taken[k], n) for k, n in sorted(tried.items())}}


def main() -> int:
    """Print the table.

    Returns:
        0; 3 where something is not at hand.
    """
    parser = options(__doc__)
    parser.add_argument("--tasks", type=int, default=200, help="how many of BFCL's base tasks")
    given = parser.parse_args()
    try:
        read = list(cfb(complexfuncbench(*records(given))))
        found = {
            "ComplexFuncBench": read,
            "ComplexFuncBench, as if it wrote": [(acting(one), text) for one, text in read],
            "AgentDojo": list(dojo(agentdojo(given.data)[:48])),
            "BFCL families that write": [p for p in bfcl(given.data, given.tasks) if writes(p[0])],
        }
    except Absent as absent:
        print(absent, file=sys.stderr)
        return 3
    report = {name: measure(pairs) for name, pairs in found.items()}
    if given.json:
        print(json.dumps(report, indent=2))
        return 0
    for name, row in report.items():
        print(f"{name}: {', '.join(f'{end} {count}' for end, count in row['right'].items()) or 'none'}")
        for kind, (some, all_) in row["wrong"].items():
            print(f"  wrong, {kind}: {some} of {all_} taken")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
