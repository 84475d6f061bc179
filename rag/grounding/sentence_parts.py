"""The parts of a sentence of an answer: its text, the references in it, and the stop that ends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rag.grounding.references import Reference

if TYPE_CHECKING:
    from rag.models import SearchResult

STOPS = ".!?…。！？"
_BEHIND = "\"'”’)*_」）"
"""Quotation marks, brackets and marks of emphasis, which may close behind the stop of a sentence."""

Part = str | Reference


def joined(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts with texts in a row as one, without empty ones."""
    for is_text, group in groupby(parts, key=lambda part: isinstance(part, str)):
        if not is_text:
            yield from group
        elif text := "".join(map(str, group)):
            yield text


def split_tail(parts: tuple[Part, ...]) -> tuple[list[Part], list[Reference], str]:
    """Split a sentence into what it says, the references at its end, and its stop with the space behind it."""
    body = list(parts)
    tail: list[Reference] = []
    end = ""
    while body:
        last = body[-1]
        if isinstance(last, Reference):
            tail.insert(0, last)
            body.pop()
            continue
        kept = last[: stop_of(last)]
        stop = last[len(kept) :]
        # What ends the sentence may stand before its references or behind them, and only once.
        end = stop + end if not end.strip() or not stop.strip() else end
        if kept:
            body[-1] = kept
            break
        body.pop()
    return body, tail, end


def stop_of(text: str) -> int:
    """Return where the stop at the end of a text begins, with the blanks before it; without one, where it ends."""
    whole = text.rstrip()
    bare = whole.rstrip(_BEHIND)
    return len(bare.rstrip(STOPS).rstrip(" \t")) if bare.endswith(tuple(STOPS)) else len(whole)


def is_whole(raw: str) -> bool:
    """Return whether a text was not cut off inside of a sentence; a reference may follow the stop."""
    text = raw.rstrip()
    return text.endswith(tuple("])】〕⟧>")) or text.rstrip(_BEHIND).endswith(tuple(f"{STOPS}:|"))


def says_something(body: Sequence[Part]) -> bool:
    """Return whether there is more than blanks."""
    return any(isinstance(part, Reference) or part.strip() for part in body)


def cited_by(parts: tuple[Part, ...]) -> tuple[SearchResult, ...]:
    """Return the passages that the references name, each once."""
    named = (passage for part in parts if isinstance(part, Reference) for passage in part.passages)
    return tuple(dict.fromkeys(named))
