"""A report as JUnit XML, which CI systems show as tests: one test per lesson that changed or has a problem."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from ingestion.operations.reports.problems import Problem, Reportable, problems_of
from ingestion.output import visible

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def junit_xml(report: Reportable, changes: Mapping[str, str], seconds: float) -> str:
    """Return one test suite; failed lessons are errors, mistakes of authors are failures.

    `changes` has what became of each lesson that was looked at, by path; they pass unless they have a problem.
    """
    problems: dict[str, list[Problem]] = {}
    for problem in problems_of(report):
        problems.setdefault(problem.path, []).append(problem)
    place = "" if report.root in ("", ".") else f"{report.root.rstrip('/')}/"
    passed: dict[str, list[Problem]] = {f"{place}{path}": [] for path in changes} if changes else {}
    cases = sorted((passed | problems).items())
    levels = Counter(problem.level for _, found in cases for problem in found)
    errors, failures = levels["error"], levels["warning"]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites><testsuite name="bookwise" tests="{len(cases)}" errors="{errors}" failures="{failures}"'
        f' skipped="0" time="{seconds:.3f}">',
        *(line for path, found in cases for line in _case(path, found)),
        "</testsuite></testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(path: str, problems: list[Problem]) -> list[str]:
    name = quoteattr(_printable(path))
    opening = f"<testcase classname={quoteattr('lessons')} name={name} file={name}"
    if not problems:
        return [f"{opening}/>"]
    inner = [_element(problem) for problem in problems]
    return [f"{opening}>", *inner, "</testcase>"]


def _element(problem: Problem) -> str:
    tag = "error" if problem.level == "error" else "failure"
    place = f"{problem.path}:{problem.line}" if problem.line else problem.path
    kind, message = quoteattr(problem.rule), quoteattr(_printable(problem.message))
    return f"<{tag} type={kind} message={message}>{escape(_printable(f'{place}: {problem.message}'))}</{tag}>"


def _printable(text: str) -> str:
    """Replace characters that XML has no way to write: they become a replacement character."""
    return visible(_NOT_XML.sub("\ufffd", text))
