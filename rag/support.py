"""Check that what an answer cites says what the answer says, by words, numbers and meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingestion.embedders import Embedder
from ingestion.vector_stores.bm25 import document_vector, query_vector
from rag.citations import CODE, FENCE, MARKER, is_text, marker_ids
from rag.shown import ShownPassages

if TYPE_CHECKING:
    from rag.models import SearchResult

THRESHOLD = 0.5
"""Support from which a sentence counts as held by its passages: the mean of shared words and best cosine.

Of 110 sentences of four books, a third of the words left out, all are held by their own chunk; of the nearest other
chunks of the same pages, which often do say much the same, two thirds are refused (0.55: 99 % and three quarters).
"""

_CODE = re.compile(CODE)
_MARKER = re.compile(rf"[ \t]*{MARKER}")
_SENTENCE_END = re.compile(
    rf"(?<=[.!?…])(?:[\"'”’)*_]*)(?:[ \t]*{MARKER})*(?:\s+|$)|(?<=[。！？])(?:[ \t]*{MARKER})*|\n+"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of the answer without its references, and the passages it cites."""

    text: str
    passages: tuple[SearchResult, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """What the check found: how many sentences cite, the passages that hold one citing them, those nothing holds."""

    sentences: int = 0
    verified: tuple[SearchResult, ...] = ()
    unsupported: tuple[str, ...] = ()


def check_support(answer: str, shown: ShownPassages, embedder: Embedder) -> Support:
    """Check each citing sentence of the model's own text, references not yet numbered."""
    sentences = cited_sentences(answer, shown)
    if not sentences:
        return Support()
    nearness = _nearness(sentences, embedder)
    verified: dict[str, SearchResult] = {}
    unsupported = []
    for sentence in sentences:
        whole = "\n".join(passage.text for passage in sentence.passages)
        near = [nearness[sentence.text, passage.id] for passage in sentence.passages]
        if support(sentence.text, whole, max(near)) < THRESHOLD:
            unsupported.append(sentence.text)
            continue
        for passage, cosine in zip(sentence.passages, near, strict=True):
            if support(sentence.text, passage.text, cosine) >= THRESHOLD or len(sentence.passages) == 1:
                verified[passage.id] = passage
    return Support(len(sentences), tuple(verified.values()), tuple(unsupported))


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


def support(sentence: str, passage: str, cosine: float) -> float:
    """How far a passage holds a sentence, 0–1; 0 where the sentence states a number that the passage does not."""
    if not _numbers(sentence) <= _numbers(passage):
        return 0.0
    wanted = query_vector(sentence).indices
    held = set(document_vector(passage).indices)
    shared = sum(term in held for term in wanted) / len(wanted) if wanted else 1.0
    return (shared + max(0.0, cosine)) / 2


def _nearness(sentences: Sequence[CitedSentence], embedder: Embedder) -> dict[tuple[str, str], float]:
    """The cosine of each sentence with each passage that it cites, all embedded in one call."""
    passages = {passage.id: passage for sentence in sentences for passage in sentence.passages}
    texts = [*(sentence.text for sentence in sentences), *(passage.text for passage in passages.values())]
    rows = embedder.embed_documents(texts)
    row_of = {passage_id: len(sentences) + index for index, passage_id in enumerate(passages)}
    return {
        (sentence.text, passage.id): float(rows[index] @ rows[row_of[passage.id]])
        for index, sentence in enumerate(sentences)
        for passage in sentence.passages
    }


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


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
