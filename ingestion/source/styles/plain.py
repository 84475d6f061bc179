"""Plain: the files as they are, for readers that open the source or a generator that is not known."""

from __future__ import annotations

from ingestion.markdown.anchors import PLAIN
from ingestion.source.styles.types import AddressStyle, PageName, RouteOptions


def route(page: PageName, options: RouteOptions) -> str:
    """Return the path of the file."""
    return page.path


STYLE = AddressStyle(route=route, ids=PLAIN)
