"""Where a page stands in its book: module, chapter, lesson, language, version and kind, read from its path.

Numbers that neither the path nor the book's own contents give stay None; the parser fills them from front matter,
never by guessing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingestion.settings.path_patterns import compile_pattern
from ingestion.settings.validators import Module
from ingestion.source.book_order import Entry
from ingestion.source.editions import OVERVIEWS, split_edition, strip_stem

ROOT_MODULE = "intro"
"""Module of pages that lie in no module's folder."""

_SUFFIX = re.compile(r"\.(?:mdx?|markdown)$", re.I)
WRAPPERS = ("docs", "content", "src", "book", "chapters", "units", "modules", "pages", "course")
"""Folders that hold a book's modules and are none themselves."""

_MODULE = re.compile(r"(?:module|part)[-_ ]?(\d+)(?:[-_. ]+(.+))?", re.I)
_CHAPTER = re.compile(r"(?:^|[-_ ])(?:chapter|ch|week|unit)[-_ ]?(\d{1,3})(?=$|[-_. ])", re.I)
_CHAPTER_LESSON = re.compile(r"(?:chapter|ch|unit)[-_ ]?(\d{1,3})[-_.](\d{1,3})(?=$|[-_. ])", re.I)
"""`ch03-02-types`, `chapter-3-2-types`; two numbers after `week` are a range of weeks."""

_LESSON = re.compile(r"(?:^|[-_ ])lesson[-_ ]?(\d{1,3})(?=$|[-_. ])", re.I)
_NUMBER = re.compile(r"(\d{1,3})(?:[-_. ]+(.*))?")
_DOTTED = re.compile(r"(\d{1,3})\.(\d{1,3})(?:[-_. ]+.*)?")


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
    stem, suffix_language, is_summary = strip_stem(_SUFFIX.sub("", edition.parts[-1]))
    folders = edition.parts[:-1]
    # The book's own paths may be written with the language folder or, once for all languages, without it.
    spellings = ("/".join(folders), path.rpartition("/")[0])
    pages = (f"{folder}/{stem}".removeprefix("/") for folder in spellings)
    positions = entry.folders[-len(folders) :] if entry and folders else ()
    named = next(filter(None, (_by_patterns(page, patterns) for page in pages)), None)
    named = named or _by_names(folders, stem, positions)
    configured = next(filter(None, (_configured_module(folder, modules) for folder in spellings)), None)
    chapter, lesson = named.chapter, named.lesson
    if entry:
        chapter = entry.chapter if chapter is None else chapter
        lesson = entry.lesson if lesson is None else lesson
    return Place(
        module=configured or _vocabulary_name(named.module, modules),
        chapter=chapter,
        lesson=lesson,
        language=edition.language or suffix_language,
        doc_type="summary" if is_summary else _doc_type(stem, named.lesson),
        version=edition.version,
    )


def module_slug(folder: str) -> str:
    """Return a folder's name without its number, lower case with hyphens."""
    match = _MODULE.fullmatch(folder)
    if match:
        folder = match[2] or f"module-{match[1]}"
    elif (match := _NUMBER.fullmatch(folder)) and match[2]:
        folder = match[2]
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
    if match := _CHAPTER.search(folder):
        return replace(place, chapter=int(match[1]))
    if match := _LESSON.search(folder):
        return replace(place, lesson=int(match[1]))
    if folder.lower() == "lessons":
        level.in_lessons = True
        return place
    if place == _Named() and folder.lower() in WRAPPERS:
        return place
    if place.module is None and (dotted := _DOTTED.fullmatch(folder)):
        return replace(place, module=f"module-{int(dotted[1])}", chapter=int(dotted[2]))
    match = _NUMBER.fullmatch(folder)
    number = int(match[1]) if match else position
    if place.module is None and place.chapter is None and not level.in_lessons:
        level.number = number
        return replace(place, module=module_slug(folder))
    if number is None:
        return place
    if level.in_lessons or place.chapter is not None:
        return replace(place, lesson=number)
    return replace(place, chapter=number)


def _name_file(stem: str, place: _Named) -> _Named:
    if both := _CHAPTER_LESSON.match(stem):
        return replace(place, chapter=int(both[1]), lesson=int(both[2]))
    lesson, chapter = _LESSON.search(stem), _CHAPTER.search(stem)
    if lesson:
        number = int(chapter[1]) if chapter else place.chapter
        return replace(place, chapter=number, lesson=int(lesson[1]))
    if chapter and place.lesson is None:
        return replace(place, chapter=int(chapter[1]), lesson=0)
    if dotted := _DOTTED.fullmatch(stem):
        first, second = int(dotted[1]), int(dotted[2])
        if place.chapter is not None:
            return replace(place, lesson=second)
        return replace(place, module=place.module or f"module-{first}", chapter=second)
    if place.lesson is None and (match := _NUMBER.fullmatch(stem)):
        return replace(place, lesson=int(match[1]))
    return place


def _by_patterns(path: str, patterns: Sequence[str]) -> _Named | None:
    for pattern in patterns:
        found = compile_pattern(pattern).match(path)
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
