"""The sources of an answer and the numbers they have in it: one for each section that is cited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rag.grounding.passage_blocks import PassageBlock
    from rag.models import SearchResult

CiteStyle = Literal["number", "source"]
"""How an answer refers to its sources: `[1]`, or `[Source: Page Title]`."""


@dataclass(slots=True)
class Source:
    """A section that the answer cites, by a passage of it; `blocks` are those that hold what is said.

    Without blocks nothing of the passage was found to hold it.
    """

    passage: SearchResult
    section: str | None
    anchor: str | None
    blocks: list[PassageBlock] = field(default_factory=list)

    @property
    def lines(self) -> tuple[int, int]:
        """The lines of the file that the answer rests on."""
        if not self.blocks:
            return self.passage.line_start, self.passage.line_end
        return min(block.line_start for block in self.blocks), max(block.line_end for block in self.blocks)

    def take(self, blocks: Iterable[PassageBlock]) -> None:
        """Add those of the blocks that are of this section, each once."""
        own = (block for block in blocks if (block.section, block.anchor) == (self.section, self.anchor))
        self.blocks += [block for block in own if block not in self.blocks]


class Citations:
    """Numbers the sources in the order in which the answer refers to them; no two are of the same section."""

    def __init__(self, style: CiteStyle = "number") -> None:
        self.sources: list[Source] = []
        self._style = style

    def cite(self, passage: SearchResult, blocks: tuple[PassageBlock, ...] = ()) -> str:
        """Return the reference to a passage, by the section of the first of its `blocks` that hold the sentence."""
        own = [block for block in blocks if block.passage.id == passage.id]
        known = next((source for source in self.sources if source.passage.id == passage.id), None)
        if known and not own:
            return self._reference(known)  # nothing tells which of its sections is meant
        section, anchor = (own[0].section, own[0].anchor) if own else (passage.section_title, passage.anchor)
        source = self._source(passage, section, anchor)
        source.take(own)
        return self._reference(source)

    def _reference(self, source: Source) -> str:
        if self._style == "source":
            return f"[Source: {source.passage.page_title}]"
        return f"[{self.sources.index(source) + 1}]"

    def _source(self, passage: SearchResult, section: str | None, anchor: str | None) -> Source:
        for source in self.sources:
            if (source.passage.source_file, source.section, source.anchor) == (passage.source_file, section, anchor):
                return source
        self.sources.append(Source(passage, section, anchor))
        return self.sources[-1]
