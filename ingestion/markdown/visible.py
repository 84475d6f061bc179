"""What a reader sees of tags and shortcodes: the words in their attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import unescape
from itertools import islice

from ingestion.markdown.attributes import Attribute, attributes
from ingestion.markdown.tags import tag_name

VISIBLE_PROPS = ("alt", "caption", "description", "heading", "label", "subtitle", "summary", "text", "title")
"""Attributes of components that are shown as words; the setting `chunk.visible_props` adds others."""

_SHOWN_BY_BROWSERS = ("alt", "label")
"""The same for elements of HTML, whose `title` shows only under a pointer."""

_SHORTCODE_PROPS = (*VISIBLE_PROPS, "header", "items", "name")
_LABELLED_SHORTCODES = ("tab", "details", "expand", "card")
"""Those whose first argument is a label that is shown."""

MAX_VALUE = 2000
_NO_ATTRIBUTES = (Attribute("", None, 0, False),) * 2


def tag_words(tag: str, props: Sequence[str] = ()) -> str:
    """Return the words that a tag shows, or ""; `props` are attributes beside the usual ones."""
    name = tag_name(tag) if "=" in tag else ""
    if not name or name[0] == "/":
        return ""
    is_component = name != name.lower() or "-" in name
    return _values(tag, (*VISIBLE_PROPS, *props) if is_component else _SHOWN_BY_BROWSERS)


def shortcode_words(source: str) -> str:
    """Return the words that a Hugo shortcode shows: its title, the label of a tab."""
    (name, *_), label, *_ = (*islice(attributes(source[3:]), 2), *_NO_ATTRIBUTES)
    shown = label.value if name in _LABELLED_SHORTCODES and label.is_text and not label.name else ""
    named = _values(source, _SHORTCODE_PROPS) if "=" in source else ""
    return ". ".join(words for words in (shown, named) if words)


def shown_template_tag(source: str) -> str:
    """Return the shortcode that an escaped one (`{{</* x */>}}`) shows, as Hugo's documentation has them, or ""."""
    is_shown = source.startswith(("{{</*", "{{%/*")) and source.endswith(("*/>}}", "*/%}}"))
    return f"{source[:3]}{source[5:-5]}{source[-3:]}" if is_shown else ""


def _values(source: str, names: tuple[str, ...]) -> str:
    found = (match[1] or match[2] or match[3] or "" for match in _pattern(names).finditer(source))
    return ". ".join(words for value in found if (words := " ".join(unescape(value).split())))


@cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of attributes and of keys in `{…}` with a text as value: `label="x"`, `label: 'x'`."""
    any_name = "|".join(re.escape(name) for name in names)
    quoted = "|".join(rf"{mark}((?:\\.|[^{mark}\\]){{0,{MAX_VALUE}}}+){mark}" for mark in "\"'`")
    return re.compile(
        rf"(?<![\w-])[\"']?(?:{any_name})[\"']?\s{{0,20}}+[=:]\s{{0,20}}+\{{?\s{{0,20}}+(?:{quoted})", re.S
    )
