"""Do a call's tokens and money reach its leaves whole, and come back whole?"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracelode.ingest.attribute import SHARED, gather, share
from tracelode.ingest.draft import Draft
from tracelode.model.operation import Origin

amounts = st.dictionaries(st.sampled_from(SHARED), st.integers(0, 10**15))


def draft(ident: str, kind: str, fields: dict[str, str], measures: dict[str, int]) -> Draft:
    return Draft(
        session="s", id=ident, actor="agent", kind=kind, name=kind, status="ok", started=None, ended=None,
        parent=None, fields=fields, measures=measures, arguments="", output="", origin=Origin("t", "p", 1),
    )  # fmt: skip


@given(st.lists(st.tuples(amounts, st.integers(0, 5)), max_size=6))
def test_sharing_keeps_every_total_and_can_be_undone(calls: list[tuple[dict[str, int], int]]) -> None:
    drafts = []
    for number, (measures, tools) in enumerate(calls):
        drafts.append(draft(f"c{number}", "model", {}, {**measures, "calls": 1}))
        drafts.extend(draft(f"t{number}.{i}", "tool", {"call": f"c{number}"}, {}) for i in range(tools))
    before = {d.id: dict(d.measures) for d in drafts}
    share(drafts)
    for name in SHARED:
        assert sum(d.measures.get(name, 0) for d in drafts) == sum(m.get(name, 0) for m, _ in calls)
    for number, (_, tools) in enumerate(calls):
        call = next(d for d in drafts if d.id == f"c{number}")
        assert call.measures["calls"] == 1
        assert tools == 0 or not any(name in call.measures for name in SHARED)
    gather(drafts)
    assert {d.id: d.measures for d in drafts} == before
