"""What a question is made of: its words with how rare each is in the book, and the things it names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ingestion.languages import language_of, same_language
from ingestion.vector_stores.bm25 import MOST_WEIGHT, merged, query_vector, stemmer_of
from ingestion.vector_stores.types import SparseVector
from rag.retrieval.words import is_word

ORDINARY_WEIGHT = 0.3
"""How much an everyday word counts that the book lacks; at 0.15 and 0.5 nothing changes by more than a question."""

MIN_SHARE = 0.05
"""Share of the pages below which the question is not read in a language as well."""

MAX_STEMMERS = 3
"""In how many languages a question is read at most: each asks the store for terms of its own."""

LONG = 24
"""A question with so many words, stop words left out, is a long one."""

MIN_SLIP = 3
"""A shorter word is rather a name than a stop word with two letters swapped."""

MAX_LEFT_OUT = 24
"""How many of a question's words are left out in turn."""

MAX_WEIGHED_CHARS = 5_000
"""How long the shortened questions are together, as those of one of 200 characters: each is embedded."""

_WORD = re.compile(r"[^\W_](?:[\w.+#'’-]*[\w+#])?")
_LETTERS = re.compile(r"[^\W\d_]+")
_ERROR_NAME = re.compile(r"\w*(?:Error|Exception|Warning)$")
_ERROR_CODE = re.compile(r"(?:error|warning)\s*\[?[A-Z]{1,4}\d{2,6}\]?\s*:", re.IGNORECASE)
_QUOTED = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Question:
    """A question's BM25 terms with their rarity (the store's IDF, larger is rarer), and its names.

    `unknown` are the terms that no chunk inside the filters has, `ordinary` those of them that are everyday words,
    which a book words otherwise rather than lacks. `names` are the terms of each thing named. `readings` are the
    terms in each language that the question is asked in, of which the one that fits best counts.
    """

    terms: SparseVector
    rarity: Mapping[int, float]
    unknown: frozenset[int]
    names: tuple[int, ...]
    ordinary: frozenset[int] = frozenset()
    readings: tuple[frozenset[int], ...] = ()

    @property
    def attainable(self) -> float:
        """The BM25 score that a chunk full of every word of the question would reach."""
        return MOST_WEIGHT * max((sum(self.rarity[term] for term in terms) for terms in self._read), default=0.0)

    @property
    def _read(self) -> tuple[frozenset[int], ...]:
        return self.readings or (frozenset(self.rarity),)

    @property
    def known(self) -> float:
        """Share of the words, weighed by rarity, that the book has at all; 1 for a question without words."""
        return max(self._known(terms) for terms in self._read)

    def _known(self, terms: Iterable[int]) -> float:
        weights = {term: self.rarity[term] * (ORDINARY_WEIGHT if term in self.ordinary else 1.0) for term in terms}
        return _share(weights, (term for term in weights if term not in self.unknown))

    @property
    def length(self) -> float:
        """How many words the question has, 0–1 on a logarithmic scale: a long one is never reached wholly."""
        return min(1.0, math.log1p(max(map(len, self._read))) / math.log1p(LONG))

    def reached_by(self, document: SparseVector) -> float:
        """Return the share of the attainable BM25 score that a document reaches."""
        weights = dict(zip(document.indices, document.values, strict=True))
        score = sum(rarity * weights.get(term, 0.0) for term, rarity in self.rarity.items())
        return min(1.0, score / self.attainable) if self.attainable else 1.0

    def named_in(self, terms: Iterable[int]) -> float:
        """Share of the names that these terms hold; 1 where nothing is named."""
        held = set(terms)
        named = [names for terms in self._read if (names := [name for name in self.names if name in terms])]
        return max((sum(name in held for name in names) / len(names) for names in named), default=1.0)


def question_of(
    text: str, rarity: Mapping[int, float], points: int, stemmers: Sequence[str] = ("english",)
) -> Question:
    """Return the question as the book sees it: `rarity` is that of its terms, in an index of so many points."""
    readings = [query_vector(text, stemmer) for stemmer in stemmers]
    terms = merged(readings)
    unknown = set(terms.indices) - rarity.keys()
    lacked = list(_unknown_words(text, stemmers, unknown)) if unknown else []
    slips = frozenset[int]().union(*(own for word, stemmer, own in lacked if _is_swapped_stop_word(word, stemmer)))
    # Terms that no chunk has are the rarest of all, but for those that were never meant.
    rarest = math.log(2 * points + 2)
    rarity = dict(rarity) | {term: 0.0 if term in slips else rarest for term in unknown}
    ordinary = frozenset[int]().union(*(own for word, _, own in lacked if _is_ordinary(word)))
    return Question(
        terms,
        rarity,
        frozenset(unknown),
        tuple(sorted(_terms_of_names(text, stemmers) & rarity.keys())),
        ordinary,
        tuple(dict.fromkeys(frozenset(reading.indices) for reading in readings)),
    )


def _terms_of_names(text: str, stemmers: Sequence[str]) -> set[int]:
    return {term for name in names_in(text) for stemmer in stemmers for term in query_vector(name, stemmer).indices}


def stemmers_of(languages: Mapping[str, int], text: str) -> tuple[str, ...]:
    """Return whose stemmers a question is read with: those of the pages' languages, given how many pages each has.

    The question's own language comes first, then the most frequent; a language of few pages is left out.
    """
    asked = language_of(text)
    own = {language for language in languages if asked is not None and same_language(language, asked)}
    least = MIN_SHARE * sum(languages.values())
    kept = [language for language in languages if language in own or languages[language] >= least]
    kept.sort(key=lambda each: (each not in own, -languages[each], each))
    return tuple(dict.fromkeys(map(stemmer_of, kept)))[:MAX_STEMMERS] or ("english",)


def _unknown_words(
    text: str, stemmers: Sequence[str], unknown: Set[int]
) -> Iterator[tuple[str, str, frozenset[int]]]:
    """Yield each word of letters with those of its terms in a language that are unknown."""
    for word in dict.fromkeys(_LETTERS.findall(text)):
        for stemmer in stemmers:
            if terms := unknown & frozenset(query_vector(word, stemmer).indices):
                yield word, stemmer, frozenset(terms)


def _is_ordinary(word: str) -> bool:
    return word[1:] == word[1:].lower() and is_word(word.lower())


def _is_swapped_stop_word(word: str, stemmer: str) -> bool:
    """Return whether two swapped letters of a stop word make this one, as "dose" of "does"."""
    if len(word) < MIN_SLIP or not word.islower():
        return False
    swapped = (f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}" for at in range(len(word) - 1))
    return any(each != word and not query_vector(each, stemmer).indices for each in swapped)


def names_in(text: str) -> list[str]:
    """Return words that name a thing: with a capital inside a sentence, or with a digit or a capital inside the word.

    In German every noun has a capital, so that only the others count. The class or code of a pasted error
    message, and what it quotes of the reader's own code, name nothing that a book would speak of.
    """
    names = []
    if _ERROR_CODE.search(text):
        text = _QUOTED.sub(" ", _ERROR_CODE.sub(" ", text))
    is_german = language_of(text) == "de"
    end = 0
    for found in _WORD.finditer(text):
        word, begins = found[0], _begins_sentence(text[end : found.start()], is_first=end == 0)
        end = found.end()
        if _ERROR_NAME.fullmatch(word) and text.startswith(":", end):
            continue
        if len(word) > 1 and (_is_marked(word) or (word[0].isupper() and not begins and not is_german)):
            names.append(word)
    return names


def _is_marked(word: str) -> bool:
    return word[0].isdigit() or any(letter.isupper() or letter.isdigit() for letter in word[1:])


def _begins_sentence(between: str, *, is_first: bool) -> bool:
    """Return whether a word begins a sentence, given what stands between the word before it and itself."""
    before = between.rstrip().rstrip("\"'”’)").rstrip()
    return before.endswith((".", "?", "!", ":", ";")) or (is_first and not between.strip())


def without_each_word(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return the question without each of its words in turn, stop words left out, and the terms of that word."""
    stemmer = stemmer_of(language_of(text) or "en")
    words = ((found.span(), query_vector(found[0], stemmer).indices) for found in _WORD.finditer(text))
    said = [(span, terms) for span, terms in words if terms]
    most = min(MAX_LEFT_OUT, max(1, MAX_WEIGHED_CHARS // max(1, len(text))))
    shorter = ((f"{text[:start]}{text[end:]}".strip(), terms) for (start, end), terms in said[:most])
    return [(rest, terms) for rest, terms in shorter if _LETTERS.search(rest)]


def _share(weights: Mapping[int, float], some: Iterable[int]) -> float:
    total = sum(weights.values())
    return sum(weights[term] for term in some) / total if total else 1.0
