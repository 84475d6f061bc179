"""`export --chunks`: what the index holds, one chunk a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.ids import sha256
from ingestion.versions import PREPARATION
from tests.support.books import page, write_book
from tests.support.command_line import document, run

SENTENCE = "The cobalt lever opens the valve of the tank, and the amber sensor tells how full it is. "
LISTING = "\n".join(f"value_{number} = compute({number}, 'a word')" for number in range(400))
REFERENCE = f"See [the pump][pump] first. {SENTENCE}\n\n## Long\n\n{SENTENCE * 60}\n\n[pump]: https://example.org/p\n"
LESSONS = {
    "one/01-lever.md": f"# Lever\n\n{SENTENCE}\n\n## The **valve** {{#own}}\n\n- {SENTENCE}\n- `code`\n",
    "one/02-listing.md": f'# Listing\n\n```python title="all.py"\n{LISTING}\n```\n',
    "two/01-far.md": page("Far", f"A lesson for robots alone. {SENTENCE}", hardware_tier=4),
    "two/02-reference.md": f"# Reference\n\n{REFERENCE}",
}


@pytest.fixture
def book(clean_surroundings: Path) -> Path:
    write_book(clean_surroundings / "docs", LESSONS)
    (clean_surroundings / "bookwise.toml").write_text(
        '[book]\nid = "course"\nbase_url = "https://example.org/course"\nstyle = "docusaurus"\n'
    )
    assert run("ingest").exit_code == 0
    return clean_surroundings


def exported(book: Path, *options: str) -> list[dict[str, Any]]:
    assert run("export", "--chunks", "out/chunks.jsonl", *options).exit_code == 0
    return [json.loads(line) for line in (book / "out/chunks.jsonl").read_text().split("\n")[:-1]]


def test_every_chunk_is_one_line_in_the_order_of_files(book: Path) -> None:
    chunks = exported(book, "--tier", "4")
    assert len(chunks) == document(run("info", "--json"))["points"]
    places = [(chunk["source_file"], chunk["metadata"]["chunk_index"]) for chunk in chunks]
    assert places == sorted(places) and {path for path, _ in places} == set(LESSONS)
    first = chunks[0]
    assert first["page_url"] == "https://example.org/course/one/lever" and first["page_title"] == "Lever"
    assert first["section_anchors"] == ["", "own"] and first["section_titles"][1] == "The valve"
    assert (first["line_start"], first["line_end"]) == (1, 8) and first["tokens"] > 20
    assert "**valve**" in first["text"] and "**" not in first["shown_text"]


def test_the_embedded_text_is_that_of_the_vector(book: Path) -> None:
    chunks = exported(book, "--tier", "4")
    schema = document(run("info", "--json"))
    for chunk in chunks:
        named = f"{schema['embedding']}/{schema['dimensions']}\n{PREPARATION}\n{chunk['embedded_text']}"
        assert sha256(named)[:32] == chunk["metadata"]["embed_key"], chunk["text"][:80]


def test_an_embedded_text_that_cannot_be_told_is_null_not_another_text(book: Path) -> None:
    from ingestion.vector_stores.types import Schema, StoredPoint
    from rag.commands.exported_chunks import chunk_lines

    chunk = exported(book)[0]
    same = ("source_file", "line_start", "line_end", "page_url", "page_title", "anchor", "section_anchors")
    payload = {**chunk["metadata"], **{name: chunk[name] for name in same}, "text": chunk["text"]}
    payload |= {"section_titles": chunk["section_titles"], "heading_path": chunk["heading_path"], "token_count": 9}
    point = StoredPoint(chunk["id"], {**payload, "embed_key": "0" * 32}, None, None)
    (line,) = chunk_lines([point], Schema("any", 3), ())
    assert json.loads(line)["embedded_text"] is None and json.loads(line)["tokens"] == 9


def test_nothing_outside_of_the_filters_is_written(book: Path) -> None:
    assert {chunk["source_file"] for chunk in exported(book)} == set(LESSONS) - {"two/01-far.md"}
    told = document(run("export", "--chunks", "two.jsonl", "--module", "one", "--json"))
    assert told["chunks"] == len((book / "two.jsonl").read_text().splitlines()) and told["files"] == ["two.jsonl"]
    empty = run("export", "--chunks", "none.jsonl", "--chapter", "19")
    assert empty.exit_code == 2 and not (book / "none.jsonl").exists()


def test_a_file_that_cannot_be_written_is_named(book: Path) -> None:
    (book / "file").write_text("in the way")
    failed = run("export", "--chunks", "file/chunks.jsonl")
    assert failed.exit_code == 13 and "cannot write file/chunks.jsonl" in failed.stderr
