"""Which verbs may the name of a mark begin with? Those of the lexicon, and plain verbs of work."""

from __future__ import annotations

import difflib
from functools import cache

from tracelode.profile.name.grammar import verbs
from tracelode.signals.lexicon import load

_MORE = (
    "accept achieve activate adapt adopt advise aggregate alias align allocate allow amend analyse "
    "annotate answer append approve archive arrange ask assemble assert assign attach audit augment "
    "authenticate author authorize automate backfill backup balance batch begin bias bind bisect bleed "
    "block bootstrap brainstorm branch break breed bring bump bundle cache cancel capture catch "
    "categorise categorize cherrypick choose clarify classify clear close collect combine commence "
    "comment communicate complete compose compress conclude conduct connect consolidate construct consult "
    "contact continue contrast contribute control coordinate copy cover craft crawl curate customize cut "
    "decide declare decouple deduce dedupe delay deliver demonstrate deploy deprecate derive describe "
    "detail detect devise diff disable discard discuss dispatch distill divide do document doublecheck "
    "download drill dump duplicate echo edit elaborate eliminate embed emit emulate encapsulate encrypt "
    "end enforce enrich enter enumerate envision erase escalate establish estimate exceed exclude "
    "exercise exit expand experiment exploit expose express extract extrapolate fail feed fill filter "
    "finalise finish flag flush focus fold follow forecast fork forward free freeze fulfil give grant "
    "group grow guard guess guide halt harden hash help hide highlight hold hook hunt identify ignore "
    "illustrate import include increase indent index infer inform initialise inject insert instrument "
    "integrate interact interpret interview isolate iterate join judge justify keep label lay learn lift "
    "limit localize lock log lower maintain map mark match measure mend mention merge migrate minify "
    "mirror mitigate mock model mount name need negotiate normalise normalize notify offer operate "
    "optimise orchestrate organise organize orient pack package page paginate paint partition pass paste "
    "patch pause perform permit persist pick pin ping pipe play plot poke poll port predict preserve "
    "prevent preview prioritise prioritize probe proceed process prompt proofread propose protect "
    "prototype prove provision prune pull purge put qualify quantify question quit raise rank rate reach "
    "rearm rearrange reassess rebase rebuild recall recap receive recheck recognize recommend reconcile "
    "reconfigure reconnect reconstruct record recover recreate redact redesign redirect redo reduce "
    "refill refine reflect reformat refresh refund regenerate register reimplement reindex reinstall "
    "reject relate relax relink reload relocate remind reorder reorganize repeat rephrase reply represent "
    "rerun reschedule rescue research reset reshape resize respond restore restrict restructure resume "
    "rethink retrain retry return reuse revalidate revamp reverse revert revise revoke reword rework ring "
    "roll rotate round route sample sanitize satisfy scaffold scale scan schedule scope score scrape "
    "screen script seal secure seed segment select send separate serialise serialize settle shape share "
    "shed shift shorten shred shrink sign simulate sing sketch skip slice smooth snapshot solve sort "
    "spawn specify speed spin split spring stabilize stage standardize steer store strengthen strip "
    "structure stub substitute subtract suggest summarise supply support suppress survey swap swing "
    "switch sync synthesize tabulate tag tail take tally target teach tell tidy tie tighten toggle "
    "tokenise tokenize track transcribe transfer transition transpile triage trigger tune turn typecheck "
    "unblock uncomment uncover undo unify uninstall unlock unmount unstage untangle unwrap unzip upload "
    "validate vary vectorize version vet visit visualise visualize walk warm warn watch wed weed weigh "
    "widen wipe wire withdraw wonder work wrap wring write zip zoom"
)
"""Verbs in base form that no lexicon of operations needs, and that people name stretches of work with."""
NEAREST = 3
"""Verbs that a message names."""


@cache
def known() -> frozenset[str]:
    """Every word that the name of a mark may begin with.

    Returns:
        The lexicon's verbs and what it takes for one of them, and plain verbs of work.
    """
    lexicon = load()
    said = (word for word in lexicon.says if word.isalpha())
    return frozenset(verbs(lexicon)) | frozenset(said) | frozenset(_MORE.split())


def nearest(word: str) -> tuple[str, ...]:
    """The verbs that are spelled most like a word.

    Args:
        word: a plain word that is no known verb.

    Returns:
        At most 3 of them; the commonest verbs where none is like it.

    Example:
        >>> nearest("bulid")[0]
        'build'
    """
    near = difflib.get_close_matches(word, sorted(known()), n=NEAREST, cutoff=0.6)
    return tuple(near) or ("fix", "explore", "create")
