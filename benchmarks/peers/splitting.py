"""What the splitter of each peer makes of the same books: `python -m benchmarks.peers.splitting BOOK…`.

Each runs in its own environment, from the files to chunks with their metadata, and reads what it reads of a folder;
the chunks are judged here, all by the same counter (cl100k) and the same rules (`benchmarks.peers.damage`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.peers.__main__ import HERE, environment, python_of
from benchmarks.peers.damage import cuts_fence, cuts_table, has_heading, is_placed, titles_in
from ingestion.tokens import count_tokens

LIMIT = 512
"""Tokens of a chunk beyond which many embedding models cut; the embedded one reads all of it, in windows."""

ROWS = (
    ("bookwise: 400 tokens, at most 512 (toktok)", "bookwise", ""),
    ("LangChain recursive: 1,000 characters, overlap 200", "langchain", "tutorial"),
    ("LangChain Markdown: 4,000 characters, overlap 200", "langchain", "markdown"),
    ("LangChain recursive: 400 tokens (toktok)", "langchain", "tokens"),
    ("LlamaIndex: 1,024 tokens, overlap 200 (its tiktoken)", "llamaindex", "default"),
    ("LlamaIndex: 400 tokens (its tiktoken)", "llamaindex", "tokens"),
)
"""Label, peer and kind of splitter; the first of each peer are as its users run it."""

COLUMNS = (
    "splitter", "chunks", "mean tokens", f"over {LIMIT}", "cut a fence", "cut a table", "without heading",
    "line known", "anchor", "MB/s",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk as its tool gives it; `line` is where it says that it begins in the page, counted from 1."""

    path: str
    text: str
    line: int | None
    headings: tuple[str, ...] = ()
    anchor: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the judge reads it."""

    lines: list[str]
    titles: set[str] = field(default_factory=set)


def asked(peer: str, *arguments: str, stdin: str = "") -> dict[str, Any]:
    """Run a peer's script on texts in its environment; returns what it prints."""
    command = [python_of(peer), str(HERE / f"{peer}_text.py"), *arguments]
    done = subprocess.run(command, env=environment(), input=stdin, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def pages_of(docs: Path) -> dict[str, Page]:
    """Return the pages of a folder by path."""
    files = (path for path in docs.rglob("*.md*") if path.is_file())
    texts = {str(path.relative_to(docs)): path.read_text(encoding="utf-8") for path in files}
    return {path: Page(text.split("\n"), titles_in(text)) for path, text in texts.items()}


def row(label: str, chunks: list[Chunk], pages: dict[str, Page], seconds: float) -> str:
    """Return a row of the table; the last figures are shares of all chunks, and megabytes of pages per second."""
    sizes = count_tokens([chunk.text for chunk in chunks])
    fences = sum(cuts_fence(chunk.text) for chunk in chunks)
    tables = sum(cuts_table(chunk.text) for chunk in chunks)
    lost = sum(not has_heading(chunk.text, chunk.headings, pages[chunk.path].titles) for chunk in chunks)
    placed = fmean(is_placed(chunk.text, chunk.line, pages[chunk.path].lines) for chunk in chunks)
    anchored = fmean(chunk.anchor is not None for chunk in chunks)
    read = {chunk.path for chunk in chunks}
    megabytes = sum(len("\n".join(pages[path].lines).encode()) for path in read) / 1e6
    over = sum(size > LIMIT for size in sizes)
    return (
        f"| {label} | {len(chunks)} | {fmean(sizes):.0f} | {over} | {fences} | {tables} | {lost} "
        f"| {placed:.0%} | {anchored:.0%} | {megabytes / seconds:.1f} |"
    )


def main() -> None:
    """Print a table per book, and the versions."""
    versions: dict[str, str] = {}
    for book in map(Path, sys.argv[1:]):
        pages = pages_of(book)
        print(f"### {book.name}: chunks\n\n| {' | '.join(COLUMNS)} |\n| --- |{' ---: |' * (len(COLUMNS) - 1)}")
        for label, peer, kind in ROWS:
            found = asked(peer, "split", str(book), kind)
            versions |= found["versions"]
            chunks = [Chunk(**{**each, "headings": tuple(each.get("headings", ()))}) for each in found["chunks"]]
            print(row(label, chunks, pages, found["seconds"]), flush=True)
        print()
    print(", ".join(f"{name} {number}" for name, number in versions.items()))


if __name__ == "__main__":
    main()
