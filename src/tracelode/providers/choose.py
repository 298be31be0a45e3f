"""Which backend does a name mean, and which of its settings were given in vain?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracelode.errors import UsageError
from tracelode.model.asked import BACKENDS

if TYPE_CHECKING:
    from tracelode.model.answer import Provider
    from tracelode.model.asked import Backend


def provider(given: Backend) -> Provider:
    """The provider that settings mean; nothing is sent or started, and no package is imported.

    Args:
        given: the settings.

    Returns:
        It.

    Raises:
        UsageError: no such backend, or settings that do not go with it.
    """
    if given.name not in BACKENDS:
        raise UsageError(f"unknown backend {given.name!r}; known: {', '.join(BACKENDS)}")
    if given.name == "agent":
        if given.base_url or given.key_env or given.insecure:
            raise UsageError(
                "--base-url, --key-env and --insecure are nothing to an agent: it has its own settings"
            )
        if given.command and given.model:
            raise UsageError("--model is nothing to --command: write the model into the command")
        from tracelode.providers.agent_cli import AgentCli

        return AgentCli(given.agent, command=given.command, model=given.model, timeout=given.timeout)
    if given.agent or given.command:
        raise UsageError("--agent and --command go with --backend agent")
    if not given.model:
        raise UsageError(f"--backend {given.name} needs --model with the name of a model")
    if given.name == "openai":
        from tracelode.providers.openai_api import OpenAI as Chosen
    else:
        from tracelode.providers.anthropic_api import Anthropic as Chosen  # type: ignore[assignment]
    return Chosen(
        given.model,
        base_url=given.base_url or None,
        key_env=given.key_env or None,
        timeout=given.timeout,
        insecure=given.insecure,
    )
