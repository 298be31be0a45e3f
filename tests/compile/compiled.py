"""A compiled intent: runs of a small booking service through the passes, with evidence and folds."""

from __future__ import annotations

from functools import lru_cache

from compile.fixtures import runs, work
from tracelode.compile.align import align
from tracelode.compile.assemble import assemble
from tracelode.compile.bind import bind
from tracelode.compile.control import control
from tracelode.compile.denoise import denoise
from tracelode.compile.effects import effects
from tracelode.compile.evidence import evidence
from tracelode.compile.verify import verify
from tracelode.compile.work import Work

CITIES = (
    ("Oslo", "c-1871", "Hotel Bristol", "h-55120"),
    ("Bergen", "c-2290", "Fjord Inn", "h-61733"),
    ("Tromso", "c-3318", "Polar House", "h-70295"),
    ("Bodo", "c-4406", "Harbour Rest", "h-81946"),
    ("Molde", "c-5572", "Rose Garden", "h-92367"),
    ("Hamar", "c-6651", "Lake View", "h-13758"),
)


@lru_cache(maxsize=1)
def compiled() -> Work:
    """Find a city, find its first hotel, show it; one run looks twice."""
    lines = []
    for n, (city, code, hotel, number) in enumerate(CITIES):
        lines += [
            f"run {city.lower()} (success):",
            f"user: Show me the first hotel in {city} please",
            f'find_city(name="{city}") -> {{"found": [{{"id": "{code}", "name": "{city}"}}]}}',
        ]
        if n == 2:
            lines.append(f'find_city(name="{city}") -> {{"found": [{{"id": "{code}", "name": "{city}"}}]}}')
        lines += [
            f'list_hotels(city="{code}", sort="stars") -> {{"hotels": [{{"key": "{number}", "title": '
            f'"{hotel}"}}]}}',
            f'show_hotel(hotel="{number}") -> {{"title": "{hotel}", "stars": 3}}',
            f"assistant: It is {hotel} with 3 stars.",
        ]
    made = work(runs("\n".join(lines)))
    for step in (denoise, align, evidence, effects, bind, control, assemble, verify):
        made = step(made)
    return made
