"""The text of an answer that was sent to a client."""

from __future__ import annotations

from rag.agent.events import Replaced, Token
from rag.api.services.chat_turns import TurnEvent
from rag.api.services.text_limits import TextLimit


class Sent:
    """Turns the events of a turn into pieces of text within a limit."""

    def __init__(self, limit: TextLimit) -> None:
        self.limit = limit
        self.begins_at = 0
        """How many characters of the client's text go before the answer: those that were replaced."""

    def piece(self, event: TurnEvent) -> str:
        """Return what an event adds to the text, nothing where it adds nothing."""
        if isinstance(event, Token):
            return self.limit.take(event.text)
        if isinstance(event, Replaced) and event.behind(self.answer()):
            before = self.limit.take(event.preamble)
            self.begins_at = len(self.limit.text)
            return before + self.limit.take(event.text)
        return ""

    def answer(self) -> str:
        """Return what was sent of the answer."""
        return self.limit.text[self.begins_at :]
