"""Golden files: a title, an input and what it gives, each ended by a line with one dot."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ingestion.chunking.splitter import split_markdown
from ingestion.markdown.blocks import Block
from ingestion.markdown.parser import parse_blocks
from ingestion.markdown.shown import shown_text
from ingestion.markdown.syntax import ANY
from tests.support.paths import ROOT

FOLDER = ROOT / "tests" / "golden"


class Case(NamedTuple):
    """One entry of a golden file."""

    title: str
    source: str
    expected: str


def render_blocks(source: str) -> str:
    """The blocks of a page as an indented list with lines counted from 1."""

    def render(block: Block, depth: int) -> list[str]:
        level = f" {block.level}" if block.level else ""
        mark = "" if block.closed else " (not closed)"
        line = f"{'  ' * depth}{block.kind}{level} {block.start + 1}-{block.end}{mark}"
        return [line, *(inner for child in block.children for inner in render(child, depth + 1))]

    return "\n".join(line for block in parse_blocks(source.split("\n")) for line in render(block, 0))


def render_chunks(source: str) -> str:
    """The chunks of a page, cut small, with what is stored and what is embedded where the two differ."""
    parts = []
    for piece in split_markdown(shown_text(source, ANY).text, target=50, limit=64):
        path = " > ".join(piece.heading_path) or "-"
        repeats = f" repeats {piece.repeated_before}+{piece.repeated_after}" * bool(
            piece.repeated_before + piece.repeated_after
        )
        parts.append(
            f"== {piece.line_start}-{piece.line_end} #{piece.anchor} [{path}] {piece.token_count} tokens{repeats}"
        )
        parts.append(piece.text)
        if piece.embed_body != piece.text:
            parts.append("-- embedded")
            parts.append(piece.embed_body or "(nothing)")
    return "\n".join(parts)


RENDERERS: dict[str, Callable[[str], str]] = {"blocks.md": render_blocks, "chunks.md": render_chunks}


def read(name: str) -> list[Case]:
    """The cases of a golden file."""
    parts = (FOLDER / name).read_text(encoding="utf-8").split("\n.\n")
    return [Case(parts[at].strip(), parts[at + 1], parts[at + 2]) for at in range(0, len(parts) - 2, 3)]


def rewrite(name: str) -> None:
    """Write a golden file anew with what its inputs give now; the diff is to be reviewed."""
    cases = read(name)
    text = "\n".join(f"{case.title}\n.\n{case.source}\n.\n{RENDERERS[name](case.source)}\n.\n" for case in cases)
    (FOLDER / name).write_text(text, encoding="utf-8")
