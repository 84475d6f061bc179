"""Reports for other tools: what each format promises, also for lessons that a stranger wrote."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import LessonError, OutputError, UsageError
from ingestion.operations.reports import check_targets, write_reports
from ingestion.operations.reports.github import annotation_lines
from ingestion.operations.reports.junit import junit_xml
from ingestion.operations.reports.markdown import MOST_ROWS, code, run_markdown
from ingestion.operations.reports.sarif import sarif_log
from ingestion.report import ChunkCounts, IngestReport
from ingestion.source.findings import Finding
from ingestion.source.linter import CheckReport

HOSTILE = "a|b`c`` @team <img src=x onerror=1>\n::error::x\x1b[31m"


def a_run(**changes: object) -> IngestReport:
    values: dict[str, object] = {
        "book_id": "robots",
        "mode": "incremental",
        "root": "docs",
        "files": Counter(new=1, modified=1, unchanged=3),
        "changes": {"a.md": "new", "b.md": "modified"},
        "chunks": ChunkCounts(kept=4, embedded=3, reused=1, tokens=1000),
        "price": 0.02,
        "total_chunks": 20,
        "seconds": 2.5,
        "stages": {"plan": 0.25, "embed": 1.5, "write": 0.75},
        "coverage": {("ros2", 1): 12, ("isaac", 4): 8},
    }
    return IngestReport(**values | changes)  # type: ignore[arg-type]


def with_problems(text: str = "has no title") -> IngestReport:
    return a_run(
        failures=[LessonError("c.md", text, 7)],
        findings=[Finding("b.md", None, "missing-title", text)],
        changes={"a.md": "new", text: "new"},
    )


def test_markdown_says_what_changed_what_it_cost_and_what_is_covered() -> None:
    text = run_markdown(a_run())
    assert "1 modified, 1 new, 3 unchanged" in text
    assert "**3 embedded** (1000 tokens, $0.0000), 1 reused" in text
    assert "| new | `a.md` |" in text and "| `isaac` |  | 8 |" in text
    assert "4 kept" in text and "mermaid" not in text
    assert "2.5 seconds by stage" in text and "| embed | 1.50 |" in text


def test_a_plan_says_that_nothing_was_embedded_yet() -> None:
    assert "**3 to embed** (1000 tokens, price unknown)" in run_markdown(a_run(dry_run=True, price=None))


def test_a_run_with_nothing_to_do_is_one_sentence() -> None:
    text = run_markdown(a_run(changes={}, files=Counter(unchanged=5), chunks=ChunkCounts(), coverage={}, stages={}))
    assert text.splitlines()[2:] == ["5 unchanged. Nothing to do; 20 chunks in the index."]


def test_failed_lessons_stand_in_markdown_with_file_and_line() -> None:
    text = run_markdown(with_problems())
    assert "**1 failed**" in text
    assert "| error | `docs/c.md:7` | failed-lesson | `has no title` |" in text


@given(st.text())
def test_nothing_of_a_lesson_ends_its_code_span(text: str) -> None:
    span = code(text)
    ticks = re.match(r"`+", span)
    assert ticks and span.endswith(ticks[0]) and "\n" not in span
    inner = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall(r"`+", inner) and not re.search(r"(?<!\\)\|", inner)


def test_markdown_of_a_hostile_lesson_calls_nobody_and_loads_nothing() -> None:
    text = run_markdown(with_problems(HOSTILE))
    outside = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "@team" not in outside and "<img" not in outside and "\x1b" not in text


def test_a_long_table_ends_in_a_count() -> None:
    text = run_markdown(a_run(changes={f"{number:03}.md": "new" for number in range(MOST_ROWS + 5)}))
    assert "… and 5 more" in text and f"`{MOST_ROWS:03}.md`" not in text


def test_junit_has_a_test_for_each_lesson_that_changed_or_has_a_problem() -> None:
    suite = ElementTree.fromstring(junit_xml(with_problems(), {"a.md": "new"}, 1.5))[0]
    assert {case.get("file"): [child.tag for child in case] for case in suite} == {
        "docs/a.md": [],
        "docs/b.md": ["failure"],
        "docs/c.md": ["error"],
    }
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("3", "1", "1")


@given(st.text())
def test_junit_is_xml_whatever_a_lesson_holds(text: str) -> None:
    ElementTree.fromstring(junit_xml(with_problems(text), {text: "new"}, 0.0))


def test_sarif_names_rule_level_and_place_of_each_problem() -> None:
    [run] = sarif_log(with_problems())["runs"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("failed-lesson", "error"),
        ("missing-title", "warning"),
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/c.md" and place["region"] == {"startLine": 7}
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_an_annotation_of_a_hostile_lesson_stays_one_command() -> None:
    lines = annotation_lines(with_problems(HOSTILE))
    assert len(lines) == 2 and all("\n" not in line for line in lines)
    assert lines[0].startswith("::error file=docs/c.md,line=7,title=failed-lesson::")


def test_each_ending_writes_its_format_and_folders_are_made(tmp_path: Path) -> None:
    targets = [str(tmp_path / "new" / f"report.{ending}") for ending in ("md", "json", "xml", "sarif")]
    assert write_reports(targets, a_run(), {}) == []
    md, document, xml, sarif = (Path(target).read_text(encoding="utf-8") for target in targets)
    assert md.startswith("### bookwise") and json.loads(document)["coverage"][1] == {
        "module": "ros2",
        "hardware_tier": 1,
        "chunks": 12,
    }
    assert xml.startswith("<?xml") and json.loads(sarif)["version"] == "2.1.0"


def test_github_gets_annotations_summary_and_the_result_of_the_step(tmp_path: Path) -> None:
    environ = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output")}
    lines = write_reports(["github"], with_problems(), environ)
    assert len(lines) == 2 and lines[0].startswith("::error ")
    assert (tmp_path / "summary").read_text(encoding="utf-8").startswith("### bookwise")
    name, _, value = (tmp_path / "output").read_text(encoding="utf-8").partition("=")
    assert name == "result" and json.loads(value)["book_id"] == "robots"


def test_a_check_is_reported_in_the_same_formats(tmp_path: Path) -> None:
    report = CheckReport("docs", 9, (Finding("b.md", 3, "missing-title", "no title"),), ())
    write_reports([str(tmp_path / "check.md"), str(tmp_path / "check.xml")], report, {})
    assert "9 pages checked: 1 problem found." in (tmp_path / "check.md").read_text(encoding="utf-8")
    assert 'failures="1"' in (tmp_path / "check.xml").read_text(encoding="utf-8")


def test_an_unknown_ending_is_refused_before_any_work() -> None:
    with pytest.raises(UsageError, match=r"report\.txt: use a name that ends in"):
        check_targets(["report.txt"])


def test_a_report_that_cannot_be_written_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write the report"):
        write_reports([str(tmp_path / "file" / "report.md")], a_run(), {})
