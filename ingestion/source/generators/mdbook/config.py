"""mdBook: `book.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingestion.source.site import Site, facts_in
from ingestion.source.site_reading.documents import read_document, values_of
from ingestion.source.site_reading.values import by_key, clean, one

_CHAPTERS = ("output", "html", "search", "chapter")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What only mdBook knows of a site: the folders and pages that its search leaves out, relative to its pages."""

    unsearched: tuple[str, ...] = ()


facts_of = facts_in(Facts)


def read(folder: Path, config: Path) -> Site:
    """Return the site that a configuration file describes."""
    values = values_of(read_document(config))
    return Site(
        generator="mdbook",
        folder=folder,
        config=config,
        docs=clean(one(values, "book", "src") or "src"),
        # mdBook knows its path on the host only (`site-url`), and needs it for its page 404 alone.
        title=one(values, "book", "title"),
        language=one(values, "book", "language"),
        directory_urls=False,
        facts=Facts(unsearched=tuple(path for path, on in by_key(values, _CHAPTERS, "enable") if on == "false")),
    )
