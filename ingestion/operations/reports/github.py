"""GitHub's job pages: annotations of lines, the job's summary, and the outputs of a step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ingestion.operations.reports.problems import Problem, Reportable, problems_of


def annotation_lines(report: Reportable) -> list[str]:
    """Return workflow commands that mark the problems in the lines of a pull request."""
    return [_annotation(problem) for problem in problems_of(report)]


def write_job_page(report: Reportable, markdown: str, environ: Mapping[str, str]) -> None:
    """Append to the job's summary and set the step's output `result`, the report as one line of JSON.

    `environ` names both files, as a runner does; what it does not name is not written. Raises OSError.
    """
    if summary := environ.get("GITHUB_STEP_SUMMARY"):
        _append(summary, markdown)
    if outputs := environ.get("GITHUB_OUTPUT"):
        _append(outputs, f"result={json.dumps(report.as_json())}\n")


def _append(path: str, text: str) -> None:
    with Path(path).open("a", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _annotation(problem: Problem) -> str:
    place = problem.path.replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    place = place.replace("\r", "%0D").replace("\n", "%0A")
    message = problem.message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return f"::{problem.level} file={place},line={problem.line or 1},title={problem.rule}::{message}"
