"""How do weights that somebody trained on labels of their own become those of the learned segmenter?"""

from __future__ import annotations

import msgspec

from tracelode.errors import StoreError
from tracelode.profile.learned.weights import AGENT, PEOPLE, Weights, shipped_weights

OWN = "own"
"""The one expert of weights that were trained on one's own labels."""
_REMEDY = "run: tracelode segment --train learned, or --forget learned for the shipped ones"


def own_weights(content: bytes) -> Weights:
    """Weights whose one expert is asked whatever tools a session calls.

    Args:
        content: JSON of weights, as training kept them.

    Returns:
        The weights.

    Raises:
        StoreError: the content is damaged, or was trained on other features.
    """
    try:
        weights = msgspec.json.decode(content, type=Weights)
        expert = weights.experts[OWN]
    except (msgspec.DecodeError, KeyError) as error:
        raise StoreError(
            f"the weights that the segmenter learned was given are damaged; {_REMEDY}"
        ) from error
    if weights.features != shipped_weights().features:
        raise StoreError(
            f"the weights that the segmenter learned was given are of another version of tracelode; {_REMEDY}"
        )
    return msgspec.structs.replace(weights, experts={PEOPLE: expert, AGENT: expert})
