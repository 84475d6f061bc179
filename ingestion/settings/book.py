"""Settings of the book, its crawl, its lint rules and its chunks."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import choice, number, path_patterns, setting, switch, text, texts, url

ADDRESS_STYLES = (
    "docusaurus",
    "mdbook",
    "mkdocs",
    "mkdocs-unicode",
    "hugo",
    "jekyll",
    "vitepress",
    "starlight",
    "github",
    "plain",
)
"""The values of `book.style` beside `auto`; `ingestion.source.styles` holds what each means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BookSettings:
    """What the book is and where it is published."""

    id: str | None = setting(None, text, env="BOOKWISE_BOOK", help="id of the book")
    title: str | None = setting(None, text, help="title of the book")
    docs: str = setting("docs", text, env="BOOKWISE_DOCS", help="folder of the lessons")
    base_url: str = setting("", url, env="BOOKWISE_BASE_URL", help="address of the site")
    language: str = setting("en", text, help="language of pages that name none")
    style: str = setting(
        "auto", choice("auto", *ADDRESS_STYLES), env="BOOKWISE_STYLE", help="how the site makes its addresses"
    )
    trailing_slash: bool | None = setting(
        None, switch, help="whether addresses end in a slash (Docusaurus, Starlight)"
    )
    directory_urls: bool | None = setting(None, switch, help="whether pages have folders of their own")
    number_prefixes: bool | None = setting(
        None, switch, help="whether numbers before names are left out of addresses"
    )
    vocabulary: str = setting(
        "folders",
        choice("folders", "physical-ai"),
        help="names of modules: those of the folders, or also the built-in ros2, gazebo, isaac, vla",
    )
    paths: tuple[str, ...] = setting((), path_patterns, help="path patterns, tried before the built-in")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """Which files of the folder are lessons."""

    exclude: tuple[str, ...] = setting((), texts, help="ignore patterns (gitignore syntax)")
    include: tuple[str, ...] = setting((), texts, help="index only what matches one of these")
    translations: bool = setting(False, switch, help="index the translations in `i18n` too")
    versions: bool = setting(False, switch, help="index the versions in `versioned_docs` too")
    unlisted: bool = setting(False, switch, help="index pages marked `unlisted: true` too")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """What the linter reports."""

    disable: tuple[str, ...] = setting((), texts, help="rules that `bookwise check` leaves out")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """How large a chunk is."""

    tokens: int = setting(400, number(50, 8000), env="BOOKWISE_CHUNK_TOKENS", help="tokens a chunk aims at")
    max_tokens: int = setting(512, number(50, 8191), env="BOOKWISE_CHUNK_MAX_TOKENS", help="tokens no chunk exceeds")
    visible_props: tuple[str, ...] = setting(
        (), texts, help="attributes of components whose text readers see, beside `title`, `label` and their like"
    )
