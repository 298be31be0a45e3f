"""How much may still be spent? Counted before every question, by several threads at once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class Purse:
    """What a run may spend, and has.

    Args:
        tokens: input tokens at most.
        cost: picodollars at most; None for no limit.
        price: picodollars of (input, cached input, output) tokens; None where they have no known price.
    """

    def __init__(self, tokens: int, cost: int | None, price: Callable[[int, int, int], int | None]) -> None:
        self._tokens, self._cost, self._price = tokens, cost, price
        self._lock = Lock()
        self._open = 0
        self.tokens_in = 0
        """Input tokens spent."""
        self.tokens_out = 0
        """Output tokens spent."""
        self.cost: int | None = 0
        """Picodollars spent; None once something had no known price."""

    def take(self, tokens: int) -> bool:
        """Keep input tokens for a question.

        Args:
            tokens: about how many it has.

        Returns:
            False where they are not there: then it must not be asked.
        """
        with self._lock:
            if self.tokens_in + self._open + tokens > self._tokens:
                return False
            if self._cost is not None:
                open_cost = self._price(self._open + tokens, 0, 0)
                if open_cost is None or self.cost is None or self.cost + open_cost > self._cost:
                    return False
            self._open += tokens
            return True

    def settle(self, kept: int, spent: tuple[int, int, int]) -> None:
        """Say what a question really took.

        Args:
            kept: what take() was given.
            spent: input tokens, those of them from a cache, output tokens.
        """
        with self._lock:
            self._open -= kept
            self.tokens_in += spent[0]
            self.tokens_out += spent[2]
            more = self._price(*spent)
            self.cost = None if more is None or self.cost is None else self.cost + more
