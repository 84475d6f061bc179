"""Every form that hides something, the generator that hides it, and the places where its syntax allows it.

Words that nobody may see begin with `zq`, those around them with `za`.
"""

from __future__ import annotations

from typing import NamedTuple

CONFIGS = {
    "unknown": {},
    "docusaurus": {"docusaurus.config.js": "module.exports = {url: 'https://x.example', title: 'X'}"},
    "hugo": {"hugo.toml": 'baseURL = "https://x.example/"\n'},
    "jekyll": {"_config.yml": "title: X\nurl: https://x.example\n"},
    "mdbook": {"book.toml": '[book]\ntitle = "X"\nsrc = "."\n'},
    "mkdocs": {"mkdocs.yml": "site_name: X\ndocs_dir: docs\n"},
    "vitepress": {".vitepress/config.mjs": "export default {title: 'X'}"},
}
"""The configuration of a site of each generator, by which its pages are read."""

DOCS = {"mkdocs": "docs/", "hugo": "content/", "docusaurus": "docs/"}
"""Where the pages of a generator lie."""


class Form(NamedTuple):
    """What stands before and after something hidden; generators that hide it, and those that show it.

    `inline` tells that it may stand in a line of text, `blocks` that it may hold blank lines.
    """

    name: str
    opens: str
    closes: str
    hiding: tuple[str, ...]
    showing: tuple[str, ...] = ()
    inline: bool = True
    blocks: bool = True


ALL = tuple(CONFIGS)
NOT_LIQUID = tuple(name for name in CONFIGS if name not in ("jekyll", "unknown"))
FORMS = (
    Form("comment", "<!-- ", " -->", ALL),
    Form("hidden", "<div hidden>", "</div>", ALL, inline=False),
    Form("hidden with a class", '<section class="x" hidden>', "</section>", ALL, inline=False),
    Form("hidden words", "<span hidden>", "</span>", ALL, blocks=False),
    Form("not displayed", '<div style="color: red; display: none">', "</div>", ALL, inline=False),
    Form(
        "not displayed, of JSX", "<div style={{display: 'none'}}>", "</div>", ("docusaurus", "unknown"), inline=False
    ),
    Form("template", "<template>", "</template>", ("docusaurus", "hugo", "mdbook", "mkdocs", "jekyll"), inline=False),
    Form("script", "<script>", "</script>", ALL, inline=False),
    Form("style", "<style>", "</style>", ALL, inline=False),
    Form("remark of MDX", "{/* ", " */}", ("docusaurus", "unknown"), ("mkdocs", "hugo", "mdbook")),
    Form("remark as a link", '[//]: # "', '"', ALL, inline=False, blocks=False),
    Form("remark of Obsidian", "%% ", " %%", ("unknown",), ("mkdocs", "hugo", "mdbook")),
    Form("comment of Hugo", "{{< comment >}}", "{{< /comment >}}", ("hugo", "unknown")),
    Form("comment of Hugo, as Markdown", "{{% comment %}}", "{{% /comment %}}", ("hugo", "unknown")),
    Form("remark of templates", "{{/* ", " */}}", ("unknown",), ("mkdocs", "mdbook")),
    Form("comment of Liquid", "{% comment %}", "{% endcomment %}", ("jekyll", "unknown"), NOT_LIQUID),
    Form("comment of Liquid, trimmed", "{%- comment -%}", "{%- endcomment -%}", ("jekyll", "unknown"), NOT_LIQUID),
    Form("comment of kramdown", "{::comment}", "{:/comment}", ("jekyll", "unknown"), NOT_LIQUID),
    Form("remark of Jinja", "{# ", " #}", ("unknown",), ("hugo", "mdbook")),
)


class Place(NamedTuple):
    """Where something hidden stands: a page with `%s` for it, and what it holds beside the word."""

    name: str
    page: str
    inside: str = "zqword"
    is_inline: bool = False


PLACES = (
    Place("in a line", "# Title\n\nzabefore words %s zaafter words.\n\nzalast words.\n", is_inline=True),
    Place("two in a paragraph", "# Title\n\nzabefore %s zabetween %s zaafter.\n\nzalast.\n", is_inline=True),
    Place("in a cell", "# Title\n\n| za1 | za2 |\n| --- | --- |\n| za3 %s | za4 |\n\nzalast.\n", is_inline=True),
    Place("in an item", "# Title\n\n- zabefore %s zaafter\n- zaitem\n\nzalast.\n", is_inline=True),
    Place("one line", "# Title\n\nzabefore words.\n\n%s\n\nzalast words.\n"),
    Place("three lines", "# Title\n\nzabefore.\n\n%s\n\nzalast.\n", "\nzqone\nzqtwo\n"),
    Place("blank lines", "# Title\n\nzabefore.\n\n%s\n\nzalast.\n", "\n\nzqone.\n\nzqtwo.\n\n"),
    Place("in a list", "# Title\n\n- zabefore.\n\n  %s\n\n- zaitem.\n\nzalast.\n", "\n\n  zqone.\n\n  "),
    Place("in a quote", "# Title\n\n> zabefore.\n>\n> %s\n>\n> zaquoted.\n\nzalast.\n", "\n> zqone.\n> "),
    Place("a fence inside", "# Title\n\nzabefore.\n\n%s\n\nzalast.\n", "\n\n```text\nzqcode\n```\n\nzqone.\n\n"),
    Place("a heading inside", "# Title\n\nzabefore.\n\n%s\n\n## Zalast\n\nzaend.\n", "\n\n## Zqhead\n\nzqone.\n\n"),
    Place("a table inside", "# Title\n\nzabefore.\n\n%s\n\nzalast.\n", "\n\n| zqa |\n| --- |\n| zqb |\n\n"),
    Place("elements inside", "# Title\n\nzabefore.\n\n%s\n\nzalast.\n", "\n\n<div><b>zqone</b></div>\n\n"),
)


def cases(*, showing: bool = False) -> list[tuple[str, Form, Place]]:
    """Return each form under each generator that hides it (or shows it), at each place that it may stand at."""
    return [
        (generator, form, place)
        for form in FORMS
        for generator in (form.showing if showing else form.hiding)
        for place in PLACES
        if (form.inline if place.is_inline else form.blocks or "\n" not in place.inside)
        and not (place.name == "elements inside" and form.name in ("script", "style"))
    ]


def page_of(form: Form, place: Place) -> str:
    """Return a page that holds a form at a place."""
    return place.page.replace("%s", form.opens + place.inside + form.closes)
