"""Does any damaged file crash an import, hang it, or make it lose, invent or leak something?

Run: python tools/fuzz.py --minutes N [--source NAME ...] [--seed S] [--data DIR] [--keep DIR] [--json]
Good files (the small samples of the tests; with --data also files of DIR, which are only read) are damaged
by chance and imported. The same seed makes the same files in the same order, however long it runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzing.corpus import Corpus
from fuzzing.findings import Findings
from fuzzing.rounds import Rounds
from tracelode import registry

ROOT = Path(__file__).resolve().parent.parent


def shown(findings: Findings, seed: int, seconds: float) -> str:
    """The report as text."""
    out = [f"{'source':<18}{'executions':>11}{'a CPU second':>14}"]
    for name, count in sorted(findings.ran.items()):
        out.append(f"{name:<18}{count:>11,}{count / max(findings.cpu[name], 1) * 1e6:>14.1f}")
    total = sum(findings.ran.values())
    out.append(f"{'all':<18}{total:>11,}{total / max(sum(findings.cpu.values()), 1) * 1e6:>14.1f}")
    out.append(f"seed {seed}, {seconds / 60:.1f} minutes, {len(findings.found)} kinds of findings")
    for one in sorted(findings.found.values(), key=lambda f: (f.kind, f.source)):
        out.append(f"FOUND {one.count:>5} x {one.source}: {one.kind}")
        out.append(f"      {one.inputs[0]}")
        out.extend(f"      | {line}" for line in one.detail.splitlines()[-6:])
    return "\n".join(out)


def answer(findings: Findings, seed: int, seconds: float) -> dict[str, object]:
    """The report as JSON."""
    return {
        "seed": seed,
        "seconds": round(seconds, 1),
        "executions": dict(sorted(findings.ran.items())),
        "cpu_seconds": {name: micro / 1e6 for name, micro in sorted(findings.cpu.items())},
        "findings": [
            {"kind": f.kind, "source": f.source, "count": f.count, "inputs": f.inputs, "detail": f.detail}
            for f in findings.found.values()
        ],
    }


def main(words: list[str] | None = None) -> int:
    """Run it; 0 where nothing was found, else 1."""
    names = registry.names("sources")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0, help="how long, in all (1)")
    parser.add_argument("--rounds", type=int, help="stop after so many rounds of each source instead")
    parser.add_argument("--source", action="append", choices=names, help="this source alone; repeatable")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other files (1)")
    parser.add_argument("--data", type=Path, help="more good files to damage; the folder is only read")
    parser.add_argument("--keep", type=Path, help="folder for the files that show a fault")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(words)
    findings = Findings(given.keep)
    corpus = Corpus(ROOT / "tests" / "sources" / "samples", given.data)
    begun = time.monotonic()
    until = None if given.rounds else begun + given.minutes * 60
    with tempfile.TemporaryDirectory(prefix="tracelode-fuzz-") as name:
        rounds = Rounds(Path(name), corpus, findings, given.seed)
        rounds.all(given.source or names, until, given.rounds)
    spent = time.monotonic() - begun
    if given.json:
        print(json.dumps(answer(findings, given.seed, spent), indent=1))
    else:
        print(shown(findings, given.seed, spent))
    return 1 if findings.found else 0


if __name__ == "__main__":
    sys.exit(main())
