"""Address styles: how each site generator makes the address of a page and the anchors of its headings."""

from __future__ import annotations

from collections.abc import Mapping

from ingestion.source.styles import docusaurus, github, hugo, jekyll, mdbook, mkdocs, plain, starlight, vitepress
from ingestion.source.styles.types import AddressStyle, PageName, RouteOptions

__all__ = ["STYLES", "AddressStyle", "PageName", "RouteOptions"]

STYLES: Mapping[str, AddressStyle] = {
    "docusaurus": docusaurus.STYLE,
    "mdbook": mdbook.STYLE,
    "mkdocs": mkdocs.STYLE,
    "mkdocs-unicode": mkdocs.UNICODE_STYLE,
    "hugo": hugo.STYLE,
    "jekyll": jekyll.STYLE,
    "vitepress": vitepress.STYLE,
    "starlight": starlight.STYLE,
    "github": github.STYLE,
    "plain": plain.STYLE,
}
"""The styles by the value of the setting `book.style`."""
