"""Jekyll: `_config.yml`, and the Gemfile."""

from __future__ import annotations

import re
from pathlib import Path

from ingestion.book_files import read_book_file
from ingestion.errors import ConfigurationError
from ingestion.own_files import explain
from ingestion.source.generators.values import clean, joined, one
from ingestion.source.site import Site
from ingestion.source.site_config import Values, read_config


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = read_config(config)
    address = one(values, "url") or ""
    permalink = one(values, "permalink") or ""
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
        needs_metadata=not on_github and "jekyll-optional-front-matter" not in gems,
        readme_is_index=on_github or "jekyll-readme-index" in gems,
    )


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
