"""The commands that read the index without answering: search and lesson; and the flags of every reader's fences."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ingestion.commands.terminal import Book, Config, Json, read_settings, show

Tier = Annotated[int, typer.Option("--tier", min=1, max=4, help="Hardware tier of the reader: this or lower.")]
ModuleName = Annotated[str | None, typer.Option("--module", help="Only this module.")]
Chapters = Annotated[str | None, typer.Option("--chapter", help="A chapter or a range such as 2-4.")]
LessonNumber = Annotated[int | None, typer.Option("--lesson", help="Only this lesson number.")]
Levels = Annotated[list[str] | None, typer.Option("--level", help="A1 to C2; may be given several times.")]
Layer = Annotated[str | None, typer.Option("--layer", help="L1 to L4.")]
Parent = Annotated[str | None, typer.Option("--parent", help="Only the lesson with this parent id.")]
Language = Annotated[str | None, typer.Option("--language", help="Only pages in this language.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help="lesson, readme, summary, quiz, assignment, stub.")]
AllVersions = Annotated[
    bool, typer.Option("--all-versions", help="Also show translations and summaries of what is found.")
]
Diverse = Annotated[bool, typer.Option("--diverse", help="Choose passages that differ from each other.")]
Expand = Annotated[int, typer.Option("--expand", min=0, max=10, help="Add so many chunks before and after each.")]
WholeLesson = Annotated[bool, typer.Option("--whole-lesson", help="Show the whole lesson of each passage.")]
Explain = Annotated[bool, typer.Option("--explain", help="Tell how each rank came about, and what speaks for it.")]
Ranking = Annotated[str, typer.Option("--ranking", help="hybrid, dense or keyword.")]


def search(
    question: str,
    book: Book = None,
    tier: Tier = 1,
    module: ModuleName = None,
    chapter: Chapters = None,
    lesson: LessonNumber = None,
    level: Levels = None,
    layer: Layer = None,
    parent: Parent = None,
    language: Language = None,
    kind: Kinds = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=20, help="Number of passages.")] = 5,
    ranking: Ranking = "hybrid",
    expand: Expand = 0,
    whole_lesson: WholeLesson = False,
    diverse: Diverse = False,
    all_versions: AllVersions = False,
    explain: Explain = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show the passages nearest to a question, inside the filters."""
    from rag.retrieval.retriever import open_retriever
    from rag.views import search_view

    filters = filters_of(tier, module, chapter, lesson, level, layer, parent, language, kind, ranking)
    shape = {"expand": expand, "whole_lesson": whole_lesson, "diverse": diverse, "all_versions": all_versions}
    with open_retriever(read_settings(config, flags={"book.id": book})) as retriever:
        response = retriever.search(question, limit=limit, filters=filters | shape)
    show(search_view(response, explain=explain), response.model_dump(mode="json"), as_json=as_json)


def filters_of(
    tier: int,
    module: str | None,
    chapter: str | None,
    lesson: int | None,
    level: list[str] | None,
    layer: str | None,
    parent: str | None,
    language: str | None,
    kind: list[str] | None,
    ranking: str,
) -> dict[str, Any]:
    """The flags as fields of SearchQuery."""
    from rag.retrieval.retriever import chapter_range

    first, last = chapter_range(chapter)
    return {
        "hardware_tier_filter": tier,
        "module_filter": module,
        "chapter_min": first,
        "chapter_max": last,
        "lesson_filter": lesson,
        "proficiency_levels": [each.upper() for each in level] if level else None,
        "layer_filter": layer.upper() if layer else None,
        "parent_doc_id": parent,
        "language": language,
        "doc_types": kind or None,
        "mode": ranking,
    }
