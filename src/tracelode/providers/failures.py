"""What does a failed request mean? A status, a cut connection, a late answer become one kind of error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from tracelode.errors import ProviderError
from tracelode.model.answer import Answer

_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""What an error code looks like that may be shown: a word of a protocol, no sentence."""
_BROKE = frozenset(("insufficient_quota", "billing_hard_limit_reached", "billing_error"))


class _Said(msgspec.Struct):
    code: str | int | None = None
    type: str | None = None


class _Body(msgspec.Struct):
    error: _Said | None = None


def code_of(body: bytes) -> str:
    """The error code in an answer's body.

    Args:
        body: as received.

    Returns:
        The code, or the type of the error; "" where there is none, or it does not look like one.
    """
    try:
        said = msgspec.json.decode(body, type=_Body).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    for word in (said.code, said.type) if said else ():
        if isinstance(word, str) and _CODE.fullmatch(word):
            return word
    return ""


def wait_of(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that an answer asks to wait.

    Args:
        headers: names in any case a mapping of headers takes.
        now: the moment; None for this one.

    Returns:
        At least 0; None where it says nothing that can be read.
    """
    for name, unit in (("retry-after-ms", 1_000), ("retry-after", 1)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", text):
            return float(text) / unit
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def status_error(place: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error that an HTTP status stands for.

    Args:
        place: who answered.
        status: its number.
        headers: of the answer.
        body: of the answer; at most its error code is shown.
    """
    code = code_of(body)
    said = f"{place} answered with status {status}" + (f" ({code})" if code else "")
    if code in _BROKE or status == 402:
        return ProviderError(f"{said}: the account has no credit left", kind="unauthorised")
    if status in (401, 403):
        return ProviderError(f"{said}: the key is not accepted; look at --key-env", kind="unauthorised")
    if 300 <= status < 400:
        why = "it points to another address, which is not followed; name the right one with --base-url"
        return ProviderError(f"{said}: {why}", kind="misdirected")
    if status == 404:
        return ProviderError(f"{said}: look at --model and --base-url", kind="misdirected")
    if status == 429:
        return ProviderError(f"{said}: too many requests", kind="rate_limited", retry_after=wait_of(headers))
    if status in (408, 504):
        return ProviderError(f"{said}: too late", kind="timeout")
    if status >= 500 or status in (409, 425):
        return ProviderError(said, kind="failed", retry_after=wait_of(headers))
    return ProviderError(f"{said}: it does not take this request", kind="rejected")


def malformed(place: str, what: str) -> ProviderError:
    """The error of an answer that breaks the protocol.

    Args:
        place: who answered.
        what: what is wrong, in our words.
    """
    return ProviderError(f"{place} answered with {what}", kind="malformed")


def cut(place: str, answer: Answer) -> ProviderError:
    """The error of an answer that reached its limit of tokens.

    Args:
        place: who answered.
        answer: as far as it came.
    """
    return _spent(ProviderError(f"{place} cut the answer at the limit of tokens", kind="cut"), answer)


def refused(place: str, answer: Answer) -> ProviderError:
    """The error of a model that will not answer.

    Args:
        place: where it is.
        answer: what it said instead.
    """
    return _spent(ProviderError(f"the model at {place} refused to answer", kind="refused"), answer)


def _spent(error: ProviderError, answer: Answer) -> ProviderError:
    error.tokens = (answer.tokens_in or 0, answer.tokens_cached, answer.tokens_out or 0)
    return error
