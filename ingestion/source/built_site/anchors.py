"""The ids that a built page gives the headings of its lesson."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.models import PublishedPage
from ingestion.source.built_site.words import as_compared, matched_in_order


def built_anchors(titles: Sequence[str], computed: Sequence[str], page: PublishedPage) -> tuple[str, ...]:
    """Return the id of each heading of a lesson on its page, "" for one that the page has not or gives no id.

    Headings are found by their text, in their order; one whose text the build changed by the id that it would have.
    """
    places = matched_in_order(
        [as_compared(title) for title in titles], [as_compared(text) for _, text in page.headings]
    )
    taken = {place for place in places if place is not None}
    free = {name for at, (name, _) in enumerate(page.headings) if at not in taken}
    return tuple(
        page.headings[place][0] if place is not None else (own if own in free else "")
        for place, own in zip(places, computed, strict=True)
    )
