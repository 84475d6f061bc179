"""`bookwise check`: lint the lessons."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ingestion.commands.configuration import read_book
from ingestion.commands.options import Config, Json, Strict
from ingestion.commands.reporting import Reports, check_reports, write_reports
from ingestion.commands.terminal import show
from ingestion.errors import ExitCode, UsageError
from ingestion.source.crawler import SUFFIXES

if TYPE_CHECKING:
    from ingestion.output import View
    from ingestion.settings import Settings
    from ingestion.source.fixes import Fix
    from ingestion.source.linter import CheckReport

CheckFormat = Annotated[
    Literal["text", "json", "github"],
    typer.Option(
        "--format", case_sensitive=False, help="How to print the problems; `github` annotates a pull request."
    ),
]


Paths = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PATH]...", help="Folder of the lessons or the book, or single lessons to report on."),
]


def check(
    paths: Paths = None,
    output: CheckFormat = "text",
    strict: Strict = False,
    config: Config = None,
    reports: Reports = None,
    as_json: Json = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="First fix misspelt metadata keys and mixed line endings; nothing else.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also list text excluded from search.")] = False,
    site: Annotated[
        Path | None,
        typer.Option(
            "--site", metavar="DIR", help="Also compare the lessons and the index with the built site in this folder."
        ),
    ] = None,
) -> None:
    """Lint the lessons: each problem with file, line, rule and fix.

    Needs no index. With --site, compares every URL, anchor and word with the built site. Exits with code 3 if a
    lesson cannot be indexed (with --strict, on warnings too), 5 if there are no lessons, and 0 otherwise.
    """
    from ingestion.source.linter import check_book

    check_reports(reports)
    folder, files = _folder_and_files(paths or [])
    settings, root = read_book(folder, config)
    chosen = {_below(root, file) for file in files}
    fixed = _fixed(root, settings, chosen) if fix else ()
    report = replace(check_book(root, settings, dropped=verbose), fixed=fixed)
    if site:
        report = _with_site(report, site, root, settings)
    if files:
        report = report.only(chosen)
    show(_view(report, output), report.as_json(), as_json=as_json or output == "json")
    write_reports(reports, report)
    if report.failures or (strict and report.mistakes):
        raise typer.Exit(ExitCode.LESSONS_FAILED)


def _fixed(root: Path, settings: Settings, chosen: set[str]) -> tuple[Fix, ...]:
    # Imported late, as below: few checks change files, and few are GitHub's.
    from ingestion.source.fixes import fix_book

    return tuple(fix_book(root, settings, chosen))


def _with_site(report: CheckReport, site: Path, root: Path, settings: Settings) -> CheckReport:
    """Compare the lessons, and the index if there is one, with a built site."""
    from ingestion.books import book_to_read
    from ingestion.factory import generations_of
    from ingestion.operations.site_check import stored_pages, with_site

    if (store := generations_of(settings).open_active()) is None:
        return with_site(report, site, root, settings)
    with closing(store):
        stored = stored_pages(store, book_to_read(settings, store))
    return with_site(report, site, root, settings, stored)


def _view(report: CheckReport, output: str) -> View:
    if output == "github":
        from ingestion.operations.reports.github import annotation_lines

        return annotation_lines(report)
    from ingestion.commands.views import check_view

    return check_view(report)


def _folder_and_files(paths: list[Path]) -> tuple[Path | None, list[Path]]:
    """Return one folder, or lessons as pre-commit and editors give them."""
    if len(paths) == 1 and not paths[0].is_file() and (paths[0].is_dir() or paths[0].suffix.lower() not in SUFFIXES):
        return paths[0], []
    if folders := [path for path in paths if not path.is_file()]:
        raise UsageError(f"{folders[0]}: give one folder, or existing files")
    return None, paths


def _below(root: Path, file: Path) -> str:
    return Path(os.path.relpath(file.resolve(), root.resolve())).as_posix()
