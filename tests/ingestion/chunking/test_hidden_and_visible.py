"""What readers of the site see is searched, and what they do not see is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.chunking.chunks import MAX_BREADCRUMB_PART, MAX_TITLE, chunk_lesson
from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.source.crawler import SourceFile
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source


def chunks_of(file: Path, changes: dict[str, object] | None = None) -> list[DocumentChunk]:
    settings = load_settings(changes or {}, environ={})
    lesson = parse_lesson(read_source(SourceFile(file.name, file)), settings)
    key = LessonKey(book_id="book", module=lesson.module, chapter=lesson.chapter, lesson=lesson.lesson)
    return chunk_lesson(lesson, key, settings, embedding="model")


def searched(file: Path, changes: dict[str, object] | None = None) -> str:
    return "\n".join(chunk.embed_text for chunk in chunks_of(file, changes))


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("n03/docs/01-entities.md", ("café table", "<10 newtons — never", "Voltage < 5", "Power & ground")),
        ("n06/docs/01-tabs.mdx", ("Ubuntu Jammy", "macOS Monterey")),
        ("n06/docs/02-cards.mdx", ("Gripper basics", "How the stereo camera sees depth")),
        ("n07/docs/01-indented.mdx", ("pump guide", "robot.move(9, speed=27)")),
        ("n08/docs/drift.md", ("Magnetometer", "Related to Hygrometer")),
        ("n16/docs/01-script.md", ("The chart shows",)),
        ("n22/docs/01-tags.mdx", ("Feature", "It lands  well")),
        ("n25/docs/01-prose.md", ("import the module from 'catalog' before you order the saffron wheel",)),
    ],
)
def test_what_a_reader_sees_is_searched(cases: Path, name: str, seen: tuple[str, ...]) -> None:
    text = searched(cases / name)
    assert [words for words in seen if words not in text] == []


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("n07/docs/01-indented.mdx", ("malachite", "pump-guide-address")),
        ("n08/docs/drift.md", ("sapphire",)),
        ("n09/docs/drift.md", ("sapphire", "turmeric")),
        ("n16/docs/01-script.md", ("wombat", "marmot", "quokka")),
        ("n22/docs/01-tags.mdx", ("InstallSteps", "Badge", "Check")),
    ],
)
def test_what_nobody_sees_is_not_searched(cases: Path, name: str, hidden: tuple[str, ...]) -> None:
    text = searched(cases / name)
    assert [words for words in hidden if words in text] == []


def test_a_book_names_attributes_of_its_own_components(tmp_path: Path) -> None:
    page = tmp_path / "a.mdx"
    page.write_text('# A\n\n<Quiz question="Why do wheels turn?" />\n\nSome words.\n')
    assert "wheels" not in searched(page)
    assert "wheels" in searched(page, {"chunk.visible_props": ["question"]})


def test_a_change_that_nobody_sees_embeds_nothing(tmp_path: Path) -> None:
    first, second = tmp_path / "a.md", tmp_path / "b" / "a.md"
    second.parent.mkdir()
    first.write_text("# A & B\n\nFish & chips.\nMore words.\n")
    second.write_text("# A &amp; B  \n\nFish &amp; chips.  \nMore words. \t\n")
    assert [chunk.embed_key for chunk in chunks_of(first)] == [chunk.embed_key for chunk in chunks_of(second)]


def test_a_title_of_42_kilobytes_outweighs_nothing(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(f"# {'long title ' * 4000}\n\n" + "Some words of text. " * 900)
    chunks = chunks_of(page)
    assert max(len(chunk.metadata.page_title) for chunk in chunks) <= MAX_TITLE
    assert max(len(chunk.embed_text.split("\n")[0]) for chunk in chunks) <= 2 * MAX_BREADCRUMB_PART + 3


def test_titles_keep_the_joiner_that_words_are_searched_without(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# می\u200cخواهم\n\nمتن می\u200cخواهم است.\n")
    (chunk,) = chunks_of(page)
    assert "\u200c" in chunk.metadata.page_title
    assert "\u200c" not in chunk.embed_text and "میخواهم" in chunk.embed_text
