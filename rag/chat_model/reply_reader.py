"""One reply of a language model while it comes: what of it is an answer, and when the rest is of no use."""

from __future__ import annotations

from dataclasses import dataclass

from rag.chat_model.repetition import Repetition
from rag.chat_model.text_calls import TextCall, TextCalls

MAX_PREAMBLE = 400
"""How many characters a model may write before its first search; more is an answer that rests on nothing."""


@dataclass(frozen=True, slots=True)
class Read:
    """A reply that is over: what was held back of it, all that the model wrote, the calls that it wrote as text, and
    whether it went round in circles.
    """

    rest: str
    text: str
    calls: tuple[TextCall, ...]
    repeats: bool


class ReplyReader:
    """Takes a reply piece by piece. Before the first search, nothing is an answer: `is_answer` is False then."""

    def __init__(self, *, is_answer: bool) -> None:
        self._text = ""
        self._repeats = False
        self._is_answer = is_answer
        self._calls = TextCalls()
        self._repetition = Repetition()
        self._spoken = 0

    @property
    def is_enough(self) -> bool:
        """Return whether nothing that may follow is of use, so that the model need not go on."""
        return self._repeats or (not self._is_answer and self._spoken > MAX_PREAMBLE)

    def feed(self, piece: str) -> str:
        """Take the next piece; return what the reader may see."""
        self._text += piece
        self._repeats = self._repetition.feed(piece)
        return self._seen(self._calls.feed(piece))

    def end(self) -> Read:
        """Return what the reply comes to, being over."""
        rest, calls = self._calls.end()
        return Read(self._seen(rest), self._text, calls, self._repeats)

    def _seen(self, text: str) -> str:
        self._spoken += len(text)
        return text if self._is_answer else ""
