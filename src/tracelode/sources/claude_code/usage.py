"""How do a Claude message's usage figures become disjoint token measures?"""

from __future__ import annotations

from tracelode.making import put_count
from tracelode.sources.claude_code.records import Iteration, Usage

_DEAR = 100_000
"""No single call costs this many dollars; such a figure is damage."""


def measures_of(usage: Usage | Iteration | None, complaints: list[str]) -> dict[str, int]:
    """Token measures of one API call.

    Args:
        usage: the message's usage, or one of its iterations; None where the record has none.
        complaints: receives closed words on figures that were left out.

    Returns:
        Measures by name; a kind the record does not tell is absent. Reasoning is inside output.

    Source:
        formats: token semantics, Claude Code (cache reads and writes are not part of input).
    """
    if usage is None:
        return {}
    found: dict[str, int] = {}

    def put(name: str, value: int | None) -> None:
        put_count(found, name, value, complaints)

    put("tokens.input_fresh", usage.input_tokens)
    put("tokens.cache_read", usage.cache_read_input_tokens)
    put("tokens.output", usage.output_tokens)
    split = usage.cache_creation
    whole = usage.cache_creation_input_tokens
    if split is not None:
        put("tokens.cache_write_5m", split.ephemeral_5m_input_tokens)
        put("tokens.cache_write_1h", split.ephemeral_1h_input_tokens)
    known = found.get("tokens.cache_write_5m", 0) + found.get("tokens.cache_write_1h", 0)
    if whole is not None and whole != known:
        # versions before the split told only the sum, and it was always the short-lived kind
        if whole > known:
            put("tokens.cache_write_5m", whole - found.get("tokens.cache_write_1h", 0))
        elif whole < 0:
            complaints.append("negative token count left out")
        else:
            complaints.append("cache writes by lifetime exceed their sum, parts kept")
    return found


def picodollars(dollars: float | None, complaints: list[str]) -> int | None:
    """A cost that a record states.

    Args:
        dollars: as recorded, None for none.
        complaints: receives closed words on a figure that was left out.

    Returns:
        Picodollars, None where nothing usable is stated.
    """
    if dollars is None:
        return None
    if not 0 <= dollars <= _DEAR:
        complaints.append("absurd cost left out")
        return None
    return round(dollars * 10**12)


def details_of(usage: Usage | None) -> tuple[dict[str, str], dict[str, int]]:
    """What beside tokens decides the price of a call.

    Args:
        usage: the message's usage.

    Returns:
        (fields, measures): service tier, speed and geography; uses of server tools.
    """
    if usage is None:
        return {}, {}
    fields: dict[str, str] = {}
    if usage.service_tier and usage.service_tier != "standard":
        fields["service_tier"] = usage.service_tier
    if usage.speed and usage.speed != "standard":
        fields["speed"] = usage.speed
    if usage.inference_geo and usage.inference_geo not in ("global", "not_available"):
        fields["geo"] = usage.inference_geo
    uses: dict[str, int] = {}
    server = usage.server_tool_use
    if server is not None:
        if server.web_search_requests and server.web_search_requests > 0:
            uses["uses.web_search"] = server.web_search_requests
        if server.web_fetch_requests and server.web_fetch_requests > 0:
            uses["uses.web_fetch"] = server.web_fetch_requests
    return fields, uses
