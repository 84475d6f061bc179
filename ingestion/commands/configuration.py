"""The settings and the book that a command works with, from its flags and from where it is run."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.commands.terminal import log_to_stderr
from ingestion.errors import UsageError
from ingestion.settings.loader import CONFIG_NAME, Loaded, find_config, load
from ingestion.tokens import choose_tokenizer

if TYPE_CHECKING:
    import typer

    from ingestion.settings import Settings

_root_flags: ContextVar[Mapping[str, Any]] = ContextVar("root_flags")


def set_root_flags(ctx: typer.Context, flags: Mapping[str, Any]) -> None:
    """Keep flags that stand before the command's name, as long as the context lives."""
    token = _root_flags.set(flags)
    ctx.call_on_close(lambda: _root_flags.reset(token))


def read_settings(config: Path | None, *, verbose: bool = False, flags: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings of the book in which the command is run."""
    return read_loaded(config, None, verbose=verbose, flags=flags).settings


def read_book(
    docs: Path | None, config: Path | None, *, verbose: bool = False, flags: Mapping[str, Any] | None = None
) -> tuple[Settings, Path]:
    """Return settings and docs root: the folder given, or the `book.docs` of the book that it is or lies in."""
    from ingestion.books import lessons_of

    loaded = read_loaded(config, docs, verbose=verbose, flags=flags)
    settings, folder = loaded.settings, loaded.settings.folder
    has_file = (folder / CONFIG_NAME).is_file()
    if docs is None:
        # A folder that nobody named and that does not look like a book is not indexed whole.
        return settings, lessons_of(folder, settings.book.docs) if has_file else Path(settings.book.docs)
    if not has_file or not docs.resolve().is_relative_to(folder.resolve()):
        return settings, lessons_of(docs)
    return settings, lessons_of(folder, settings.book.docs) if docs.resolve() == folder.resolve() else docs


def read_loaded(
    config: Path | None, start: Path | None, *, verbose: bool = False, flags: Mapping[str, Any] | None = None
) -> Loaded:
    """Return settings and their sources; the book is the nearest above `start`, else above the current folder."""
    log_to_stderr(logging.DEBUG if verbose else logging.WARNING)
    if config and not config.is_file():
        raise UsageError(f"--config {config}: no such file")
    found = config or (find_config(start) if start else None) or find_config(Path())
    return _load(flags, found)


def load_folder(folder: Path, flags: Mapping[str, Any]) -> Loaded:
    """Return settings and their sources for the book in `folder` itself, be it configured or not."""
    log_to_stderr(logging.WARNING)
    config = folder / CONFIG_NAME
    return _load(flags, config if os.path.lexists(config) else None, folder)


def _load(flags: Mapping[str, Any] | None, config: Path | None, folder: Path | None = None) -> Loaded:
    loaded = load({**_root_flags.get({}), **(flags or {})}, config=config, folder=folder)
    choose_tokenizer(loaded.settings.chunk.tokenizer)
    return loaded
