"""Which command writes the bundled runs of a travel desk? python tools/make_travel.py.

The answers in them are those of tracelode.samples.desk: what a workflow learns of the runs it can do again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

from tracelode.samples import desk  # noqa: E402

MODEL = "claude-sonnet-4-5-20250929"
START = 1_790_000_000
HOLDS = (
    ("Lisbon", "Oslo", "2026-11-12", "T-1042"),
    ("Porto", "Vienna", "2026-11-20", "T-2207"),
    ("Rome", "Dublin", "2026-12-03", "T-1193"),
    ("Riga", "Athens", "2026-12-09", "T-3315"),
    ("Turin", "Bergen", "2027-01-14", "T-4080"),
    ("Gdansk", "Malaga", "2027-01-21", "T-1042"),
    ("Oslo", "Rome", "2027-02-02", "T-5521"),
)
SAID = (
    "Find the cheapest flight leaving from {}, going to {}, on {}. Hold a seat for traveller {} and mail the "
    "confirmation.",
    "The cheapest flight please, leaving from {}, going to {}, on {}. Book nothing, only hold a seat for "
    "traveller {} and mail the confirmation.",
)
CANCELS = (("T-1042", 1), ("T-2207", 0), ("T-1193", 2), ("T-3315", 1), ("T-4080", 0))
"""Traveller, and the trip that was cancelled: nothing in the runs says why that one."""


class Talk:
    """One conversation as chat messages.

    Args:
        key: its id.
        start: second at which it began.
    """

    def __init__(self, key: str, start: int) -> None:
        self.key, self.at, self.calls = key, start, 0
        self.messages: list[dict[str, Any]] = []

    def say(self, role: str, content: str, **more: Any) -> None:
        """A message, a few seconds after the one before."""
        self.at += 4
        moment = f"{_iso(self.at)}"
        self.messages.append({"role": role, "content": content, "timestamp": moment, **more})

    def call(self, function: Callable[..., dict[str, Any]], **arguments: str) -> dict[str, Any]:
        """A model call that asks for a tool, and the tool's answer."""
        self.calls += 1
        ident = f"call_{self.key[-2:]}_{self.calls}"
        asked = {"name": function.__name__, "arguments": json.dumps(arguments)}
        usage = {"prompt_tokens": 900 + 310 * self.calls, "completion_tokens": 40 + 7 * self.calls}
        call = {"id": ident, "type": "function", "function": asked}
        self.say("assistant", "", tool_calls=[call], model=MODEL, usage=usage)
        answer = function(**arguments)
        self.say("tool", json.dumps(answer), tool_call_id=ident)
        return answer

    def end(self, text: str) -> dict[str, Any]:
        """The last words, and the whole."""
        usage = {"prompt_tokens": 900 + 310 * (self.calls + 1), "completion_tokens": 35}
        self.say("assistant", text, model=MODEL, usage=usage)
        return {"id": self.key, "messages": self.messages}


def _iso(second: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def holding(number: int, start: str, goal: str, date: str, traveller: str) -> dict[str, Any]:
    """Two airports, the flights, a seat on the cheapest, a mail; one run looks a thing up twice."""
    talk = Talk(f"travel-hold-run-{number:02}", START + 86_400 * number)
    talk.say("user", SAID[number % 2].format(start, goal, date, traveller))
    here = talk.call(desk.find_airport, city=start)["airports"][0]["code"]
    there = talk.call(desk.find_airport, city=goal)["airports"][0]["code"]
    if number == 3:
        there = talk.call(desk.find_airport, city=goal)["airports"][0]["code"]
    found = talk.call(desk.search_flights, origin=here, destination=there, date=date)["flights"]
    cheapest = min(found, key=lambda flight: flight["price"])["flight"]
    held = talk.call(desk.hold_seat, flight=cheapest, traveller=traveller)
    subject = f"Your hold {held['hold']}"
    talk.call(desk.mail_traveller, traveller=traveller, subject=subject, text=held["confirmation"])
    return talk.end(f"Held {cheapest} and mailed the confirmation.")


def cancelling(number: int, traveller: str, place: int) -> dict[str, Any]:
    """A trip of several is cancelled, by a taste that no record tells."""
    talk = Talk(f"travel-cancel-run-{number:02}", START + 86_400 * number + 7_200)
    talk.say("user", f"Traveller {traveller} wants one trip less. Cancel the one that matters least.")
    trips = talk.call(desk.list_trips, traveller=traveller)["trips"]
    talk.call(desk.cancel_trip, trip=trips[place]["trip"])
    return talk.end("Done.")


def main() -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "src/tracelode/samples/travel")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    runs = [holding(n, *told) for n, told in enumerate(HOLDS, 1)]
    runs += [cancelling(n, *told) for n, told in enumerate(CANCELS, 1)]
    (out / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    rows = ["session,outcome,task", *(f"{run['id']},success," for run in runs)]
    (out / "outcomes.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    tools = [
        {"name": f.__name__, "description": f.__doc__, "annotations": desk.HINTS[f.__name__]}
        for f in desk.TOOLS
    ]
    (out / "tools.json").write_text(json.dumps({"tools": tools}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
