"""`--report`: write the report of a run or a check for other tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.terminal import note

if TYPE_CHECKING:
    from ingestion.operations.reports import AnyReport

Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Also write a report, by file extension: md, json, xml (JUnit) or sarif. `github` writes annotations, "
        "the job's summary and the step's output `result`. May be repeated.",
    ),
]


def check_reports(targets: list[str] | None) -> None:
    """Raise UsageError for a target that no report can be written to, before any work is done."""
    if targets:
        from ingestion.operations.reports import check_targets

        check_targets(targets)


def write_reports(targets: list[str] | None, report: AnyReport) -> None:
    """Write the report to each target; GitHub's annotations go to stderr. Raises OutputError."""
    if targets:
        from ingestion.operations.reports import write_reports as write

        for line in write(targets, report, os.environ):
            note(line)
