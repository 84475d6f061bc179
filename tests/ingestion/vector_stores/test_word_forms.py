"""A word is found in whatever form it was written: accents, units, parts of a name, Korean particles."""

from __future__ import annotations

import pytest

from ingestion.vector_stores.bm25 import document_vector, query_vector


def finds(question: str, text: str, language: str = "english") -> bool:
    asked, held = query_vector(question, language).indices, document_vector(text, language).indices
    return bool(asked) and set(asked) <= set(held)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("500 mA", "The fuse takes 500mA."),
        ("500mA", "The fuse takes 500 mA."),
        ("12V", "It runs at 12 V."),
        ("3.3 V", "The supply is 3.3V."),
        ("1250", "The motor draws 1,250 mA."),
        ("1,250 mA", "The motor draws 1250mA."),
        ("cafe naive resume facade", "The café's naïve résumé lists a façade."),
        ("café", "The cafe is open."),
        ("max wheel speed", "Call setMaxWheelSpeed before you start."),
        ("setMaxWheelSpeed", "Call setMaxWheelSpeed before you start."),
        ("전원", "로봇의 전원 스위치는 등에 있습니다."),
        ("로봇", "로봇의 전원 스위치는 등에 있습니다."),
        ("스위치", "로봇의 전원 스위치는 등에 있습니다."),
        ("스위치를", "로봇의 전원 스위치를 켜세요."),
    ],
)
def test_a_word_is_found_in_every_form(question: str, text: str) -> None:
    assert finds(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [("50 mA", "The fuse takes 500mA."), ("2", "A 2D map"), ("script", "JavaScript"), ("전기", "로봇의 전원")],
)
def test_another_word_is_not_found(question: str, text: str) -> None:
    assert not finds(question, text)


@pytest.mark.parametrize("language", ["spanish", "german", "french"])
def test_stop_words_with_accents_are_stop_words_still(language: str) -> None:
    word = {"spanish": "también", "german": "für", "french": "été"}[language]
    assert not query_vector(word, language).indices
    assert finds("canción señal", "La canción da una señal.", "spanish")
    assert finds("apfel", "Der Äpfel sind viele.", "german")
