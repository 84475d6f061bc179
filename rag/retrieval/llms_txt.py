"""A book as language models read it: `llms.txt` lists its lessons, `llms-full.txt` holds their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from urllib.parse import quote

from ingestion.errors import UsageError
from ingestion.settings.validators import Module
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import VectorStore
from rag.retrieval.catalogue import LessonEntry, module_title
from rag.retrieval.lessons import read_lesson

_TITLE = re.compile(r"\s*#\s+[^\n]*\n?")
_SPECIAL = re.compile(r"([\\\[\]])")


def index_text(title: str, entries: Sequence[LessonEntry], modules: Sequence[Module] = ()) -> str:
    """Return `llms.txt` (llmstxt.org): a title, and the lessons of each module as links."""
    parts = [f"# {_line(title)}\n"]
    for module, lessons in groupby(entries, key=lambda entry: entry.module):
        links = "\n".join(map(_link, lessons))
        parts.append(f"## {_line(module_title(module, modules))}\n\n{links}\n")
    return "\n".join(parts)


def full_text(
    title: str, entries: Iterable[LessonEntry], store: VectorStore, book_id: str, within: Where
) -> Iterator[str]:
    """Yield `llms-full.txt` in parts: the title, then each lesson as Markdown under its title and address.

    Text outside `within` is left out. A lesson that a run deletes meanwhile is left out too.
    """
    yield f"# {_line(title)}\n"
    for entry in entries:
        try:
            text = read_lesson(store, book_id, entry.source_file, within).text()
        except UsageError:
            continue
        body = _TITLE.sub("", text, count=1) if _TITLE.match(text) else text
        yield f"\n# {_line(entry.title)}\n\nSource: {address_of(entry)}\n\n{body.strip()}\n"


def address_of(entry: LessonEntry) -> str:
    """Return the lesson's address on its site, else its path in the folder of lessons."""
    return entry.page_url or entry.source_file


def _link(entry: LessonEntry) -> str:
    address = entry.page_url or quote(entry.source_file)
    note = f": {entry.description}" if entry.description else ""
    label = _SPECIAL.sub(r"\\\1", _line(entry.title))
    return f"- [{label}]({f'<{address}>' if _is_odd(address) else address}){note}"


def _is_odd(address: str) -> bool:
    """Return whether a Markdown link needs angle brackets around this address."""
    return any(sign in address for sign in "() ")


def _line(text: str) -> str:
    return " ".join(text.split())
