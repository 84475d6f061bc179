"""One lesson's title, place, audience and findings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingestion.chunking.chunks import chunk_lesson
from ingestion.errors import LessonError
from ingestion.ids import LessonKey
from ingestion.settings import Settings, override
from ingestion.settings.loader import load_settings
from ingestion.settings.validators import Module
from ingestion.source.book_folder import crawl_book
from ingestion.source.book_order import Entry
from ingestion.source.crawler import SourceFile
from ingestion.source.metadata.page import UnpublishedPage, lesson_place
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import SourceText, read_source

PATH = "module-1-ros2/chapter-2-x/03-y.md"
WORDS = "A lesson of more than twelve words, so that nobody takes it for a stub of one. "


def parse(text: str, path: str = PATH, **settings: Any) -> Lesson:
    return parse_lesson(SourceText(path, "hash", text.encode()), override(Settings(), settings))


def rules(lesson: Lesson) -> list[tuple[int | None, str]]:
    return [(finding.line, finding.rule) for finding in lesson.findings]


def test_a_plain_page_gets_everything_from_its_path_and_the_defaults() -> None:
    lesson = parse(f"# A page\n\n{WORDS}")
    assert (lesson.path, lesson.file_hash, lesson.title) == (PATH, "hash", "A page")
    assert (lesson.module, lesson.chapter, lesson.lesson) == ("ros2", 2, 3)
    assert (lesson.language, lesson.doc_type, lesson.front_matter) == ("en", "lesson", "")
    assert (lesson.audience.hardware_tier, lesson.audience.declared) == (1, ())
    assert (lesson.slug, lesson.doc_id, lesson.findings) == (None, None, ())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: From front matter\n---\n# From heading\n", "From front matter"),
        ("---\ntitle: 2019\n---\n# From heading\n", "2019"),
        ("---\ntitle: |\n  Two\n  lines\n---\n", "Two lines"),
        ("---\ntitle:\n---\n# From heading\n", "From heading"),
        ("---\ntitle: [a]\n---\n# From heading\n", "From heading"),
        ("## Section\n\n# The H1\n", "The H1"),
        ("### Deep\n\n## Less deep\n", "Deep"),
        ("Setext\n======\n", "Setext"),
        ("# One\n\n# Two\n", "One"),
        ("# With `code` and [link](x.md) {#custom}\n", "With code and link"),
        ("```python\n# a comment\n```\n\n## Real\n", "Real"),
        ("No heading at all.\n", "y"),
        ("", "y"),
    ],
)
def test_the_title_is_the_best_that_the_page_has(text: str, title: str) -> None:
    assert parse(text).title == title


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("a/04-your_hardware-tier.md", "your hardware tier"),
        ("05-Python-Fundamentals/README.md", "Python Fundamentals"),
        ("guides/index.mdx", "guides"),
        ("README.md", "README"),
        ("01-.md", "01-.md"),
        ("blog/2024-01-31-first-steps.md", "first steps"),
    ],
)
def test_without_title_and_heading_the_path_names_the_page(path: str, title: str) -> None:
    assert parse("Text.", path).title == title


def test_front_matter_fills_the_gaps_of_the_path() -> None:
    lesson = parse('---\nchapter: "03"\nlesson: 4.0\n---\n', "notes/page.md")
    assert (lesson.chapter, lesson.lesson, lesson.findings) == (3, 4, ())


def test_where_both_exist_and_differ_the_path_wins_and_the_conflict_is_reported() -> None:
    lesson = parse("---\ntitle: T\nchapter: 7\nlesson: 3\n---\n")
    assert (lesson.chapter, lesson.lesson) == (2, 3)
    assert rules(lesson) == [(3, "path-conflict")]
    assert lesson.findings[0].message == "`chapter: 7` but the path says 2; the path counts"
    assert str(lesson.findings[0]).startswith(f"{PATH}:3: ")


def test_numbers_out_of_the_bounds_of_the_specification_are_kept_and_reported() -> None:
    lesson = parse("---\nlesson: 22\n---\n", "part-2/chapter-51-x/page.md")
    assert (lesson.chapter, lesson.lesson) == (51, 22)
    assert sorted(rule for _, rule in rules(lesson)) == ["chapter-range", "lesson-range"]


def test_a_number_that_is_none_is_reported_and_never_guessed() -> None:
    lesson = parse("---\nlesson: three\n---\n", "notes/page.md")
    assert (lesson.chapter, lesson.lesson) == (None, None)
    assert rules(lesson) == [(2, "lesson-value")]


def test_unusable_audience_values_are_reported_with_their_line() -> None:
    lesson = parse("---\ntitle: T\nhardware_tier: 9\nproficiency_level: spicy\nlayer: L2\n---\n")
    assert (lesson.audience.hardware_tier, lesson.audience.levels) == (4, ("A2",))
    assert lesson.audience.declared == ("hardware_tier", "layer")
    assert rules(lesson) == [(3, "audience-value"), (4, "audience-value")]


def test_what_a_lesson_leaves_open_is_its_configured_modules() -> None:
    module = Module(name="ros2", hardware_tier=3)
    assert parse("# H\n", **{"modules": (module,)}).audience.hardware_tier == 3
    assert parse("# H\n", "module-2-gazebo/a.md", **{"modules": (module,)}).audience.hardware_tier == 1


@pytest.mark.parametrize(
    ("text", "path", "language"),
    [
        ("---\nlang: no\n---\n", "i18n/ur/a.md", "no"),
        ("", "i18n/ur/a.md", "ur"),
        ("", "a.md", "de"),
    ],
)
def test_the_language_is_the_pages_then_the_paths_then_the_books(text: str, path: str, language: str) -> None:
    assert parse(text, path, **{"book.language": "de"}).language == language


@pytest.mark.parametrize(
    ("text", "path", "doc_type"),
    [
        ("", PATH, "stub"),
        ("# Only a heading\n", PATH, "stub"),
        ("# Soon\n\nComing soon!\n\n- TODO", PATH, "stub"),
        (f"# Soon\n\nComing soon! {WORDS}", PATH, "lesson"),
        (f"# Real\n\n{WORDS * 4} The rest is coming soon.", PATH, "lesson"),
        ("# 数据\n\n机器人在房间里移动并感知周围的世界。", PATH, "lesson"),
        ("# 数据\n", PATH, "stub"),
        ("", "a/README.md", "readme"),
        ("", "a/01-quiz.md", "quiz"),
        ("", "a/01-x.summary.md", "summary"),
    ],
)
def test_a_page_with_nothing_to_read_is_a_stub(text: str, path: str, doc_type: str) -> None:
    assert parse(text, path).doc_type == doc_type


def test_the_raw_mapping_is_kept_as_json_without_what_only_says_when(cases: Path) -> None:
    """Case C09."""
    lesson = parse_lesson(read_source(SourceFile("notes/types.md", cases / "c09/types.md")), Settings())
    raw = json.loads(lesson.front_matter)
    assert list(raw) == sorted(raw)
    assert raw["version"] == "1.10" and raw["nothing"] is None and raw["12"] == "number as key"
    assert raw.keys().isdisjoint({"date", "last_modified"})
    assert (lesson.title, lesson.chapter, lesson.lesson, lesson.language) == ("2019", 3, 3, "no")
    assert (lesson.audience.hardware_tier, lesson.audience.levels, lesson.doc_id) == (2, ("A2", "B1"), "007")


def test_body_lines_and_file_lines_differ_by_the_offset() -> None:
    lesson = parse("---\ntitle: T\n---\n\n# H\n")
    assert lesson.body.split("\n").index("# H") + 1 + lesson.body_offset == 5


def test_metadata_that_cannot_be_read_fails_the_lesson_with_its_line(cases: Path) -> None:
    """Case C10."""
    source = read_source(SourceFile(PATH, cases / "c10/02-broken.md"))
    for read in (parse_lesson, lesson_place):
        with pytest.raises(LessonError, match=rf"^{PATH}:2: front matter is not valid YAML"):
            read(source, Settings())


@pytest.mark.parametrize(
    "front", ["draft: true", "draft: yes", "draft: maybe", "published: false", "unlisted: true", "Draft: true"]
)
def test_what_the_site_does_not_show_is_no_lesson(front: str) -> None:
    source = SourceText(PATH, "hash", f"---\n{front}\n---\n# H\n".encode())
    for read in (parse_lesson, lesson_place):
        with pytest.raises(UnpublishedPage):
            read(source, Settings())


@pytest.mark.parametrize(
    "front", ["draft: false", "draft:", "published: true", "published: 2024-01-01", "unlisted: false"]
)
def test_what_says_that_it_is_published_is_a_lesson(front: str) -> None:
    assert parse(f"---\n{front}\n---\n# H\n").title == "H"


def test_unlisted_pages_are_lessons_by_setting() -> None:
    assert parse("---\nunlisted: true\n---\n# H\n", **{"crawl.unlisted": True}).title == "H"


def test_the_position_in_the_sidebar_numbers_a_lesson_whose_path_does_not() -> None:
    assert parse("---\nsidebar_position: 71\n---\n# H\n", "motors/stepper.md").lesson == 71
    assert parse("---\nsidebar_position: 71\n---\n# H\n", "motors/02-stepper.md").lesson == 2
    assert parse("---\nsidebar_position: 1.5\n---\n# H\n", "motors/stepper.md").lesson is None


def test_the_books_contents_name_a_page_without_title() -> None:
    named = SourceText("a/b.md", "hash", b"Text.\n", entry=Entry(title="Motors"))
    assert parse_lesson(named, Settings()).title == "Motors"
    folder = SourceText("a/README.md", "hash", b"Text.\n", entry=Entry(folder_titles=("All motors",)))
    assert parse_lesson(folder, Settings()).title == "All motors"


@pytest.mark.parametrize("name", ["bom-frontmatter.md", "bom-heading.md"])
def test_a_byte_order_mark_reaches_neither_title_nor_body(cases: Path, name: str) -> None:
    """Case C07."""
    lesson = parse_lesson(read_source(SourceFile(PATH, cases / "c07" / name)), Settings())
    assert lesson.title in ("Saved by an old editor", "First heading")
    assert "\ufeff" not in lesson.title + lesson.body


def test_a_file_that_is_not_text_is_an_error_of_that_lesson() -> None:
    source = SourceText(PATH, "hash", b"# H\n\xff")
    for read in (parse_lesson, lesson_place):
        with pytest.raises(LessonError, match=rf"^{PATH}:2: is not UTF-8"):
            read(source, Settings())


@pytest.mark.parametrize("front", ["", "---\nchapter: 9\nlesson: x\n---\n", "---\nlesson: 5\n---\n"])
@pytest.mark.parametrize("path", [PATH, "notes/page.md", "module-2-gazebo/page.md"])
def test_the_place_alone_is_that_of_the_parsed_lesson(front: str, path: str) -> None:
    source, settings = SourceText(path, "hash", f"{front}# H\n".encode()), Settings()
    lesson = parse_lesson(source, settings)
    assert lesson_place(source, settings) == (lesson.module, lesson.chapter, lesson.lesson)


def test_path_patterns_of_the_book_are_used() -> None:
    lesson = parse("# H\n", "robots/s01e02.md", **{"book.paths": ("{module}/s{chapter}e{lesson}",)})
    assert (lesson.module, lesson.chapter, lesson.lesson) == ("robots", 1, 2)


@pytest.mark.parametrize(
    ("config", "front", "mdx"),
    [
        ("", "", True),
        ("markdown: {format: 'detect'},", "", False),
        ("markdown: {format: 'md'},", "", False),
        ("markdown: {format: 'md'},", "mdx:\n  format: mdx\n", True),
        ("", "mdx:\n  format: md\n", False),
        ("", "mdx:\n  format: detect\n", False),
    ],
)
def test_a_docusaurus_page_is_mdx_as_its_site_and_its_own_metadata_say(
    tmp_path: Path, config: str, front: str, mdx: bool
) -> None:
    (tmp_path / "docusaurus.config.js").write_text(
        f"module.exports = {{url: 'https://x.example', {config} title: 'X'}}"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text(
        f"---\ntitle: A\n{front}---\n\nimport X from './x.js'\n\n# A\n\nText of it.\n"
    )
    settings = load_settings({}, environ={})
    (file,) = crawl_book(tmp_path / "docs", settings).files
    assert parse_lesson(read_source(file), settings).syntax.mdx is mdx


def test_prose_that_begins_like_an_import_stays_outside_of_docusaurus(tmp_path: Path) -> None:
    prose = "import numpy from 'the second cell' of the notebook before you go on, as every cell needs it."
    (tmp_path / "a.md").write_text(f"# A\n\n{prose}\n\nMore text follows here.\n")
    settings = load_settings({}, environ={})
    (file,) = crawl_book(tmp_path, settings).files
    lesson = parse_lesson(read_source(file), settings)
    key = LessonKey(book_id="b", module=lesson.module, chapter=None, lesson=None, source_file=lesson.path)
    chunks = chunk_lesson(lesson, key, settings, embedding="m")
    assert not lesson.syntax.mdx and any(prose in chunk.embed_text for chunk in chunks)
