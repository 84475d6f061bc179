"""`bookwise check`: lint the lessons."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ingestion.commands.configuration import read_book
from ingestion.commands.options import Config, Docs, Json, Strict
from ingestion.commands.reporting import Reports, check_reports, write_reports
from ingestion.commands.terminal import show
from ingestion.errors import ExitCode

CheckFormat = Annotated[
    Literal["text", "json", "github"],
    typer.Option(
        "--format", case_sensitive=False, help="How to print the problems; `github` annotates a pull request."
    ),
]


def check(
    docs: Docs = None,
    output: CheckFormat = "text",
    strict: Strict = False,
    config: Config = None,
    reports: Reports = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List text left out of search too.")] = False,
) -> None:
    """Lint the lessons: each problem with file, line, rule and fix.

    Needs no index.
    """
    from ingestion.commands.views import check_view
    from ingestion.operations.reports.github import annotation_lines
    from ingestion.source.linter import check_book

    check_reports(reports)
    settings, root = read_book(docs, config)
    report = check_book(root, settings, dropped=verbose)
    view = annotation_lines(report) if output == "github" else check_view(report)
    show(view, report.as_json(), as_json=as_json or output == "json")
    write_reports(reports, report)
    if report.failures or (strict and report.mistakes):
        raise typer.Exit(ExitCode.LESSONS_FAILED)
