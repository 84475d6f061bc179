"""How much room a stretch of a page takes in a chunk: what is embedded of it counts, not tags and addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingestion.markdown.blocks import Page
from ingestion.markdown.cleaner import edited
from ingestion.markdown.inline_markup import Edit
from ingestion.tokens import count_tokens

STORED_SHARE = 2
"""How many times as many tokens as it may embed a chunk may store: what a language model is given is bounded too."""


class Scale:
    """Measures stretches of one page, whose `edits` are what the embedded text lacks or has otherwise."""

    def __init__(self, page: Page, edits: Sequence[Edit]) -> None:
        self.page = page
        self._edits = edits

    def sizes(self, spans: Iterable[tuple[int, int]]) -> list[int]:
        """Return the size of each stretch: its embedded tokens, or half of those stored where they are more.

        Sizes of stretches that begin with a line add up, so a chunk whose sizes are within the limit embeds no more
        than that and stores no more than twice as much.
        """
        stored = [self.page.text[start:end] for start, end in spans]
        embedded = [edited(self.page.text, start, end, self._edits) for start, end in spans]
        counts = count_tokens(embedded)
        changed = [at for at, (one, other) in enumerate(zip(stored, embedded, strict=True)) if one != other]
        for at, tokens in zip(changed, count_tokens([stored[at] for at in changed]), strict=True):
            counts[at] = max(counts[at], -(-tokens // STORED_SHARE))
        return counts
