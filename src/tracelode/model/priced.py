"""How is money written beside tokens that have no price?"""

from __future__ import annotations

from tracelode.model.words import dollars


def money_text(picodollars: int | None, bare: int | None) -> str:
    """Money beside tokens that have no price: what is unpriced is never read as nothing.

    Args:
        picodollars: of what is priced; None where unknown.
        bare: tokens without a price; None or 0 for none.

    Returns:
        As dollars(); "unpriced" where nothing has a price, a + behind money that such tokens come on top of.

    Example:
        >>> money_text(0, 12), money_text(4_000_000_000_000, 12), money_text(0, 0), money_text(None, None)
        ('unpriced', '$4.00+', '$0', 'unknown')
    """
    if not bare:
        return dollars(picodollars)
    return f"{dollars(picodollars)}+" if picodollars else "unpriced"
