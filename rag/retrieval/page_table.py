"""The lesson behind an address: a table of a book's addresses, kept while no run has written the book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from urllib.parse import unquote, urlsplit

from ingestion.vector_stores.filters import FIRST_CHUNK, Equals, Range, of_book
from ingestion.vector_stores.protocol import PointReader

UNASKED_SECONDS = 30.0
"""How long a table is taken as it is; after that the index is asked whether a run has written the book."""

MOST_SECONDS = 300.0
"""How old a table may be: a run says that it writes before it does, so that one may be of its middle."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the book: its title, its address, and the id that its chunks share."""

    title: str
    url: str
    parent_doc_id: str


@dataclass(slots=True)
class _Table:
    """Ids of lessons by the path of their address, as of a run; `asked` is when that run was the last one."""

    lessons: Mapping[str, tuple[str, ...]]
    run: str | None
    made: float
    asked: float


class PageTables:
    """The table of each book that was asked for; threads may share it."""

    def __init__(self) -> None:
        self._tables: dict[str, _Table] = {}

    def page_at(self, store: PointReader, book_id: str, url: str, *, highest_tier: int) -> Page | None:
        """Return the page at an address, whatever host serves it: a site is read at other addresses while it is
        written.

        A new page is found half a minute after the run that wrote it, at most five minutes where a run is long.
        """
        wanted = _path_of(url)
        for lesson in self._table_of(store, book_id).lessons.get(wanted, ()):
            own = Equals("parent_doc_id", lesson), FIRST_CHUNK, Range("hardware_tier", lte=highest_tier)
            visible = of_book(book_id, *own)
            for point in store.scroll(visible, fields=["page_title", "page_url"]):
                title, address = point.payload["page_title"], point.payload.get("page_url")
                if address and _path_of(address) == wanted:
                    return Page(title, address, lesson)
        return None

    def _table_of(self, store: PointReader, book_id: str) -> _Table:
        """Return the table of a book; the first chunks of its lessons are read where there is none that holds."""
        table, now = self._tables.get(book_id), monotonic()
        if table and now - table.asked < UNASKED_SECONDS:
            return table
        run = store.runs().get(book_id)
        if table and run and run == table.run and now - table.made < MOST_SECONDS:
            table.asked = now
        else:
            table = self._tables[book_id] = _Table(_lessons_of(store, book_id), run, now, now)
        return table


def _lessons_of(store: PointReader, book_id: str) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of lessons by the path of their address, which is in no payload index."""
    found: dict[str, tuple[str, ...]] = {}
    where = of_book(book_id, FIRST_CHUNK)
    for point in store.scroll(where, fields=["page_url", "parent_doc_id"]):
        url, lesson = point.payload.get("page_url"), point.payload.get("parent_doc_id")
        if url and lesson:
            path = _path_of(url)
            found[path] = (*found.get(path, ()), lesson)
    return found


def _path_of(url: str) -> str:
    """Return the path of an address as sites treat it: without a slash or a file's ending at its end."""
    path = unquote(urlsplit(url).path).removesuffix("/").removesuffix("index.html").removesuffix("/")
    return path.removesuffix(".html") or "/"
