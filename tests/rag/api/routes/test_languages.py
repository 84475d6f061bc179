"""The words of the pages: every language has all of them, none is written in the code, a reader gets their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ingestion.settings.api import PAGE_LANGUAGES
from ingestion.settings.loader import load_settings
from rag.api.app import create_app
from rag.api.http.languages import chosen_language, words_of
from tests.support.paths import ROOT

PAGES = ("index.html", "owner.html")
STATIC = ROOT / "rag" / "api" / "static"
PLURALS = {
    "en": {"one", "other"},
    "ur": {"one", "other"},
    "es": {"one", "many", "other"},
    "de": {"one", "other"},
    "zh": {"other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
}
"""The categories of CLDR for whole numbers."""

SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if path.name not in ("docs.js", "early.js", "language.js"))
"""Of the pages and the widget; the description of the API is in English."""

COMMENT = re.compile(r"/\*(?!\*/)[^*].*?\*/|/\*\*.*?\*/|(?<!:)//[^\n]*", re.S)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`')
SHOWN = re.compile(r"""(?:"aria-label"|title|placeholder|alt|textContent)(?:":|:| =) *["`](?!\$\{|")""")
NO_WORDS = {
    "Authorization", "Bearer", "Content-Type", "Retry-After", "Problem", "AbortError", "Enter", "Escape",
    "Object", "GET", "POST", "DELETE", "PATCH", "Shift", "Script", "Math",
}  # fmt: skip
"""Names of the web that stand in literals."""


@pytest.fixture
def client(clean_surroundings: Path) -> TestClient:
    return client_with(clean_surroundings)


def client_with(folder: Path, **settings: str) -> TestClient:
    app = create_app(load_settings(settings, environ={}), folder, open_to_all=True)
    return TestClient(app, base_url="http://127.0.0.1")


def gaps(words: object) -> set[str]:
    return set(re.findall(r"\{\w+\}", json.dumps(words)))


@pytest.mark.parametrize("language", PAGE_LANGUAGES)
def test_every_language_has_all_words_with_their_gaps_and_forms(language: str) -> None:
    english, words = words_of("en"), words_of(language)
    assert list(words) == list(english)
    for key, sentence in words.items():
        if isinstance(sentence, str):
            assert sentence.strip() and gaps(sentence) == gaps(english[key]), key
        else:
            assert set(sentence) == PLURALS[language], key
            assert all(gaps(form) <= gaps(english[key]) for form in sentence.values()), key
            assert gaps(sentence["other"]) == gaps(english[key]), key


@pytest.mark.parametrize("language", [each for each in PAGE_LANGUAGES if each != "en"])
def test_a_language_is_translated_not_copied(language: str) -> None:
    english, words = words_of("en"), words_of(language)
    same = {key for key, sentence in words.items() if sentence == english[key]}
    assert same <= {"chat", "code", "code_in", "owner_tokens"}


def test_there_is_a_file_for_each_language_and_no_other() -> None:
    assert {path.stem for path in (STATIC / "words").iterdir()} == set(PAGE_LANGUAGES)


def test_every_word_is_used_and_every_used_word_exists() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    template = "".join((STATIC / name).read_text(encoding="utf-8") for name in PAGES)
    named = set(re.findall(r'\bsay(?:Plainly)?\("(\w+)"', scripts)) | set(re.findall(r"\{\{(\w+)\}\}", template))
    known = set(words_of("en"))
    assert named - {"lang", "dir"} <= known
    quoted = set(re.findall(r'"(\w+)"', scripts))
    assert known <= named | quoted | {"ask_the_book", "chat_not_loaded"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_no_sentence_is_written_in_the_code(script: Path) -> None:
    code = COMMENT.sub("", script.read_text(encoding="utf-8"))
    assert not SHOWN.findall(code)
    found = []
    for match in LITERAL.finditer(code):
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        text = re.sub(r"\$\{.*?\}", "", match[1] or match[2] or "")
        words = [word for word in re.findall(r"\b[A-Z][a-z]+(?:-[A-Z][a-z]+)*\b", text) if word not in NO_WORDS]
        # What the console is told is for whoever runs the site.
        if words and "console." not in line and "throw new Error" not in line:
            found.append(text)
    assert found == []


@pytest.mark.parametrize("name", PAGES)
def test_the_markup_of_a_page_holds_no_words_of_its_own(name: str) -> None:
    template = (STATIC / name).read_text(encoding="utf-8")
    outside = re.sub(r"<[^>]*>|\{\{\w+\}\}", "", template)
    assert outside.split() == []
    shown = re.findall(
        r'(?:aria-label|title|placeholder|alt)="([^"]*)"|name="description" content="([^"]*)"', template
    )
    assert shown and all(re.fullmatch(r"\{\{\w+\}\}", one or other) for one, other in shown)


@pytest.mark.parametrize(
    ("asked", "fixed", "accepted", "chosen"),
    [
        (None, "reader", "", "en"),
        (None, "reader", "fr, de-AT;q=0.8, ur;q=0.9", "ur"),
        (None, "reader", "de;q=0, es;q=0.1", "es"),
        (None, "reader", "zh-Hant-TW", "zh"),
        (None, "reader", "tlh, *;q=high", "en"),
        (None, "de", "ur", "de"),
        ("ar", "de", "ur", "ar"),
        ("tlh", "de", "ur", "de"),
        ("../../etc", "reader", "", "en"),
    ],
)
def test_the_address_goes_before_the_owner_and_the_owner_before_the_browser(
    asked: str | None, fixed: str, accepted: str, chosen: str
) -> None:
    assert chosen_language(asked, fixed, accepted) == chosen


def test_the_page_comes_in_the_browser_s_language_and_direction(client: TestClient) -> None:
    page = client.get("/", headers={"Accept-Language": "ur-PK, en;q=0.5"})
    assert '<html lang="ur" dir="rtl">' in page.text and "{{" not in page.text
    assert str(words_of("ur")["skip_to_question"]) in page.text
    assert page.headers["content-language"] == "ur" and "Accept-Language" in page.headers["vary"]
    english = client.get("/", headers={"If-None-Match": page.headers["etag"], "Accept-Language": "en"})
    assert english.status_code == 200 and '<html lang="en" dir="ltr">' in english.text
    assert client.get("/static/words/ur.json").json() == words_of("ur")


def test_the_owner_may_set_the_language(clean_surroundings: Path) -> None:
    client = client_with(clean_surroundings, **{"api.language": "es"})
    assert '<html lang="es" dir="ltr">' in client.get("/", headers={"Accept-Language": "de"}).text


def test_the_widget_s_button_is_labelled_before_anything_is_loaded(client: TestClient) -> None:
    script = client.get("/widget.js").text
    assert all(str(words_of(language)["ask_the_book"]) in script for language in PAGE_LANGUAGES)
