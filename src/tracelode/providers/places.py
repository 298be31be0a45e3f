"""Where may a request go, and which key may go with it?"""

from __future__ import annotations

import ipaddress
import os
import re
from urllib.parse import urlsplit

from tracelode.errors import UsageError

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_loopback(host: str) -> bool:
    """Is a host this machine?

    Args:
        host: a name or an address, without a port.

    Example:
        >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("127.0.0.1.example.com")
        (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def checked_url(url: str, *, insecure: bool) -> str:
    """An address that requests may go to, without a slash at its end.

    Args:
        url: as given.
        insecure: take http:// to other machines as well.

    Returns:
        The same address.

    Raises:
        UsageError: it is none, carries a user, a query or a fragment, or would be read on the way.
    """
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError("--base-url is no address; write it as https://HOST/v1") from None
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError("--base-url needs https:// and a host, as https://HOST/v1")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError("--base-url takes no user, password, query or fragment; a key goes into --key-env")
    if parts.scheme == "http" and not is_loopback(host) and not insecure:
        raise UsageError(
            "--base-url with http:// is read by everybody on the way; use https://, or --insecure"
        )
    return url.strip().rstrip("/")


def key_of(name: str | None, usual: str, *, vendor: bool) -> str:
    """The key that goes with a request, from the environment alone.

    Args:
        name: the variable that was named; None for the usual one.
        usual: the vendor's own variable.
        vendor: whether the request goes to the vendor's own address; the usual key goes nowhere else.

    Returns:
        The key; "" where none is needed.

    Raises:
        UsageError: the variable is not set, or holds what no header can.
    """
    if name is None and not vendor:
        return ""
    name = name or usual
    if not _VARIABLE.fullmatch(name):
        raise UsageError("--key-env takes the name of a variable of the environment, never the key itself")
    key = os.environ.get(name, "").strip()
    if not key:
        raise UsageError(f"{name} is not set; put the key into it, or name another variable with --key-env")
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"{name} holds what is no key; look for a line break in it")
    return key
