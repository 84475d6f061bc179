"""Where else in the book to look: the sections of the best spots that are not quoted."""

from __future__ import annotations

from collections.abc import Collection

from rag.models import Place, address
from rag.quoting.rendering import plain_title
from rag.quoting.spots import Spot, Spots

MAX_PLACES = 3
"""How many other places are named."""

NEAR = 0.5
"""Share of the best spot's score that another place needs to be named."""


def other_places(spots: Spots, cited: Collection[tuple[str, str | None]]) -> tuple[Place, ...]:
    """Return the next best sections that are not cited (by file and section), each once."""
    if not spots.ranked:
        return ()
    seen = set(cited)
    places: list[Place] = []
    least = NEAR * spots.ranked[0].score
    for spot in spots.ranked:
        place = place_of(spot, spots)
        key = place.source_file, place.section_title
        if key not in seen and spot.score >= least and len(places) < MAX_PLACES:
            seen.add(key)
            places.append(place)
    return tuple(places)


def place_of(spot: Spot, spots: Spots) -> Place:
    """Return where a spot is."""
    passage, block = spot.passage, spots.block(spot)
    section, anchor = (block.section, block.anchor) if block else (passage.section_title, passage.anchor)
    return Place(
        page_title=plain_title(passage.page_title) or "",
        section_title=plain_title(section),
        page_url=address(passage.page_url, anchor) or None,
        source_file=passage.source_file,
        line_start=block.line_start if block else passage.line_start,
        line_end=block.line_end if block else passage.line_end,
        chunk_id=passage.id,
    )
