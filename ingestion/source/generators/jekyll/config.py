"""Jekyll: `_config.yml`, and the Gemfile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingestion.book_files import read_book_file
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import read_document, texts_below, values_of
from ingestion.source.site_reading.javascript import Values
from ingestion.source.site_reading.values import clean, joined, one

_STYLES = {
    "none": "/:categories/:title:output_ext",
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDefaults:
    """Metadata of the pages below `path`, or of those that fit it where it has a `*`, and of one `kind` if not empty:
    `pages`, or the name of a collection.
    """

    path: str
    kind: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only Jekyll knows of a site.

    `rules` are the patterns of addresses by the folder of a collection, "" for a folder of plain pages.
    `needs_metadata` tells that a file without front matter is no page, and `readme_is_index` that README stands for
    its folder: GitHub has it otherwise, and so have plugins. `shows_future` tells that pages of a later date are
    shown, `defaults` is metadata that pages have unless they say otherwise, and `texts` what pages show as `site.…`.
    `collections` are the names that the theme shows for collections.
    """

    rules: tuple[tuple[str, str], ...] = ()
    needs_metadata: bool = False
    readme_is_index: bool = True
    shows_future: bool = False
    defaults: tuple[PageDefaults, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    collections: tuple[tuple[str, str], ...] = ()


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    document = read_document(config)
    document = document if isinstance(document, Mapping) else {}
    values = values_of(document)
    address = one(values, "url") or ""
    permalink = one(values, "permalink") or "date"
    gems, on_github = _gems(folder, values)
    return Site(
        generator="jekyll",
        folder=folder,
        config=config,
        docs=clean(one(values, "source") or "."),
        url=joined(address, one(values, "baseurl") or "") if address else "",
        title=one(values, "title"),
        language=one(values, "lang"),
        directory_urls=permalink == "pretty" or permalink.endswith("/"),
        excluded=values.get(("exclude",), ()),
        facts=Facts(
            rules=tuple(_folders_of_pages(document, values, permalink)),
            needs_metadata=not on_github and "jekyll-optional-front-matter" not in gems,
            readme_is_index=on_github or "jekyll-readme-index" in gems,
            shows_future=one(values, "future") == "true",
            defaults=tuple(_defaults(document.get("defaults"))),
            texts=texts_below(values),
            collections=tuple(
                (path[2], texts[0])
                for path, texts in values.items()
                if path[:2] == ("just_the_docs", "collections") and path[3:] == ("name",)
            ),
        ),
    )


def _folders_of_pages(document: Mapping[str, Any], values: Values, permalink: str) -> Iterator[tuple[str, str]]:
    """The folders with an underscore that have pages, each with the pattern of their addresses."""
    where = clean(one(values, "collections_dir") or ".").strip("./")
    where = f"{where}/" if where else ""
    listed = document.get("collections")
    collections = listed if isinstance(listed, Mapping) else {}
    style = _STYLES.get(permalink, permalink)
    yield f"{where}_posts", one(values, "collections", "posts", "permalink") or style
    ending = "/" if permalink == "pretty" or permalink.endswith("/") else ":output_ext"
    for name in collections:
        if name != "posts" and one(values, "collections", name, "output") == "true":
            own = one(values, "collections", name, "permalink")
            yield f"{where}_{name}", own or f"/:collection/:path{ending}"
    for folder in values.get(("include",), ()):
        if folder.startswith("_"):
            yield folder.strip("/"), ""


def _defaults(written: Any) -> Iterator[PageDefaults]:
    """Return metadata that the configuration gives to pages, the least specific first."""
    found = []
    for default in written if isinstance(written, list) else []:
        scope = default.get("scope") if isinstance(default, Mapping) else None
        if isinstance(scope, Mapping) and isinstance(default.get("values"), Mapping):
            path = str(scope.get("path") or "").strip("/")
            found.append(PageDefaults(path=path, kind=str(scope.get("type") or ""), values=default["values"]))
    yield from sorted(found, key=lambda each: (len(each.path), bool(each.kind)))


def _gems(folder: Path, values: Values) -> tuple[tuple[str, ...], bool]:
    """The plugins that a Jekyll site names, and whether GitHub builds it: where no Gemfile says otherwise."""
    named = values.get(("plugins",), ()) + values.get(("gems",), ())
    try:
        gemfile = read_book_file(folder / "Gemfile").decode("utf-8", "replace")
    except FileNotFoundError:
        return named, True
    except OSError as error:
        raise ConfigurationError(f"{folder / 'Gemfile'}: cannot be read: {explain(error)}") from error
    return named, bool(re.search(r"""^[^#\n]*["']github-pages["']""", gemfile, re.M))
