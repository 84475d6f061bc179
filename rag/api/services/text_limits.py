"""Limit a sent text to a number of tokens, and end it before the client's first stop text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ingestion.tokens import count_tokens
from rag.agent.history import CHAT_ENCODING

Cut = Literal["length", "stop"]


class TextLimit:
    """Takes the pieces of a text and returns the part to send; once `cut` is set, nothing more."""

    def __init__(self, max_tokens: int | None = None, stops: Sequence[str] = ()) -> None:
        self.cut: Cut | None = None
        self.text = ""
        self._max_tokens = max_tokens
        self._stops = stops
        self._waiting = ""

    def take(self, piece: str) -> str:
        """Return what can be sent now; the possible beginning of a stop text waits."""
        if self.cut:
            return ""
        waiting = self._waiting + piece
        ends = [at for stop in self._stops if (at := waiting.find(stop)) >= 0]
        self._waiting = "" if ends else _may_begin(waiting, self._stops)
        sent = waiting[: min(ends)] if ends else waiting[: len(waiting) - len(self._waiting)]
        sent = self._within(sent)
        if ends and not self.cut:
            self.cut = "stop"
        return sent

    def rest(self) -> str:
        """Return what still waits at the end of the text."""
        rest, self._waiting = self._waiting, ""
        return "" if self.cut else self._within(rest)

    def fits(self, piece: str) -> bool:
        """Return whether a piece could be sent whole behind the text, and take it if so."""
        if self.cut or any(stop in piece for stop in self._stops) or not self._is_short(self.text + piece):
            return False
        self.text += piece
        return True

    def _within(self, piece: str) -> str:
        if not self._is_short(self.text + piece):
            self.cut = "length"
            least, most = 0, len(piece)
            while least < most:
                middle = (least + most + 1) // 2
                least, most = (middle, most) if self._is_short(self.text + piece[:middle]) else (least, middle - 1)
            piece = piece[:least]
        self.text += piece
        return piece

    def _is_short(self, text: str) -> bool:
        # No token is shorter than a byte: most answers need not be counted.
        most = self._max_tokens
        return most is None or len(text.encode()) <= most or count_tokens([text], CHAT_ENCODING)[0] <= most


def _may_begin(text: str, stops: Sequence[str]) -> str:
    """Return the longest end of a text that a stop text begins with."""
    ends = (text[-size:] for stop in stops for size in range(min(len(stop) - 1, len(text)), 0, -1))
    return max((end for end in ends if any(stop.startswith(end) for stop in stops)), key=len, default="")
