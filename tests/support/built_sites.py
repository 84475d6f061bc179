"""Built sites as the generators of the world make them: pages with a menu, an article and a footer."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path


def built_page(title: str, body: str, *, head: str = "", tag: str = "main") -> str:
    """A page whose article is `body`, HTML as it is, between what every page of a site has."""
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{escape(title)} | The book</title>{head}</head><body>"
        "<header><a href='/'>The book</a></header><nav><h2>Contents</h2><ul><li><a href='/a/'>Menu</a></ul></nav>"
        f"<{tag}>{body}</{tag}><footer>Made by hand</footer><script>if (a < b) document.write('<p>x')</script>"
        "</body></html>"
    )


def write_build(folder: Path, pages: Mapping[str, str]) -> Path:
    """Write pages, given by their files, and return the folder."""
    for name, html in pages.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html, encoding="utf-8")
    return folder
