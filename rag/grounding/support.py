"""Check that what an answer cites says what the answer says, by words, numbers and meaning."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingestion.embedding.protocol import Embedder
from ingestion.errors import EmbeddingError
from rag.grounding.citations import CODE, FENCE, MARKER, is_text, marker_ids
from rag.grounding.matching import Match, Place, match, places_in, rarity_among
from rag.grounding.passage_blocks import PassageBlock
from rag.grounding.shown_passages import ShownPassages

if TYPE_CHECKING:
    from ingestion.models import Vector
    from rag.models import SearchResult

THRESHOLD = 0.6
"""Support from which a sentence is held: the mean of its words' coverage and its cosine with what holds it.

Of 1,627 citations that rules made from four books (`python -m benchmarks.support`) it accepts 99.8 % of the true and
11.6 % of the false ones. Fitted to them by halves it would be 0.73 (97.1 % and 7.7 %); a model words more freely.
"""

MAX_CHARS = 1_500
"""How much of a sentence, and of each place that holds it, is embedded at most."""

_ENDS = " .!?…。！？"
_CODE = re.compile(CODE)
_MARKER = re.compile(rf"[ \t]*{MARKER}")
_SENTENCE_END = re.compile(
    rf"(?<=[.!?…])(?:[\"'”’)*_]*)(?:[ \t]*{MARKER})*(?:\s+|$)|(?<=[。！？])(?:[ \t]*{MARKER})*|\n+"
)


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of the answer without its references, and the passages it cites."""

    text: str
    passages: tuple[SearchResult, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """What the check found: how many sentences cite, and which of them nothing holds that they cite.

    `verified` has, for each passage that holds a sentence citing it, the blocks that do, by the passage's id.
    """

    sentences: int = 0
    verified: Mapping[str, tuple[PassageBlock, ...]] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()


class SupportCheck:
    """Checks each citing sentence of one answer, in the model's own text with its references not yet numbered.

    While the answer is written `prepare` may be told what there is of it: what that embeds, `support` need not.
    """

    def __init__(self, shown: ShownPassages, embedder: Embedder) -> None:
        self._shown = shown
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}
        self._places: dict[str, list[Place]] = {}
        self._matches: dict[tuple[CitedSentence, int], list[Match]] = {}

    def prepare(self, begun: str) -> None:
        """Embed what the sentences need, text by text; the last one may lack its full stop."""
        sentences = cited_sentences(begun, self._shown)
        for text in self._missing(sentences, self._matched(sentences)):
            self._embed([text])

    def support(self, answer: str) -> Support:
        """What the check of the whole answer found."""
        sentences = cited_sentences(answer, self._shown)
        matches = self._matched(sentences)
        if missing := self._missing(sentences, matches):
            self._embed(missing)
        return _judged(sentences, matches, self._vectors)

    def _matched(self, sentences: Sequence[CitedSentence]) -> list[list[Match]]:
        """How the passages of each hold it, as what is shown now makes its words rare."""
        shown = list(self._shown)
        return [self._match(each, shown) for each in sentences]

    def _match(self, sentence: CitedSentence, shown: Sequence[SearchResult]) -> list[Match]:
        known = sentence, len(shown)
        if known not in self._matches:
            for each in sentence.passages:
                if each.id not in self._places:
                    self._places[each.id] = places_in(each)
            self._matches[known] = _matches(sentence, self._places, rarity_among([sentence.text], shown))
        return self._matches[known]

    def _missing(self, sentences: Sequence[CitedSentence], matches: Sequence[Sequence[Match]]) -> list[str]:
        """The sentences that may be held, and what may hold them, as far as they are not embedded yet."""
        texts = (
            text
            for sentence, some in zip(sentences, matches, strict=True)
            for each in some
            if _may_hold(each)
            for text in (said(sentence.text), *_held_by(each))
        )
        return [text for text in dict.fromkeys(texts) if text not in self._vectors]

    def _embed(self, texts: list[str]) -> None:
        self._vectors |= zip(texts, self._embedder.embed_documents(texts), strict=True)


def cited_sentences(answer: str, shown: ShownPassages) -> list[CitedSentence]:
    """The sentences outside of code that cite something shown; a reference after the full stop belongs before it."""
    found = []
    for sentence in _sentences(_prose(answer)):
        ids = [each for marker in _MARKER.findall(sentence) for each in marker_ids(marker)]
        passages = tuple(dict.fromkeys(passage for each in ids if (passage := shown.get(each))))
        text = _MARKER.sub(lambda found: found[0] if is_text(found, shown) else "", sentence).strip()
        if passages and text:
            found.append(CitedSentence(text, passages))
    return found


def _matches(
    sentence: CitedSentence, places: Mapping[str, Sequence[Place]], rarity: Mapping[int, float]
) -> list[Match]:
    """How all passages of a sentence hold it together, then how each one does alone where there are several."""
    each = [places[passage.id] for passage in sentence.passages]
    together = [place for some in each for place in some]
    alone = each if len(each) > 1 else []
    return [match(sentence.text, some, rarity) for some in (together, *alone)]


def _judged(
    sentences: Sequence[CitedSentence], matches: Sequence[Sequence[Match]], vectors: Mapping[str, Vector]
) -> Support:
    """A passage is verified by a sentence that it holds alone, or that it helps to hold."""
    unsupported = []
    verified: dict[str, tuple[PassageBlock, ...]] = {}
    for sentence, (together, *alone) in zip(sentences, matches, strict=True):

        def holds(found: Match, text: str = said(sentence.text)) -> bool:
            return _may_hold(found) and is_held(
                found, cosine(vectors[text], [vectors[each] for each in _held_by(found)])
            )

        holding = [found for found in alone if holds(found)]
        if holds(together):
            holding.insert(0, together)
        if not holding:
            unsupported.append(sentence.text)
        for place in (place for found in holding for place in found.places):
            verified[place.block.passage.id] = (*verified.get(place.block.passage.id, ()), place.block)
    return Support(len(sentences), verified, tuple(unsupported))


def said(sentence: str) -> str:
    """As much of a sentence, or of what holds it, as is embedded: without its full stop, which comes last of all."""
    return (sentence.rstrip(_ENDS) or sentence)[:MAX_CHARS]


def cosine(sentence: Vector, held: Sequence[Vector]) -> float:
    """How near a sentence is to the places that hold it, at their mean.

    Each is embedded alone: all answers that rest on a place share its vector, and true and false citations are told
    apart as well as by a vector of all places together.
    """
    import numpy as np

    mean = np.sum(held, axis=0)
    return float(sentence @ mean / np.linalg.norm(mean))


def _held_by(found: Match) -> list[str]:
    return [said(place.text) for place in found.places]


def _may_hold(found: Match) -> bool:
    """Whether the nearest meaning could make a match hold its sentence; if not, nothing need be embedded for it."""
    return is_held(found, 1.0)


def is_held(found: Match, nearness: float) -> bool:
    """Whether a match of this cosine supports its sentence: nothing contradicts it, words and meaning are near."""
    return not found.contradicted and (found.coverage + max(0.0, nearness)) / 2 >= THRESHOLD


def _prose(answer: str) -> str:
    """The answer without fences; code spans stay, but what looks like a reference in them does not count."""
    lines, fence = [], ""
    for line in answer.split("\n"):
        opened = FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
            lines.append("")
        elif not fence:
            lines.append(_CODE.sub(lambda code: code[0].replace("[", "(").replace("]", ")"), line))
    return "\n".join(lines)


def _sentences(prose: str) -> list[str]:
    ends = [found.end() for found in _SENTENCE_END.finditer(prose)]
    return [prose[start:end] for start, end in zip([0, *ends], [*ends, len(prose)], strict=True)]


_THREAD = ThreadPoolExecutor(1, thread_name_prefix="check")
"""For all answers: this work has time, and must not keep both cores from a reader who waits for a search."""


class CheckAhead:
    """Prepares a check at each reference; used from one event loop."""

    def __init__(self, check: SupportCheck) -> None:
        self._check = check
        self._running: Future[None] | None = None

    def look_at(self, piece: str, begun: str) -> None:
        """`piece` is the last of what there is of the answer, `begun`."""
        if "]" in piece and (self._running is None or self._running.done()):
            self._running = _THREAD.submit(self._prepare, begun)

    async def end(self) -> None:
        """Wait for what is being prepared, which would else be done twice; what has not begun is let go."""
        if self._running and not self._running.cancel():
            await asyncio.wrap_future(self._running)

    def _prepare(self, begun: str) -> None:
        with suppress(EmbeddingError):  # the check itself meets it again, and tells
            self._check.prepare(begun)
