"""What does a plan item say the work under it is? The declared stage beside the observed one."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.profile.name.grammar import check
from tracelode.profile.name.stage import is_evidence, name_facts, operation_facts, vocabulary
from tracelode.signals.text import text_verb


def declared(item: str, operations: Sequence[Operation]) -> str | None:
    """The stage that a plan item declares for the operations under it.

    Args:
        item: text of the plan item in progress; no word of it enters the name.
        operations: operations done under it, in order; their paths complete the name.

    Returns:
        A name of stage.vocabulary(), None if the item leads with no known verb.

    Source:
        naming rules, step 4.
    """
    verb = text_verb(item)
    if verb is None:
        return None
    roles = [operation_facts(operation)[1] for operation in operations if is_evidence(operation)]
    rows = [(verb, role, False, "") for role in roles] or [(verb, "", False, "")]
    return check(name_facts(rows, ()), vocabulary())
