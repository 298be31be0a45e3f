"""What does a plan item say the work under it is? The declared stage beside the observed one."""

from __future__ import annotations

from collections.abc import Sequence

from tracelode.model.operation import Operation
from tracelode.profile.name.facts import facts
from tracelode.profile.name.grammar import check
from tracelode.profile.name.stage import is_evidence, vocabulary
from tracelode.profile.name.work import act_name
from tracelode.signals.lexicon import load
from tracelode.signals.text import text_verb

_SETTLES = "verify result"
"""The declared stage that calls cannot show: they run a program, the words tell what for."""


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
    lexicon = load()
    said = text_verb(item) if item else verb
    if said is None or said not in lexicon.verbs:
        return None
    words = lexicon.stages
    if said == "fix":
        return f"fix {words['fix_else']}"
    if said == "diagnose":
        return f"diagnose {words['diagnose_else']}"
    rows, _ = facts([operation for operation in operations if is_evidence(operation)])
    return check(act_name(said, rows), vocabulary())


def agreed(said: str, observed: str) -> str:
    """The name of a segment for which a plan declares one.

    Args:
        said: the declared stage.
        observed: the stage that its operations show.

    Returns:
        The observed stage; the declared one where the calls run a program and the plan says that this
        verifies something.

    Source:
        decision 0024: a name is carried by the calls, what a plan declares stays a field beside it.
    """
    runs = observed.startswith("run ") or observed == load().stages["acts"]["try"]
    return said if said == _SETTLES and runs else observed
