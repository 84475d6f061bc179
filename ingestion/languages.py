"""Guess the language of a question or a page: by its script, in Latin letters by small words that only one has."""

from __future__ import annotations

import re
from collections import Counter

from ingestion.markdown.cleaner import searchable

DEFAULT_LANGUAGE = "en"
"""The language of a page that neither says nor shows one."""

_SCRIPTS = [
    (language, re.compile(f"[{letters}]"), share)
    for language, letters, share in (
        ("ja", r"\u3040-\u30ff\uff66-\uff9f", 0.02),
        ("zh", r"\u3400-\u9fff\uf900-\ufaff", 0.1),
        ("ko", r"\uac00-\ud7af\u1100-\u11ff\u3131-\u318e", 0.1),
        ("ru", r"\u0400-\u04ff", 0.1),
        ("ur", r"\u0679\u067e\u0686\u0688\u0691\u06a9\u06af\u06ba\u06be\u06c1\u06cc\u06d2", 0.02),
        ("ar", r"\u0600-\u06ff", 0.1),
        ("hi", r"\u0900-\u097f", 0.1),
        ("el", r"\u0370-\u03ff", 0.1),
        ("he", r"\u0590-\u05ff", 0.1),
        ("th", r"\u0e00-\u0e7f", 0.1),
    )
]
"""Each with the share of a text's letters from which it is in that script: Latin names and code stand in every text.

In this order: Japanese has Han characters too, and Urdu letters that Arabic lacks.
"""

_SMALL_WORDS = {
    "en": "the is are do does did how what which why when where who can should would i my a an to of in on for "
    "with and or not it that this from be have has you your if there at as by more than cannot between "
    "about",
    "de": "der die das den dem des ein eine einen einem einer ist sind war wie was welche welcher welches warum "
    "wann wo wer kann ich mein meine mit und oder nicht zu im auf für von es gibt man sich bei aus wird "
    "werden zwischen über mehrere gleichzeitig lade mache brauche muss vor nach unter ohne kein keine was "
    "wofür woran",
    "es": "el la los las un una unos es son cómo como qué que cuál cuáles por para con y o no de del al en mi "
    "mis puedo se hay cuando dónde quién porque entre sobre lo su sus hago",
    "fr": "le la les un une des est sont comment que quoi quel quelle quels pourquoi quand où qui puis je mon "
    "ma mes avec et ou ne pas de du au aux en dans pour sur il y ce cette peut faire entre",
    "it": "il lo la i gli le un una è sono come che cosa quale quali perché quando dove chi posso mio mia con e "
    "o non di del della in per su si c'è tra fare",
    "pt": "o a os as um uma é são como que qual quais por porque quando onde quem posso meu minha com e ou não "
    "de do da em no na para se há entre sobre fazer",
    "nl": "de het een is zijn hoe wat welke waarom wanneer waar wie kan ik mijn met en of niet van in op voor "
    "er naar tussen over wordt",
}
_WORDS_OF = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}
_MARKS = {"de": frozenset("äöüßÄÖÜ"), "es": frozenset("¿¡ñÑ"), "pt": frozenset("ãõÃÕ"), "fr": frozenset("çêœ")}
"""Letters and signs that speak for a language."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

NAMES = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pt": "Portuguese",
    "ru": "Russian", "th": "Thai", "ur": "Urdu", "zh": "Chinese",
}  # fmt: skip


def language_of(text: str) -> str | None:
    """Return the language code of a question or a page, None where it does not show."""
    text = searchable(text)
    if language := None if text.isascii() else _by_script(text):
        return language
    counts = _small_words_in(text)
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    is_clear = counts[first] > counts[second] and (first == "en" or counts[first] > 1)
    return first if is_clear else None


def _by_script(text: str) -> str | None:
    letters = sum(map(str.isalpha, text))
    shares = ((language, len(script.findall(text)), least * letters) for language, script, least in _SCRIPTS)
    return next((language for language, found, least in shares if found and found >= least), None)


def _small_words_in(text: str) -> dict[str, int]:
    """Return how many words of the text speak for each language; letters that only one has count as two."""
    words = Counter(_WORD.findall(text.lower()))
    counts = {language: sum(words[word] for word in known & words.keys()) for language, known in _WORDS_OF.items()}
    if marked := next((language for language, marks in _MARKS.items() if marks & set(text)), None):
        counts[marked] += 2
    return counts


def language_name(code: str) -> str:
    """Return the English name of a language code such as `pt-br`."""
    return NAMES.get(code.lower().split("-")[0].split("_")[0], code)


def same_language(one: str, other: str) -> bool:
    """Return whether two language codes name one language, whatever their regions."""
    return re.split(r"[-_]", one.lower())[0] == re.split(r"[-_]", other.lower())[0]
