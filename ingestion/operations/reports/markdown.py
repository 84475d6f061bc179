"""A report as Markdown for a job's summary or a comment: what changed, what it costs, what failed, what is covered.

Paths and messages come from lessons, which may be a stranger's: they are shown as code, so that they neither mention
a person, nor load a picture, nor change the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ingestion.operations.reports.problems import Problem, Reportable, problems_of
from ingestion.output import counted
from ingestion.report import IngestReport

MOST_ROWS = 50
"""Longer tables end in a count: a comment holds 65,536 characters."""


def code(text: str) -> str:
    """Return text of a lesson as an inline code span that nothing in it can end."""
    line = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text).replace("|", "\\|")
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") or not line.strip() else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def run_markdown(report: IngestReport) -> str:
    """Return what a run did, or with `dry_run` would do."""
    parts = [
        f"### bookwise: {code(report.book_id)}",
        _sentence(report),
        *_problems(report),
        *_details(f"{len(report.changes)} lessons", _changes(report)),
        *_details(f"{report.total_chunks} chunks by module and hardware tier", _coverage(report.coverage)),
        *_details(f"{report.seconds:.1f} seconds by stage", _table(("stage", "seconds"), _times(report.stages))),
        *_details(
            f"{len(report.skipped)} files skipped",
            _table(("file", "reason"), [(code(skipped.path), skipped.reason) for skipped in report.skipped]),
        ),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def check_markdown(report: Reportable, files: int) -> str:
    """Return what a check found in that many pages."""
    found = len(report.failures) + len(report.findings)
    head = f"{files} pages checked: {counted(found, 'problem') if found else 'no problems'} found."
    return "\n\n".join(["### bookwise check", head, *_problems(report)]) + "\n"


def _sentence(report: IngestReport) -> str:
    files = ", ".join(f"{count} {change}" for change, count in sorted(report.files.items()) if count) or "no lessons"
    if report.failures:
        files += f", **{len(report.failures)} failed**"
    if not report.pending:
        return f"{files}. Nothing to do; {counted(report.total_chunks, 'chunk')} in the index."
    chunks = report.chunks
    verb = "to embed" if report.dry_run else "embedded"
    price = "price unknown" if report.cost is None else f"${report.cost:.4f}"
    return (
        f"{files}. Chunks: **{chunks.embedded} {verb}** ({chunks.tokens} tokens, {price}), {chunks.reused} reused, "
        f"{chunks.patched} patched, {chunks.kept} kept, {chunks.deleted} deleted."
    )


def _problems(report: Reportable) -> list[str]:
    problems = problems_of(report)
    rows = [(problem.level, code(_place(problem)), problem.rule, code(problem.message)) for problem in problems]
    table = _table(("", "place", "rule", "message"), rows)
    return [f"**{counted(len(problems), 'problem')}**", table] if problems else []


def _place(problem: Problem) -> str:
    return f"{problem.path}:{problem.line}" if problem.line else problem.path


def _changes(report: IngestReport) -> str:
    rows = [
        (change, code(path), f"from {code(report.moved_from[path])}" if path in report.moved_from else "")
        for path, change in sorted(report.changes.items(), key=lambda item: (item[1], item[0]))
    ]
    return _table(("change", "lesson", ""), rows)


def _coverage(coverage: Mapping[tuple[str, int], int]) -> str:
    """Return chunks per module and hardware tier."""
    tiers = sorted({tier for _, tier in coverage})
    modules = sorted({module for module, _ in coverage})
    rows = [(code(module), *(str(coverage.get((module, tier), "")) for tier in tiers)) for module in modules]
    return _table(("module", *(f"tier {tier}" for tier in tiers)), rows)


def _times(stages: Mapping[str, float]) -> list[tuple[str, str]]:
    return [(stage, f"{seconds:.2f}") for stage, seconds in stages.items()]


def _details(summary: str, body: str) -> list[str]:
    return [f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"] if body else []


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rows = list(rows)
    if not rows:
        return ""
    lines = [columns, ["---"] * len(columns), *rows[:MOST_ROWS]]
    text = "\n".join(f"| {' | '.join(row)} |" for row in lines)
    more = len(rows) - MOST_ROWS
    return f"{text}\n\n… and {more} more" if more > 0 else text
