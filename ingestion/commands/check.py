"""`bookwise check`: lint the lessons."""

from __future__ import annotations

from typing import Annotated

import typer

from ingestion.commands.options import Docs, Strict
from ingestion.commands.reporting import Reports, check_reports, write_reports
from ingestion.commands.terminal import Config, Json, read_book, show
from ingestion.errors import ExitCode, UsageError

CHECK_FORMATS = ("text", "json", "github")


def check(
    docs: Docs = None,
    output: Annotated[str, typer.Option("--format", help="text, json or github (annotations).")] = "text",
    strict: Strict = False,
    config: Config = None,
    reports: Reports = None,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List text left out of search too.")] = False,
) -> None:
    """Check the lessons for mistakes: file, line, rule, what to do. Needs no index."""
    from ingestion.commands.views import check_view
    from ingestion.operations.reports.github import annotation_lines
    from ingestion.source.linter import check_book

    if output not in CHECK_FORMATS:
        raise UsageError(f"--format {output}: is none of {', '.join(CHECK_FORMATS)}")
    check_reports(reports)
    settings, root = read_book(docs, config)
    report = check_book(root, settings, dropped=verbose)
    view = annotation_lines(report) if output == "github" else check_view(report)
    show(view, report.as_json(), as_json=as_json or output == "json")
    write_reports(reports, report)
    if report.failures or (strict and report.mistakes):
        raise typer.Exit(ExitCode.LESSONS_FAILED)
