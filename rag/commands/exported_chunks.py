"""Export the chunks of an index as JSON lines, for programs that compare, evaluate or move them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ingestion import versions
from ingestion.chunking.chunks import breadcrumb
from ingestion.chunking.splitter import embedded_repeat
from ingestion.ids import sha256
from ingestion.markdown.blocks import walk
from ingestion.markdown.cleaner import clean, find_edits, searchable
from ingestion.markdown.parser import parse_page
from ingestion.vector_stores.types import Schema, StoredPoint
from rag.models import SearchResult
from rag.quoting.rendering import rendered_blocks

PLACE = (
    "source_file",
    "line_start",
    "line_end",
    "page_url",
    "page_title",
    "anchor",
    "section_anchors",
    "section_titles",
    "heading_path",
)
"""The first keys of a line, as in the payload."""

_OWN_KEYS = (*PLACE, "text", "token_count")


def chunk_lines(points: Iterable[StoredPoint], schema: Schema, props: Sequence[str]) -> Iterator[str]:
    """Yield a JSON object for each chunk, in the order of files and of their chunks.

    `shown_text` is what an answer may show, `embedded_text` what its vector was made of; None if the stored text does
    not determine it, since another part of the page matters (the target of a reference, for instance).
    `props` are the component attributes with words for readers, from the settings.
    """
    in_order = sorted(points, key=lambda point: (point.payload["source_file"], point.payload["chunk_index"]))
    for _, found in groupby(in_order, key=lambda point: point.payload["source_file"]):
        file = list(found)
        page = "\n\n".join(point.payload["text"] for point in file)
        at = 0
        for point in file:
            yield f"{json.dumps(_line(point, page, at, schema, props), ensure_ascii=False)}\n"
            at += len(point.payload["text"]) + 2


def _line(point: StoredPoint, page: str, at: int, schema: Schema, props: Sequence[str]) -> dict[str, Any]:
    payload, passage = point.payload, _passage(point)
    made = (_embedded_text(passage, payload, text, start, props) for text, start in ((passage.text, 0), (page, at)))
    return {
        "id": point.id,
        **{name: payload[name] for name in PLACE},
        "text": payload["text"],
        "shown_text": "\n\n".join(block.text for block in rendered_blocks(passage)),
        "embedded_text": next((text for text in made if _key(text, schema) == payload["embed_key"]), None),
        "tokens": payload["token_count"],
        "metadata": {name: value for name, value in sorted(payload.items()) if name not in _OWN_KEYS},
    }


def _passage(point: StoredPoint) -> SearchResult:
    known = {name: value for name, value in point.payload.items() if name in SearchResult.model_fields}
    return SearchResult.model_validate({**known, "id": point.id, "rank": 1, "score": 1, "relevance": 1})


def _embedded_text(
    passage: SearchResult, payload: Mapping[str, Any], around: str, at: int, props: Sequence[str]
) -> str:
    """Return the text that the vector was made of, rebuilt from the chunk `at` and its neighbours."""
    text, syntax = passage.text, passage.page_syntax
    before, behind = payload.get("repeated") or (0, 0)
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[:before])
    end = len(text) - sum(len(line) + 1 for line in lines[len(lines) - behind :])
    page, blocks = parse_page(around, syntax)
    body = clean(page.text, at + start, at + end, find_edits(page, walk(blocks), props, syntax))
    above = searchable(breadcrumb(passage.page_title, tuple(payload["heading_path"])))
    return f"{above}\n\n{f'{embedded_repeat(text[:start], syntax, props)}{body}{text[end:]}'.strip()}"


def _key(embedded: str, schema: Schema) -> str:
    """Return the key of an embedded text; it shows whether the text belongs to a chunk."""
    return sha256(f"{schema.embedding}/{schema.dimensions}\n{versions.PREPARATION}\n{embedded}")[:32]
