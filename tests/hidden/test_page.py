"""No stage behind a parsed page has a word that its readers do not see, and every word that they see is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingestion.chunking.chunks import chunk_lesson
from ingestion.ids import LessonKey
from ingestion.models import DocumentChunk
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source
from rag.quoting.rendering import rendered_blocks
from tests.hidden.forms import CONFIGS, DOCS, Form, Place, cases, page_of
from tests.support.passages import passage_of


def read(folder: Path, generator: str, text: str) -> tuple[Lesson, list[DocumentChunk]]:
    """Return the lesson in a page of a site, and its chunks."""
    for name, content in CONFIGS[generator].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    head = "---\ntitle: Title\n---\n" if generator in ("hugo", "jekyll") else ""
    page = folder / DOCS.get(generator, "") / "page.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(head + text)
    settings = load_settings({}, environ={})
    (file,) = crawl_book(folder, settings).files
    lesson = parse_lesson(read_source(file), settings)
    key = LessonKey(book_id="b", module=lesson.module, chapter=None, lesson=None, source_file=lesson.path)
    return lesson, chunk_lesson(lesson, key, settings, embedding="e")


def doors(chunks: list[DocumentChunk]) -> dict[str, str]:
    """Return what each stage has of a page: what is stored, embedded and quoted, titles and anchors."""
    quoted = [block.text for chunk in chunks for block in rendered_blocks(passage_of(chunk))]
    metadata = [chunk.metadata for chunk in chunks]
    return {
        "text": "\n".join(chunk.text for chunk in chunks),
        "embedded": "\n".join(chunk.embed_text for chunk in chunks),
        "quoted": "\n".join(quoted),
        "titles": " ".join(title for each in metadata for title in (*each.section_titles, *each.heading_path)),
        "anchors": " ".join(anchor for each in metadata for anchor in (*each.section_anchors, each.anchor or "")),
    }


def words(text: str, prefix: str) -> set[str]:
    return {word.lower() for word in re.findall(rf"\b{prefix}\w+", text, re.I)}


def named(case: tuple[str, Form, Place]) -> str:
    return f"{case[0]}-{case[1].name}-{case[2].name}"


@pytest.mark.parametrize("case", cases(), ids=named)
def test_what_a_page_hides_is_behind_no_door(tmp_path: Path, case: tuple[str, Form, Place]) -> None:
    generator, form, place = case
    text = page_of(form, place)
    lesson, chunks = read(tmp_path, generator, text)
    found = doors(chunks)
    assert {door: words(shown, "zq") for door, shown in found.items() if words(shown, "zq")} == {}
    assert words(text, "za") == words(found["text"], "za") == words(found["embedded"], "za")
    assert words(text, "za") - words(found["titles"], "za") <= words(found["quoted"], "za")
    in_file = read_lines(tmp_path, generator)
    for number, line in enumerate(lesson.body.split("\n"), 1):
        assert words(line, "za") <= words(in_file[lesson.line(number) - 1], "za")


def read_lines(folder: Path, generator: str) -> list[str]:
    return (folder / DOCS.get(generator, "") / "page.md").read_text().split("\n")


@pytest.mark.parametrize("case", cases(showing=True), ids=named)
def test_under_a_generator_that_shows_the_form_its_words_are_found(
    tmp_path: Path, case: tuple[str, Form, Place]
) -> None:
    generator, form, place = case
    text = page_of(form, place)
    _, chunks = read(tmp_path, generator, text)
    shown = doors(chunks)
    assert words(text, "zq") == words(shown["text"], "zq") == words(shown["embedded"], "zq")


@pytest.mark.parametrize("form", {form.name: form for form, *_ in [(case[1],) for case in cases()]}.values())
@pytest.mark.parametrize("twin", ["```text\n%s\n```\n", "Write `%s` so.\n"], ids=["fence", "code span"])
def test_code_that_shows_how_to_hide_is_shown(tmp_path: Path, form: Form, twin: str) -> None:
    generator = "unknown"
    _, chunks = read(tmp_path, generator, "# Title\n\n" + twin.replace("%s", form.opens + "zaword" + form.closes))
    shown = doors(chunks)
    for door in ("text", "embedded", "quoted"):
        assert f"{form.opens}zaword{form.closes}" in shown[door]


def test_hidden_lines_of_code_go_and_those_of_the_listing_keep_their_lines(tmp_path: Path) -> None:
    page = "# Title\n\n```rust,ignore\n# use zqone;\nlet za1 = 2;\n#\n# fn zqtwo() {}\n#[zaderive]\nza2();\n```\n"
    lesson, chunks = read(tmp_path, "mdbook", page)
    shown = doors(chunks)
    assert not any(words(text, "zq") for text in shown.values())
    assert "let za1 = 2;\n#[zaderive]\nza2();" in shown["quoted"]
    assert [lesson.line(number) for number in range(3, 8)] == [3, 5, 8, 9, 10]


def test_headings_that_are_hidden_count_for_the_ids_of_others_and_are_no_sections(tmp_path: Path) -> None:
    page = "# Title\n\n<div hidden>\n\n## Setup\n\nzqone\n\n</div>\n\n## Setup\n\nWords of it.\n"
    for generator, anchor in (("hugo", "setup-1"), ("docusaurus", "setup-1"), ("mkdocs", "setup")):
        _, (chunk,) = read(tmp_path / generator, generator, page)
        assert chunk.metadata.section_anchors[-1] == anchor
        assert chunk.metadata.section_titles.count("Setup") == 1


@pytest.mark.parametrize(
    ("generator", "opened"),
    [("mkdocs", "<!-- "), ("unknown", "{::comment}"), ("jekyll", "{% comment %}"), ("mdbook", "<script>")],
)
def test_what_is_never_closed_hides_all_below(tmp_path: Path, generator: str, opened: str) -> None:
    _, chunks = read(tmp_path, generator, f"# Title\n\nzabefore words.\n\n{opened}\nzqone\n\nzqtwo\n")
    shown = doors(chunks)
    assert not any(words(text, "zq") for text in shown.values())
    assert words(shown["text"], "za") == {"zabefore"}


def test_raw_text_of_templates_is_shown_and_includes_nothing(tmp_path: Path) -> None:
    page = "# Title\n\n{% raw %}\n\n```liquid\n{% include zapart.html %}\n```\n\n{% endraw %}\n\nzaend\n"
    lesson, chunks = read(tmp_path, "jekyll", page)
    assert not lesson.findings
    shown = doors(chunks)["text"]
    assert "{% include zapart.html %}" in shown and "raw" not in shown and "zaend" in shown
