"""mdBook: `book.toml`."""

from __future__ import annotations

from pathlib import Path

from ingestion.source.site import Site
from ingestion.source.site_reading.documents import read_config
from ingestion.source.site_reading.values import clean, one


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = read_config(config)
    return Site(
        generator="mdbook",
        folder=folder,
        config=config,
        docs=clean(one(values, "book", "src") or "src"),
        # mdBook knows its path on the host only (`site-url`), and needs it for its page 404 alone.
        title=one(values, "book", "title"),
        language=one(values, "book", "language"),
        directory_urls=False,
    )
