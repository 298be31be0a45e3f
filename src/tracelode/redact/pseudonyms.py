"""How is a name told to others without telling it? One pseudonym a name, the same in one store only."""

from __future__ import annotations

from hashlib import blake2b


class Pseudonyms:
    """Names by a secret of the store.

    Args:
        salt: the secret: equal names get equal pseudonyms under it, and without it nobody can try names.
    """

    def __init__(self, salt: str) -> None:
        self._key = salt.encode()[:64]

    def __call__(self, name: str, kind: str = "name") -> str:
        """The pseudonym of a name.

        Args:
            name: what must not be told.
            kind: closed word that says what sort of name it is.

        Returns:
            The kind and eight hex digits.

        Example:
            >>> Pseudonyms("s")("secret project", "project") == Pseudonyms("s")("secret project", "project")
            True
            >>> Pseudonyms("s")("secret project") == Pseudonyms("t")("secret project")
            False
        """
        digest = blake2b(name.encode("utf-8", "surrogatepass"), key=self._key, digest_size=4)
        return f"{kind}-{digest.hexdigest()}"
