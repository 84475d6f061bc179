"""Complete the word that a reader has begun to type, so that a search by words finds before it is written out."""

from __future__ import annotations

import re
from itertools import islice

from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import PointReader
from rag.retrieval.spelling import words_of_book

MOST_COMPLETIONS = 3
"""More would find what the reader does not mean; fewer would jump from one word to another at each letter."""

_BEGUN = re.compile(r"(?<![\w-])[^\W\d_]{2,}$")


def with_completions(text: str, store: PointReader, where: Where) -> str:
    """Return the text with the book's most frequent words in place of a last word that is only the beginning of them.

    A last word that the book has stands for itself. Where `where` is filled for the first time, the book's words are
    read, see `words_of_book`.
    """
    begun = _BEGUN.search(text)
    if begun is None:
        return text
    words, beginning = words_of_book(store, where), begun[0].lower()
    if beginning in words:
        return text
    longer = sorted((word for word in words if word.startswith(beginning)), key=lambda word: (-words[word], word))
    # A stop word is no term: it finds nothing.
    found = list(islice((word for word in longer if query_vector(word).indices), MOST_COMPLETIONS))
    return text[: begun.start()] + " ".join(found) if found else text
