"""One reply of a language model, put together from the chunks in which a service streams it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rag.chat_model.tool_names import MAX_ARGUMENT_CHARS
from rag.valid_text import valid_text

FREE_CHARACTERS = 20_000

MAX_TOKENS = 2**31 - 1
"""What a service may say that a reply cost; beyond it is no count that a database takes."""

MAX_CALLS = 32
"""Calls of one reply that are kept; far fewer are answered."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for; `arguments` is whatever it wrote, which need not be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole reply. `refusal` is what the model says instead of an answer.

    `tokens` is what prompt and reply cost, `completion_tokens` the reply's part; 0 where the service does not say.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    is_cut_off: bool
    refusal: str | None
    tokens: int = 0
    completion_tokens: int = 0


@dataclass(slots=True)
class Assembly:
    """A reply while its chunks come in; `finish` is None until its end has come."""

    text: str = ""
    refusal: str = ""
    finish: str | None = None
    tokens: int = 0
    completion_tokens: int = 0
    calls: dict[int, list[str]] = field(default_factory=dict)
    half: str = ""
    empty_streams: int = 0

    @property
    def has_begun(self) -> bool:
        """Return whether anything came of it."""
        return bool(self.text or self.calls or self.refusal)

    def add(self, chunk: Any) -> str:
        """Take in one chunk, as parsed; returns its text."""
        if usage := chunk.get("usage"):
            self.tokens, self.completion_tokens = _tokens_of_usage(usage)
        if not chunk.get("choices"):
            return ""
        choice = chunk["choices"][0]
        delta = choice.get("delta") or {}
        self.finish = choice.get("finish_reason") or self.finish
        if len(self.refusal) < FREE_CHARACTERS:
            self.refusal += delta.get("refusal") or ""
        for part in delta.get("tool_calls") or ():
            self._add_call(part)
        text = self._whole_characters(delta.get("content") or "")
        self.text += text
        return text

    def _whole_characters(self, content: str) -> str:
        """Return the text so far without half an emoji at its end: it may come in two chunks."""
        text = self.half + content
        self.half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return valid_text(text.removesuffix(self.half))

    def _add_call(self, part: Any) -> None:
        index = part.get("index") or 0
        if not isinstance(index, int):
            raise TypeError("the index of a call is not a number")
        if index not in self.calls and len(self.calls) == MAX_CALLS:
            return
        call = self.calls.setdefault(index, ["", "", ""])
        function = part.get("function") or {}
        # Some services repeat the name in every chunk.
        call[:2] = call[0] or _text(part, "id"), call[1] or _text(function, "name")
        # What is longer than a call may be is refused whole, so that the rest need not be kept.
        if len(call[2]) <= MAX_ARGUMENT_CHARS:
            call[2] += function.get("arguments") or ""

    def whole(self) -> Reply:
        """Return the reply, all chunks in."""
        calls = tuple(
            ToolCall(identity or f"call_{index}", name, valid_text(arguments))
            for index, (identity, name, arguments) in sorted(self.calls.items())
        )
        filtered = "its content filter stopped the answer" if self.finish == "content_filter" else None
        refusal = valid_text(self.refusal) or filtered
        return Reply(self.text, calls, self.finish == "length", refusal, self.tokens, self.completion_tokens)


def _text(fields: Mapping[str, Any], name: str) -> str:
    return valid_text(fields.get(name) or "")


def _tokens_of_usage(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Return all tokens and those of the completion; what a service counts in sum alone is the model's thinking."""
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")]
    prompt, written, total = (n if type(n) is int and 0 <= n <= MAX_TOKENS else 0 for n in counts)
    total = max(total, prompt + written)
    return total, total - prompt if prompt else written
