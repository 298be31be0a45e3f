"""Decorated model ids mean the model they decorate, and nothing else."""

from __future__ import annotations

import pytest

from tracelode.pricing.table import PriceTable

TABLE = PriceTable.load()

SAME = {
    "claude-sonnet-4-5": (
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5-20250929[1m]",
        "claude-sonnet-4-5[1m]",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4.5",
        "Claude-Sonnet-4-5",
        "anthropic/claude-sonnet-4-5",
        "anthropic/claude-sonnet-4.5",
        "openrouter/anthropic/claude-sonnet-4.5",
        "openrouter/anthropic/claude-sonnet-4.5:thinking",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/us-west-2/anthropic.claude-sonnet-4-5-20250929-v1:0",
        "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "vertex_ai/claude-sonnet-4-5@20250929",
    ),
    "claude-opus-4": (
        "claude-opus-4-0",
        "claude-4-opus-20250514",
        "us.anthropic.claude-opus-4-20250514-v1:0",
    ),
    "claude-opus-4-1": ("claude-opus-4-1-20250805", "anthropic/claude-opus-4.1"),
    "claude-opus-5": ("claude-opus-5-20260724", "claude-opus-5-latest"),
    "claude-3-5-sonnet": (
        "claude-3-5-sonnet-20241022",
        "claude-3-5-sonnet-latest",
        "claude-3.5-sonnet",
        "anthropic.claude-3-5-sonnet-20241022-v2:0",
        "claude-3-5-sonnet-v2@20241022",
    ),
    "gpt-4o": ("openai/gpt-4o", "azure/gpt-4o"),
    "gpt-4o-2024-08-06": ("gpt-4o-2024-11-20",),
    "gpt-4o-2024-05-13": ("openai/gpt-4o-2024-05-13",),
    "gpt-5": ("gpt-5-2025-08-07", "gpt-5-codex", "openai/gpt-5-chat-latest"),
    "gpt-5.1": ("gpt-5.1-codex-max", "gpt-5-1-2025-11-13"),
    "gpt-4.1-mini": ("gpt-4.1-mini-2025-04-14",),
    "gemini-2.5-pro": ("models/gemini-2.5-pro", "gemini/gemini-2.5-pro", "gemini-2.5-pro-preview-05-06"),
    "deepseek-chat": ("deepseek/deepseek-chat",),
    "kimi-k2.5": ("moonshot/kimi-k2.5", "moonshotai/kimi-k2.5"),
    "llama-3.3-70b-versatile": ("groq/llama-3.3-70b-versatile",),
    "llama-3.3-70b-instruct-turbo": ("together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo",),
}


@pytest.mark.parametrize(("plain", "decorated"), [(k, d) for k, ds in SAME.items() for d in (k, *ds)])
def test_a_decorated_id_is_the_plain_model(plain: str, decorated: str) -> None:
    entry = TABLE.find(decorated)
    assert entry is not None
    assert entry.id == plain


@pytest.mark.parametrize(
    "model",
    [
        "<synthetic>",
        "",
        " ",
        "sonnet",
        "claude",
        "claude-opus-4-9",  # a model that is not in the table is not its ancestor
        "claude-opus-9",
        "gpt-5.9-codex",
        "gpt-5-turbo-9000",
        "deepseek/deepseek-chat:free",
        "openrouter/deepseek/deepseek-chat",  # open weights at another host cost what that host says
        "together_ai/deepseek-chat",
        "ollama/glm-4.6",
        "openai/gpt-oss-120b",
        "us.anthropic.",
        "/",
        "@20250929",
        "[1m]",
    ],
)
def test_what_is_not_known_is_not_guessed(model: str) -> None:
    assert TABLE.find(model) is None


def test_free_text_as_an_id_is_answered_fast_and_not_kept_forever() -> None:
    table = PriceTable.load()
    for i in range(25_000):
        assert table.find(f"made-up-{i}") is None
    assert len(table._models) <= 20_000
