"""What does a fold answer? Opens a workspace, folds intent, stage, focus and tool by cost, prints the sums.

Run: python fold_store.py STORE
"""

from __future__ import annotations

import json
import sys

import tracelode


def main() -> None:
    """Fold one store."""
    workspace = tracelode.open(sys.argv[1], tz="UTC")
    profile = workspace.profile(stack=["intent", "stage", "focus", "tool"], measure="cost")
    print(json.dumps({"stacks": len(profile.totals), "cost": profile.total(0)}))


if __name__ == "__main__":
    main()
