"""Does all that an endpoint says become an answer or the right error, and is no more sent than is said?"""

from __future__ import annotations

import gzip
import json
import time
from typing import Any

import pytest

from providers.server import PATHS, Reply, Server, marked, said, serving
from tracelode.errors import ProviderError
from tracelode.model.answer import Request, Turn
from tracelode.model.asked import Backend
from tracelode.providers.api import Api
from tracelode.providers.choose import provider
from tracelode.providers.http import LARGEST

KEY = "key-of-nobody-0123456789"
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
REQUEST = Request(system="Rules.", turns=(Turn("user", "A packet."),), name="marks", schema=SCHEMA, most=500)

pytestmark = pytest.mark.parametrize("backend", ["openai", "anthropic"])


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the packages that would send something else, or elsewhere."""
    monkeypatch.setenv("OWN_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/elsewhere")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-spy: 1")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-spy")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-spy")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-spy")
    monkeypatch.setenv("OPENAI_API_KEY", "usual-key-openai")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "usual-key-anthropic")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")


def made(backend: str, server: Server, **more: Any) -> Api:
    given = {"key_env": "OWN_KEY", "timeout": 5.0, **more}
    found = provider(Backend(name=backend, model="own-model", base_url=server.url, **given))
    assert isinstance(found, Api)
    return found


def failing(backend: str, reply: Reply, **more: Any) -> ProviderError:
    """The error that a reply leads to; it holds nothing that was sent or received."""
    with serving([reply]) as server:
        asked = made(backend, server, **more)
        with pytest.raises(ProviderError) as caught:
            asked.complete(REQUEST)
        asked.close()
    error = caught.value
    assert "SPY" not in str(error)
    assert KEY not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    return error


def test_an_answer(backend: str) -> None:
    with serving([marked(backend, [("a", ["fix test"])], tokens=(1_234, 56))]) as server:
        answer = made(backend, server).complete(REQUEST)
    assert json.loads(answer.text) == {"marks": [{"start_operation_id": "a", "path": ["fix test"]}]}
    assert (answer.model, answer.tokens_in, answer.tokens_out) == ("own-model-1", 1_234, 56)
    assert len(server.seen) == 1
    assert server.seen[0].path == PATHS[backend]


def test_what_is_sent_is_what_sending_says(backend: str) -> None:
    with serving([marked(backend, [])]) as server:
        asked = made(backend, server)
        told = asked.sending(REQUEST)
        assert not server.seen
        asked.complete(REQUEST)
    seen = server.seen[0]
    assert told.to == f"POST {server.url}{seen.path}"
    assert seen.body == told.body
    assert set(seen.headers) <= set(told.headers)
    assert set(told.headers) - set(seen.headers) <= {"x-api-key", "authorization"}
    assert seen.headers["user-agent"].startswith("tracelode/")
    assert KEY in " ".join(seen.headers.values())
    assert "spy" not in json.dumps(seen.headers)


def test_the_usual_key_goes_nowhere_but_to_the_vendor(backend: str) -> None:
    with serving([marked(backend, [])]) as server:
        asked = made(backend, server, key_env="")
        told = asked.sending(REQUEST)
        asked.complete(REQUEST)
    assert not {"authorization", "x-api-key"} & {*server.seen[0].headers, *told.headers}
    assert "usual-key" not in json.dumps(server.seen[0].headers)


def test_a_server_that_takes_no_schema_is_asked_without(backend: str) -> None:
    refused = Reply(b'{"error": {"message": "SPY", "type": "invalid_request_error"}}', status=400)
    with serving([refused, marked(backend, []), marked(backend, [])]) as server:
        asked = made(backend, server)
        asked.complete(REQUEST)
        asked.complete(REQUEST)
    strict = ["response_format" in s.body or "tool_choice" in s.body for s in server.seen]
    assert strict == [True, False, False]


def test_an_answer_in_words_is_an_answer(backend: str) -> None:
    with serving([said(backend, "I had rather not say.", stop="end_turn")]) as server:
        assert made(backend, server).complete(REQUEST).text == "I had rather not say."


def test_refusals(backend: str) -> None:
    if backend == "openai":
        body = json.loads(said(backend, "").body)
        body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "SPY: I cannot."}
        replies = [Reply(json.dumps(body).encode()), said(backend, "SPY", stop="content_filter")]
    else:
        replies = [said(backend, "SPY", stop="refusal")]
    for reply in replies:
        error = failing(backend, reply)
        assert (error.kind, error.tokens) == ("refused", (1_000, 0, 50))


def test_an_answer_cut_at_the_limit_of_tokens(backend: str) -> None:
    stop = "length" if backend == "openai" else "max_tokens"
    error = failing(backend, said(backend, '{"marks": [SPY', stop=stop))
    assert (error.kind, error.tokens) == ("cut", (1_000, 0, 50))


STATUSES = [
    (401, b'{"error": {"message": "SPY", "code": "invalid_api_key"}}', "unauthorised", "(invalid_api_key)"),
    (403, b"{}", "unauthorised", "key is not accepted"),
    (402, b"{}", "unauthorised", "no credit"),
    (429, b'{"error": {"code": "insufficient_quota", "message": "SPY"}}', "unauthorised", "no credit"),
    (429, b'{"error": {"type": "rate_limit_error", "message": "SPY"}}', "rate_limited", "too many requests"),
    (404, b"SPY", "misdirected", "--base-url"),
    (400, b'{"error": {"code": "SPY is a sentence", "message": "SPY"}}', "rejected", "status 400"),
    (413, b"{}", "rejected", "status 413"),
    (408, b"{}", "timeout", "too late"),
    (500, b"<html>SPY</html>", "failed", "status 500"),
    (529, b'{"type": "error", "error": {"type": "overloaded_error"}}', "failed", "(overloaded_error)"),
]


@pytest.mark.parametrize(("status", "body", "kind", "words"), STATUSES)
def test_statuses(backend: str, status: int, body: bytes, kind: str, words: str) -> None:
    error = failing(backend, Reply(body, status=status))
    assert (error.kind, words in str(error)) == (kind, True)


def test_a_server_that_wants_us_to_wait(backend: str) -> None:
    for headers, seconds in (({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({}, None)):
        error = failing(backend, Reply(b"{}", status=429, headers=headers))
        assert error.retry_after == seconds
    later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 30))
    found = failing(backend, Reply(b"{}", status=429, headers={"retry-after": later})).retry_after
    assert found is not None
    assert 20 < found <= 30


BROKEN = [
    b'{"choices": [', b"SPY", b"", b"[]", b"null", b'{"choices": "SPY", "content": "SPY"}', b"\xff\xfe",
    b'{"choices": [], "content": 3}', b"[" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_answers_that_are_none(backend: str, body: bytes) -> None:
    assert failing(backend, Reply(body)).kind == "malformed"


def test_a_page_instead_of_an_answer(backend: str) -> None:
    error = failing(backend, Reply(b"<html>SPY: please log in</html>", kind="text/html"))
    assert (error.kind, "--base-url" in str(error)) == ("malformed", True)


def test_the_right_body_under_a_wrong_content_type_is_an_answer(backend: str) -> None:
    with serving([marked(backend, [], kind="text/plain")]) as server:
        assert made(backend, server).complete(REQUEST).text == '{"marks": []}'


def test_a_redirect_is_not_followed(backend: str) -> None:
    with serving([marked(backend, [])]) as other:
        for status in (301, 302, 307, 308):
            reply = Reply(b"", status=status, headers={"location": f"{other.url}/v1/SPY"})
            error = failing(backend, reply)
            assert (error.kind, "--base-url" in str(error)) == ("misdirected", True)
    assert not other.seen


def test_a_late_answer(backend: str) -> None:
    start = time.monotonic()
    assert failing(backend, Reply(b"{}", before=3), timeout=0.3).kind == "timeout"
    assert time.monotonic() - start < 2


def test_an_answer_that_trickles(backend: str) -> None:
    start = time.monotonic()
    trickle = said(backend, "x" * 100)
    trickle.between = 0.05
    assert failing(backend, trickle, timeout=0.5).kind == "timeout"
    assert time.monotonic() - start < 3


def test_an_answer_cut_in_its_middle(backend: str) -> None:
    whole = said(backend, "x" * 4_000)
    whole.cut = 1_000
    assert failing(backend, whole).kind == "cut"


def test_a_huge_answer(backend: str) -> None:
    assert failing(backend, Reply(b" " * (LARGEST + 1))).kind == "malformed"


def test_packed_bytes_that_nobody_asked_for(backend: str) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    error = failing(backend, Reply(bomb, headers={"content-encoding": "gzip"}))
    assert error.kind == "malformed"


def test_nobody_answers(backend: str) -> None:
    with serving([Reply()]) as server:
        pass
    asked = made(backend, server)
    with pytest.raises(ProviderError) as caught:
        asked.complete(REQUEST)
    assert caught.value.kind == "unreachable"


def test_a_closed_backend_asks_nothing(backend: str) -> None:
    with serving([marked(backend, [])]) as server:
        asked = made(backend, server)
        asked.ready()
        asked.close()
        with pytest.raises(ProviderError):
            asked.complete(REQUEST)
    assert not server.seen
