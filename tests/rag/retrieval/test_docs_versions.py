"""A Docusaurus site with versions and translations: one version is shown, others only to callers who ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import UsageError
from ingestion.vector_stores.edge.generations import EdgeGenerations
from ingestion.vector_stores.filters import Equals, Where
from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations
from rag.models import SearchQuery, SearchResponse
from rag.retrieval.catalogue import list_lessons
from rag.retrieval.search import search
from tests.rag.retrieval.test_search import find
from tests.support.books import BOOK, Library, page, write_book
from tests.support.fakes import MemoryGenerations
from tests.support.qdrant_server import KEY, QdrantServer, running

OLD, NEW = "versioned_docs/version-1.0/", "versioned_docs/version-2.0/"
URDU = "i18n/ur/docusaurus-plugin-content-docs/"
SAME = "The turtle keeps a shell that no release has changed."
SITE = {
    "docs/arm.md": page("Arm", "The turtle will lift its arm in violet."),
    f"{NEW}arm.md": page("Arm", "The turtle lifts its arm in cyan.", SAME),
    f"{OLD}arm.md": page("Arm", "The turtle lifted its arm in taupe.", SAME),
    f"{OLD}removed.md": page("Removed", "The turtle had a propeller once."),
    f"{URDU}version-2.0/arm.md": page("Arm", "کچھوا the turtle lifts its arm in cyan."),
    f"{URDU}version-1.0/arm.md": page("Arm", "کچھوا the turtle lifted its arm in taupe."),
}
ADDRESSES = {
    "docs/arm.md": "https://x.example/docs/next/arm",
    f"{NEW}arm.md": "https://x.example/docs/arm",
    f"{OLD}arm.md": "https://x.example/docs/1.0/arm",
    f"{OLD}removed.md": "https://x.example/docs/1.0/removed",
    f"{URDU}version-2.0/arm.md": "https://x.example/ur/docs/arm",
    f"{URDU}version-1.0/arm.md": "https://x.example/ur/docs/1.0/arm",
}


def site_library(
    tmp_path: Path, *, last: str = "", root: str = "docs", generations: Any = None, **flags: bool
) -> Library:
    """Return an index of the site, in memory unless `generations` are given; `last` is its option `lastVersion`."""
    write_book(tmp_path, SITE)
    docs = f"presets: [['classic', {{docs: {{lastVersion: '{last}'}}}}]]," if last else ""
    languages = "i18n: {defaultLocale: 'en', locales: ['en', 'ur']}"
    (tmp_path / "docusaurus.config.js").write_text(
        f"module.exports = {{url: 'https://x.example', baseUrl: '/', {docs} {languages}}}"
    )
    (tmp_path / "versions.json").write_text(json.dumps(["2.0", "1.0"]))
    settings = {f"crawl.{name}": value for name, value in flags.items()} | {"index.wait": 0}
    library = SiteLibrary(tmp_path, generations or MemoryGenerations(), flags=settings, root=root)
    library.run()
    return library


class SiteLibrary(Library):
    """A library whose lessons' root is any folder of the site."""

    def __init__(self, *given: Any, root: str, **named: Any) -> None:
        super().__init__(*given, **named)
        self._root = root

    @property
    def docs(self) -> Path:
        return self.folder / self._root


def files(response: SearchResponse) -> set[str]:
    return {result.source_file for result in response.results}


@pytest.fixture(params=["docs", "."])
def library(tmp_path: Path, request: pytest.FixtureRequest) -> Library:
    """The site, all versions and translations indexed, from its docs folder and from its own."""
    return site_library(tmp_path, root=request.param, versions=True, translations=True)


def test_only_the_last_version_is_shown(library: Library) -> None:
    assert files(find(library, "the turtle lifts its arm")) == {f"{NEW}arm.md"}
    assert not files(find(library, "propeller once", mode="keyword"))


def test_a_text_that_is_equal_in_two_versions_is_shown_on_the_page_of_the_last(library: Library) -> None:
    shown = find(library, "which shell has no release changed")
    assert [result.source_file for result in shown.results if SAME in result.text] == [f"{NEW}arm.md"]


def test_an_older_version_is_shown_to_who_asks_for_it(library: Library) -> None:
    assert files(find(library, "the turtle lifts its arm", docs_version="1.0")) == {
        f"{OLD}arm.md",
        f"{OLD}removed.md",
    }
    shown = files(find(library, "the turtle lifts its arm", docs_version="current"))
    assert {path.removeprefix("docs/") for path in shown} == {"arm.md"}
    assert files(find(library, "the turtle lifts its arm", docs_version="2.0")) == {f"{NEW}arm.md"}
    with pytest.raises(UsageError, match=r"no version of the documentation '3\.0' .* 1\.0, 2\.0, current"):
        find(library, "the turtle lifts its arm", docs_version="3.0")


def test_a_page_that_is_named_is_searched_whatever_its_version(library: Library) -> None:
    parent = next(
        each["parent_doc_id"] for each in library.contents().values() if each["source_file"] == f"{OLD}removed.md"
    )
    assert f"{OLD}removed.md" in files(find(library, "propeller", parent_doc_id=parent))


def test_a_question_in_another_language_gets_the_translation_of_the_last_version(library: Library) -> None:
    assert files(find(library, "کچھوا", mode="keyword")) == {f"{URDU}version-2.0/arm.md"}
    assert files(find(library, "کچھوا", mode="keyword", docs_version="1.0")) == {f"{URDU}version-1.0/arm.md"}


def test_all_versions_are_shown_if_asked_for(library: Library) -> None:
    shown = files(find(library, "the turtle lifts its arm", all_versions=True))
    assert {f"{OLD}arm.md", f"{NEW}arm.md", f"{URDU}version-1.0/arm.md"} < shown


def test_every_version_has_its_address(library: Library) -> None:
    urls = {each["source_file"].removeprefix("docs/"): each["page_url"] for each in library.contents().values()}
    assert urls == {path.removeprefix("docs/"): url for path, url in ADDRESSES.items()}


def test_lists_of_lessons_have_one_version_of_each(library: Library) -> None:
    store = library.generations.open_active()
    book = Equals("book_id", BOOK)
    listed = {entry.source_file for entry in list_lessons(store, Where((book,)))}
    assert listed == {f"{NEW}arm.md", f"{URDU}version-2.0/arm.md"}
    old = list_lessons(store, Where((book, Equals("docs_version", "1.0"), Equals("language", "en"))))
    assert {entry.source_file for entry in old} == {f"{OLD}arm.md", f"{OLD}removed.md"}


def test_last_version_of_the_configuration_decides(tmp_path: Path) -> None:
    library = site_library(tmp_path, last="1.0", versions=True)
    assert files(find(library, "the turtle lifts its arm")) == {f"{OLD}arm.md", f"{OLD}removed.md"}
    assert files(find(site_library(tmp_path, last="current", versions=True), "the turtle's arm")) == {"arm.md"}


def test_a_change_of_the_last_version_embeds_nothing(tmp_path: Path) -> None:
    library = site_library(tmp_path, versions=True)
    before = len(library.embedder.texts)
    config = tmp_path / "docusaurus.config.js"
    option = "presets: [['classic', {docs: {lastVersion: '1.0'}}]], i18n"
    config.write_text(config.read_text().replace("i18n", option, 1))
    library.run()
    assert len(library.embedder.texts) == before
    assert f"{OLD}arm.md" in files(find(library, "the turtle lifts its arm"))
    assert f"{NEW}arm.md" not in files(find(library, "the turtle lifts its arm"))


def test_where_only_the_docs_folder_is_indexed_its_pages_are_shown(tmp_path: Path) -> None:
    assert files(find(site_library(tmp_path), "the turtle lifts its arm")) == {"arm.md"}


@pytest.fixture(scope="module", params=["edge", "server"])
def stored(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Library]:
    """The same site in the embedded engine, and on a server that answers by Qdrant's contract."""
    folder = tmp_path_factory.mktemp(request.param)
    with running(QdrantServer()) as server:
        engines = {
            "edge": lambda: EdgeGenerations(folder / "index", 0),
            "server": lambda: ServerGenerations(connect(server.url, KEY), "books"),
        }
        generations = engines[request.param]()
        yield site_library(folder, generations=generations, versions=True, translations=True)


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {f"{NEW}arm.md"}),
        ({"docs_version": "1.0"}, {f"{OLD}arm.md", f"{OLD}removed.md"}),
        ({"docs_version": "current"}, {"arm.md"}),
        ({"docs_version": "1.0", "language": "ur"}, {f"{URDU}version-1.0/arm.md"}),
        ({"all_versions": True}, {"arm.md", f"{NEW}arm.md", f"{OLD}arm.md", f"{OLD}removed.md"}),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
def test_engines_filter_versions_alike(
    stored: Library, filters: dict[str, Any], expected: set[str], mode: str
) -> None:
    query = {"text": "the turtle lifts its arm", "book_id": BOOK, "limit": 20, "mode": mode, "language": "en"}
    store = stored.generations.open_active()
    try:
        found = search(SearchQuery.model_validate(query | filters), store, stored.embedder)
    finally:
        store.close()
    assert files(found) == expected


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
def test_engines_list_one_version_of_each_lesson(stored: Library) -> None:
    store = stored.generations.open_active()
    try:
        listed = {entry.source_file for entry in list_lessons(store, Where((Equals("book_id", BOOK),)))}
    finally:
        store.close()
    assert listed == {f"{NEW}arm.md", f"{URDU}version-2.0/arm.md"}
