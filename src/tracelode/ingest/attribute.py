"""Which operation carries which tokens and which money? Whole calls are shared out to their leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tracelode.ingest.draft import Draft, Thread
from tracelode.model.measure import TOKEN_KINDS, split_evenly
from tracelode.pricing.table import PriceTable

SHARED: tuple[str, ...] = (*TOKEN_KINDS, "cost", "cost.fees", "tokens.unpriced")
"""Measures that move from a call to its leaves."""
DEAREST = 2**60
"""Picodollars, about a million dollars: above it a call's cost is not told, but its tokens are."""


def gather(drafts: Iterable[Draft]) -> None:
    """Undo share(): put what the leaves of every call carry back on the call.

    Args:
        drafts: all operations of one session, changed in place.
    """
    calls: dict[str, Draft] = {}
    leaves: list[Draft] = []
    for draft in drafts:
        if draft.kind == "model":
            calls[draft.id] = draft
        elif "call" in draft.fields:
            leaves.append(draft)
    for leaf in leaves:
        call = calls.get(leaf.fields["call"])
        if call is None:
            continue
        for name in SHARED:
            value = leaf.measures.pop(name, None)
            if value is not None:
                call.measures[name] = call.measures.get(name, 0) + value


def price(drafts: Iterable[Draft], table: PriceTable) -> None:
    """Give every call its cost, or name its tokens unpriced.

    Args:
        drafts: operations with whole calls, changed in place.
        table: the price table.

    Source:
        accounting: tokens and cost.
    """
    for draft in drafts:
        if draft.kind != "model":
            continue
        measures = draft.measures
        for name in ("cost", "cost.fees", "tokens.unpriced"):
            measures.pop(name, None)
        tokens = tuple(measures.get(kind, 0) for kind in TOKEN_KINDS)
        fees = {k.removeprefix("uses."): v for k, v in measures.items() if k.startswith("uses.")}
        cost = table.price(
            draft.fields.get("model", ""),
            draft.ended,
            tokens,
            tier=draft.fields.get("service_tier"),
            speed=draft.fields.get("speed"),
            geo=draft.fields.get("geo"),
            fees=fees,
        )
        if cost is None or cost.picodollars > DEAREST:
            if any(tokens):
                measures["tokens.unpriced"] = sum(tokens)
            continue
        measures["cost"] = cost.picodollars
        if cost.fees:
            measures["cost.fees"] = cost.fees


def share(drafts: Iterable[Draft]) -> None:
    """Move every call's tokens and cost to its tool operations in equal shares.

    Args:
        drafts: operations of one session in order, whole calls on the model operation; marked where they
            count elsewhere.

    Source:
        accounting: a call's n tool operations get equal shares (largest remainder, earlier first).
    """
    calls: dict[str, Draft] = {}
    leaves: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.kind == "model":
            calls[draft.id] = draft
        elif "call" in draft.fields:
            leaves.setdefault(draft.fields["call"], []).append(draft)
    for ident, every in leaves.items():
        call = calls.get(ident)
        if call is None:
            continue
        # a fork may have been taken inside of a message: what counts elsewhere is shared out there
        own = [leaf for leaf in every if leaf.inherited == call.inherited]
        if "model" in call.fields:
            # the model may have been told after the tools were called
            for leaf in every:
                leaf.fields.setdefault("model", call.fields["model"])
        quality = call.fields.get("usage_quality", "final")
        for leaf in own:
            # what a leaf carries is as certain as the call it is a part of
            if quality != "final":
                leaf.fields["usage_quality"] = quality
            else:
                leaf.fields.pop("usage_quality", None)
        for name in SHARED if own else ():
            value = call.measures.pop(name, None)
            if value is None:
                continue
            for leaf, part in zip(own, split_evenly(value, len(own)), strict=True):
                leaf.measures[name] = part


def complete(threads: Mapping[str, Thread], better: Mapping[tuple[str, str], tuple[str, str]]) -> None:
    """Give calls the usage that another session tells of them in full.

    Args:
        threads: session key to thread, whole calls on the model operations.
        better: (session, id) of a call to (session, id) of its fuller copy.

    Source:
        accounting: ownership may move inside a family, never a total.
    """
    for (session, ident), (other, copy) in better.items():
        mine, full = threads[session].drafts[ident], threads[other].drafts[copy]
        mine.measures.update({name: full.measures[name] for name in SHARED if name in full.measures})
        if "usage_quality" in full.fields:
            mine.fields["usage_quality"] = full.fields["usage_quality"]
