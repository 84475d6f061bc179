"""The settings and the book that a command works with, from its flags and from where it is run."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.commands.terminal import log_to_stderr
from ingestion.errors import UsageError
from ingestion.settings.loader import find_config, load_settings

if TYPE_CHECKING:
    import typer

    from ingestion.settings import Settings

_root_flags: ContextVar[Mapping[str, Any]] = ContextVar("root_flags")


def set_root_flags(ctx: typer.Context, flags: Mapping[str, Any]) -> None:
    """Keep flags that stand before the command's name, as long as the context lives."""
    token = _root_flags.set(flags)
    ctx.call_on_close(lambda: _root_flags.reset(token))


def read_settings(
    config: Path | None, *folders: Path, verbose: bool = False, flags: Mapping[str, Any] | None = None
) -> Settings:
    """Return the settings of this call; `folders` are searched for a `bookwise.toml` before the current one."""
    log_to_stderr(logging.DEBUG if verbose else logging.WARNING)
    if config and not config.is_file():
        raise UsageError(f"--config {config}: no such file")
    return load_settings({**_root_flags.get({}), **(flags or {})}, config=config or find_config(*folders, Path()))


def read_book(
    docs: Path | None, config: Path | None, *, verbose: bool = False, flags: Mapping[str, Any] | None = None
) -> tuple[Settings, Path]:
    """Return settings and docs root: the folder given, or what the `bookwise.toml` in or above it calls `docs`."""
    folders = (docs, docs.parent) if docs else ()
    settings = read_settings(config, *folders, verbose=verbose, flags=flags)
    if docs is None:
        return settings, (config.parent if config else Path()) / settings.book.docs
    inner = docs / settings.book.docs
    return settings, inner if find_config(docs) and inner.is_dir() else docs
