"""What does the bundled travel desk do? Six tools of an agency that there is not, for the tutorial.

Its timetable is made up and hangs on nothing but the words of the call; holds and mails are lines of the file
that $TRAVEL_DESK names, if any. `python -m tracelode.samples.desk` serves the tools by MCP on standard input.
"""

from __future__ import annotations

import json
import os
from hashlib import blake2b
from pathlib import Path
from typing import Any

CITIES = {
    "Lisbon": "LIS", "Oslo": "OSL", "Porto": "OPO", "Vienna": "VIE", "Rome": "FCO", "Turin": "TRN",
    "Dublin": "DUB", "Athens": "ATH", "Riga": "RIX", "Gdansk": "GDN", "Malaga": "AGP", "Bergen": "BGO",
}  # fmt: skip
CARRIERS = ("Ibex Air", "Nordwind", "Tern", "Caravel")
FLIGHTS = 4


def find_airport(city: str) -> dict[str, Any]:
    """Look the airports of a city up."""
    code = CITIES.get(city, city[:3].upper())
    return {"city": city, "airports": [{"code": code, "name": f"{city} Airport"}]}


def search_flights(origin: str, destination: str, date: str) -> dict[str, Any]:
    """List the flights of a day."""
    flights = []
    for number in range(FLIGHTS):
        chance = _digits(origin, destination, date, str(number))
        flights.append(
            {
                "flight": f"{CARRIERS[chance % 4][:2].upper()}{100 + chance % 887}-{date[5:7]}{date[8:]}",
                "carrier": CARRIERS[chance % 4],
                "departs": f"{date}T{6 + chance % 14:02}:{chance % 12 * 5:02}:00",
                "price": 59 + chance % 311,
                "seats": 1 + chance % 7,
            }
        )
    return {"date": date, "flights": flights}


def hold_seat(flight: str, traveller: str) -> dict[str, Any]:
    """Hold a seat for a day."""
    mark = f"H-{10_000 + _digits(flight, traveller) % 89_999}"
    _note({"hold": mark, "flight": flight, "traveller": traveller})
    text = f"Seat on {flight} held as {mark} until tomorrow noon."
    return {"status": "held", "hold": mark, "confirmation": text}


def mail_traveller(traveller: str, subject: str, text: str) -> dict[str, Any]:
    """Send a traveller a mail."""
    _note({"mail": subject, "traveller": traveller, "text": text})
    return {"status": "sent"}


def list_trips(traveller: str) -> dict[str, Any]:
    """List the trips of a traveller."""
    trips = []
    for number in range(3):
        chance = _digits(traveller, str(number))
        trips.append({"trip": f"B-{20_000 + chance % 79_999}", "to": sorted(CITIES)[chance % 12]})
    return {"traveller": traveller, "trips": trips}


def cancel_trip(trip: str) -> dict[str, Any]:
    """Cancel a trip; it cannot be had back."""
    _note({"cancelled": trip})
    return {"status": "cancelled", "trip": trip}


HINTS = {
    "find_airport": {"readOnlyHint": True},
    "search_flights": {"readOnlyHint": True},
    "hold_seat": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    "mail_traveller": {"readOnlyHint": False, "openWorldHint": True},
    "list_trips": {"readOnlyHint": True},
    "cancel_trip": {"readOnlyHint": False, "destructiveHint": True},
}
"""What the tools declare of themselves."""
TOOLS = (find_airport, search_flights, hold_seat, mail_traveller, list_trips, cancel_trip)


def _digits(*words: str) -> int:
    return int.from_bytes(blake2b("|".join(words).encode(), digest_size=6).digest())


def _note(line: dict[str, Any]) -> None:
    place = os.environ.get("TRAVEL_DESK")
    if place:
        with Path(place).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


def serve() -> None:
    """Offer the tools by MCP on standard input and output."""
    from mcp.server.mcpserver import MCPServer
    from mcp.types import ToolAnnotations

    server = MCPServer("desk")
    for function in TOOLS:
        hints = HINTS[function.__name__]
        notes = ToolAnnotations(
            read_only_hint=hints.get("readOnlyHint"),
            destructive_hint=hints.get("destructiveHint"),
            idempotent_hint=hints.get("idempotentHint"),
            open_world_hint=hints.get("openWorldHint"),
        )
        server.tool(annotations=notes)(function)
    server.run("stdio")


if __name__ == "__main__":
    serve()
