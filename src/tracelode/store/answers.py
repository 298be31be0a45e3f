"""What did a model answer to a question that was asked before? One small private file for each."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tracelode.errors import StoreError

_T = TypeVar("_T")

FOLDER = "answers"
"""In the workspace folder."""


class Answers:
    """Answers by what was asked.

    Args:
        folder: the workspace folder.
    """

    def __init__(self, folder: Path) -> None:
        self._place = folder / FOLDER

    def get(self, question: str, kind: type[_T]) -> _T | None:
        """The answer to a question.

        Args:
            question: its identity, hex digits.
            kind: what an answer is.

        Returns:
            It; None where there is none, or what lies there is none of that kind.
        """
        try:
            return msgspec.json.decode((self._place / f"{question}.json").read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, question: str, answer: Any) -> None:
        """Keep an answer; a file that was there is replaced as a whole.

        Args:
            question: its identity, hex digits.
            answer: a Struct.

        Raises:
            StoreError: it cannot be written.
        """
        target = self._place / f"{question}.json"
        aside = target.with_suffix(f".{os.getpid()}.new")
        try:
            self._place.mkdir(mode=0o700, exist_ok=True)
            with open(os.open(aside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as stream:
                stream.write(msgspec.json.encode(answer))
            os.replace(aside, target)
        except OSError as error:
            with contextlib.suppress(OSError):
                aside.unlink()
            why = (error.strerror or type(error).__name__).lower()
            raise StoreError(f"answers cannot be kept in {self._place}: {why}") from None
