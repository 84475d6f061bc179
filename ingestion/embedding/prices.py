"""What embedding costs, in US dollars a million tokens, as published in November 2026."""

DATED = "2026-11"
PRICES = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
    "all-MiniLM-L6-v2-int8": 0.0,
}


_ON_THIS_MACHINE = ("fastembed-", "sentence-transformers-")


def price_of(model: str) -> float | None:
    """Dollars a million tokens; None for a model that is not in the table.

    `model` is as an embedder names it, with dimensions and version.
    """
    if model.startswith(_ON_THIS_MACHINE):
        return 0.0
    return PRICES.get(model.split("/")[0].split("@")[0])
