"""Prices of embedding in US dollars per million tokens."""

from ingestion.settings.embedding import PRICES

_ON_THIS_MACHINE = ("fastembed-", "sentence-transformers-")


def price_of(model: str, set_price: float | None = None) -> float | None:
    """Return US dollars per million tokens: the setting, else the published price, None for an unknown model.

    `model` is the embedder's name for it, with dimensions and version.
    """
    if set_price is not None:
        return set_price
    if model.startswith(_ON_THIS_MACHINE):
        return 0.0
    return PRICES.get(model.split("/")[0].split("@")[0])
