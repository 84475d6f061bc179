"""The pages that a sidebar lists under the titles of their groups, which several generators write alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ingestion.source.book_order import chapter_of
from ingestion.source.site_reading.values import clean, items

MAX_PAGES = 10_000
_TITLES = ("text", "label")
_ADDRESSES = ("slug", "id", "link")


def chapters_of(sidebar: Any) -> Mapping[str, str]:
    """Return the titles above each page of a sidebar, or of several by their names, as one text.

    A page is what the sidebar calls it; a folder of which all pages are meant ends in `**`.
    """
    several = sidebar.values() if isinstance(sidebar, Mapping) else [sidebar]
    found: dict[str, str] = {}
    for page, titles in islice((listed for each in several for listed in _listed(each)), MAX_PAGES):
        found.setdefault(_plain(page), chapter_of(titles) or "")
    return found


def chapter_in(chapters: Mapping[str, str], page: str, titles: Sequence[str | None] = ()) -> str | None:
    """Return the titles above a page, "" where there are none, and None where the sidebar does not list it.

    `titles` are those of its folders, the outermost first: below a folder of which all pages are meant, they count.
    """
    if (found := chapters.get(_plain(page))) is not None:
        return found
    folders = page.split("/")[:-1]
    for depth in range(len(folders), -1, -1):
        if (above := chapters.get("/".join((*folders[:depth], "**")))) is not None:
            return chapter_of((above, *titles[depth:])) or ""
    return None


def chapters_in(document: Any) -> Mapping[str, str]:
    """Return the titles above each page of the sidebars in a configuration: each language may have its own."""
    return {page: chapter for sidebar in _sidebars(document) for page, chapter in chapters_of(sidebar).items()}


def _sidebars(document: Any) -> Iterator[Any]:
    for key, value in document.items() if isinstance(document, Mapping) else ():
        if key == "sidebar":
            yield value
        else:
            yield from _sidebars(value)
    for value in document if isinstance(document, list) else ():
        yield from _sidebars(value)


def _listed(item: Any, above: tuple[str, ...] = (), base: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(item, str):
        yield base + item, above
    elif isinstance(item, list):
        for each in item:
            yield from _listed(each, above, base)
    elif isinstance(item, Mapping):
        yield from _group(item, above, base)


def _group(item: Mapping[str, Any], above: tuple[str, ...], base: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    base = item["base"] if isinstance(item.get("base"), str) else base
    title = _title_of(item)
    below = (*above, title) if title else above
    address, folder = _address_of(item), _folder_of(item)
    if isinstance(address, str) and "://" not in address:
        yield base + address, above
    if isinstance(folder, str):
        yield f"{clean(folder).strip('/')}/**".removeprefix("./"), below
    if "items" in item:
        yield from _listed(item["items"], below, base)
    elif (address, folder, title) == (None, None, None):
        for name, inner in item.items():  # Docusaurus' short form: a group by its title
            yield from _listed(items(inner), (*above, name), base)


def _title_of(item: Mapping[str, Any]) -> str | None:
    return next((text for key in _TITLES if isinstance(text := item.get(key), str)), None)


def _address_of(item: Mapping[str, Any]) -> Any:
    link = item.get("link")
    return link.get("id") if isinstance(link, Mapping) else next(filter(None, map(item.get, _ADDRESSES)), None)


def _folder_of(item: Mapping[str, Any]) -> Any:
    """Return the folder of which all pages are meant."""
    generated = item.get("autogenerate")
    return generated.get("directory") if isinstance(generated, Mapping) else item.get("dirName")


def _plain(page: str) -> str:
    """Return an address without what may be left out of it: slashes around it, a suffix, `index`."""
    path = page.partition("#")[0].strip("/")
    for ending in (".html", ".md"):
        path = path.removesuffix(ending)
    return f"/{path}".removesuffix("/index").removeprefix("/")
