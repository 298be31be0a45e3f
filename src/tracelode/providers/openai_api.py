"""How is a model asked through OpenAI's chat completions, at OpenAI or at anything that speaks them?

Protocol: https://platform.openai.com/docs/api-reference/chat/create.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tracelode.model.answer import Answer, Request
from tracelode.providers.api import Api
from tracelode.providers.failures import cut, malformed, refused


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


class OpenAI(Api):
    """Asks by the openai package; takes the arguments of Api."""

    backend = package = "openai"
    home = "https://api.openai.com/v1"
    path = "/chat/completions"
    variable = "OPENAI_API_KEY"
    headers = frozenset(("host", "accept", "authorization", "connection", "content-type", "content-length"))

    def _made(self, key: str, client: Any) -> Any:
        import openai

        return openai.OpenAI(api_key=key, base_url=self.place, http_client=client, max_retries=0)

    def _body(self, request: Request, *, plain: bool) -> dict[str, Any]:
        turns = [{"role": "system", "content": request.system}]
        turns += [{"role": turn.role, "content": turn.text} for turn in request.turns]
        # other servers know the older name only; OpenAI's thinking models take the newer one only
        most = "max_completion_tokens" if self.vendor else "max_tokens"
        body: dict[str, Any] = {"model": self.model, "messages": turns, most: request.most}
        if not plain:
            schema = {"name": request.name, "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _post(self, client: Any, body: dict[str, Any]) -> bytes:
        raw = client.chat.completions.with_raw_response.create(**body)
        return bytes(raw.http_response.content)

    def _read(self, raw: bytes) -> Answer:
        found = self._decoded(raw, _Completion)
        if not found.choices:
            raise malformed(self.place, "no choice")
        choice = found.choices[0]
        usage = found.usage or _Usage()
        cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None
        answer = Answer(
            text=choice.message.content or "",
            model=found.model or "",
            tokens_in=usage.prompt_tokens,
            tokens_cached=cached or 0,
            tokens_out=usage.completion_tokens,
            stop=choice.finish_reason or "",
        )
        if choice.message.refusal or choice.finish_reason == "content_filter":
            raise refused(self.place, answer)
        if choice.finish_reason == "length":
            raise cut(self.place, answer)
        return answer
