"""What does a plan item say the work under it is? The declared stage beside the observed one."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.profile.name.grammar import check
from tracelode.profile.name.stage import is_evidence, name_facts, operation_facts, vocabulary
from tracelode.signals.lexicon import load
from tracelode.signals.text import text_verb


def declared(item: str, operations: Sequence[Operation], verb: str = "") -> str | None:
    """The stage that a plan item declares for the operations under it.

    Args:
        item: text of the plan item in progress; no word of it enters the name.
        operations: operations done under it, in order; their paths complete the name.
        verb: the item's closed verb, where its text is not kept.

    Returns:
        A name of stage.vocabulary(), None if the item leads with no known verb.

    Source:
        naming rules, step 4.
    """
    said = text_verb(item) if item else verb
    if said is None or said not in load().verbs:
        return None
    roles = [operation_facts(operation)[1] for operation in operations if is_evidence(operation)]
    rows = [(said, role, False, "") for role in roles] or [(said, "", False, "")]
    return check(name_facts(rows, ()), vocabulary())
