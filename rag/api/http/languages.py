"""Languages of the pages: the choice for a reader, and the words of each, from `static/words/`."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ingestion.settings.api import PAGE_LANGUAGES

RIGHT_TO_LEFT = frozenset({"ar", "ur"})
DEFAULT = "en"
LAUNCH_WORDS = ("ask_the_book", "chat_not_loaded")
"""The widget's words before it has loaded anything: its button, and the message that loading failed."""

_GAP = re.compile(r"\{\{(\w+)\}\}")
_LAUNCH_GAP = "{/* launch words */}"

Words = Mapping[str, str | Mapping[str, str]]


@cache
def words_of(language: str) -> Words:
    """Return the words of a language; one with several forms has them by the categories of CLDR."""
    read: Words = json.loads((files("rag.api") / "static" / "words" / f"{language}.json").read_text(encoding="utf-8"))
    return read


def chosen_language(asked: str | None, fixed: str, accepted: str) -> str:
    """Return the language in the URL, else the owner's, else the browser's most preferred one that we have."""
    wanted = [asked or "", fixed, *_by_preference(accepted)]
    return next((base for tag in wanted if (base := tag.lower().split("-")[0]) in PAGE_LANGUAGES), DEFAULT)


def filled_page(template: str, language: str) -> str:
    """Return a page with its words, and with `{{lang}}` and `{{dir}}`."""
    special = {"lang": language, "dir": "rtl" if language in RIGHT_TO_LEFT else "ltr"}
    words = {**words_of(language), **special}
    return _GAP.sub(lambda gap: html.escape(str(words[gap[1]])), template)


def filled_widget(script: str) -> str:
    """Return the widget's script with its button's words in each language."""
    words = {language: [words_of(language)[key] for key in LAUNCH_WORDS] for language in PAGE_LANGUAGES}
    return script.replace(_LAUNCH_GAP, json.dumps(words, ensure_ascii=False))


def _by_preference(accepted: str) -> list[str]:
    """Return the languages of an Accept-Language header, most preferred first (RFC 9110, 12.5.4)."""
    weighted: list[tuple[float, str]] = []
    for part in accepted[:1000].split(","):
        name, _, parameter = part.partition(";")
        weight = parameter.strip().removeprefix("q=") or "1"
        try:
            weighted.append((float(weight), name.strip()))
        except ValueError:
            continue
    return [name for weight, name in sorted(weighted, key=lambda each: -each[0]) if weight > 0]
