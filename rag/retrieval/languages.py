"""Guess the language of a question: by its script, and for Latin letters by the small words that only one has."""

from __future__ import annotations

import re

from ingestion.markdown.cleaner import searchable

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")),
    ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff\u3131-\u318e]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ur", re.compile(r"[\u0679\u067e\u0686\u0688\u0691\u06a9\u06af\u06ba\u06be\u06c1\u06cc\u06d2]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
"""In this order: Japanese has Han characters too, and Urdu letters that Arabic lacks."""

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
    """Return the language code of a question, None where it does not show."""
    text = searchable(text)
    for language, script in _SCRIPTS:
        if script.search(text):
            return language
    marked = next((language for language, marks in _MARKS.items() if marks & set(text)), None)
    words = [found.group().lower() for found in _WORD.finditer(text)]
    counts = {language: sum(word in known for word in words) for language, known in _WORDS_OF.items()}
    if marked:
        counts[marked] += 2
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    is_clear = counts[first] > counts[second] and (first == "en" or counts[first] > 1)
    return first if is_clear else None


def language_name(code: str) -> str:
    """Return the English name of a language code such as `pt-br`."""
    return NAMES.get(code.lower().split("-")[0].split("_")[0], code)


def same_language(one: str, other: str) -> bool:
    """Return whether two language codes name one language, whatever their regions."""
    return re.split(r"[-_]", one.lower())[0] == re.split(r"[-_]", other.lower())[0]
