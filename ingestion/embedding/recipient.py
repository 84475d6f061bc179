"""The service that gets the texts of a book, for people to know before it does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recipient:
    """Where texts are embedded; `price` is in US dollars per million tokens, None where it is not known."""

    host: str
    model: str
    price: float | None

    def announcement(self, *, sends: bool) -> str:
        """Return one sentence about texts that are sent now, or would be."""
        verb = "are sent" if sends else "would be sent"
        price = (
            "at a price that is not known (embedding.price sets it)"
            if self.price is None
            else f"for ${self.price:g} per million tokens"
        )
        return (
            f"the texts of the lessons {verb} to {self.host}, to be embedded by {self.model} {price}; "
            "BOOKWISE_EMBEDDER=local embeds them on this machine"
        )
