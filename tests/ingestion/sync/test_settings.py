"""Whatever setting is changed: the next run makes the index equal to one made from nothing with it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ingestion.settings import FIELDS, Settings, value_of
from ingestion.settings.loader import load_settings
from ingestion.state.state_file import StateFile
from ingestion.sync.scan import fingerprint_of
from tests.support.books import BOOK, Library, long_text, page

PAGES = {
    "guide/01-pumps.md": page("Pumps", *(long_text(word) for word in ("Häuser", "valves"))),
    "guide/02-gears.md": page("Gears", "See [the pumps](01-pumps.md) and `->`.", long_text("gears"), layer="L2"),
    "guide/hidden.md": page("Hidden", "No menu leads here.", unlisted="true"),
    "guide/silent.md": page("Silent", "No search of the site finds this.", pagefind="false"),
    "guide/card.mdx": '# Cards\n\n<Card hint="Hidden words of a card">\n\nShown words.\n\n</Card>\n',
    "i18n/de/docusaurus-plugin-content-docs/current/a.md": page("Übersetzt", "Ein Satz."),
    "versioned_docs/version-1/a.md": page("Older", "A sentence of version one."),
}

VALUES: dict[str, Any] = {
    "modules": [{"name": "basics", "path": "guide/**", "layer": "L3"}],
    "book.title": "A book",
    "book.tiers": ["Laptop", "Robot"],
    "book.base_url": "https://example.org/book/",
    "book.language": "de",
    "book.style": "mkdocs",
    "book.addresses": {"trailing_slash": True, "directory_urls": False, "number_prefixes": False},
    "book.vocabulary": "physical-ai",
    "book.paths": ["{module}/{lesson}-*.md"],
    "crawl.exclude": ["*/01-*"],
    "crawl.include": ["*-pumps.md"],
    "crawl.translations": True,
    "crawl.versions": True,
    "crawl.unlisted": True,
    "crawl.unsearched": True,
    "check.disable": ["missing-description"],
    "chunk.tokens": 100,
    "chunk.max_tokens": 450,
    "chunk.visible_props": ["hint"],
}

ELSEWHERE = {
    "book.id": "the tests name the book",
    "book.docs": "the tests name the folder",
    "book.site": "what a site says is in the fingerprint of the crawl, the same in every checkout",
    "chunk.tokenizer": "all count alike, which tests/ingestion/test_tokens holds: it is in no fingerprint",
    "index.directory": "another index",
    "index.state": "other records: tests of lost and older ones",
    "embedding.embedder": "another model is refused, and so is another length: test_pipeline_guards",
    "embedding.model": "as above",
    "embedding.dimensions": "as above",
    "book.built": "a built site, which tests/ingestion/commands/test_ingest_site.py makes",
    "qdrant.url": "another index",
    "qdrant.collection": "another index",
}
READERS = (
    "agent",
    "api",
    "page",
    "confidence",
    "conversations",
    "rerank",
    "trust",
    "openai",
    "index",
    "embedding",
    "qdrant",
)
"""Tables of which nothing else reaches a point: `fingerprint_of` is given no parser or chunker that reads them."""


def test_every_setting_is_tried_or_known_to_reach_no_point() -> None:
    others = {name for name in FIELDS if name.partition(".")[0] not in READERS}
    assert others == VALUES.keys() | {name for name in ELSEWHERE if name in others}
    assert all(value_of(Settings(), name) != value for name, value in VALUES.items())


def test_which_tokenizer_counts_is_in_no_fingerprint() -> None:
    chosen = [load_settings({"chunk.tokenizer": name}, environ={}) for name in ("auto", "toktok", "tiktoken")]
    assert len({str(fingerprint_of(settings, "m")) for settings in chosen}) == 1


def everything(library: Library, state: Path | None = None) -> tuple[Any, Any]:
    """Points with their vectors, and records, without times and ids of runs."""
    points = {
        point_id: (
            payload,
            library.generations.points[point_id].dense.tolist(),
            library.generations.points[point_id].sparse,
        )
        for point_id, payload in library.contents().items()
    }
    state = StateFile(state or library.state_path).load(BOOK, "bookwise")
    return points, {path: asdict(record) | {"ingested_at": ""} for path, record in state.records.items()}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("back", [False, True])
def test_a_changed_setting_changes_all_that_depends_on_it(tmp_path: Path, name: str, back: bool) -> None:
    settled, changed = {"index.max_delete": 100}, {"index.max_delete": 100, name: VALUES[name]}
    before, after = (changed, settled) if back else (settled, changed)
    library = Library(tmp_path / "library", flags=before)
    library.write(PAGES)
    library.run()
    library.flags = after
    library.run()
    expected = Library(tmp_path / "library", flags=after)
    expected.states = StateFile(tmp_path / "expected.json")
    expected.run()
    assert everything(library) == everything(expected, tmp_path / "expected.json")
    assert not library.run().pending


def test_the_settings_of_the_test_reach_the_points(tmp_path: Path) -> None:
    """Else the test above would hold whatever a run does."""
    plain = Library(tmp_path / "plain")
    plain.write(PAGES)
    plain.run()
    silent = set()
    for name, value in VALUES.items():
        library = Library(tmp_path / name, flags={name: value})
        library.write(PAGES)
        library.run()
        if everything(library) == everything(plain):
            silent.add(name)
    assert silent == {"book.title", "book.tiers", "check.disable"}
