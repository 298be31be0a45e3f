"""Which command writes the bundled demo samples? python tools/make_samples.py, the same bytes every time.

The scenarios are in tools/samples, the record shapes in tests/claude.py. Beside the samples it writes what is
true of them, summed while the scenarios are told.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests")]

from samples import deploy_git, ledger_cli, shop_api, slow_query, weather_net, web_ui  # noqa: E402
from samples.ledger import Ledger  # noqa: E402

SCENARIOS = (
    shop_api.fix_test,
    deploy_git.first,
    shop_api.add_endpoint,
    web_ui.upgrade,
    deploy_git.second,
    ledger_cli.docs,
    deploy_git.third,
    slow_query.told,
    weather_net.environment,
    ledger_cli.refactor,
    shop_api.review,
    weather_net.train,
)


def write(out: Path, truth: Path) -> None:
    """Write all samples and their truth.

    Args:
        out: folder that gets projects/; an older projects/ in it is replaced.
        truth: JSON file that gets the sums.
    """
    ledger = Ledger()
    shutil.rmtree(out / "projects", ignore_errors=True)
    for scenario in SCENARIOS:
        for session in scenario(ledger):
            session.t.write(out)
    truth.parent.mkdir(parents=True, exist_ok=True)
    truth.write_text(json.dumps(ledger.truth(), indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=ROOT / "src/tracelode/samples")
    parser.add_argument("--truth", type=Path, default=ROOT / "tests/samples/truth.json")
    given = parser.parse_args()
    write(given.out, given.truth)


if __name__ == "__main__":
    main()
