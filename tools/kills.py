"""Is a store whose imports were killed the store of an undisturbed import?

Run: python tools/kills.py [--kills N] [--files N] [--seed S]
A folder with files of every source is imported by a process of its own that is ended by SIGKILL at a random
moment, some times one after the other and at times with worker processes. After each kill the store must
open and its views must add up; the import after the kills must make it equal to an undisturbed one.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import tracelode
from fuzzing.corpus import Corpus, renamed
from fuzzing.findings import Broken
from fuzzing.storing import check_views, difference, seen
from tracelode import registry

ROOT = Path(__file__).resolve().parent.parent
IN_A_ROW = 4
"""Kills at most before an import may end."""
_IMPORT = """
import sys, tracelode, tracelode.ingest.pipeline as pipeline
if sys.argv[3] == "workers":
    pipeline.INLINE_BYTES = 0
workspace = tracelode.open(sys.argv[1], tz="UTC")
workspace._import()
print("begun", flush=True)
workspace.add(sys.argv[2])
print("done", flush=True)
"""


def written(folder: Path, files: int) -> None:
    """Files of every source, each with ids of its own.

    Args:
        folder: where.
        files: how many of each source.
    """
    corpus = Corpus(ROOT / "tests" / "sources" / "samples")
    for name in registry.names("sources"):
        (folder / name).mkdir(parents=True)
        for number in range(files):
            path = folder / name / f"{number}{corpus.suffix[name]}"
            path.write_bytes(renamed(name, corpus.files[name][0], f"k{number}"))


def started(store: Path, folder: Path, how: str) -> subprocess.Popen[bytes]:
    """A process that has just begun to import."""
    process = subprocess.Popen(
        [sys.executable, "-c", _IMPORT, str(store), str(folder), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None
    if process.stdout.readline() != b"begun\n":
        raise Broken("an import did not begin", f"exit code {process.wait()}")
    return process


def whole(store: Path, folder: Path, how: str) -> float:
    """Seconds that an undisturbed import takes after it has begun."""
    process = started(store, folder, how)
    begun = time.monotonic()
    if process.wait() != 0:
        raise Broken("an import failed", f"exit code {process.returncode}")
    return time.monotonic() - begun


def killed(store: Path, folder: Path, how: str, seconds: float) -> bool:
    """Begin an import and kill it; False where it was done before.

    Args:
        store: a workspace.
        folder: what is imported.
        how: inline or workers.
        seconds: when it is killed.
    """
    process = started(store, folder, how)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.returncode not in (0, -signal.SIGKILL):
        raise Broken("an import failed", f"exit code {process.returncode}")
    return process.returncode != 0


def run(place: Path, kills: int, files: int, seed: int) -> tuple[int, int]:
    """Kill imports.

    Args:
        place: an empty folder.
        kills: how many.
        files: of each source.
        seed: decides when.

    Returns:
        (kills, stores that were compared).

    Raises:
        Broken: a store is not what it should be.
    """
    written(place / "h", files)
    took = {how: whole(place / how, place / "h", how) for how in ("inline", "workers")}
    wanted = seen(tracelode.open(place / "inline", tz="UTC"))
    if seen(tracelode.open(place / "workers", tz="UTC")) != wanted:
        raise Broken("workers make another store")
    rng = random.Random(seed)
    done = stores = 0
    while done < kills:
        store = place / f"store{stores}"
        stores += 1
        for _ in range(rng.randint(1, min(IN_A_ROW, kills - done))):
            how = rng.choice(("inline", "workers"))
            if not killed(store, place / "h", how, rng.uniform(0, took[how])):
                break
            done += 1
            check_views(tracelode.open(store, tz="UTC"), rng)
        tracelode.open(store, tz="UTC").add(place / "h")
        workspace = tracelode.open(store, tz="UTC")
        found = seen(workspace)
        if found != wanted:
            raise Broken("a killed import changed the store", difference(wanted, found))
        if workspace.add(place / "h").files_read:
            raise Broken("a killed import left files to read")
    return done, stores


def main(words: list[str] | None = None) -> int:
    """Run it; 0 where every store was right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200, help="how many (200)")
    parser.add_argument("--files", type=int, default=12, help="files of each source (12)")
    parser.add_argument("--seed", type=int, default=1, help="decides when (1)")
    given = parser.parse_args(words)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tracelode-kills-") as name:
        try:
            done, stores = run(Path(name), given.kills, given.files, given.seed)
        except Broken as error:
            print(f"FOUND {error.kind}: {error.detail}")
            return 1
    minutes = (time.monotonic() - begun) / 60
    print(
        f"{done} imports killed, {stores} stores finished and equal; seed {given.seed}, {minutes:.1f} minutes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
