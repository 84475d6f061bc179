"""Settings of the book, its crawl and its lint rules."""

from __future__ import annotations

from dataclasses import dataclass

from ingestion.settings.validators import (
    always,
    book_setting,
    parse_bool,
    parse_choice,
    parse_path_patterns,
    parse_text,
    parse_texts,
    parse_tier_names,
    parse_url,
    setting,
    table_setting,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressSettings:
    """How addresses are made; None: as the site says."""

    trailing_slash: bool | None = setting(
        None, parse_bool, help="whether URLs end in a slash (Docusaurus, Starlight)"
    )
    directory_urls: bool | None = setting(None, parse_bool, help="whether each page has its own folder")
    number_prefixes: bool | None = setting(None, parse_bool, help="whether leading numbers are left out of URLs")


@dataclass(frozen=True, slots=True, kw_only=True)
class BookSettings:
    """What the book is and where it is published."""

    id: str | None = book_setting(None, parse_text, env="BOOKWISE_BOOK", help="id of the book")
    title: str | None = book_setting(None, parse_text, help="title of the book")
    tiers: tuple[str, ...] = book_setting(
        (), parse_tier_names, help="what each hardware tier means, starting with tier 1"
    )
    docs: str = book_setting("docs", parse_text, env="BOOKWISE_DOCS", is_path=True, help="folder of the lessons")
    site: str | None = book_setting(
        None, parse_text, is_path=True, help="folder of the site, if the lessons are not in it"
    )
    base_url: str = book_setting("", parse_url, env="BOOKWISE_BASE_URL", help="address of the site")
    built: str | None = book_setting(
        None, parse_text, is_path=True, help="folder of the built site, which URLs and heading ids are taken from"
    )
    language: str | None = book_setting(
        None, parse_text, help="language of pages that declare none; if unset, it is detected for each page"
    )
    style: str = book_setting(
        "auto", parse_text, env="BOOKWISE_STYLE", help="the site generator, which decides how URLs are built"
    )
    addresses: AddressSettings = table_setting(
        AddressSettings, by_book=always, help="how URLs are built, if the site's configuration does not say"
    )
    vocabulary: str = book_setting(
        "folders",
        parse_choice("folders", "physical-ai"),
        help="module names: from folders, or also the built-in ros2, gazebo, isaac, vla",
    )
    paths: tuple[str, ...] = book_setting(
        (), parse_path_patterns, help="path patterns to try before the built-in ones"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """Which files of the folder are lessons."""

    exclude: tuple[str, ...] = book_setting((), parse_texts, help="ignore patterns (gitignore syntax)")
    include: tuple[str, ...] = book_setting((), parse_texts, help="index only files that match one of these")
    translations: bool = book_setting(False, parse_bool, help="also index the translations in `i18n`")
    versions: bool = book_setting(False, parse_bool, help="also index the versions in `versioned_docs`")
    unlisted: bool = book_setting(False, parse_bool, help="also index pages marked `unlisted: true`")
    unsearched: bool = book_setting(False, parse_bool, help="also index pages that the site's own search leaves out")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """What the linter reports."""

    disable: tuple[str, ...] = book_setting((), parse_texts, help="rules that `bookwise check` skips")
