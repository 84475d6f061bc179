"""One reply of a language model while it comes: what of it is an answer, and when the rest is of no use."""

from __future__ import annotations

from rag.chat_model.repetition import Repetition
from rag.chat_model.text_calls import TextCall, TextCalls

MAX_PREAMBLE = 400
"""How many characters a model may write before its first search; more is an answer that rests on nothing."""


class ReplyReader:
    """Takes a reply piece by piece. `text` is what the model wrote; `calls` are those that it wrote as text.

    Before the first search, nothing is an answer: `is_answer` is False then.
    """

    def __init__(self, *, is_answer: bool) -> None:
        self.text = ""
        self.repeats = False
        self._is_answer = is_answer
        self._calls = TextCalls()
        self._repetition = Repetition()
        self._spoken = 0

    @property
    def calls(self) -> list[TextCall]:
        """The calls so far."""
        return self._calls.found

    @property
    def is_enough(self) -> bool:
        """Return whether nothing that may follow is of use, so that the model need not go on."""
        return self.repeats or (not self._is_answer and self._spoken > MAX_PREAMBLE)

    def feed(self, piece: str) -> str:
        """Take the next piece; return what the reader may see."""
        self.text += piece
        self.repeats = self._repetition.feed(piece)
        return self._seen(self._calls.feed(piece))

    def end(self) -> str:
        """Return what was held back, the reply being over."""
        return self._seen(self._calls.end())

    def _seen(self, text: str) -> str:
        self._spoken += len(text)
        return text if self._is_answer else ""
