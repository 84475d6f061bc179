"""What the Markdown of a page has beyond CommonMark: data that generators fill in, since each shows another page.

`markdown` knows no generator: it reads a page by one of these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

COMMENTS = frozenset(("mdx", "percent", "kramdown", "template", "jinja", "labels", "liquid", "shortcode"))
"""What no reader sees, beside HTML's comments: `{/* */}`, `%% %%`, `{::comment}`, `{{/* */}}`, `{# #}`, the tags
`comment`, and the labels `(name)=`."""

CONTAINERS = frozenset(("colons", "indented", "slashes"))
"""Blocks that hold others: `:::`, MkDocs' `!!!`, `???` and `===` with an indented body, and `///`."""

INLINE = frozenset(("attributes", "critic", "icons", "keys", "marks", "wiki"))
"""Marks inside lines: `{.class}`, `{--gone--}`, `:icon:`, `++ctrl+c++`, `==marked==`, and `[[wiki links]]`."""

CHOSEN = ("annotations", "carets", "tildes")
"""Marks that only some sites read: `(1)` in blocks of the class `annotate`, `^^new^^` and `2^nd^`, `H~2~O`."""

NONE: frozenset[str] = frozenset()
COLONS = frozenset(("colons",))

MDX = "mdx"


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """How the pages of a generator are read; its `name`, which is stored with each chunk, tells what is added to it.

    `comments`, `containers` and `inline` name forms of the tables above. In MDX (`mdx`) four spaces are not code and
    tags may hold expressions. With `templates` (`liquid`, `shortcode`) tags are read before Markdown, in code too.
    With `raw_html` the inside of a block of HTML is no Markdown. `hidden_code` are languages of code with what begins
    their hidden lines. `shows_templates` is True where the element `<template>` is one of the page's own components.
    """

    name: str = "unknown"
    mdx: bool = False
    comments: frozenset[str] = COMMENTS
    containers: frozenset[str] = CONTAINERS
    inline: frozenset[str] = INLINE
    templates: str | None = None
    raw_html: bool = False
    hidden_code: tuple[tuple[str, str], ...] = ()
    shows_templates: bool = False

    def as_mdx(self) -> Syntax:
        """Return the syntax of the same generator's MDX pages."""
        return replace(self, name=f"{self.name}+{MDX}", mdx=True, comments=self.comments | {MDX})

    def adding(self, *names: str) -> Syntax:
        """Return the syntax with marks that a site chooses (`CHOSEN`), or with what MDX has beside it."""
        syntax = self
        for name in names:
            if name == MDX:
                syntax = syntax.as_mdx()
            elif name in CHOSEN:
                syntax = replace(syntax, name=f"{syntax.name}+{name}", inline=syntax.inline | {name})
        return syntax


ANY = Syntax()
"""Where no generator is known, everything is read that any of them reads."""

ANY_MDX = ANY.as_mdx()
