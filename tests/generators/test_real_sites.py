"""What an index of four real sites has, against what their readers see, both ways (`../shared/sites`, from data)."""

from __future__ import annotations

import json
import lzma
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from ingestion.models import DocumentChunk
from tests.generators.built import lessons_of, quoted_text, words_of
from tests.support.paths import SHARED

SITES = SHARED / "sites"
pytestmark = pytest.mark.skipif(not SITES.is_dir(), reason="the shared sites are not here")

MOST_UNSEEN, MOST_LOST = 0.002, 0.001
"""Shares of words that are searched or quoted and on no page, and of words of pages that are not found on them."""

Built = tuple["Real", Path, dict[str, Any]]

OFTEN = 4
"""A block on so many pages is the theme's."""

_MARKS_IN_WORDS = re.compile(r"(?<=\w)(?:[`*]|</?[a-z]{1,6}>)+(?=\w)")
INFO = re.compile(r"^\s*(?:[*+-] |\d+\. |> )*(?:`{3,}|~{3,}).*$|\[\^[^\]\s]+\]", re.M)
"""Lines that open listings, and marks of footnotes: their words are no text of the page."""


@dataclass(frozen=True)
class Real:
    """A site: where its configuration and its lessons lie, and what no lesson holds.

    `own` finds what the site's own hooks and templates show in the sources, `made` names pages that they write, and
    `theirs` blocks that a template makes. `titles` are headings that show more, or less, than their lesson says.
    """

    name: str
    docs: str
    own: str = r"(?!)"
    made: frozenset[str] = frozenset()
    theirs: str = r"(?!)"
    titles: frozenset[str] = frozenset()


REAL = (
    Real("nomicon", "nomicon/src"),
    Real(
        "mkmat",
        "mkmat/docs",
        own=r"<!-- md:[^>]*-->",  # marks of versions and defaults, which a hook of the site writes
        # A list, a page from its templates, and one most sections of which their author took out of the search.
        made=frozenset(("setup/changing-the-language.md", "index.md", "upgrade.md")),
        theirs=r"^\d+\.\d+\.\d+\b|\b(?:Prior to|As of version|released in) ",
        titles=frozenset(("conventions.md#default",)),
    ),
    Real("jtd", "jtd", theirs=r"[a-z]\d\b"),  # numbers of footnotes stand right behind words
    Real(
        "docsy",
        "docsy/docsy.dev/content/en",
        made=frozenset(("docs/content/agent-support/index.md", "project/_index.md")),  # a report that no source holds
        theirs=r"\w+day, [A-Z]\w+ \d{2}, \d{4}|[−⋅×​]",  # lines of authors, formulas that are set
        titles=frozenset(("blog/2026/hugo-0.152.0+.md#deprecations",)),
    ),
)


@pytest.fixture(scope="module", params=REAL, ids=lambda real: real.name)
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Real, Path, dict[str, Any]]:
    """A site's definition, its sources, and what its generator made of them."""
    real: Real = request.param
    root = tmp_path_factory.mktemp(real.name)
    with tarfile.open(SITES / real.name / "source.tar.xz") as archive:
        archive.extractall(root, filter="data")
    with lzma.open(SITES / real.name / "built.json.xz", "rt", encoding="utf-8") as file:
        return real, root, json.load(file)


def page_of(built: Mapping[str, Any], url: str) -> Mapping[str, Any] | None:
    """Return what a browser gets at an address."""
    path = unquote(urlsplit(url).path).strip("/")
    names = (f"{path}/index.html".lstrip("/"), f"{path}.html", path)
    return next((built[name] for name in names if name in built), None)


def shown(text: str) -> list[str]:
    """Return the words of a text as a page shows them: marks inside of a word part none."""
    return words_of(_MARKS_IN_WORDS.sub("", text))


def lacking(words: list[str], there: Counter[str] | set[str]) -> list[str]:
    """Return the words that are nowhere; numbers are passed, which lists and notes have."""
    return [word for word in words if word not in there and not word.isdigit()]


def _names(chunk: DocumentChunk) -> Iterator[tuple[str, ...]]:
    """Yield what a theme's lists of pages say of a lesson."""
    metadata = json.loads(chunk.metadata.front_matter or "{}")
    for name in (
        chunk.metadata.page_title,
        *(metadata.get(key) for key in ("linkTitle", "nav_title", "description")),
    ):
        yield tuple(shown(str(name or "")))


def _wrong_anchors(real: Real, chunks: list[DocumentChunk], ids: Mapping[str, str]) -> Iterator[str]:
    for chunk in chunks:
        metadata = chunk.metadata
        for anchor, title in zip(metadata.section_anchors, metadata.section_titles, strict=True):
            there = ids.get(anchor, ids.get(unquote(anchor)))
            place = f"{metadata.source_file}#{anchor}"
            if anchor and place not in real.titles and (there is None or shown(there) != shown(title)):
                yield f"{place}: {there!r}, not {title!r}"


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_an_index_has_the_words_of_its_pages_and_no_others(site: Built, every: int) -> None:
    real, root, built = site
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    lost: list[str] = []
    unseen: dict[str, list[str]] = {"searched": [], "quoted": []}
    often = Counter(tuple(shown(text)) for page in built.values() for text in {*(page["blocks"] or ())})
    pages = list(lessons_of(root / real.docs, every=every, **{"book.base_url": "https://x.example"}))
    names = {name for chunks in filter(None, pages) for name in _names(chunks[0])}
    names |= {tuple(shown(page["h1"])) for page in built.values()}
    for chunks in filter(None, pages):
        source, page = chunks[0].metadata.source_file, page_of(built, chunks[0].metadata.page_url)
        if page is None:
            wrong.append(f"{source}: no page at {chunks[0].metadata.page_url}")
            continue
        wrong += _wrong_anchors(real, chunks, page["ids"])
        blocks = [text for text in page["blocks"] if often[tuple(shown(text))] < OFTEN]
        seen = {word for text in page["blocks"] for word in shown(text)}
        found = {word for chunk in chunks for word in shown(f"{chunk.embed_text} {chunk.metadata.page_title}")}
        found |= {
            word
            for comment in re.findall(real.own, (root / real.docs / source).read_text("utf-8"))
            for word in shown(comment)
        }
        for text in blocks if source not in real.made else ():
            words = shown(text)
            counted["words"] += len(words)
            if tuple(words) not in names and not re.search(real.theirs, text):
                lost += (f"{source}: {word} || {text[:80]}" for word in lacking(words, found))
        for name, texts in (
            ("searched", [chunk.embed_text.partition("\n\n")[2] for chunk in chunks]),
            ("quoted", [quoted_text(chunk) for chunk in chunks]),
        ):
            words = [word for text in texts for word in shown(INFO.sub(" ", text))]
            counted[name] += len(words)
            unseen[name] += (f"{source}: {word}" for word in lacking(words, seen))
    shares = {name: len(found) / counted[name] for name, found in unseen.items()}
    print(real.name, len(pages), {**shares, "lost": len(lost) / counted["words"]}, lost[:40], wrong[:9])  # noqa: T201
    assert wrong == []
    assert max(shares.values()) <= MOST_UNSEEN, unseen
    assert every > 1 or len(lost) / counted["words"] <= MOST_LOST, lost  # a part of a site has not all its names
