"""Which words are ordinary ones: those of the embedded model's vocabulary, and what is derived from them."""

from __future__ import annotations

import re

from ingestion.embedding.minilm import vocabulary

MIN_LETTERS = 4
"""A stem that is shorter could be anything."""

_PREFIX = re.compile(r"^(?:un|re|non|pre|dis|over|sub|multi)(?=\w{4})")
_SUFFIX = re.compile(r"(\w{3,}?)(?:able|ible|ings?|ed|ers?|e?s|ly|ness|ments?|i[sz]e[srd]?|less|ful)")


def is_word(word: str) -> bool:
    """Return whether a word in small letters is in the vocabulary, or derived from one that is."""
    known = vocabulary()
    if word in known:
        return True
    stem = _PREFIX.sub("", word)
    ended = _SUFFIX.fullmatch(stem)
    stems = {stem, *((ended[1],) if ended else ())}
    if ended and not stem.endswith(f"{ended[1]}s"):  # before other endings an e is dropped
        stems.add(f"{ended[1]}e")
    forms = stems | _derived(word)
    return any(len(form) >= MIN_LETTERS and form in known for form in forms)


def _derived(word: str) -> set[str]:
    """Return forms that the vocabulary may have alone: "revoked" of "revoke", "double" of "doubly"."""
    forms = {f"{word}{ending}" for ending in ("d", "ed", "s", "ing")}
    if word.endswith(("e", "y")):
        forms |= {f"{word[:-1]}ing", f"{word[:-1]}ied"}
    if word.endswith("ly"):
        forms |= {f"{word[:-1]}e", f"{word[:-3]}y"}
    return forms
