"""Texts of the site are shown where its pages name them; what has no value is a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.quoting.rendering import rendered_blocks
from tests.hidden import test_page
from tests.hidden.forms import CONFIGS
from tests.hidden.test_page import doors, read
from tests.support.passages import passage_of

HUGO = {
    "hugo.toml": 'baseURL="https://x.example/"\n[params]\nversion="4.2.7"\nproduct="Zephyr"\n[params.deep]\nOwn="x9"\n'
}
JEKYLL = {"_config.yml": "title: X\nurl: https://x.example\nversion: 4.2.7\nproduct: Zephyr\n"}


@pytest.mark.parametrize(
    ("generator", "config", "text", "shown"),
    [
        (
            "hugo",
            HUGO,
            'Version {{< param version >}} of `{{% param "product" %}}`, {{< param deep.own >}}, {{< param title >}}',
            "Version 4.2.7 of `Zephyr`, x9, Title",
        ),
        (
            "jekyll",
            JEKYLL,
            "Version {{ site.version }} of {{ site.product }} is {{ page.title }}.",
            "Version 4.2.7 of Zephyr is Title.",
        ),
        (
            "mkdocs",
            {"mkdocs.yml": "site_name: Zephyr\nplugins:\n  - macros\nextra:\n  version: 4.2.7\n  by: {n: Ada}\n"},
            "Version {{ version }} of {{ config.site_name }} by {{by.n}}.",
            "Version 4.2.7 of Zephyr by Ada.",
        ),
    ],
)
def test_texts_of_the_configuration_and_of_the_page_are_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, generator: str, config: dict[str, str], text: str, shown: str
) -> None:
    monkeypatch.setitem(CONFIGS, generator, config)
    lesson, chunks = read(tmp_path, generator, f"# Guide\n\n{text}\n")
    assert not lesson.findings
    found = doors(chunks)
    assert all(shown in found[door] for door in ("text", "embedded", "quoted"))


def test_what_has_no_value_is_a_finding_by_line(tmp_path: Path) -> None:
    lesson, _ = read(tmp_path, "hugo", "# Guide\n\nVersion {{< param version >}}.\n")
    assert [(finding.rule, finding.line) for finding in lesson.findings] == [("unresolved-variable", 6)]


def test_raw_text_of_liquid_is_not_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(test_page.CONFIGS, "jekyll", JEKYLL)
    lesson, _ = read(tmp_path, "jekyll", "# Guide\n\nWrite {% raw %}{{ site.version }}{% endraw %}.\n")
    assert "Write {{ site.version }}." in lesson.body and not lesson.findings


def test_branches_of_a_condition_are_blocks_of_their_own_and_a_finding(tmp_path: Path) -> None:
    page = "# Guide\n\n{% if site.beta %}\nIt is 12 volts.\n{% else %}\nIt is 24 volts.\n{% endif %}\n\nEnd.\n"
    lesson, chunks = read(tmp_path, "jekyll", page)
    assert [(finding.rule, finding.line) for finding in lesson.findings] == [("undecided-condition", 6)]
    assert [block.text for block in rendered_blocks(passage_of(chunks[0]))] == [
        "It is 12 volts.",
        "It is 24 volts.",
        "End.",
    ]
    assert [lesson.line(lesson.body.split("\n").index(line) + 1) for line in ("It is 24 volts.", "End.")] == [9, 12]


def test_a_comment_of_templates_that_is_never_closed_is_a_finding(tmp_path: Path) -> None:
    lesson, _ = read(tmp_path, "jekyll", "# Guide\n\nWords.\n\n{% comment %}\nzqone\n")
    assert [(finding.rule, finding.line) for finding in lesson.findings] == [("unclosed-comment", 8)]
