"""Which sessions must not come back? Digests of what was deleted."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from hashlib import blake2b

from tracelode.store.catalog import Catalog

_KEY = "tombstone key"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS tombstones (digest TEXT PRIMARY KEY, made INTEGER, why TEXT) WITHOUT ROWID"
)


class Buried:
    """What was deleted, as far as a key can be asked.

    Args:
        catalog: the store's catalog.
    """

    def __init__(self, catalog: Catalog) -> None:
        key = catalog.meta(_KEY)
        self._key = bytes.fromhex(key) if key else b""
        self._digests: set[str] = set()
        if self._key:
            self._digests = {row[0] for row in catalog.db.execute("SELECT digest FROM tombstones")}

    def __contains__(self, key: object) -> bool:
        return bool(self._digests) and isinstance(key, str) and _digest(self._key, key) in self._digests

    def __len__(self) -> int:
        return len(self._digests)


def bury(catalog: Catalog, keys: Iterable[str], why: str) -> None:
    """Keep sessions from ever being imported again; inside the caller's transaction.

    Args:
        catalog: the store's catalog.
        keys: session keys; only digests of them are kept.
        why: closed word: asked, or expired.
    """
    catalog.db.execute(_TABLE)
    key = catalog.meta(_KEY)
    if key is None:
        key = secrets.token_hex(32)
        catalog.set_meta(_KEY, key)
    made = time.time_ns() // 1_000
    rows = [(_digest(bytes.fromhex(key), one), made, why) for one in keys]
    catalog.db.executemany("INSERT OR IGNORE INTO tombstones VALUES (?, ?, ?)", rows)


def _digest(key: bytes, text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16, key=key).hexdigest()
