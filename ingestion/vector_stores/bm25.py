"""BM25 as sparse vectors, made here for both engines; the store's IDF turns their product into the BM25 score.

Term weight in a document: tf·(k+1) / (tf + k·(1 - b + b·length/AVERAGE_LENGTH)) with k = 1.2 and b = 0.75
(Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"); in a query: 1. A change of terms or weights
needs another `versions.BM25`, so that they are written again. Symbols of code are terms too, with b = 0.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ingestion.errors import ConfigurationError
from ingestion.markdown.cleaner import searchable
from ingestion.models import sparse_text
from ingestion.vector_stores.symbols import symbols_in, word_of
from ingestion.vector_stores.types import SparseVector
from ingestion.vector_stores.word_forms import (
    ACCENTED,
    in_syllables,
    with_parts,
    with_syllables,
    with_units_apart,
    without_accents,
)

if TYPE_CHECKING:
    import qdrant_edge

    from ingestion.models import DocumentChunk

AVERAGE_LENGTH = 160.0
"""Terms kept of a chunk of 400 tokens, stop words left out: 140 to 180 in four books of technical prose."""

MOST_WEIGHT = 2.2
"""What a term's weight comes near to where a short text is full of it: k + 1."""

STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "nb": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""By the code of a page's language; Spanish pages rank better with their own (nDCG .86, with English ones .74)."""

_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
"""Runs of Thai, Lao, Burmese, Khmer, Kana and Han, which are written without spaces between words."""


def document_vector(text: str, language: str | None = "english") -> SparseVector:
    """Return the terms of a text to be found, with their weights; empty where the text has no word.

    `language` chooses stemmer and stop words; None uses neither. Raises ConfigurationError for one that is unknown.
    """
    counts = Counter(symbols_in(text))
    symbols = {_symbol_term(each): MOST_WEIGHT * count / (count + MOST_WEIGHT - 1) for each, count in counts.items()}
    return _sparse(_model(language).embed_document(_words(with_syllables(with_parts(text)), language)), symbols)


def vector_of(chunk: DocumentChunk) -> SparseVector:
    """Return the terms of a chunk, read as its language is, with which its point is found."""
    return document_vector(sparse_text(chunk), stemmer_of(chunk.metadata.language))


def query_vector(text: str, language: str | None = "english") -> SparseVector:
    """Return the terms of a question, each with weight 1; `language` as the documents were made with."""
    symbols = {_symbol_term(symbol): 1.0 for symbol in symbols_in(text, is_question=True)}
    return _sparse(_model(language).embed_query(_words(in_syllables(text), language)), symbols)


def stemmer_of(language: str) -> str:
    """Return whose stemmer and stop words the pages in a language are read with, given its code, such as `pt-br`.

    English for a language that has none: lessons in Chinese or Urdu have English words among theirs.
    """
    return STEMMERS.get(re.split(r"[-_]", language.lower())[0], "english")


def merged(vectors: Sequence[SparseVector]) -> SparseVector:
    """Return a question's terms in several languages as one vector."""
    terms = {term: value for vector in vectors for term, value in zip(vector.indices, vector.values, strict=True)}
    return SparseVector(tuple(sorted(terms)), tuple(terms[term] for term in sorted(terms)))


def _words(text: str, language: str | None) -> str:
    """Return the text with scripts that do not space their words cut into overlapping pairs of characters.

    The engine's word tokenizer takes such a run as one word, and its multilingual one, which cuts by dictionary,
    drops numbers and finds headings of Japanese lessons less often (MRR 0.32 against 0.46; Chinese 0.49 and 0.48).
    """
    if not text.isascii():
        text = _UNSPACED.sub(_pairs, unicodedata.normalize("NFKC", searchable(text)))
        text = ACCENTED.sub(lambda word: _folded(word[0], language), text)
    return with_units_apart(text)


@lru_cache(maxsize=4096)
def _folded(word: str, language: str | None) -> str:
    """Return a word without its accents; as it is where the language has it for a stop word."""
    return without_accents(word) if _model(language).embed_query(word).indices else word


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    pairs = [text[at : at + 2] for at in range(len(text) - 1)] or [text]
    return f" {' '.join(pairs)} "


@lru_cache(maxsize=256)
def _symbol_term(symbol: str) -> int:
    return int(_model(None).embed_query(word_of(symbol)).indices[0])


@lru_cache(maxsize=32)
def _model(language: str | None) -> qdrant_edge.Bm25:
    import qdrant_edge as qe

    if language is None:
        neutral = qe.Bm25Config(avg_len=AVERAGE_LENGTH, stemmer=qe.DisabledStemmer(), stopwords=qe.StopwordsSet())
        return qe.Bm25(neutral)
    try:
        return qe.Bm25(qe.Bm25Config(avg_len=AVERAGE_LENGTH, language=language))
    except ValueError as exc:
        raise ConfigurationError(f"no stemmer and stop words for the language {language!r}") from exc


def _sparse(vector: qdrant_edge.SparseVector, symbols: Mapping[int, float]) -> SparseVector:
    weights = dict(zip(vector.indices, vector.values, strict=True)) | dict(symbols)
    indices = tuple(sorted(weights))
    return SparseVector(indices, tuple(weights[index] for index in indices))
