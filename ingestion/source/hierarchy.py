"""Where a page stands in its book: module, chapter, lesson, language, version and kind, read from its path.

Numbers that neither the path nor the book's own contents give stay None; the parser fills them from front matter,
never by guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ingestion.settings.path_patterns import compile_pattern
from ingestion.settings.validators import Module
from ingestion.source.book_order import Entry
from ingestion.source.editions import OVERVIEWS, split_edition, strip_stem
from ingestion.source.permalinks import split_path

ROOT_MODULE = "intro"
"""Module of pages that lie in no module's folder."""

WRAPPERS = ("docs", "content", "src", "book", "chapters", "units", "modules", "pages", "course")
"""Folders that hold a book's modules and are none themselves."""

_MODULE = re.compile(r"(?:module|part)[-_ ]?(\d+)(?:[-_. ]+(.+))?", re.I)
_AFTER_WORD = re.compile(
    r"(?:^|[-_ ])(?P<word>chapter|ch|week|unit|lesson)[-_ ]?(?P<first>\d{1,3})(?:[-_.](?P<second>\d{1,3}))?"
    r"(?=$|[-_. ])",
    re.I,
)
"""`chapter-3`, `week 3`, and `ch03-02-types` with a lesson too; two numbers after `week` are a range of weeks."""

_NUMBER = re.compile(r"(?P<first>\d{1,3})(?:\.(?P<second>\d{1,3}))?(?:[-_. ]+.*)?")
"""`03-types`, and `1.2-types` with the module before the chapter."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a path tells; None where it tells nothing. `version` is that of a page in `versioned_docs`."""

    module: str
    chapter: int | None = None
    lesson: int | None = None
    language: str | None = None
    doc_type: str = "lesson"
    version: str | None = None


@dataclass(frozen=True, slots=True)
class _Named:
    """What the names in a path say, before the vocabulary is asked."""

    module: str | None = None
    chapter: int | None = None
    lesson: int | None = None


def locate(
    path: str, *, modules: Sequence[Module] = (), patterns: Sequence[str] = (), entry: Entry | None = None
) -> Place:
    """Return the place of a page, given its path relative to the docs root.

    `patterns` (setting `book.paths`) such as `{module}/week-{chapter}-lesson-{lesson}-*` are tried first; the
    first that fits decides. `modules` is the book's vocabulary; a folder outside it names a module of its own.
    `entry` is the page's place in the book's own contents: it numbers what the path does not.
    """
    edition = split_edition(path)
    stem, suffix_language, is_summary = strip_stem(split_path(edition.parts[-1])[1])
    folders, own = edition.parts[:-1], entry or Entry()
    # The book's own paths may be written with the language folder or, once for all languages, without it.
    spellings = ("/".join(folders), path.rpartition("/")[0])
    pages = (f"{folder}/{stem}".removeprefix("/") for folder in spellings)
    named = _by_patterns(pages, patterns) or _by_names(folders, stem, own.folders[-len(folders) :])
    configured = next(filter(None, (_configured_module(folder, modules) for folder in spellings)), None)
    return Place(
        module=configured or _vocabulary_name(named.module, modules),
        chapter=own.chapter if named.chapter is None else named.chapter,
        lesson=own.lesson if named.lesson is None else named.lesson,
        language=edition.language or suffix_language,
        doc_type="summary" if is_summary else _doc_type(stem, named.lesson),
        version=edition.version,
    )


def module_slug(folder: str) -> str:
    """Return a folder's name without its number, lower case with hyphens."""
    if found := _MODULE.fullmatch(folder):
        folder = found[2] or f"module-{found[1]}"
    elif found := _NUMBER.fullmatch(folder):
        folder = folder[found.end("first") :].lstrip("-_. ") or folder
    return re.sub(r"[\s_]+", "-", folder.strip().lower())


def _by_names(folders: Sequence[str], stem: str, positions: Sequence[int | None]) -> _Named:
    place, level = _Named(), _Level()
    for index, folder in enumerate(folders):
        place = _enter(folder, place, level, positions[index] if index < len(positions) else None)
    if stem.lower() in OVERVIEWS:
        if place.chapter is None and place.lesson is None and _is_module_page(folders):
            return replace(place, chapter=0, lesson=0)
        chapter = place.chapter if place.chapter is not None else level.number
        return replace(place, chapter=chapter, lesson=place.lesson or 0)
    if place.chapter is None:
        place = replace(place, chapter=level.number)
    return _name_file(stem, place)


def _is_module_page(folders: Sequence[str]) -> bool:
    return len(folders) <= 1 or _MODULE.fullmatch(folders[-1]) is not None


@dataclass(slots=True)
class _Level:
    """The number of the module's folder, which counts as the chapter where no folder below it has one."""

    number: int | None = None
    in_lessons: bool = False


def _enter(folder: str, place: _Named, level: _Level, position: int | None) -> _Named:
    """Return the place within a folder; `position` counts where its name has no number."""
    if _MODULE.fullmatch(folder):
        return replace(place, module=module_slug(folder))
    chapter, lesson = _after_words(folder)
    if chapter:
        return replace(place, chapter=int(chapter["first"]))
    if lesson:
        return replace(place, lesson=int(lesson["first"]))
    if folder.lower() == "lessons":
        level.in_lessons = True
        return place
    if place == _Named() and folder.lower() in WRAPPERS:
        return place
    return _enter_number(folder, place, level, position)


def _enter_number(folder: str, place: _Named, level: _Level, position: int | None) -> _Named:
    found = _NUMBER.fullmatch(folder)
    if place.module is None and found and found["second"]:
        return replace(place, module=f"module-{int(found['first'])}", chapter=int(found["second"]))
    number = int(found["first"]) if found else position
    is_lesson = level.in_lessons or place.chapter is not None
    if place.module is None and not is_lesson:
        level.number = number
        return replace(place, module=module_slug(folder))
    if number is None:
        return place
    return replace(place, lesson=number) if is_lesson else replace(place, chapter=number)


def _after_words(name: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Return the first number after a word for chapters, and the first after `lesson`."""
    found = {each["word"].lower() == "lesson": each for each in reversed([*_AFTER_WORD.finditer(name)])}
    return found.get(False), found.get(True)


def _name_file(stem: str, place: _Named) -> _Named:
    """Return the place of a file within its folders: what its words say, else what its numbers do."""
    chapter, lesson = _after_words(stem)
    number = int(chapter["first"]) if chapter else place.chapter
    if chapter and chapter["second"] and chapter.start("word") == 0 and chapter["word"].lower() != "week":
        return replace(place, chapter=number, lesson=int(chapter["second"]))
    if lesson:
        return replace(place, chapter=number, lesson=int(lesson["first"]))
    if chapter and place.lesson is None:
        return replace(place, chapter=number, lesson=0)
    found = _NUMBER.fullmatch(stem)
    return _name_number(int(found["first"]), found["second"], place) if found else place


def _name_number(first: int, second: str | None, place: _Named) -> _Named:
    if second and place.chapter is None:
        return replace(place, module=place.module or f"module-{first}", chapter=int(second))
    if second or place.lesson is None:
        return replace(place, lesson=int(second) if second else first)
    return place


def _by_patterns(pages: Iterable[str], patterns: Sequence[str]) -> _Named | None:
    for page, pattern in product(pages, patterns):
        found = compile_pattern(pattern).match(page)
        if found is not None:
            chapter, lesson = found.get("chapter"), found.get("lesson")
            return _Named(
                module=module_slug(found["module"]) if found.get("module") else None,
                chapter=int(chapter) if chapter else None,
                lesson=int(lesson) if lesson else None,
            )
    return None


def _configured_module(folder: str, modules: Sequence[Module]) -> str | None:
    """Return the configured module whose path holds the folder; the longest path wins, `.` is the root itself.

    The path may also be written from a folder such as `docs` on, which holds all modules.
    """
    head, _, rest = folder.partition("/")
    spellings = (folder, rest) if head.lower() in WRAPPERS else (folder,)
    best, best_length = None, -1
    for module in modules:
        path = (module.path or "").strip("/")
        inside = any(
            spelling == "" if path == "." else path and (spelling == path or spelling.startswith(path + "/"))
            for spelling in spellings
        )
        if inside and len(path) > best_length:
            best, best_length = module.name, len(path)
    return best


def _vocabulary_name(slug: str | None, modules: Sequence[Module]) -> str:
    """Return the module that a folder's whole name or an alias stands for; a folder of no module is one of its
    own.
    """
    if slug is None:
        return ROOT_MODULE
    for module in modules:
        if slug in map(module_slug, (module.name, *module.aliases)):
            return module.name
    return slug


def _doc_type(stem: str, lesson: int | None) -> str:
    words = re.split(r"[-_. ]+", stem.lower())
    for kind in ("quiz", "assignment"):
        if any(word.startswith(kind) for word in words):
            return kind
    if stem.lower() in OVERVIEWS and not lesson:
        return "readme"
    return "lesson"
