"""What does a price file look like, and is this one sound? Shipped and user's own tables share one form."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from hashlib import blake2b
from itertools import product
from pathlib import Path

import msgspec

from tracelode.errors import UsageError
from tracelode.files import bounded, why

SHIPPED = Path(__file__).with_name("prices.json")
"""The table that comes with this version."""

KINDS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")
"""Priced kinds of tokens in the order of the token measures; reasoning is priced as output."""

_MILLION = 1_000_000


class Rates(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Dollars per million tokens of each kind."""

    input: Decimal
    """Fresh input."""
    output: Decimal
    """Output and reasoning."""
    cache_read: Decimal | None = None
    """Input read from a cache; None: not sold, such tokens leave the call unpriced."""
    cache_write_5m: Decimal | None = None
    """Input written to a cache for minutes, or to a cache with one write price."""
    cache_write_1h: Decimal | None = None
    """Input written to a cache for an hour."""


class Long(Rates, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """Rates of the whole call when its context is longer than a limit."""

    above: int
    """Fresh + read + written tokens that must be exceeded."""


class Period(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a model costs during some time."""

    since: date = msgspec.field(name="from")
    """First day, UTC."""
    until: date | None = None
    """Last day, None: until the next period starts."""
    rates: Rates
    """Standard rates."""
    long: tuple[Long, ...] = ()
    """Rates of long contexts, by rising limit."""
    tiers: dict[str, Decimal | Rates] = {}
    """Service tier to a factor on every rate, or to rates of its own for contexts that are not long."""
    speeds: dict[str, Decimal] = {}
    """Speed to a factor on every rate."""
    geos: dict[str, Decimal] = {}
    """Geography to a factor on every rate."""
    note: str = ""
    """What a reader should know."""


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A model and its dated prices."""

    id: str
    """The vendor's id without a date."""
    provider: str
    """Who sells at this price; a key of sources."""
    aliases: tuple[str, ...] = ()
    """Other ids of the same price."""
    hosted: bool = False
    """True: open weights that others sell too, so an id that names another host is not this one."""
    prices: tuple[Period, ...]
    """Periods by first day."""


class Origin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a provider's prices come from."""

    vendor: str
    """Name for people."""
    page: str
    """The vendor's public page the prices stand on."""
    checked: date
    """Day of the last check."""
    through: tuple[str, ...] = ()
    """Public price lists the page was read through, where it was not read itself."""
    names: tuple[str, ...] = ()
    """Other prefixes that name this provider in model ids."""
    note: str = ""
    """What a reader should know."""


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A price file."""

    version: str = ""
    """Day the table was last changed."""
    sources: dict[str, Origin] = {}
    """Provider to where its prices come from."""
    fees: dict[str, dict[str, Decimal]] = {}
    """Provider to tool to dollars per thousand uses."""
    neutral: dict[str, tuple[str, ...]] = {}
    """tier, speed, geo to the words that mean the standard rate."""
    models: tuple[Model, ...] = ()
    """Priced models."""


MAX_BYTES = 16 * 1024 * 1024
"""A larger file is no price file."""

DEAR = 1_000_000
"""Dollars per million tokens; above that a price file holds an error."""


def picodollars(rate: Decimal) -> int:
    """Picodollars per token of a rate, exactly.

    Args:
        rate: dollars per million tokens.

    Returns:
        The integer.

    Raises:
        ValueError: negative, finer than a picodollar per token, or above DEAR.

    Example:
        >>> picodollars(Decimal("3.75"))
        3750000
    """
    if rate.is_finite() and rate > DEAR:
        raise ValueError(f"more than {DEAR:,} dollars per million tokens is no price")
    scaled = rate * _MILLION
    if not scaled.is_finite() or scaled < 0 or scaled != scaled.to_integral_value():
        raise ValueError(f"{rate} dollars per million tokens is not a whole number of picodollars per token")
    return int(scaled)


def shipped() -> File:
    """The table that comes with this version."""
    return msgspec.json.decode(SHIPPED.read_bytes(), type=File)


def user(path: Path) -> File:
    """A user's own prices.

    Args:
        path: a JSON or TOML file in the form of the shipped one; models alone are enough.

    Returns:
        The file, checked; its version is a digest of its bytes.

    Raises:
        UsageError: it cannot be read or breaks the form; the message says where.
    """
    try:
        raw = bounded(path, MAX_BYTES)
    except OSError as error:
        raise UsageError(f"price file {path} cannot be read: {why(error)}") from None
    try:
        decode = msgspec.toml.decode if path.suffix == ".toml" else msgspec.json.decode
        file = decode(raw, type=File)
        for model in file.models:
            check(model)
        for tools in file.fees.values():
            for fee in tools.values():
                picodollars(fee)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise UsageError(f"price file {path}: {error}; see docs/reference/prices.md for the form") from None
    return msgspec.structs.replace(file, version=blake2b(raw, digest_size=4).hexdigest())


def check(model: Model) -> None:
    """Assert what the types cannot say: order of periods and limits, exact picodollars under every factor.

    Args:
        model: one entry of a price file.

    Raises:
        ValueError: what is off, with the model's id.
    """
    where = f"model {model.id}"
    if not model.id or not model.prices:
        raise ValueError(f"{where} needs an id and at least one period in prices")
    last: date | None = None
    for period in model.prices:
        if last is not None and period.since <= last:
            raise ValueError(f"{where}: the period from {period.since} does not start after the one before")
        if period.until is not None and period.until < period.since:
            raise ValueError(f"{where}: the period from {period.since} ends before it starts")
        last = period.until or period.since
        limits = [tier.above for tier in period.long]
        if limits != sorted(set(limits)) or any(limit <= 0 for limit in limits):
            raise ValueError(f"{where}: long needs rising limits above 0")
        try:
            _check_factors(period)
        except ValueError as error:
            raise ValueError(f"{where} from {period.since}: {error}") from None


def _check_factors(period: Period) -> None:
    one = Decimal(1)
    factors = [f for f in period.tiers.values() if isinstance(f, Decimal)]
    owned = [r for r in period.tiers.values() if isinstance(r, Rates)]
    for tier, speed, geo in product(
        [one, *factors], [one, *period.speeds.values()], [one, *period.geos.values()]
    ):
        for rates in (period.rates, *period.long, *owned):
            scaled(rates, tier * speed * geo)


def scaled(rates: Rates, factor: Decimal) -> tuple[int | None, ...]:
    """Picodollars per token of each kind under a factor.

    Args:
        rates: dollars per million tokens.
        factor: of tier, speed and geography together.

    Returns:
        Integers in the order of KINDS; None where the kind is not sold.

    Raises:
        ValueError: a product is not a whole number of picodollars.
    """
    values = (getattr(rates, kind) for kind in KINDS)
    return tuple(None if value is None else picodollars(value * factor) for value in values)
