"""A report as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from ingestion.operations.reports.problems import Problem, Reportable, problems_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(report: Reportable) -> dict[str, Any]:
    """Return one run with a result per problem; paths are relative to the current folder."""
    problems = problems_of(report)
    rules = sorted({problem.rule for problem in problems})
    driver = {"name": "bookwise", "version": version("bookwise"), "rules": [{"id": rule} for rule in rules]}
    results = [_result(problem, rules.index(problem.rule)) for problem in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    location = {
        "artifactLocation": {"uri": quote(problem.path), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": problem.line or 1},
    }
    return {
        "ruleId": problem.rule,
        "ruleIndex": rule,
        "level": problem.level,
        "message": {"text": problem.message},
        "locations": [{"physicalLocation": location}],
    }
