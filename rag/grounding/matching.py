"""Whether passages state what a sentence says: by its words, numbers, names and negation, in a few milliseconds."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ingestion.vector_stores.bm25 import document_vector, query_vector
from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.grounding.sentences import sentence_spans
from rag.retrieval.query_terms import names_in

if TYPE_CHECKING:
    from rag.models import SearchResult

WINDOW = 3
"""Of how many places of the passages one sentence may be put together."""

ALIKE = 0.7
"""Share of a sentence's words from which a place says the same, so that a negation in one alone is the opposite."""

TEXTS_KEPT = 4096
"""Of how many texts the words are remembered, some 8 MB: the passages that are shown most are shown again."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not|never|no|cannot|without|nor|none|neither)\b|n['’]t\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"\b\w+(?:_\w+)+\b")
_ITEM_MARK = re.compile(r"^(?:\s*(?:>|[-*+]|#{1,6}|\d{1,3}[.)])\s+)+")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of a passage, or a line where it is no prose."""

    block: PassageBlock
    text: str
    terms: frozenset[int]


@dataclass(frozen=True, slots=True)
class Match:
    """The places that together hold most of a sentence, best first.

    `coverage` is the share of its words in them, weighed by rarity; with `contradicted` they lack a number or a name
    of it, or say the opposite.
    """

    places: tuple[Place, ...]
    coverage: float
    contradicted: bool


def places_in(passage: SearchResult) -> list[Place]:
    """Everything that a passage says."""
    found = [Place(block, text, terms_of(text)) for block in blocks_of(passage) for text in _pieces(block)]
    return [place for place in found if place.terms]


def match(sentence: str, places: Sequence[Place], rarity: Mapping[int, float]) -> Match:
    """Where a sentence is held best; words that `rarity` does not know are not weighed."""
    plain = _EMPHASIS.sub("", _ITEM_MARK.sub("", sentence))
    # Its numbers do not choose the places: a number counts only where the rest of the sentence is said too.
    wanted = (_words(_NUMBER.sub(" ", plain)) or _words(plain)) & rarity.keys()
    chosen = _choose(wanted, places, rarity)
    above = "\n".join(sorted({heading for place in places for heading in _headings(place.block.passage)}))
    held = terms_of(above).union(*(place.terms for place in chosen))
    is_opposite = bool(chosen) and _is_opposite(plain, wanted, chosen, rarity)
    has_facts = bool(chosen) and _has_facts(plain, above, chosen, places)
    return Match(chosen, _share(wanted & held, wanted, rarity), is_opposite or not has_facts)


def rarity_among(sentences: Iterable[str], passages: Collection[SearchResult]) -> dict[int, float]:
    """How much each word of the sentences tells: the fewer of these passages have it, the more."""
    texts = [terms_of(passage.text) for passage in passages]
    wanted = {term for sentence in sentences for term in query_vector(sentence).indices}
    return {term: 1.0 + math.log((1 + len(texts)) / (1 + sum(term in text for text in texts))) for term in wanted}


@lru_cache(maxsize=TEXTS_KEPT)
def terms_of(text: str) -> frozenset[int]:
    """The words of a text as the search knows them, and those that an identifier is made of."""
    words = f"{text} {text.replace('_', ' ')}" if "_" in text else text
    return frozenset(document_vector(words).indices)


def _words(sentence: str) -> frozenset[int]:
    return frozenset(query_vector(sentence).indices)


def _pieces(block: PassageBlock) -> list[str]:
    parts = [block.text] if block.kind == "paragraph" else block.text.split("\n")
    return [part[start:end] for part in parts for start, end in sentence_spans(part)]


def _choose(wanted: frozenset[int], places: Sequence[Place], rarity: Mapping[int, float]) -> tuple[Place, ...]:
    """The place that holds most, then those that add most to it."""
    chosen: list[Place] = []
    left = wanted
    while places and len(chosen) < WINDOW:
        best = max(places, key=lambda place: sum(rarity[term] for term in left & place.terms))
        if chosen and not left & best.terms:
            break
        chosen.append(best)
        left = left - best.terms
    return tuple(chosen)


def _has_facts(sentence: str, above: str, chosen: Sequence[Place], places: Sequence[Place]) -> bool:
    """Whether the chosen places, or the headings above, have every number, and the passages every name."""
    near = "\n".join([above, *(place.text for place in chosen)])
    if not set(_NUMBER.findall(sentence)) <= set(_NUMBER.findall(near)):
        return False
    whole = "\n".join([above, *(place.text for place in places)])
    terms, lower = terms_of(whole), whole.lower()
    names = {*names_in(sentence), *_IDENTIFIER.findall(sentence)}
    return all(
        set(query_vector(name).indices) <= terms or re.search(rf"(?<![a-z0-9]){re.escape(name.lower())}", lower)
        for name in names
    )


def _headings(passage: SearchResult) -> tuple[str, ...]:
    return passage.page_title, *passage.heading_path, *passage.section_titles


def _is_opposite(sentence: str, wanted: frozenset[int], chosen: Sequence[Place], rarity: Mapping[int, float]) -> bool:
    """Whether only the sentence denies, and none of the places, or only the place that says the same as it."""
    nearest = chosen[0]
    if _share(wanted & nearest.terms, wanted, rarity) < ALIKE:
        return False
    if _NEGATION.search(sentence):
        return not any(_NEGATION.search(place.text) for place in chosen)
    return bool(_NEGATION.search(nearest.text))


def _share(some: frozenset[int], wanted: frozenset[int], rarity: Mapping[int, float]) -> float:
    weight = sum(rarity[term] for term in wanted)
    return sum(rarity[term] for term in some) / weight if weight else 1.0
