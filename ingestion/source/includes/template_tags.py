"""Tags of templates in a page, whatever reads them: `{{ value }}`, `{{< shortcode >}}`, `{% tag %}`, `{! file !}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

_CLOSINGS = {"{{": "}}", "{{<": ">}}", "{{%": "%}}", "{%": "%}", "{!": "!}"}
MAX_TAG = 2000
MAX_NAME = 100


class TemplateTag(NamedTuple):
    """A tag of a page; `inside` is what it holds, without the blanks and hyphens at its ends."""

    start: int
    end: int
    mark: str
    inside: str

    @property
    def words(self) -> tuple[str, str]:
        """Return the first word, which says what the tag does, and the rest."""
        word, *rest = self.inside.split(None, 1) or [""]
        return word, "".join(rest)


def template_tags(text: str, *marks: str) -> Iterator[TemplateTag]:
    """Yield the tags that begin with each of these marks, the innermost where one stands in another."""
    for mark in marks:
        closing, at = _CLOSINGS[mark], text.find(mark)
        while at >= 0 and (last := text.find(closing, at + len(mark))) >= 0:
            at = max(at, text.rfind(mark, at + 1, last))
            inside = text[at + len(mark) : last]
            end = last + len(closing)
            if len(inside) <= MAX_TAG:
                yield TemplateTag(at, end, mark, inside.removeprefix("-").removesuffix("-").strip())
            at = text.find(mark, end)


def replace_tags(text: str, mark: str, value_of: Callable[[TemplateTag], str | None]) -> str:
    """Return the text with values in the places of tags, which stay where they have none."""
    parts, at = [], 0
    for tag in template_tags(text, mark):
        if (value := value_of(tag)) is not None:
            parts += [text[at : tag.start], value]
            at = tag.end
    return "".join(parts) + text[at:]


def is_name(text: str) -> bool:
    """Return whether a text may name a variable: letters, digits, points and hyphens."""
    return 0 < len(text) <= MAX_NAME and all(sign.isalnum() or sign in "_.-" for sign in text)
