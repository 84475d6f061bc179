"""`bookwise check`: every rule on the smallest page that breaks it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ingestion.commands.views import check_view
from ingestion.errors import ConfigurationError, SourceError
from ingestion.operations.reports.github import annotation_lines
from ingestion.settings.loader import load_settings
from ingestion.source.linter import CheckReport, check_book
from ingestion.source.rules import RULES
from scripts.docs.book_pages import CHECK_REPORT
from tests.support.books import write_book
from tests.support.paths import ROOT

PLACE = "module-1-ros2/chapter-1-basics"
TEXT = "A page says something that is long enough to be worth the reading, in more words than a stub has.\n"
GOOD = f"---\ntitle: Good\n---\n# Good\n\n{TEXT}"


def check(root: Path, pages: dict[str, str], *, dropped: bool = False, **flags: object) -> CheckReport:
    write_book(root, pages)
    return check_book(root, load_settings(flags, environ={}), dropped=dropped)


def found(report: CheckReport) -> list[tuple[str, int | None, str]]:
    return [(each.path, each.line, each.rule) for each in report.findings]


def test_a_book_without_mistakes_has_no_findings(tmp_path: Path) -> None:
    report = check(tmp_path, {f"{PLACE}/01-a.md": GOOD, f"{PLACE}/02-b.md": f"# B\n\n{TEXT}"})
    assert (report.findings, report.failures, report.files) == ((), (), 2)


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        (f"---\ntitle: A\ntitle: B\n---\n# A\n\n{TEXT}", 3, "front-matter-duplicate-key"),
        (f"---\n- one\n---\n# A\n\n{TEXT}", 1, "front-matter-mapping"),
        (f"---\ntitle: A\nhardware_teir: 2\n---\n# A\n\n{TEXT}", 3, "unknown-key"),
        (f"---\ntitle: A\nhardware_tier: 7\n---\n# A\n\n{TEXT}", 3, "audience-value"),
        (f"---\ntitle: A\nchapter: 4\n---\n# A\n\n{TEXT}", 3, "path-conflict"),
        (f"---\ntitle: A\nlesson: many\n---\n# A\n\n{TEXT}", 3, "lesson-value"),
        (f"# A\n\n{TEXT}\n```python\nnever closed\n", 5, "unclosed-fence"),
        (f"# A\n\n{TEXT}\n:::note\n{TEXT}", 5, "unclosed-directive"),
        (f"# A\n\n{TEXT}\n<!-- never closed\n", 5, "unclosed-comment"),
        (f"# A\n\n{TEXT}\n```md\n```python\nx\n```\n", 6, "nested-fence"),
        (f"{TEXT}", None, "missing-title"),
        ("", None, "empty-page"),
        ("# A\n\nComing soon.\n", None, "stub-page"),
    ],
)
def test_each_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int | None, rule: str) -> None:
    path = f"{PLACE}/01-a.md"
    assert (path, line, rule) in found(check(tmp_path, {path: text}))


def test_a_number_outside_the_bounds_is_kept_and_reported(tmp_path: Path) -> None:
    path = "module-1-ros2/chapter-42-late/17-a.md"
    assert [rule for _, _, rule in found(check(tmp_path, {path: GOOD}))] == ["chapter-range", "lesson-range"]


def test_two_pages_that_claim_one_lesson_are_reported_but_not_its_summary(tmp_path: Path) -> None:
    pages = {f"{PLACE}/01-a.md": GOOD, f"{PLACE}/01-b.md": GOOD, f"{PLACE}/01-a.summary.md": GOOD}
    report = check(tmp_path, pages)
    assert found(report) == [(f"{PLACE}/01-b.md", None, "same-lesson")]
    assert f"as {PLACE}/01-a.md does" in report.findings[0].message


def test_pages_of_one_lessons_folder_are_no_clash(tmp_path: Path) -> None:
    folder = "2-farm/lessons/3-water"
    assert found(check(tmp_path, {f"{folder}/README.md": GOOD, f"{folder}/assignment.md": GOOD})) == []


def test_a_missing_tier_is_reported_only_in_a_book_that_declares_tiers(tmp_path: Path) -> None:
    tiered = GOOD.replace("title: Good", "title: Good\nhardware_tier: 2")
    report = check(tmp_path, {f"{PLACE}/01-a.md": tiered, f"{PLACE}/02-b.md": GOOD})
    assert found(report) == [(f"{PLACE}/02-b.md", None, "missing-hardware-tier")]


def test_a_missing_tier_is_no_finding_where_few_lessons_declare_one(tmp_path: Path) -> None:
    tiered = GOOD.replace("title: Good", "title: Good\nhardware_tier: 2")
    pages = {f"{PLACE}/0{number}-a.md": GOOD for number in range(2, 5)}
    assert found(check(tmp_path, {f"{PLACE}/01-a.md": tiered, **pages})) == []


def test_parts_of_one_lesson_and_numbers_in_names_are_no_clash(tmp_path: Path) -> None:
    folder = "2-farm/lessons/6-keys"
    pages = {f"{PLACE}/05-a.md": GOOD, f"{PLACE}/05-a.notes.md": GOOD}
    pages |= {f"{folder}/wio-x509.md": GOOD, f"{folder}/pi-x509.md": GOOD}
    assert found(check(tmp_path, pages)) == []


def test_a_fence_that_shows_an_opening_line_is_no_finding(tmp_path: Path) -> None:
    shown = f"# A\n\n{TEXT}\n```text\n```python\n```\n\n{TEXT}\n~~~\n```js\n~~~\n\n```py\n    ```sh\n    ```\n```\n"
    assert found(check(tmp_path, {f"{PLACE}/01-a.md": shown})) == []


def test_an_unknown_rule_is_an_error_that_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"'missing-titel': did you mean 'missing-title'\? .*broken-link"):
        check(tmp_path, {f"{PLACE}/01-a.md": GOOD}, **{"check.disable": ["missing-titel"]})


def test_a_folder_without_lessons_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no lessons \(\.md, \.mdx or \.markdown\)"):
        check_book(tmp_path, load_settings({}, environ={}))


def test_a_folder_that_cannot_be_listed_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(tmp_path, {f"{PLACE}/01-a.md": GOOD, "closed/01-b.md": GOOD})
    real = os.scandir

    def scandir(folder: Path) -> object:
        if Path(folder).name == "closed":
            raise PermissionError(13, "Permission denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    report = check_book(tmp_path, load_settings({}, environ={}))
    assert [(each.path, each.reason) for each in report.failures] == [
        ("closed/", "cannot be listed: Permission denied")
    ]


def test_what_is_skipped_by_rule_is_one_line(tmp_path: Path) -> None:
    pages = {f"{PLACE}/01-a.md": GOOD, "node_modules/x.md": GOOD, "_a.md": GOOD, "_b.md": GOOD}
    lines = [str(line) for line in check_view(check(tmp_path, pages))]
    assert lines[0] == "skipped 3: 2 built-in rule `_*`, 1 built-in rule `node_modules/`; `bookwise crawl` lists them"


def test_every_rule_that_the_code_names_is_in_the_list_of_rules() -> None:
    code = "".join(
        file.read_text() for folder in ("source", "markdown") for file in (ROOT / "ingestion" / folder).glob("*.py")
    )
    named = set(
        re.findall(
            r'"((?:front-matter|missing|unclosed|unknown|broken|nested|path|same|stub|empty|audience)-[a-z-]+)"', code
        )
    )
    assert named <= set(RULES)


def test_problems_are_grouped_by_file(tmp_path: Path) -> None:
    pages = {f"{PLACE}/01-a.md": f"{TEXT}[x](gone.md)\n", f"{PLACE}/02-b.md": TEXT}
    lines = [str(line) for line in check_view(check(tmp_path, pages))]
    assert [line.split("/")[-1].partition(":")[0].split()[0] if line else "" for line in lines[:4]] == [
        "01-a.md",
        "01-a.md",
        "",
        "02-b.md",
    ]


def test_paths_that_differ_only_in_case_are_reported(tmp_path: Path) -> None:
    report = check(tmp_path, {f"{PLACE}/readme.md": GOOD, f"{PLACE}/README.md": GOOD})
    assert "path-clash" in [rule for _, _, rule in found(report)]


def test_an_unreadable_page_is_a_failure_and_the_others_are_checked(tmp_path: Path) -> None:
    write_book(tmp_path, {f"{PLACE}/02-b.md": TEXT})
    (tmp_path / PLACE / "01-a.md").write_bytes(b"# A\n\xff")
    report = check_book(tmp_path, load_settings({}, environ={}))
    assert [(each.path, each.line) for each in report.failures] == [(f"{PLACE}/01-a.md", 2)]
    assert [rule for _, _, rule in found(report)] == ["missing-title"]


def test_what_is_left_out_of_search_is_listed_on_request_only(tmp_path: Path) -> None:
    page = {f"{PLACE}/01-a.mdx": f"import Tabs from '@theme/Tabs'\n\n# A\n\n{TEXT}\n<!-- note to self -->\n"}
    assert found(check(tmp_path, page)) == []
    report = check(tmp_path, page, dropped=True)
    assert {(line, rule) for _, line, rule in found(report)} == {(1, "dropped-import"), (7, "dropped-comment")}
    assert report.mistakes == 0


def test_rules_can_be_turned_off(tmp_path: Path) -> None:
    assert found(check(tmp_path, {f"{PLACE}/01-a.md": TEXT}, **{"check.disable": ["missing-title"]})) == []


def test_lines_are_printed_as_compilers_do_and_as_annotations(tmp_path: Path) -> None:
    report = check(tmp_path, {f"{PLACE}/01-a,b.md": f"---\nhardware_tier: x%\n---\n# A\n\n{TEXT}"})
    text = check_view(report)
    assert str(text[0]).startswith(
        f"{tmp_path}/{PLACE}/01-a,b.md:2: `hardware_tier: x%` is no tier 1 to 4; treated as tier 4"
    )
    assert text[-1] == "1 pages checked: 1 audience-value"
    [annotation] = annotation_lines(report)
    assert f"{PLACE}/01-a%2Cb.md,line=2,title=audience-value::" in str(annotation)
    assert str(annotation).startswith("::warning file=") and "x%25" in str(annotation)


def test_the_json_of_a_check_has_the_documented_keys(tmp_path: Path) -> None:
    assert set(check(tmp_path, {f"{PLACE}/01-a.md": GOOD}).as_json()) == set(CHECK_REPORT)


def test_pages_that_stand_for_others_may_be_empty(tmp_path: Path) -> None:
    report = check(
        tmp_path, {"a/_index.md": "---\ntitle: A\n---\n", "b.md": "---\ntitle: B\nredirect_to: /a/\n---\n"}
    )
    assert report.findings == ()


def test_hugo_reads_keys_in_any_case(tmp_path: Path) -> None:
    page = f"---\nTitle: Good\nHardware_Tier: 9\nHardware_teir: 2\n---\n# Good\n\n{TEXT}"
    report = check(tmp_path, {"hugo.toml": "baseURL = 'https://x.example/'\n", "content/a.md": page})
    assert [(each.line, each.rule) for each in report.findings] == [(3, "audience-value"), (4, "unknown-key")]
