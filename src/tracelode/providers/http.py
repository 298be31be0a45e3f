"""How does a request leave? To one address, with named headers only, not redirected, within time and size."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2

from tracelode import __version__
from tracelode.errors import ProviderError
from tracelode.providers.failures import malformed, status_error
from tracelode.providers.places import is_loopback

LARGEST = 8 * 1024 * 1024
"""Bytes of an answer; a larger one is no answer to our question."""
AGENT = f"tracelode/{__version__}"
"""The user agent we name."""
_CONNECT = 20.0


class _TooLarge(Exception):
    pass


class _Watched(httpx2.SyncByteStream):
    """An answer's bytes, counted against the size and the time they may take."""

    def __init__(self, inner: Any, deadline: float) -> None:
        self._inner, self._deadline = inner, deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._inner:
            size += len(piece)
            if size > LARGEST:
                raise _TooLarge
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("late")
            yield piece

    def close(self) -> None:
        self._inner.close()


class _Narrow(httpx2.BaseTransport):
    """A transport that lets named headers pass, and watches what comes back."""

    def __init__(self, inner: httpx2.BaseTransport, seconds: float, headers: frozenset[str]) -> None:
        self._inner, self._seconds, self._headers = inner, seconds, headers

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        # The packages add what they run on: system, processor, versions. They look at their own request again
        # when the answer is there, so another one is sent.
        headers = {n: v for n, v in request.headers.items() if n.lower() in self._headers}
        sent = httpx2.Request(
            request.method,
            request.url,
            headers={**headers, "user-agent": AGENT},
            stream=request.stream,
            extensions=request.extensions,
        )
        deadline = time.monotonic() + self._seconds
        answer = self._inner.handle_request(sent)
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            answer.close()
            raise _TooLarge  # not asked for; a few packed bytes may unpack to any size
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_Watched(answer.stream, deadline),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        self._inner.close()


def client(url: str, seconds: float, headers: frozenset[str]) -> httpx2.Client:
    """An HTTP client for one address.

    Args:
        url: a checked address.
        seconds: a request may take in all, once it was sent.
        headers: lower case names of those that may be sent, besides the user agent.

    Returns:
        The client; it follows no redirect, and takes the proxy of the environment.
    """
    inner = httpx2.HTTPTransport(proxy=_proxy(url))
    timeout = httpx2.Timeout(seconds, connect=min(_CONNECT, seconds))
    return httpx2.Client(
        transport=_Narrow(inner, seconds, headers), timeout=timeout, follow_redirects=False, trust_env=False
    )


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    if is_loopback(parts.hostname or "") or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    found = urllib.request.getproxies()
    return found.get(parts.scheme) or found.get("all") or None


def failure(error: BaseException, place: str) -> ProviderError:
    """The error that an exception of one of the packages stands for.

    Args:
        error: what was raised.
        place: who was asked.
    """
    answer = getattr(error, "response", None)
    if isinstance(answer, httpx2.Response) and answer.status_code >= 300:
        return status_error(place, answer.status_code, answer.headers, answer.content)
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and len(causes) < 8:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    if any(isinstance(c, _TooLarge) for c in causes):
        return malformed(place, f"more than {LARGEST >> 20} MB, or with packed bytes that nobody asked for")
    if any(isinstance(c, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError) for c in causes):
        return ProviderError(f"{place} cannot be reached", kind="unreachable")
    if any(isinstance(c, httpx2.TimeoutException) for c in causes):
        return ProviderError(f"{place} did not answer in time; see --timeout", kind="timeout")
    if any(isinstance(c, httpx2.TransportError) for c in causes):
        return ProviderError(f"{place} cut the connection", kind="cut")
    return malformed(place, "what breaks the protocol")
