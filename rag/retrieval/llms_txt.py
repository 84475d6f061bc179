"""A book as language models read it: `llms.txt` lists its lessons, `llms-full.txt` holds their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from ingestion.errors import UsageError
from ingestion.output import counted
from ingestion.settings.validators import Module
from ingestion.vector_stores.filters import Where
from ingestion.vector_stores.protocol import PointReader
from rag.retrieval.abandonment import stop_if_left
from rag.retrieval.catalogue import LessonEntry, module_title
from rag.retrieval.lessons import read_lesson

_TITLE = re.compile(r"\s*#\s+[^\n]*\n?")
_ROUND = str.maketrans("[]", "()")
"""Parsers of llms.txt end a name at the first square bracket, escaped or not."""
_IN_ADDRESSES = str.maketrans({"(": "%28", ")": "%29", " ": "%20"})
INFO = "Every link is a lesson. `llms-full.txt` beside this file holds the text of all of them."


def index_text(title: str, entries: Sequence[LessonEntry], modules: Sequence[Module] = ()) -> str:
    """Return `llms.txt` (llmstxt.org): a title, a summary, and the lessons of each module as links."""
    sections: dict[str, list[str]] = {}
    for entry in entries:
        sections.setdefault(_line(module_title(entry.module, modules)), []).append(_link(entry))
    parts = [f"# {_line(title)}\n", f"> {counted(len(entries), 'lesson')}: {'; '.join(sections)}.\n", f"{INFO}\n"]
    parts += ["\n".join([f"## {name}\n", *links, ""]) for name, links in sections.items()]
    return "\n".join(parts)


def full_text(
    title: str, entries: Iterable[LessonEntry], store: PointReader, book_id: str, within: Where
) -> Iterator[str]:
    """Yield `llms-full.txt` in parts: the title, then each lesson as Markdown under its title and address.

    Text outside `within` is left out. A lesson that a run deletes meanwhile is left out too.
    """
    yield f"# {_line(title)}\n"
    for entry in entries:
        stop_if_left()
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
    return f"- [{_line(entry.title).translate(_ROUND)}]({address.translate(_IN_ADDRESSES)}){note}"


def _line(text: str) -> str:
    return " ".join(text.split())
