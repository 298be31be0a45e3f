"""What do backends that speak HTTP share? An address, a key, a client made when first needed."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

from tracelode.errors import MissingExtra, ProviderError
from tracelode.model.answer import Answer, Request, Sending
from tracelode.providers.failures import malformed
from tracelode.providers.places import checked_url, key_of

_T = TypeVar("_T")

NO_KEY = "none"
"""Stands for a key where none is sent: the packages want one."""


class Api:
    """A backend behind an address; its package is imported when something is asked.

    Args:
        model: the model's name.
        base_url: another address than the vendor's.
        key_env: the variable that holds the key; None for the vendor's usual one at its own address,
            and for no key anywhere else.
        timeout: seconds that one answer may take.
        insecure: take http:// to other machines.

    Raises:
        UsageError: the address is not one to send to.
    """

    backend = ""
    package = ""
    """The package, which is the name of the extra as well."""
    home = ""
    """The vendor's address."""
    path = ""
    """Where in it questions go."""
    variable = ""
    """The vendor's usual variable."""
    headers: frozenset[str] = frozenset()
    """Lower case names of all that may be sent besides the user agent."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key_env: str | None = None,
        timeout: float = 300.0,
        insecure: bool = False,
    ) -> None:
        self.model = model
        self.place = checked_url(base_url or self.home, insecure=insecure)
        self.vendor = self.place == self.home
        """Is it the vendor's own address?"""
        self._key_env, self._timeout = key_env, timeout
        self._client: Any = None
        self._lock = threading.Lock()
        self._plain = False

    def ready(self) -> None:
        """Look for the package and the key; nothing is sent."""
        self._open()

    def sending(self, request: Request) -> Sending:
        """What complete() would send at first; see model.answer.Provider."""
        return Sending(
            to=f"POST {self.place}{self.path}",
            headers=(*sorted(self.headers - self._unsent()), "user-agent"),
            body=self._body(request, plain=False),
        )

    def complete(self, request: Request) -> Answer:
        """Ask once; where the schema is not taken, once more without it. See model.answer.Provider."""
        if not self._plain:
            try:
                return self._once(request, plain=False)
            except ProviderError as error:
                if error.kind != "rejected":
                    raise
        answer = self._once(request, plain=True)
        self._plain = True
        return answer

    def close(self) -> None:
        """End the connections."""
        with self._lock:
            if self._client is not None:
                self._client.close()

    def _once(self, request: Request, *, plain: bool) -> Answer:
        # The exception may hold the request, and so text of a trace: only our own words go on.
        try:
            raw = self._post(self._open(), self._body(request, plain=plain))
        except (MissingExtra, ProviderError, AttributeError, NameError, TypeError):
            raise  # our own words, or our own fault
        except Exception as error:
            from tracelode.providers.http import failure

            raise failure(error, self.place) from None
        return self._read(raw)

    def _open(self) -> Any:
        with self._lock:
            if self._client is None:
                key = key_of(self._key_env, self.variable, vendor=self.vendor)
                try:
                    from tracelode.providers import http

                    sent = self.headers if key else self.headers - _KEYS
                    self._client = self._made(key or NO_KEY, http.client(self.place, self._timeout, sent))
                except ImportError:
                    raise MissingExtra(self.package, self.package) from None
            return self._client

    def _unsent(self) -> frozenset[str]:
        return _KEYS if self._key_env is None and not self.vendor else frozenset()

    def _decoded(self, raw: bytes, kind: type[_T]) -> _T:
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise malformed(
                self.place, "what is not an answer of this protocol; look at --base-url"
            ) from None

    def _made(self, key: str, client: Any) -> Any:
        raise NotImplementedError

    def _body(self, request: Request, *, plain: bool) -> dict[str, Any]:
        raise NotImplementedError

    def _post(self, client: Any, body: dict[str, Any]) -> bytes:
        raise NotImplementedError

    def _read(self, raw: bytes) -> Answer:
        raise NotImplementedError


_KEYS = frozenset(("authorization", "x-api-key"))
