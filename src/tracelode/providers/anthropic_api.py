"""How is a model asked through Anthropic's messages, with the answer's schema as the one tool it has to use?

Protocol: https://docs.anthropic.com/en/api/messages.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.model.answer import Answer, Request
from tracelode.providers.api import Api
from tracelode.providers.failures import cut, refused


class _Block(msgspec.Struct):
    type: str
    text: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None


class _Message(msgspec.Struct):
    content: list[_Block]
    model: str | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


class Anthropic(Api):
    """Asks by the anthropic package; takes the arguments of Api."""

    backend = package = "anthropic"
    home = "https://api.anthropic.com"
    path = "/v1/messages"
    variable = "ANTHROPIC_API_KEY"
    headers = frozenset(
        (
            *("host", "accept", "authorization", "connection", "content-type", "content-length"),
            *("x-api-key", "anthropic-version"),
        )
    )

    def _made(self, key: str, client: Any) -> Any:
        import anthropic

        # without its own telemetry, whatever the environment says of it
        return anthropic.Anthropic(
            api_key=key, base_url=self.place, http_client=client, max_retries=0, open_telemetry=False
        )

    def _body(self, request: Request, *, plain: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.most,
            "system": request.system,
            "messages": [{"role": turn.role, "content": turn.text} for turn in request.turns],
        }
        if not plain:
            about = "Takes the answer."
            tool = {"name": request.name, "description": about, "input_schema": request.schema}
            body["tools"] = [tool]
            body["tool_choice"] = {"type": "tool", "name": request.name, "disable_parallel_tool_use": True}
        return body

    def _post(self, client: Any, body: dict[str, Any]) -> bytes:
        raw = client.messages.with_raw_response.create(**body)
        return bytes(raw.http_response.content)

    def _read(self, raw: bytes) -> Answer:
        found = self._decoded(raw, _Message)
        given = [
            bytes(b.input).decode() for b in found.content if b.type == "tool_use" and b.input is not None
        ]
        said = [b.text for b in found.content if b.type == "text" and b.text]
        usage = found.usage or _Usage()
        parts = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
        known = [part for part in parts if part is not None]
        answer = Answer(
            text=given[0] if given else "\n".join(said),
            model=found.model or "",
            tokens_in=sum(known) if known else None,
            tokens_cached=usage.cache_read_input_tokens or 0,
            tokens_out=usage.output_tokens,
            stop=found.stop_reason or "",
        )
        if found.stop_reason == "refusal":
            raise refused(self.place, answer)
        if found.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            raise cut(self.place, answer)
        return answer
