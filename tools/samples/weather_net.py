"""What happened in the weather project? An environment set up, and a small model trained over a night."""

from __future__ import annotations

from samples.ledger import HAIKU, Ledger
from samples.session import Session, opened
from samples.toolbox import bash, edit, read

CONFLICT = """ERROR: Cannot install numpy==1.26.4 and weather-net: conflicting dependencies.
ERROR: ResolutionImpossible"""
CONFIG = """[model]
hidden = 48
[train]
epochs = 12
rate = 0.02
batch = 64"""
FIRST = """epoch  1  loss 0.691  val 0.684
... [9 lines truncated] ...
epoch 11  loss 0.643  val 0.671
epoch 12  loss 0.655  val 0.689"""
SECOND = """epoch  1  loss 0.662  val 0.650
... [9 lines truncated] ...
epoch 11  loss 0.402  val 0.431
epoch 12  loss 0.397  val 0.428"""


def environment(ledger: Ledger) -> list[Session]:
    """14 October: a virtual environment, with one conflict of versions on the way."""
    s = opened(ledger, 10, "weather-net", "2026-10-14T09:44:18+00:00", model=HAIKU, base=12_800)
    s.prompt("Set up the environment for this repository on my machine so that the tests can run.")
    s.call(
        None,
        bash(
            "python3 --version && nproc && free -h | head -2",
            "Check the machine",
            "Python 3.12.6\n8\nMem: 31Gi",
            0.4,
        ),
        read(s.path("pyproject.toml"), 'dependencies = ["numpy>=2", "torch>=2.4", "polars"]', start=9),
    )
    s.call(None, bash("python3 -m venv .venv", "Make a virtual environment", "", 3.9))
    pinned = ".venv/bin/pip install -q -c constraints.txt -e '.[dev]'"
    s.call(None, bash(pinned, "Install the project with its constraints", CONFLICT, 22.6, code=1))
    install = ".venv/bin/pip install -q -e '.[dev]'"
    s.call(
        "constraints.txt pins a numpy older than the code needs, so without it.",
        bash(install, "Install without the constraints", "", 97.3),
        think=120,
    )
    s.call(None, bash(".venv/bin/pytest -q", "Run the tests", "31 passed in 12.90s", 15.2))
    s.say(
        "The environment is in .venv and 31 tests pass. I left constraints.txt out: its numpy pin is too old."
    )
    return [s]


def train(ledger: Ledger) -> list[Session]:
    """18 and 19 October: train, look, lower the rate, train again; committed the next morning."""
    s = opened(ledger, 13, "weather-net", "2026-10-18T18:20:33+00:00", base=13_600)
    s.prompt(
        "Train the small rain model on the September data and tell me the validation loss. Aim: below 0.45."
    )
    s.call(
        None,
        read(s.path("configs/small.toml"), CONFIG),
        bash(
            "ls -la data/2026-09 | head",
            "List the data",
            "-rw-r--r-- 1 sam sam 48112640 station-01.parquet",
            0.2,
        ),
    )
    prepare = ".venv/bin/python -m weather.prepare data/2026-09 --out data/train.parquet"
    s.call("Features first.", bash(prepare, "Build the features", "1,482,204 rows, 19 columns", 48.5))
    run = ".venv/bin/python train.py --config configs/small.toml"
    s.call(None, bash(run, "Train the model", FIRST, 231.0), think=40)
    s.call(
        "It hardly learns, and the loss goes up at the end: the rate is too high.",
        edit(s.path("configs/small.toml"), "rate = 0.02", "rate = 0.002", line=5),
        think=260,
    )
    s.call(None, bash(run, "Train again", SECOND, 238.0))
    score = ".venv/bin/python -m weather.evaluate runs/latest"
    s.call(None, bash(score, "Evaluate the model", "validation 0.428  persistence baseline 0.517", 9.4))
    s.say("Validation loss 0.428 with a rate of 0.002; the persistence baseline is at 0.517.", think=80)
    s.prompt("Very good. Commit the config and write the score into RESULTS.md.", after=13 * 3600 + 2280)
    s.call(None, edit(s.path("RESULTS.md"), "| small |  |", "| small | 0.428 |", line=6))
    s.call(None, bash('git commit -qam "Lower the rate of the small model"', "Commit", "", 0.6))
    s.say("Committed, with the score in RESULTS.md.")
    return [s]
