"""What does the price table say, for people? Makes docs/reference/prices.md from the shipped table."""

from __future__ import annotations

from decimal import Decimal

from tracelode.pricing import data

_HEAD = """\
# Prices

Version {version}, dollars per million tokens. {models} models of {providers} providers; a model that is not
here is unpriced: its tokens are named beside every total, never counted as free.

- The price is that of the call's day in UTC. A day before the first period has no price.
- `long` rates hold for the whole call once fresh + read + written tokens exceed the limit.
- Reasoning tokens are priced as output. A dash is a kind the vendor does not sell; tokens of it leave the
  call unpriced.
- Tier, speed and geography are applied where the record names them. A word without a price leaves the call
  unpriced.
- Prices are the vendor's list prices. Surcharges of a cloud that resells a model, and contracts, are not in
  them: write your own file.
- Of models with open weights (marked *) the price is that of the provider named; an id that names another
  host is unpriced.
- Model ids are matched after provider prefix, region, date and revision are taken off, and only exactly: an
  unknown successor is never priced as its ancestor.

## Your own prices

`--price-file FILE` takes a JSON or TOML file in the form of the shipped table; `models` alone are enough. An
entry replaces the shipped one of the same id.

```toml
[[models]]
id = "gpt-5"
provider = "our contract"
aliases = []

[[models.prices]]
from = 2026-01-01            # first day; until = ... ends it
rates = {{ input = "1", output = "8", cache_read = "0.1" }}
long = [{{ above = 272000, input = "2", output = "12", cache_read = "0.2" }}]
tiers = {{ batch = "0.5" }}    # a factor, or rates
geos = {{ us = "1.1" }}
speeds = {{ fast = "2" }}

[fees."our contract"]
web_search = "10"            # per thousand uses
```

Kinds of rates: `input`, `output`, `cache_read`, `cache_write_5m` (also a cache with one write price),
`cache_write_1h`. Prices are strings of decimals; every price times every factor must be a whole number of
picodollars per token.
"""

_COLUMNS = ("model", "from", "input", "cache read", "write 5m", "write 1h", "output", "more")
_KINDS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")


def prices() -> str:
    """The page.

    Returns:
        Markdown: how prices are applied, then one table per provider.
    """
    file = data.shipped()
    out = [_HEAD.format(version=file.version, models=len(file.models), providers=len(file.sources))]
    for provider, origin in file.sources.items():
        out.append(f"\n## {origin.vendor}\n\nSource: {origin.page}, checked {origin.checked}")
        out.append(f", read through {', '.join(origin.through)}.\n" if origin.through else ".\n")
        if origin.note:
            out.append(f"\n{origin.note}\n")
        if tools := file.fees.get(provider):
            fees = ", ".join(f"`{tool}` ${fee}" for tool, fee in tools.items())
            out.append(f"\nTool fees per thousand uses: {fees}.\n")
        rows = [row for model in file.models if model.provider == provider for row in _rows(model)]
        out.append("\n" + "".join("| " + " | ".join(row) + " |\n" for row in (_COLUMNS, ["---"] * 8, *rows)))
    return "".join(out)


def _rows(model: data.Model) -> list[list[str]]:
    out = []
    for number, period in enumerate(model.prices):
        name = f"`{model.id}`{' *' if model.hosted else ''}" if number == 0 else ""
        if number == 0 and model.aliases:
            name += f" ({', '.join(f'`{alias}`' for alias in model.aliases)})"
        span = f"{period.since}" + (f" to {period.until}" if period.until else "")
        out.append([name, span, *_cells(period.rates), "; ".join(_more(period))])
        out += [["", f"above {long.above:,}", *_cells(long), ""] for long in period.long]
    return out


def _cells(rates: data.Rates) -> list[str]:
    values: list[Decimal | None] = [getattr(rates, kind) for kind in _KINDS]
    return ["-" if value is None else str(value) for value in values]


def _more(period: data.Period) -> list[str]:
    out = []
    for word, known in (("", period.tiers), ("", period.speeds), ("geography ", period.geos)):
        for name, value in known.items():
            if isinstance(value, data.Rates):
                out.append(f"{name} " + "/".join(_cells(value)))
            else:
                out.append(f"{word}{name} x {value}")
    return [*out, period.note] if period.note else out
