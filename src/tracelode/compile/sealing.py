"""What is a workflow known by? A digest of all of it, the same in every version that reads it."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from tracelode.model.workflow import Workflow

_LATER = frozenset(
    (
        ("Step", "fresh"),
        ("Effect", "refused"),
        ("Effect", "allowed"),
        ("Input", "words"),
        ("Input", "again"),
        ("Input", "order"),
        ("Input", "multiline"),
        ("Input", "blank"),
        ("Workflow", "words"),
    )
)
"""Fields that files of version 1 do not have: while they are empty they are left out of the digest."""
_ENCODER = msgspec.json.Encoder(order="deterministic")


def digest(workflow: Workflow) -> str:
    """What stands in Workflow.digest: of all the rest.

    Args:
        workflow: with any digest.

    Returns:
        32 hex digits.
    """
    plain = msgspec.structs.replace(workflow, digest="")
    return blake2b(_ENCODER.encode(_whole(plain)), digest_size=16).hexdigest()


def _whole(value: object) -> object:
    """With every default written out: which of them an encoder leaves out hangs on how it was made."""
    if isinstance(value, msgspec.Struct):
        tag = value.__struct_config__.tag
        fields = {
            name: _whole(held)
            for name in value.__struct_fields__
            if (held := getattr(value, name)) or (type(value).__name__, name) not in _LATER
        }
        return fields if tag is None else {"": tag, **fields}
    if isinstance(value, (list, tuple)):
        return [_whole(one) for one in value]
    return {key: _whole(one) for key, one in value.items()} if isinstance(value, dict) else value


def sealed(workflow: Workflow) -> Workflow:
    """A workflow with its digest.

    Args:
        workflow: with any digest.
    """
    return msgspec.structs.replace(workflow, digest=digest(workflow))
