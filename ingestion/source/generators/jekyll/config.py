"""Jekyll: `_config.yml`, and the Gemfile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import join
from typing import Any

from ingestion.book_files import read_book_file
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import read_mapping, texts_below, values_of
from ingestion.source.site_reading.javascript import Values
from ingestion.source.site_reading.values import by_key, clean, items, joined, mapping, one

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
    document = read_mapping(config)
    values = values_of(document)
    permalink = one(values, "permalink") or "date"
    is_folder = permalink == "pretty" or permalink.endswith("/")
    gems, on_github = _gems(folder, values)
    return Site(
        generator="jekyll",
        folder=folder,
        config=config,
        docs=clean(one(values, "source") or "."),
        url=joined(one(values, "url"), one(values, "baseurl")),
        title=one(values, "title"),
        language=one(values, "lang"),
        directory_urls=is_folder,
        excluded=values.get(("exclude",), ()),
        facts=Facts(
            rules=tuple(_folders_of_pages(document, values, permalink, is_folder=is_folder)),
            needs_metadata=not on_github and "jekyll-optional-front-matter" not in gems,
            readme_is_index=on_github or "jekyll-readme-index" in gems,
            shows_future=one(values, "future") == "true",
            defaults=tuple(_defaults(document.get("defaults"))),
            texts=texts_below(values),
            collections=by_key(values, ("just_the_docs", "collections"), "name"),
        ),
    )


def _folders_of_pages(
    document: Mapping[str, Any], values: Values, permalink: str, *, is_folder: bool
) -> Iterator[tuple[str, str]]:
    """The folders with an underscore that have pages, each with the pattern of their addresses."""
    where = clean(one(values, "collections_dir") or ".").strip("./")
    posts = one(values, "collections", "posts", "permalink")
    yield join(where, "_posts"), posts or _STYLES.get(permalink, permalink)
    ending = "/" if is_folder else ":output_ext"
    for name in mapping(document.get("collections")):
        if name != "posts" and one(values, "collections", name, "output") == "true":
            own = one(values, "collections", name, "permalink")
            yield join(where, f"_{name}"), own or f"/:collection/:path{ending}"
    yield from ((folder.strip("/"), "") for folder in values.get(("include",), ()) if folder.startswith("_"))


def _defaults(written: Any) -> Iterator[PageDefaults]:
    """Return metadata that the configuration gives to pages, the least specific first."""
    found = []
    for default in map(mapping, items(written)):
        scope = default.get("scope")
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
