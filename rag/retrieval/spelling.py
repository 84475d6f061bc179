"""Mend typos in a question: words that the book lacks and that are no words, replaced by the book's nearest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from weakref import WeakKeyDictionary

from ingestion.languages import language_of
from ingestion.vector_stores.bm25 import query_vector
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import PointReader
from rag.retrieval.abandonment import stop_if_left
from rag.retrieval.query_terms import Question
from rag.retrieval.words import is_word

MIN_LETTERS = 4
"""A shorter word has too many neighbours."""

MAX_SHORT = 5
"""Up to so many letters one edit is corrected, above two."""

MAX_CHUNKS = 20_000
"""How many chunks are read for the book's words; ids are hashes, so that the first ones are a fair sample."""

_CONTRACTIONS = {
    "whats": "what's", "hows": "how's", "wheres": "where's", "whos": "who's", "whens": "when's", "thats": "that's",
    "dont": "don't", "cant": "can't", "doesnt": "doesn't", "isnt": "isn't", "wont": "won't", "didnt": "didn't",
    "arent": "aren't", "shouldnt": "shouldn't", "couldnt": "couldn't", "wasnt": "wasn't",
}  # fmt: skip

_WORD = re.compile(r"[^\W\d_]{3,}")
_IN_QUESTION = re.compile(r"(?<![\w`./:@-])[^\W\d_]+(?![\w`/:@(]|[.-]\w)")

Words = Mapping[str, int]

MOST_REMEMBERED = 4
"""For how many filters of a store its words are remembered; those of a large book take some 5 MB."""

_words: WeakKeyDictionary[PointReader, dict[Where, tuple[int, Words]]] = WeakKeyDictionary()


def correct_typos(text: str, question: Question, store: PointReader, where: Where) -> str | None:
    """Return the question with its typos corrected; None where there is none, or it is in another language.

    To read the book's words takes a tenth of a second per thousand chunks, so this is done only for a question that
    has a word which is neither in the book nor in the vocabulary of the embedded model.
    """
    if not question.unknown or language_of(text) not in (None, "en"):
        return None

    def is_unknown(word: str) -> bool:
        terms = query_vector(word).indices
        is_missing = bool(terms) and question.unknown.issuperset(terms)
        return is_missing and (word.lower() in _CONTRACTIONS or not is_word(word.lower()))

    words = suspects(text, is_unknown)
    return corrected(text, words, words_of_book(store, where)) if words else None


def words_of_book(store: PointReader, where: Where) -> Words:
    """Return the words of the chunks inside a filter, each with the number of chunks that have it.

    They are remembered as long as the store has the same number of chunks: a word that has just come or gone only
    changes which correction is proposed.
    """
    remembered, size = _words.setdefault(store, {}), store.size()
    known = remembered.get(where)
    if known is None or known[0] != size:
        if len(remembered) >= MOST_REMEMBERED:
            remembered.clear()
        known = remembered[where] = size, _read_words(store, where)
    return known[1]


def _read_words(store: PointReader, where: Where) -> Words:
    words: Counter[str] = Counter()
    for point in islice(store.scroll(where, fields=["text"]), MAX_CHUNKS):
        stop_if_left()
        words.update({found.lower() for found in _WORD.findall(str(point.payload["text"]))})
    return words


def suspects(question: str, is_unknown: Callable[[str], bool]) -> list[str]:
    """Return the words that may be typos: unknown to the book, without a capital or digit inside, and no words."""
    found = dict.fromkeys(_IN_QUESTION.findall(question))
    return [
        word
        for word in found
        if len(word) >= MIN_LETTERS and word[1:] == word[1:].lower() and word.isascii() and is_unknown(word)
    ]


def corrected(question: str, words: Iterable[str], book: Words) -> str | None:
    """Return the question with each of the words replaced by the book's nearest; None where none has one."""
    nearest = {
        word: near for word in words if (near := _CONTRACTIONS.get(word.lower()) or _nearest(word.lower(), book))
    }
    if not nearest:
        return None
    return _IN_QUESTION.sub(lambda found: nearest.get(found[0], found[0]), question)


def _nearest(word: str, book: Words) -> str | None:
    """Return the nearest word of the book; two letters more or less and another ending make another word."""
    if word.endswith("s") and word[:-1] in book:
        return None
    most = 1 if len(word) <= MAX_SHORT else 2
    near = (
        (distance, -count, known)
        for known, count in book.items()
        if _may_be(word, known, most) and (distance := edits(word, known, most)) <= most
    )
    best = min(near, default=None)
    return best[2] if best else None


def _may_be(word: str, known: str, most: int) -> bool:
    apart = abs(len(known) - len(word))
    return known[0] == word[0] and apart <= most and (apart < 2 or word[-1] == known[-1])


@lru_cache(maxsize=4096)
def edits(one: str, other: str, most: int) -> int:
    """Return how many letters to insert, delete, replace or swap with their neighbour; `most` + 1 if more."""
    earlier: list[int] = []
    last = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        row = [at]
        for to, target in enumerate(other, 1):
            cost = min(last[to] + 1, row[to - 1] + 1, last[to - 1] + (letter != target))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == target:
                cost = min(cost, earlier[to - 2] + 1)
            row.append(cost)
        if min(row) > most and min(last) > most:
            return most + 1
        earlier, last = last, row
    return last[-1]
