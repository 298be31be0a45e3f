"""What was a session for? One of twenty closed intents, from what was edited and what was asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tracelode.model.operation import Operation
from tracelode.profile.name.grammar import check
from tracelode.profile.name.stage import is_evidence, operation_facts
from tracelode.signals.human import prompt_facts
from tracelode.signals.lexicon import Lexicon, load

_MOST_EDITED = 0.7
_REVIEW, _SHIP, _SETUP, _CHECKS = 0.4, 0.3, 0.4, 0.5
_DEPLOY, _TRAIN = 0.2, 0.1
_ASKED = {"fix": "fix bug", "add": "add feature", "refactor": "refactor code"}


def intent(
    operations: Sequence[Operation], first_prompt: str = "", prompt: Mapping[str, str] | None = None
) -> str:
    """The intent of a root session.

    Args:
        operations: operations of its main thread, in order; sub-agents left out.
        first_prompt: the first human prompt, "" if there is none.
        prompt: prompt_facts() of the first prompt, where its text is not at hand.

    Returns:
        A name of vocabulary().

    Source:
        naming rules, step 7, with the additions of section 3.
    """
    lexicon = load()
    seen = [operation for operation in operations if is_evidence(operation)]
    facts = [operation_facts(operation) for operation in seen]
    edited = {
        operation.fields.get("path") or operation.id: row[1]
        for operation, row in zip(seen, facts, strict=True)
        if row[0] in ("edit", "create")
    }
    verbs = Counter(row[0] for row in facts)
    known = prompt if prompt is not None else prompt_facts(first_prompt, lexicon)
    said, asked = known.get("said"), known.get("asked")
    name = _work(verbs, said, bool(edited)) or (
        _edits(Counter(edited.values()), asked, lexicon) if edited else _no_edits(verbs, asked)
    )
    return check(name, vocabulary())


def vocabulary() -> frozenset[str]:
    """The closed set of intents.

    Returns:
        Twenty names.
    """
    return load().intents


def _share(verbs: Counter[str], *names: str) -> float:
    total = verbs.total()
    return sum(verbs[name] for name in names) / total if total else 0.0


def _work(verbs: Counter[str], said: str | None, edited: bool) -> str | None:
    """Deployments and training runs, whatever is edited on the way."""
    if (said == "deploy" and (verbs["deploy"] or not edited)) or _share(verbs, "deploy") >= _DEPLOY:
        return "deploy service"
    if (said == "train" and (verbs["train"] or not edited)) or _share(verbs, "train") >= _TRAIN:
        return "train model"
    return None


def _no_edits(verbs: Counter[str], asked: str | None) -> str:
    shipped = verbs["commit"] + verbs["push"] + verbs["pull"]
    if asked == "review":
        return "review changes"
    # a look at the state before and after a commit belongs to it
    if shipped and _share(verbs, "commit", "push", "pull", "sync", "review", "inspectpr") >= _SHIP:
        return "ship changes"
    if _share(verbs, "review", "inspectpr") >= _REVIEW:
        return "review changes"
    if _share(verbs, "commit", "push", "pull", "sync") >= _SHIP:
        return "ship changes"
    if _share(verbs, "install", "manage", "serve") >= _SETUP:
        return "set up environment"
    if _share(verbs, "test", "run", "build") >= _CHECKS:
        return "run checks"
    return "understand code"


def _edits(roles: Counter[str], asked: str | None, lexicon: Lexicon) -> str:
    total = roles.total()
    for role in sorted(roles):
        if roles[role] < _MOST_EDITED * total:
            continue
        if role in lexicon.intent_roles:
            return f"change {role}"
        if role == "plan":
            return "plan work"
        if role == "tests":
            return "fix bug" if asked == "fix" else "write tests"
    return _ASKED.get(asked or "", "change code")
