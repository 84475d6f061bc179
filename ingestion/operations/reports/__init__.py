"""Reports for other tools: Markdown, JSON, JUnit XML, SARIF and GitHub's job pages, chosen by file ending."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ingestion.errors import OutputError, UsageError
from ingestion.operations.reports.github import annotation_lines, write_job_page
from ingestion.operations.reports.markdown import check_markdown, run_markdown
from ingestion.operations.reports.sarif import sarif_log
from ingestion.report import IngestReport
from ingestion.source.linter import CheckReport

GITHUB = "github"
"""The target that stands for GitHub's job pages."""

AnyReport = IngestReport | CheckReport


def _markdown(report: AnyReport) -> str:
    return run_markdown(report) if isinstance(report, IngestReport) else check_markdown(report, report.files)


def _junit(report: AnyReport) -> str:
    # Imported late: Python's helpers for XML bring an HTTP client.
    from ingestion.operations.reports.junit import junit_xml

    if isinstance(report, IngestReport):
        return junit_xml(report, report.changes, report.seconds)
    return junit_xml(report, {}, 0.0)


def _json(document: Mapping[str, object]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


WRITERS: Mapping[str, Callable[[AnyReport], str]] = {
    ".md": _markdown,
    ".json": lambda report: _json(report.as_json()),
    ".xml": _junit,
    ".sarif": lambda report: _json(sarif_log(report)),
}


def check_targets(targets: Sequence[str]) -> None:
    """Raise UsageError for a target that no report can be written to, before any work is done."""
    for target in targets:
        if target != GITHUB and Path(target).suffix.lower() not in WRITERS:
            raise UsageError(f"--report {target}: use a name that ends in {', '.join(WRITERS)}, or `{GITHUB}`")


def write_reports(targets: Sequence[str], report: AnyReport, environ: Mapping[str, str]) -> list[str]:
    """Write the report to each target; returns GitHub's annotations to print, where `github` is among them.

    Folders are made. Raises OutputError where a file cannot be written.
    """
    lines: list[str] = []
    for target in targets:
        try:
            if target == GITHUB:
                lines = annotation_lines(report)
                write_job_page(report, _markdown(report), environ)
            else:
                write_text(Path(target), WRITERS[Path(target).suffix.lower()](report))
        except OSError as error:
            raise OutputError(f"cannot write the report {target}: {error.strerror or error}") from error
    return lines


def write_text(path: Path, text: str) -> None:
    """Write a report, and make its folder; raises OutputError where that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"cannot write the report {path}: {error.strerror or error}") from error
