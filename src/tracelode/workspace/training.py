"""What comes of training a segmenter on a store's labels? Figures first; then what is worth keeping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tracelode.model.training import Training
from tracelode.profile.train.examples import examples
from tracelode.profile.train.trial import FOLDS, SHUFFLES, lacking, trainer_of, trial
from tracelode.store.catalog import Catalog
from tracelode.workspace.labels import labels_of


def trained(
    catalog: Catalog,
    ask: Any,
    segmenter: str,
    given: str | Path | None,
) -> tuple[Training, bytes | None]:
    """Train a segmenter if it beats cutting blindly on sessions that it does not see.

    Args:
        catalog: the store's catalog.
        ask: the store's DuckAsker.
        segmenter: bayes or learned.
        given: which labels.

    Returns:
        The figures, and what the store should keep; None where it should not.

    Raises:
        UsageError: the label file cannot be read.
        MissingExtra: a library is not installed.
    """
    # a file that cannot be read is said before a library that is missing
    labels = labels_of(catalog, ask, given)
    trainer = trainer_of(segmenter)
    given_examples = examples(trainer, labels.sessions)
    sessions = [one.session for one in given_examples]
    about = Training(
        segmenter=segmenter,
        labels=labels.whose,
        sessions=len(sessions),
        tasks=len({session.task for session in sessions}),
        grouped=labels.grouped,
        operations=sum(len(session.truth) for session in sessions),
        cuts=sum(session.cuts for session in sessions),
        skipped=tuple(labels.skipped),
    )
    missing = lacking(sessions)
    if missing:
        return replace(about, reason=missing), None
    found = trial(trainer, given_examples)
    about = replace(
        about,
        divisions=f"{FOLDS} folds by {labels.grouped}, mean of {SHUFFLES} divisions",
        rows=found.rows,
        lift_b3=found.b3,
        lift_boundary=found.boundary,
    )
    if not found.better:
        return replace(about, reason="it does not beat the best fixed window by more than chance"), None
    content, version = trainer.keep(given_examples)
    return replace(about, kept=True, version=version), content
