"""A page that nobody gave a language has the one that it is written in."""

from __future__ import annotations

import pytest

from tests.ingestion.source.test_parser import parse

ENGLISH = "The pump runs for five seconds and then it waits until the next reading.\n"
SPANISH = "La bomba es lenta: no funciona más que por cinco segundos, y el agua se va por los tubos.\n"
CODE = "\n```python\nfor the_pump in pumps:\n    the_pump.start()  # this is not the language of the page\n```\n"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (SPANISH, "es"),
        (SPANISH + CODE, "es"),
        ("泵运行五秒，然后等待下一次读数。\n" + CODE, "zh"),
        ("ポンプは5秒間動き、次の測定まで待ちます。\n", "ja"),
        ("펌프는 5초 동안 작동합니다.\n", "ko"),
        ("پمپ پانچ سیکنڈ چلتا ہے اور پھر اگلی پیمائش تک انتظار کرتا ہے۔\n", "ur"),
        (ENGLISH * 3 + "Its name in Chinese is 泵.\n", "en"),
        (CODE, "en"),
        (f"---\nlang: de\n---\n{SPANISH}", "de"),
    ],
)
def test_the_language_is_guessed_from_the_prose_where_nobody_wrote_one(text: str, language: str) -> None:
    assert parse(text).language == language


def test_the_language_of_the_book_is_that_of_every_page_without_its_own() -> None:
    assert parse(SPANISH, **{"book.language": "en"}).language == "en"
