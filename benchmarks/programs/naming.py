"""What does naming cost an operation? Facts, segments, stages and the intent of every stored session, again.

Run: python naming.py STORE [TIMES] [SEGMENTER]; prints one JSON object. Its seconds leave out loading the
operations; the store's own segmenter cuts where none is named.
"""

from __future__ import annotations

import json
import sys
import time

import tracelode
from tracelode import registry
from tracelode.model.operation import Operation
from tracelode.model.ports import Segmenter
from tracelode.profile.label import label
from tracelode.profile.name.intent import intent
from tracelode.signals.enrich import enrich

FACTS = ("verb", "path_role", "error")


def bare(operation: Operation) -> dict[str, str]:
    """The fields of an operation as a source gives them."""
    return {k: v for k, v in operation.fields.items() if k not in (*FACTS, "intent", "stage", "frame")}


def name(operations: list[Operation], fields: list[dict[str, str]], root: bool, segmenter: Segmenter) -> None:
    """All that an import does to name one session."""
    for operation, own in zip(operations, fields, strict=True):
        enrich(
            own, kind=operation.kind, status=operation.status, name=operation.name, output=operation.output
        )
    label(operations, segmenter)
    if root:
        prompt = next((o.arguments for o in operations if o.kind == "prompt"), "")
        intent(operations, prompt)


def main() -> None:
    """Name every session several times and print the CPU time of each."""
    workspace = tracelode.open(sys.argv[1], tz="UTC")
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    segmenter = registry.load("segmenters", sys.argv[3] if len(sys.argv) > 3 else workspace.segmenter)
    spent: list[float] = [0.0] * times
    count = 0
    for session in workspace.sessions():
        operations = workspace.operations(session.key)
        if not operations:
            continue
        count += len(operations)
        for at in range(times):
            fields = [bare(o) for o in operations]
            start = time.process_time()
            name(operations, fields, session.key == session.root, segmenter)
            spent[at] += time.process_time() - start
    print(json.dumps({"operations": count, "seconds": spent}))


if __name__ == "__main__":
    main()
