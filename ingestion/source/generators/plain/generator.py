"""The styles of a book that no generator builds: its files, or their pages at GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.source.generators.base import Base
from ingestion.source.generators.protocol import Generator
from ingestion.source.site import Site

if TYPE_CHECKING:
    from ingestion.markdown.anchors import HeadingIds


class Plain(Base):
    """The files as they are; the base address of those at GitHub ends in `/blob/<branch>/<folder>`."""

    name = "plain"

    def __init__(self, *, at_github: bool = False) -> None:
        self._at_github = at_github

    def heading_ids(self, site: Site | None) -> HeadingIds:
        """Return how readers of the files name headings."""
        from ingestion.markdown.anchors import PLAIN
        from ingestion.source.generators.plain.addresses import AT_GITHUB

        return AT_GITHUB if self._at_github else PLAIN


STYLED: dict[str, Generator] = {"plain": Plain(), "github": Plain(at_github=True)}
