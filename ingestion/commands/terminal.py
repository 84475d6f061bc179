"""The terminal: settings from flags, results to stdout, everything else to stderr, errors to exit codes."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ingestion.errors import BookwiseError, ExitCode, UsageError
from ingestion.settings import Settings
from ingestion.settings.loader import find_config, load_settings

if TYPE_CHECKING:
    from ingestion.output import Table, View
    from ingestion.report import IngestReport
    from ingestion.sync.run import Progress
if TYPE_CHECKING:
    from ingestion.report import IngestReport


def progress_text(done: int, total: int, report: IngestReport, seconds: float) -> str:
    """Lessons, chunks with the share that was reused, tokens, money, rate and time left, as far as they are known."""
    counts = report.chunks
    chunks = counts.embedded + counts.reused
    parts = [f"{done} of {total} lessons", f"{chunks} chunks"]
    if counts.reused:
        parts.append(f"{counts.reused * 100 // chunks} % reused")
    if counts.tokens:
        parts.append(f"{counts.tokens} tokens")
    if report.cost:
        parts.append(f"${report.cost:.4f}")
    if chunks and seconds > 0:
        parts.append(f"{chunks / seconds:.0f} chunks/s")
    if 0 < done < total:
        parts.append(f"{_duration(seconds * (total - done) / done)} left")
    return ", ".join(parts)


def has_bar(is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether a bar may be drawn: on a terminal that takes control characters, for someone who wants them."""
    return is_terminal and environ.get("TERM") not in (None, "", "dumb", "unknown") and not environ.get("NO_COLOR")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


SECONDS_BETWEEN_LINES = 10.0

Book = Annotated[str | None, typer.Option("--book", help="Id of the book.")]
Config = Annotated[Path | None, typer.Option("--config", help="Settings file instead of the book's bookwise.toml.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show everything, and log to stderr.")]


class Commands(TyperGroup):
    """Maps our errors to exit codes and to one line on stderr; with --json also to the one document on stdout."""

    def invoke(self, ctx: Any) -> Any:
        as_json = "--json" in ctx.args or "--json" in sys.argv
        signal.signal(signal.SIGTERM, _stop)
        try:
            return super().invoke(ctx)
        except BookwiseError as error:
            typer.echo(f"error: {error}", err=True)
            if as_json:
                print_json({"error": str(error), "exit_code": error.exit_code})
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt:
            typer.echo("interrupted; what was finished is recorded, the next run goes on from there", err=True)
            raise typer.Exit(ExitCode.INTERRUPTED) from None


def _stop(*_: object) -> None:
    """A polite end (SIGTERM) is an interrupt: what is finished is recorded, and the exit code is 130."""
    raise KeyboardInterrupt


_for_all_commands: dict[str, Any] = {}


def set_for_all_commands(flags: Mapping[str, Any]) -> None:
    """Flags that stand before the command's name."""
    _for_all_commands.clear()
    _for_all_commands.update(flags)


def read_settings(
    config: Path | None, *folders: Path, verbose: bool = False, flags: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of this call; `folders` are where a `bookwise.toml` is looked for before the current one."""
    logging.basicConfig(level=logging.DEBUG if verbose else logging.WARNING, format="%(levelname)s %(message)s")
    if config and not config.is_file():
        raise UsageError(f"--config {config}: no such file")
    return load_settings(_for_all_commands | dict(flags or {}), config=config or find_config(*folders, Path()))


def read_book(
    docs: Path | None, config: Path | None, *, verbose: bool = False, flags: Mapping[str, Any] | None = None
) -> tuple[Settings, Path]:
    """Settings and docs root: the folder given, or what the `bookwise.toml` in or above it calls `docs`."""
    folders = (docs, docs.parent) if docs else ()
    settings = read_settings(config, *folders, verbose=verbose, flags=flags)
    if docs is None:
        return settings, (config.parent if config else Path()) / settings.book.docs
    inner = docs / settings.book.docs
    return settings, inner if find_config(docs) and inner.is_dir() else docs


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on a terminal; elsewhere, in a dumb terminal and with NO_COLOR a line every ten seconds."""
    started = time.monotonic()
    if has_bar(sys.stderr.isatty(), os.environ):
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        with Bar(BarColumn(20), TextColumn("{task.description}"), console=console, transient=True) as bar:
            task = bar.add_task("indexing", total=None)
            yield lambda done, total, report: bar.update(
                task,
                completed=done,
                total=total,
                description=progress_text(done, total, report, time.monotonic() - started),
            )
    else:
        last = started

        def show(done: int, total: int, report: IngestReport) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= SECONDS_BETWEEN_LINES:
                last = now
                typer.echo(progress_text(done, total, report, now - started), err=True)

        yield show


def show(view: View, document: dict[str, Any], *, as_json: bool) -> None:
    """Print a result, as one JSON document or for people."""
    if as_json:
        print_json(document)
        return
    for part in view:
        if isinstance(part, str):
            typer.echo(part)
        elif part.rows:
            _print_table(part)


def write(text: str) -> None:
    """Print a piece of a result at once, the line going on after it."""
    typer.echo(text, nl=False)
    sys.stdout.flush()


def print_json(document: dict[str, Any]) -> None:
    """Print the one document of a `--json` call."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def _print_table(table: Table) -> None:
    """With lines on a terminal; in a pipe one row a line, nothing cut off."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in table.rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table as Grid
        from rich.text import Text

        console = Console()
        console.print(table.title, style="bold")
        grid = Grid(*table.columns, box=None)
        for row in rows:
            grid.add_row(*map(Text, row))
        console.print(grid)
        return
    typer.echo(f"{table.title}:")
    widths = [max(map(len, column)) for column in zip(table.columns, *rows, strict=True)]
    for row in (list(table.columns), *rows):
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    typer.echo()
