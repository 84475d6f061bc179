"""The language of a question is guessed from what is sure, and left open where nothing is."""

from __future__ import annotations

import pytest

from ingestion.languages import language_name, language_of, same_language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How do I keep the last message?", "en"),
        ("cannot borrow `s` as mutable more than once at a time", "en"),
        ("Wie lade ich mehrere Dateien gleichzeitig hoch?", "de"),
        ("Warum muss /users/me vor /users/{user_id} stehen?", "de"),
        ("¿Cómo comparto datos mutables entre varios hilos?", "es"),
        ("Comment est-ce que je peux partager un compteur entre les fils ?", "fr"),
        ("什么是所有权规则？", "zh"),
        ("所有権とは何ですか", "ja"),
        ("ROS 2 نوڈ کیا ہے؟", "ur"),
        ("\ufb58\ufe8e\ufee7\ufbfd", "ur"),
        ("ﾉｰﾄﾞ", "ja"),
        ("mpsc::channel", None),
    ],
)
def test_the_language_shows_in_small_words_and_scripts(question: str, language: str | None) -> None:
    assert language_of(question) == language


def test_regions_do_not_matter() -> None:
    assert same_language("pt-BR", "pt") and same_language("zh_Hans", "zh") and not same_language("en", "de")
    assert language_name("pt-BR") == "Portuguese" and language_name("xx") == "xx"
