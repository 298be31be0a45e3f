"""How does a test get a store with transcripts in it?"""

from __future__ import annotations

from pathlib import Path

import tracelode
from claude import Transcript
from tracelode.workspace import Workspace

OPUS = "claude-opus-4-5-20251101"
SONNET = "claude-sonnet-4-5-20250929"
HAIKU = "claude-haiku-4-5-20251001"


def stored(folder: Path, *transcripts: Transcript, store: str = "store") -> Workspace:
    """Write transcripts below a folder and import them.

    Args:
        folder: an empty folder.
        transcripts: root transcripts with their sub-agents.
        store: name of the store's folder.
    """
    for transcript in transcripts:
        transcript.write(folder / "history")
    workspace = tracelode.open(folder / store, tz="UTC")
    workspace.add(folder / "history")
    return workspace
