"""Settings of the chat page and the widget, for the owner of a book."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.settings.validators import book_setting, parse_bool, parse_text, parse_texts, setting

LOGO_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
}
"""The kinds of picture that a logo may be, by the ending of its name."""


def parse_colour(raw: Any) -> str:
    """Parse a colour such as `#0c6660`."""
    colour = parse_text(raw).lower()
    if not re.fullmatch("#[0-9a-f]{6}", colour):
        raise ValueError(f"{raw!r} is not a colour of the form #rrggbb")
    return colour


def parse_picture(raw: Any) -> str:
    """Parse the path of a picture."""
    name = parse_text(raw)
    if Path(name).suffix.lower() not in LOGO_TYPES:
        raise ValueError(f"{raw!r} is not a picture: {', '.join(LOGO_TYPES)}")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """The chat page and the widget."""

    questions: tuple[str, ...] = book_setting(
        (), parse_texts, help="suggested questions, instead of headings from the book"
    )
    disclaimer: str | None = book_setting(
        None, parse_text, help="the line below the question box, instead of the default"
    )
    colour: str | None = book_setting(None, parse_colour, help="colour of page, widget and its button, as `#0c6660`")
    logo: str | None = book_setting(None, parse_picture, is_path=True, help="picture next to the title")
    sharing: bool = setting(
        False,
        parse_bool,
        env="BOOKWISE_PAGE_SHARING",
        help="whether readers can share answers; anyone with the link can read them without a key",
    )
