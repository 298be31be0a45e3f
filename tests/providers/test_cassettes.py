"""Is what goes over the line what was agreed on? Whole exchanges, written down, replayed by a real server.

A cassette holds the exchanges of one question: the request that has to arrive, with its whole JSON and the
names of its headers, and the response that is sent back. When what is sent changes on purpose, prompt.VERSION
grows and TRACELODE_UPDATE_CASSETTES=1 writes the requests again; the responses are written by hand.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from providers.server import Reply, Seen, serving
from providers.sessions import made
from tracelode.model.asked import Backend, Outcome
from tracelode.profile.model_cut.loop import ask
from tracelode.profile.model_cut.prompt import VERSION
from tracelode.profile.model_cut.purse import Purse
from tracelode.profile.packets import packet
from tracelode.providers.choose import provider

TAPES = sorted(Path(__file__).with_name("cassettes").glob("*.json"))
UPDATE = os.environ.get("TRACELODE_UPDATE_CASSETTES") == "1"


def replayed(tape: dict[str, Any]) -> tuple[Outcome, list[dict[str, Any]]]:
    """What comes of a tape, and the requests that arrived."""
    responses = iter(tape["exchanges"])
    arrived: list[dict[str, Any]] = []

    def answer(seen: Seen) -> Reply:
        given = next(responses)["response"]
        arrived.append({"path": seen.path, "headers": sorted(seen.headers), "body": seen.body})
        return Reply(
            json.dumps(given["body"]).encode(), status=given["status"], headers=given.get("headers", {})
        )

    operations = made(4)
    with serving(answer) as server:
        backend = Backend(
            name=tape["backend"], model="own-model", base_url=f"{server.url}{tape['base']}", key_env="OWN_KEY"
        )
        asked = provider(backend)
        outcome = ask(packet("s", operations), operations, asked.complete, Purse(10**9, None, lambda *_: 0))
        asked.close()
    assert next(responses, None) is None, "fewer requests than exchanges"
    return outcome, arrived


@pytest.mark.parametrize("path", TAPES, ids=lambda path: path.stem)
def test_a_cassette(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "key-of-nobody")
    tape = json.loads(path.read_text(encoding="utf-8"))
    outcome, arrived = replayed(tape)
    if UPDATE:
        tape["prompt"] = VERSION
        for exchange, request in zip(tape["exchanges"], arrived, strict=True):
            exchange["request"] = request
        path.write_text(json.dumps(tape, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert tape["prompt"] == VERSION
    assert [exchange["request"] for exchange in tape["exchanges"]] == arrived
    found = {
        "state": outcome.state,
        "reason": outcome.reason,
        "marks": [[mark.start_operation_id, list(mark.path)] for mark in outcome.marks],
        "model": outcome.model,
        "tokens": [outcome.tokens_in, outcome.tokens_cached, outcome.tokens_out],
    }
    assert found == tape["outcome"]


def test_there_are_cassettes_of_every_protocol() -> None:
    assert {json.loads(path.read_text(encoding="utf-8"))["backend"] for path in TAPES} == {
        "openai",
        "anthropic",
    }
    assert len(TAPES) >= 5
