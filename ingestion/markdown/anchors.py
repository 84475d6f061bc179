"""Name the headings of a page as site generators do: ids that authors write, slugs, and numbers for repeats."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingestion.markdown.attributes import attributes
from ingestion.markdown.inline import MAX_LENGTH, Span, read_spans

_ASCII_SLUG = {code: None for code in range(128) if not (chr(code).isalnum() or chr(code) in "_-")} | {ord(" "): "-"}
_DASHES = re.compile(r"--+")
ICON = re.compile(r":[a-z0-9_+-]+:")
"""A picture that is written as a word (`:rocket:`), as slugs know it."""

_ID = re.compile(r"[\w.:/-]+")
_LETTERS_IN_SHAPES = (
    ("Ⓐ", "ⓩ"),
    ("\U0001f130", "\U0001f149"),
    ("\U0001f150", "\U0001f169"),
    ("\U0001f170", "\U0001f189"),
)


UNNAMED = "\0"
"""The own id of a heading that has one which nobody knows: it is left without an anchor."""


class Titled(NamedTuple):
    """A heading's text without the id that its author gave it, and that id."""

    text: str
    own_id: str | None = None


Numbering = Callable[[Sequence[tuple[str, str | None]]], list[str]]
"""Takes each heading's slug and own id, in the order of the page, and returns their anchors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingIds:
    """How a generator names headings: `split` finds an id in a heading's text, `slug` makes one from its words.

    Headings of levels up to `silent_levels` count for repeats but have no anchor. With `attributes_below`, a line of
    attributes under a heading (`{: #id}`) is the second line of its text; with `numbers_notes`, marks of footnotes
    are their numbers.
    """

    split: Callable[[str], Titled]
    slug: Callable[[Sequence[Span]], str]
    number: Numbering
    silent_levels: int = 0
    attributes_below: bool = False
    numbers_notes: bool = False

    def name(self, headings: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
        """Return the text and the anchor (or "") of each heading of a page, given as level and text."""
        titled = [self.split(text) for _, text in headings]
        slugs = [self.slug(read_spans(heading.text[:MAX_LENGTH])) for heading in titled]
        anchors = self.number([(slug, each.own_id) for slug, each in zip(slugs, titled, strict=True)])
        return [
            (each.text, anchor if level > self.silent_levels and anchor != UNNAMED else "")
            for (level, _), each, anchor in zip(headings, titled, anchors, strict=True)
        ]


def text_of(
    spans: Sequence[Span], *, images: bool = True, dashes: bool = True, entities: bool = True, notes: bool = False
) -> str:
    """Return the words of a heading as generators see them.

    Without `images` their descriptions are left out, without `dashes` runs of hyphens (which become dashes before
    slugs are made), and without `entities` they stay as they are written. With `notes` the marks of footnotes count.
    """
    left_out = {"tag", *(() if images else ("image",)), *(() if notes else ("note",))}
    parts = []
    for span in spans:
        if span.kind in left_out:
            continue
        text = span.source if span.kind == "entity" and not entities else span.text
        parts.append(_DASHES.sub("", text) if span.kind == "text" and not dashes else text)
    return "".join(parts)


def slug(text: str) -> str:
    """Return the anchor that GitHub and github-slugger give a heading: letters, marks, digits, `-` and `_` stay."""
    if text.isascii():
        return text.lower().translate(_ASCII_SLUG)
    kept = (character for character in text.lower() if character in " -" or _is_word(character))
    return "".join(kept).replace(" ", "-")


def _is_word(character: str) -> bool:
    """Return whether a character is one of Unicode's letters, marks, decimal digits or joining punctuation.

    Roman numerals and letters in circles count as letters (the property Alphabetic), other numbers do not.
    """
    category = unicodedata.category(character)
    if category[0] in "LM" or category in ("Nd", "Nl", "Pc"):
        return True
    return any(first <= character <= last for first, last in _LETTERS_IN_SHAPES)


# Ids that authors write


def split_brackets(text: str) -> Titled | None:
    """Split off `[[id]]` where it is glued to the last word or holds the heading's own words; else it is a link."""
    words, _, written = text.removesuffix("]]").rpartition("[[")
    before = words.rstrip(" \t")
    if not before or before[-1].isspace() or not text.endswith("]]") or "/" in written or not _ID.fullmatch(written):
        return None
    own = slug(text_of(read_spans(before[:MAX_LENGTH]))).split("-")
    is_id = before == words or set(written.split("-")) <= set(own)
    return Titled(before, written) if is_id else None


def split_braces(text: str) -> tuple[str, str] | None:
    """Return the text before the braces that end a heading, and what they hold."""
    text = text.rstrip()
    at = text.rfind("{")
    is_last = at >= 0 and text.find("}", at) == len(text) - 1
    return (text[:at], text[at + 1 : -1]) if is_last else None


def id_in(written: str) -> str | None:
    """Return the id that attributes give (`#x`, `id=x`, `id="x"`), the last of several."""
    ids = (
        value if name == "id" else name[1:]
        for name, value, *_ in attributes(written)
        if name[:1] == "#" or name == "id"
    )
    return next(filter(None, reversed([*ids])), None)


def split_remark(text: str) -> Titled | None:
    """Split off `{/* #id */}`."""
    text = text.rstrip()
    at = text.rfind("{/*")
    if at < 0 or not text.endswith("*/}"):
        return None
    words = text[at + 3 : -3].split()
    return Titled(text[:at].rstrip(), words[0][1:]) if words and len(words[0]) > 1 and words[0][0] == "#" else None


def split_any(text: str) -> Titled:
    """Split off an id in any of the usual spellings, for pages of which the generator is not known."""
    if found := split_brackets(text) or split_remark(text):
        return found
    braces = split_braces(text)
    words = braces[1].removeprefix(":").split() if braces else []
    own_id = next((word[1:] for word in words if word[0] == "#" and _ID.fullmatch(word[1:])), None)
    return Titled(braces[0].rstrip(), own_id) if braces and own_id else Titled(text)


# Numbers for repeats


def number_like_github(headings: Sequence[tuple[str, str | None]]) -> list[str]:
    """Append `-1`, `-2` … where an earlier slug is the same; own ids reserve nothing (github-slugger)."""
    repeats: dict[str, int] = {}
    anchors = []
    for plain, own_id in headings:
        anchor = own_id
        if anchor is None:
            anchor = plain
            while anchor in repeats:
                repeats[plain] += 1
                anchor = f"{plain}-{repeats[plain]}"
            repeats[anchor] = 0
        anchors.append(anchor)
    return anchors


def number_in_order(headings: Sequence[tuple[str, str | None]], *, reserves: bool = True) -> list[str]:
    """Append the first of `-1`, `-2` … that no earlier heading has: as its slug or, with `reserves`, its own id."""
    taken: set[str] = set()
    last: dict[str, int] = {}
    anchors = []
    for plain, own_id in headings:
        anchor = own_id or plain
        while own_id is None and anchor in taken:
            last[plain] = last.get(plain, 0) + 1
            anchor = f"{plain}-{last[plain]}"
        if own_id is None or reserves:
            taken.add(anchor)
        anchors.append(anchor)
    return anchors


def number_own_ids(headings: Sequence[tuple[str, str | None]]) -> list[str]:
    """Return the ids that authors write; other headings have none."""
    return [own_id or "" for _, own_id in headings]


PLAIN = HeadingIds(split=split_any, slug=lambda spans: slug(text_of(spans)), number=number_like_github)
"""Anchors of github-slugger, with ids that authors write: where the generator is not known."""
