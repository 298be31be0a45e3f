"""Does an emitted module hold its writes against the clock, as the executor does?"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from compile.emitting import loaded
from compile.execution import READ, bound, step, workflow
from compile.expiring import UNKNOWN, ordering
from tracelode.compile.emit import emit
from tracelode.model import binding as b
from tracelode.model.workflow import ForEach, Fresh
from tracelode.model.workflow_words import fresh


def test_an_emitted_module_looks_as_well() -> None:
    module = loaded(ordering())
    seen: list[str] = []
    calls: list[str] = []
    now = [1_772_359_200 * 10**9]
    module.__dict__["time_ns"] = lambda: now[0]

    async def call(name: str, arguments: Any) -> Any:
        calls.append(name)
        return {"id": "o-1", "ttl": 60}

    def answers(last: Any) -> Any:
        async def answer(escalation: Any) -> Any:
            seen.append(escalation.code)
            if escalation.code == "approval_required":
                now[0] += 120 * 10**9
                return True
            assert (
                escalation.what == "what offer#1 gave no longer holds: it ran out 60 seconds ago"
                or len(seen) > 2
            )
            assert escalation.answers == ("output", "accept", "retry", "skip", "stop")
            return last

        return answer

    with pytest.raises(module.Stopped):
        asyncio.run(module.ENTRY(call, escalate=answers(module.STOP)))
    assert (seen, calls) == (["approval_required", "stale"], ["offer"])
    out = asyncio.run(module.ENTRY(call, escalate=answers(module.ACCEPT)))
    assert seen[2:] == ["approval_required", "stale", "approval_required"]
    assert (calls, list(out)) == (["offer", "offer", "take"], ["offer#1", "take#1"])
    asyncio.run(module.ENTRY(call, escalate=answers(module.STOP), approved=["take#1"]))
    assert calls[-2:] == ["offer", "take"]


@pytest.mark.parametrize(("offer", "why"), UNKNOWN)
def test_an_emitted_module_knows_no_more(offer: Any, why: str) -> None:
    async def call(name: str, arguments: Any) -> Any:
        return {"id": "o-1", **offer}

    module = loaded(ordering())
    with pytest.raises(module.Escalation, match=why) as stop:
        asyncio.run(module.ENTRY(call, approved=["take#1"]))
    assert (stop.value.code, stop.value.writes) == ("stale", True)
    assert "take#1" in asyncio.run(loaded(ordering(effect=READ)).ENTRY(call))
    if offer.get("ttl") is None:
        assert "take#1" in asyncio.run(loaded(ordering(always=False)).ENTRY(call, approved=["take#1"]))


SAID = "Not called once what it copies no longer holds, by ttl of "
GUIDE = ".claude/skills/try/SKILL.md"


def test_what_is_emitted_says_until_when_it_may_be_called() -> None:
    work = ordering()
    words = fresh(work.steps[1].fresh[0])
    assert words == "ttl of offer#1 (in seconds, counted from the call of offer#1)"
    files = {path: data.decode() for path, data in emit(work, ["skill", "python", "html"]).items()}
    assert SAID in files[GUIDE]
    assert "has run out (`stale`)" in files[GUIDE]
    assert [SAID in text for path, text in files.items() if path.endswith(".html")] == [True]
    without = tuple(msgspec.structs.replace(one, fresh=()) for one in work.steps)
    guide = emit(msgspec.structs.replace(work, steps=without), ["skill"])[GUIDE].decode()
    assert SAID not in guide
    assert "has run out" not in guide


def test_of_several_calls_the_first_counts_in_a_module_too() -> None:
    limit = Fresh("mint#1", b.Copy("mint#1", "[1].ttl"), "seconds", True)
    work = workflow(
        step("list#1"),
        step("mint#1", "list#1", order=1, each=ForEach(b.Copy("list#1", "rows"), most=3)),
        step("use#1", "mint#1", order=2, arguments=bound(id=b.Copy("mint#1", "[1].id")), fresh=(limit,)),
    )
    module, now = loaded(work), [1_772_359_200 * 10**9]
    module.__dict__["time_ns"] = lambda: now[0]

    async def call(name: str, arguments: Any) -> Any:
        now[0] += 60 * 10**9
        return {"rows": [0, 1]} if name == "list" else {"id": "o-1", "ttl": 90}

    with pytest.raises(module.Escalation, match="ran out 30 seconds ago"):
        asyncio.run(module.ENTRY(call))
