"""Prices of embedding in US dollars per million tokens, as published in November 2026."""

PRICES = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
    "all-MiniLM-L6-v2-int8": 0.0,
}

_ON_THIS_MACHINE = ("fastembed-", "sentence-transformers-")


def price_of(model: str, set_price: float | None = None) -> float | None:
    """Return US dollars per million tokens: as set, else as published, or None for a model that is not in the table.

    `model` is the embedder's name for it, with dimensions and version.
    """
    if set_price is not None:
        return set_price
    if model.startswith(_ON_THIS_MACHINE):
        return 0.0
    return PRICES.get(model.split("/")[0].split("@")[0])
