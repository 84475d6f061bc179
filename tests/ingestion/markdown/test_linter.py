"""Broken constructs and dropped text are told, with their lines."""

from __future__ import annotations

import pytest

from ingestion.markdown.linter import lint_page


def found(source: str) -> list[tuple[int, str]]:
    return [(notice.line, notice.rule) for notice in lint_page(source).notices]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# A\n\n```\nx", [(3, "unclosed-fence")]),
        ("- a\n\n  ```\n  x\n\ntext", [(3, "unclosed-fence")]),
        ("```md\n```py\n```\nx\n", [(2, "nested-fence")]),
        ("````md\n```py\n```\n````", []),
        ("<!-- never\n\ntext", [(1, "dropped-comment"), (1, "unclosed-comment")]),
        ("<pre>\n\ntext", [(1, "unclosed-html")]),
        (":::note\n\ntext", [(1, "unclosed-directive")]),
        ("import A from 'a';\n\ntext {/* x */}", [(1, "dropped-import"), (3, "dropped-comment")]),
        (
            "a [b](c) ![d](e)\n\n[f]: g",
            [(1, "dropped-image-address"), (1, "dropped-link-address"), (3, "dropped-link-reference")],
        ),
        ("plain `code` text", []),
    ],
)
def test_notices(source: str, expected: list[tuple[int, str]]) -> None:
    assert found(source) == expected


def test_a_notice_shows_what_was_dropped_on_one_short_line() -> None:
    (notice,) = lint_page("<!-- one\ntwo " + "x" * 100 + " -->").notices
    assert notice.message.startswith("<!-- one two xxx")
    assert len(notice.message) <= 60
