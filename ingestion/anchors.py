"""Anchors of headings, by the rules GitHub and Docusaurus share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_NOT_IN_ASCII_SLUG = re.compile(r"[^a-z0-9 _-]+")


def slug(title: str) -> str:
    """The anchor GitHub gives a heading: lower case, letters, marks, digits, `-` and `_` kept, spaces to hyphens."""
    if title.isascii():
        return _NOT_IN_ASCII_SLUG.sub("", title.strip().lower()).replace(" ", "-")
    kept = (character for character in title.strip().lower() if character in " -_" or _is_word(character))
    return "".join(kept).replace(" ", "-")


def number_anchors(titles: Sequence[str], explicit_ids: Sequence[str | None]) -> list[str]:
    """One anchor for each heading of a page, in order.

    A heading with an id of its own keeps it. The others get their slug, and `-1`, `-2` … where it is taken by an
    earlier heading or by any heading's own id.
    """
    taken = {own for own in explicit_ids if own}
    repeats: dict[str, int] = {}
    anchors = []
    for title, own in zip(titles, explicit_ids, strict=True):
        anchor = own
        if not anchor:
            plain = anchor = slug(title)
            while anchor in taken:
                repeats[plain] = repeats.get(plain, 0) + 1
                anchor = f"{plain}-{repeats[plain]}"
            taken.add(anchor)
        anchors.append(anchor)
    return anchors


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"
