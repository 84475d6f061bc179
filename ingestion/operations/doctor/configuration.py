"""Check the settings: the source of each, withheld secrets, the chosen book, installed packages."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from ingestion.books import id_of_folder
from ingestion.masking import masked
from ingestion.operations.doctor.report import Check, SettingRow, note, ok, problem
from ingestion.settings import FIELDS, Settings, value_of
from ingestion.settings.loader import CONFIG_NAME, DEFAULT, Loaded
from ingestion.settings.validators import Module, Secret
from ingestion.source.crawler import can_list

_FOR_DEVELOPERS = re.compile("extra *== *['\"](dev|lock)")


def setting_rows(loaded: Loaded) -> Iterator[SettingRow]:
    """Yield every setting with its source."""
    for name in FIELDS:
        source = loaded.sources[name]
        yield SettingRow(name, _shown(value_of(loaded.settings, name)), source, source == DEFAULT)


def _shown(value: object) -> object:
    """Return a value without its secrets, as JSON has it."""
    if isinstance(value, Secret):
        return "***"
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, int | float | None):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _shown(entry) for name, entry in asdict(value).items()}
    if isinstance(value, tuple):
        return [item.name if isinstance(item, Module) else masked(str(item)) for item in value]
    return masked(str(value))


def book_checks(settings: Settings) -> Iterator[Check]:
    """Yield which book is meant and where its lessons are."""
    if settings.book.id:
        yield ok("book", f"{settings.book.id} in {settings.folder.resolve()}")
    else:
        yield note(
            "book",
            f"no id is set: `ingest` takes the one that these lessons have in the index, else "
            f"{id_of_folder(settings.folder)} from the folder name",
            f"run `bookwise init`, which writes one into {CONFIG_NAME}, or set BOOKWISE_BOOK",
        )
    docs = Path(settings.book.docs)
    if docs.is_dir() and can_list(docs):
        yield ok("lessons", settings.book.docs)
    elif docs.is_dir():
        yield problem("lessons", f"{docs}: no permission to list the folder", "run this as its owner")
    else:
        yield note(
            "lessons",
            f"{settings.book.docs}: folder not found; nothing to index",
            f"set book.docs in {CONFIG_NAME} (`bookwise init` finds it), or go to the book's folder",
        )


def trust_checks(settings: Settings) -> Iterator[Check]:
    """Yield each key that a book's own file would send to a host of its choice."""
    for name in FIELDS:
        value = value_of(settings, name)
        if isinstance(value, Secret) and value.refusal:
            message, _, step = value.refusal.partition(". ")
            yield problem(name, message, step or "see SECURITY.md")


def installed() -> Iterator[tuple[str, str]]:
    """Yield what is installed, and its version: Python, ourselves and what we need."""
    yield "python", platform.python_version()
    for name in _packages():
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def package_checks() -> Iterator[Check]:
    """Yield whether everything that is always needed is installed."""
    missing = []
    for name in _packages(extras=False):
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        yield problem("packages", f"not installed: {', '.join(missing)}", "reinstall bookwise")
    else:
        yield ok("packages", "all required packages are installed")


def _packages(*, extras: bool = True) -> list[str]:
    try:
        requirements = requires("bookwise") or []
    except PackageNotFoundError:
        return []
    # A marker may leave a package out on this platform; those are taken as extras are.
    wanted = [
        requirement
        for requirement in requirements
        if ";" not in requirement or (extras and not _FOR_DEVELOPERS.search(requirement))
    ]
    names = (re.split(r"[\s\[<>=!~;(]", requirement, maxsplit=1)[0] for requirement in wanted)
    return list(dict.fromkeys(("bookwise", *names)))
