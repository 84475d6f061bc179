"""The language and version that the folders of a path name, as Docusaurus and many books have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

OVERVIEWS = ("readme", "index", "_index")
CURRENT_VERSION = "current"
"""The version that is being written, of which the docs folder itself holds the pages."""

TRANSLATIONS = ("**/i18n/*/docusaurus-*/", "**/i18n/[a-z][a-z]/", "**/i18n/[a-z][a-z][-_]*/")
VERSIONS = (
    *("**/versioned_docs/version-*/", "**/*_versioned_docs/version-*/"),
    "**/i18n/*/docusaurus-plugin-content-docs*/version-*/",
)
"""Patterns of the folders of translations and versions, in gitignore syntax."""

_LANGUAGE_FOLDERS = ("i18n", "translations", "locales")
_EDITION_FOLDERS = ("content", "docs", "units", "chapters")
"""Folders that hold one folder a language in some books, but also folders of other short names."""
_KNOWN_LANGUAGES = frozenset(
    (
        *("ar", "bn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "gu", "he", "hi", "hu", "id", "it", "ja"),
        *("ko", "mr", "my", "ne", "nl", "no", "pa", "pl", "pt", "ro", "ru", "sv", "sw", "ta", "te", "th", "tr", "uk"),
        *("ur", "vi", "zh"),
    )
)
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_][A-Za-z]{2,4})?")
_TRANSLATED_DOCS = "docusaurus-plugin-content-docs"
_VERSIONED_DOCS = "versioned_docs"
_VERSION = "version-"
_NUMBER = re.compile(r"^(?:\d{4}-\d{2}-\d{2}|\d+)[-_. ]+")


@dataclass(frozen=True, slots=True)
class Edition:
    """The language and version that the folders of a path name, and the parts of the path without them.

    `in_docusaurus` tells that the path is one of Docusaurus' own folders for them, and `instance` which of several
    folders of docs they are of.
    """

    language: str | None
    version: str | None
    parts: list[str]
    in_docusaurus: bool = False
    instance: str = ""


def split_edition(path: str) -> Edition:
    """Return the edition of a page: `i18n/ur/…`, `translations/ur/…`, `versioned_docs/version-1.0/…`."""
    language, parts = _strip_language(path.split("/"))
    instance = translated = _translated_instance(parts[0]) if language else None
    if instance is None:
        instance = _versioned_instance(parts[0])
    if instance is not None and len(parts) > 2:
        version = parts[1].removeprefix(_VERSION) if parts[1].startswith(_VERSION) else ""
        if version or translated is not None:
            return Edition(language, version or None, parts[2:], in_docusaurus=True, instance=instance)
    return Edition(language, None, parts)


def _translated_instance(folder: str) -> str | None:
    """Return which of several folders of docs a folder of Docusaurus translates, "" for the default one."""
    if folder == _TRANSLATED_DOCS:
        return ""
    return (folder.startswith(f"{_TRANSLATED_DOCS}-") and folder.removeprefix(f"{_TRANSLATED_DOCS}-")) or None


def _versioned_instance(folder: str) -> str | None:
    """Return of which of several folders of docs a folder of Docusaurus holds versions, "" for the default one."""
    if folder == _VERSIONED_DOCS:
        return ""
    return (folder.endswith(f"_{_VERSIONED_DOCS}") and folder.removesuffix(f"_{_VERSIONED_DOCS}")) or None


def _is_language(name: str, *, known: bool) -> bool:
    """Return whether a name is a language's, `known` or one that only looks so, with a region or without."""
    found = _LANGUAGE.fullmatch(name)
    return found is not None and (not known or found[1] in _KNOWN_LANGUAGES)


def page_version(path: str) -> str:
    """Return the version that a page belongs to, by Docusaurus' folders; `current` for one in no version's folder."""
    return split_edition(path).version or CURRENT_VERSION


def original_path(path: str) -> str:
    """Return what a page's path has in common with that of its other versions, languages and its summary."""
    edition = split_edition(path)
    parts = edition.parts
    if parts[0] == "docs" and len(parts) > 1:
        # Where a whole site is the root, its docs folder stands before the paths of the default edition only.
        parts = parts[1:]
    if edition.instance:
        parts = [edition.instance, *parts]
    name, dot, ending = parts[-1].rpartition(".")
    stem = strip_stem(name if dot else parts[-1])[0]
    return "/".join((*parts[:-1], stem + dot + ending if dot else stem))


def _strip_language(parts: list[str]) -> tuple[str | None, list[str]]:
    for index, part in enumerate(parts[:-2]):
        if part in _LANGUAGE_FOLDERS and _is_language(parts[index + 1], known=False):
            rest = parts[index + 2 :]
            # Docusaurus' folders are relative to the site, whatever folder that lies in.
            return parts[index + 1], rest if _translated_instance(rest[0]) is not None else parts[:index] + rest
    edition = 1 if parts[0] in _EDITION_FOLDERS else 0
    if len(parts) > edition + 1 and _is_language(parts[edition], known=True):
        return parts[edition], parts[edition + 1 :]
    return None, parts


def strip_stem(stem: str) -> tuple[str, str | None, bool]:
    """Strip `.summary` or a language suffix from the stem: `README.ja` is README in Japanese."""
    name, dot, suffix = stem.rpartition(".")
    if dot and suffix.lower() == "summary":
        return name, None, True
    if dot and _is_language(suffix, known=name.lower() not in OVERVIEWS):
        return name, suffix, False
    return stem, None, False


def without_number(name: str) -> str:
    """Return the name of a file or folder without the number or date that it begins with; "" for a number alone."""
    return _NUMBER.sub("", name)


def stands_for_folder(path: str) -> bool:
    """Return whether a page is the one of its folder: README, index."""
    return PurePosixPath(path).stem.lower() in OVERVIEWS
