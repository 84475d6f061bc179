"""Problems of lessons, the same in every report: one list with file, line, rule and message."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import normpath
from typing import Any, Literal, NamedTuple, Protocol

from ingestion.errors import LessonError
from ingestion.source.findings import Finding

FAILED = "failed-lesson"
"""The rule of a lesson that could not be indexed at all."""


class Reportable(Protocol):
    """What a run and a check have in common."""

    @property
    def root(self) -> str:
        """The folder that paths are relative to."""

    @property
    def failures(self) -> Sequence[LessonError]:
        """Lessons that could not be indexed."""

    @property
    def findings(self) -> Sequence[Finding]:
        """Mistakes of authors."""

    def as_json(self) -> dict[str, Any]:
        """Return the whole report as one JSON document."""


class Problem(NamedTuple):
    """One problem; `path` is relative to the current folder, `line` counts from 1, None for the whole file."""

    level: Literal["error", "warning"]
    path: str
    line: int | None
    rule: str
    message: str


def problems_of(report: Reportable) -> list[Problem]:
    """Return the failed lessons, then the mistakes, each in the order of the report."""
    failed = [
        Problem("error", place_of(report.root, error.path), error.line, FAILED, error.reason)
        for error in report.failures
    ]
    return failed + [
        Problem("warning", place_of(report.root, finding.path), finding.line, finding.rule, finding.message)
        for finding in report.findings
    ]


def place_of(root: str, path: str) -> str:
    """Return a lesson's path from the current folder, as terminals and editors open it."""
    place = path if root in ("", ".") else f"{root.rstrip('/')}/{path}"
    return normpath(place) if path.startswith("../") else place
