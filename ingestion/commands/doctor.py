"""`bookwise doctor`: look at settings, services and the index, and name what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from ingestion.commands.configuration import read_loaded
from ingestion.commands.options import Config, Json, Verbose
from ingestion.commands.terminal import show
from ingestion.errors import ConfigurationError, ExitCode
from ingestion.output import Cell, Part, Table

if TYPE_CHECKING:
    from ingestion.operations.doctor.report import Report


def doctor(config: Config = None, as_json: Json = False, verbose: Verbose = False) -> None:
    """Check settings, services and the index, with next steps.

    Shows where each setting comes from, which services receive your text and whether they respond, and whether model,
    index and state file match. Changes nothing and shows no secrets. Exits with code 12 if there is a problem.
    """
    from ingestion.operations.doctor import diagnose, misconfigured

    try:
        report = diagnose(read_loaded(config, None, verbose=verbose))
    except ConfigurationError as error:
        report = misconfigured(error)
    show(list(_view(report, verbose=verbose)), report.as_json(), as_json=as_json)
    if report.problems:
        raise typer.Exit(ExitCode.NOT_IN_STEP)


def _view(report: Report, *, verbose: bool) -> Iterator[Part]:
    rows: list[tuple[Cell, ...]] = [
        (row.name, _text(row.value), row.source) for row in report.settings if verbose or not row.is_default
    ]
    yield Table("Settings", ("setting", "value", "source"), rows)
    if not verbose:
        yield f"All {'other ' if rows else ''}settings have their defaults; -v shows them."
    yield f"Versions: {', '.join(f'{name} {version}' for name, version in report.versions)}"
    for check in report.checks:
        yield f"{check.level:<8} {check.subject}: {check.message}"
        if check.next_step:
            yield f"         next: {check.next_step}"
    yield f"{report.problems} problems" if report.problems != 1 else "1 problem"


def _text(value: object) -> str:
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
