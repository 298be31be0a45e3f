"""The shipped table is sound, and a user's own file is checked and merged."""

from __future__ import annotations

import json
import os
import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tracelode.errors import UsageError
from tracelode.pricing import data
from tracelode.pricing.ids import normal
from tracelode.pricing.table import Cost, PriceTable

SHIPPED = data.shipped()
ONE = (1_000_000, 0, 0, 0, 0, 0)
DAY = date(2026, 10, 2)


@pytest.mark.parametrize("model", SHIPPED.models, ids=lambda m: m.id)
def test_every_shipped_entry_is_sound(model: data.Model) -> None:
    data.check(model)
    assert model.provider in SHIPPED.sources
    for period in model.prices:
        assert period.rates.output >= period.rates.input
        for rates in (period.rates, *period.long):
            assert (rates.cache_read or Decimal(0)) <= rates.input
        for long in period.long:
            assert long.input >= period.rates.input
            assert long.output >= period.rates.output


def test_only_a_regular_file_of_some_size_is_a_price_file(tmp_path: Path) -> None:
    pipe, large = tmp_path / "pipe.json", tmp_path / "large.json"
    os.mkfifo(pipe)
    with large.open("wb") as stream:
        stream.truncate(1 << 30)
    for path, reason in (
        (pipe, "it is no regular file"),
        (Path("/dev/zero"), "it is no regular file"),
        (tmp_path, "it is a folder"),
        (large, "it is above 16 MB"),
        (tmp_path / "none.json", "it is not there"),
    ):
        with pytest.raises(UsageError, match=f"price file {re.escape(str(path))} cannot be read: {reason}$"):
            data.user(path)


def test_no_two_entries_share_a_name() -> None:
    names = [normal(name) for model in SHIPPED.models for name in (model.id, *model.aliases)]
    assert len(names) == len(set(names))


def test_every_price_is_a_string_so_that_no_binary_fraction_creeps_in() -> None:
    def numbers(node: object, path: str) -> list[str]:
        if isinstance(node, dict):
            return [n for key, value in node.items() for n in numbers(value, f"{path}.{key}")]
        if isinstance(node, list):
            return [n for i, value in enumerate(node) for n in numbers(value, f"{path}[{i}]")]
        loose = isinstance(node, float) or (type(node) is int and not path.endswith(".above"))
        return [path] if loose else []

    assert numbers(json.loads(data.SHIPPED.read_text()), "$") == []


@pytest.mark.parametrize(
    ("provider", "minimum"),
    [("anthropic", 27), ("openai", 35), ("google", 15), ("zai", 9), ("moonshotai", 9)],
)
def test_the_table_covers_the_large_vendors(provider: str, minimum: int) -> None:
    assert sum(model.provider == provider for model in SHIPPED.models) >= minimum


def own(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_users_price_lies_on_top(tmp_path: Path) -> None:
    file = own(
        tmp_path / "prices.toml",
        """
        [[models]]
        id = "gpt-5"
        provider = "our-contract"
        [[models.prices]]
        from = 2025-01-01
        rates = { input = "1", output = "8" }

        [[models]]
        id = "house-model"
        provider = "house"
        aliases = ["house-model-large"]
        prices = [{ from = 2026-01-01, rates = { input = "0.2", output = "0.2" } }]

        [fees.house]
        lookup = "4"
        """,
    )
    plain, table = PriceTable.load(), PriceTable.load(file)
    assert table.price("gpt-5", DAY, ONE) == Cost(10**12)
    assert table.price("gpt-5-codex", DAY, ONE) == Cost(10**12)  # the shipped aliases follow
    assert table.price("house-model-large", DAY, ONE, fees={"lookup": 1}) == Cost(204 * 10**9, 4 * 10**9)
    assert table.price("claude-opus-5", DAY, ONE) == plain.price("claude-opus-5", DAY, ONE)
    assert table.version.startswith(plain.version + "+")
    assert plain.price("gpt-5", DAY, ONE) == Cost(125 * 10**10)


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    entry = {
        "id": "m",
        "provider": "p",
        "prices": [{"from": "2026-01-01", "rates": {"input": "1", "output": "2"}}],
    }
    table = PriceTable.load(own(tmp_path / "prices.json", json.dumps({"models": [entry]})))
    assert table.price("m", DAY, ONE) == Cost(10**12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "truncated"),
        ('{"modles": []}', "modles"),
        ('{"models": [{"id": "m", "provider": "p", "prices": []}]}', "at least one period"),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": '
            '[{"rates": {"input": "1", "output": "2"}}]}]}',
            "from",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": '
            '[{"from": "2026-01-01", "rates": {"input": "x", "output": "2"}}]}]}',
            "models[0].prices[0].rates.input",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": '
            '[{"from": "2026-01-01", "rates": {"input": "-1", "output": "2"}}]}]}',
            "not a whole number of picodollars",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": '
            '[{"from": "2026-01-01", "rates": {"input": "0.0000001", "output": "2"}}]}]}',
            "not a whole number of picodollars",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": [{"from": "2026-01-01", '
            '"rates": {"input": "0.000003", "output": "2"}, "tiers": {"batch": "0.5"}}]}]}',
            "model m from 2026-01-01",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": ['
            '{"from": "2026-01-02", "rates": {"input": "1", "output": "2"}},'
            '{"from": "2026-01-01", "rates": {"input": "1", "output": "2"}}]}]}',
            "does not start after",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": [{"from": "2026-01-02", '
            '"until": "2026-01-01", "rates": {"input": "1", "output": "2"}}]}]}',
            "ends before it starts",
        ),
        (
            '{"models": [{"id": "m", "provider": "p", "prices": [{"from": "2026-01-02", '
            '"rates": {"input": "1", "output": "2"}, "long": [{"above": 2, "input": "1", "output": "1"}, '
            '{"above": 1, "input": "1", "output": "1"}]}]}]}',
            "rising limits",
        ),
        ('{"fees": {"p": {"t": "nan"}}}', "not a whole number"),
    ],
)
def test_a_broken_file_is_named_and_explained(tmp_path: Path, text: str, words: str) -> None:
    path = own(tmp_path / "mine.json", text)
    with pytest.raises(UsageError) as caught:
        PriceTable.load(path)
    assert "mine.json" in str(caught.value)
    assert words in str(caught.value)


def test_a_missing_file_and_a_file_of_bytes(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        PriceTable.load(tmp_path / "none.json")
    path = tmp_path / "bytes.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match=r"bytes\.toml"):
        PriceTable.load(path)
