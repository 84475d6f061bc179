"""The command that shows the passages nearest to a question: search."""

from __future__ import annotations

from typing import Annotated

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import show
from rag.commands.filter_options import with_filters
from rag.filters import NO_FILTERS, Filters, SearchMode

Question = Annotated[list[str], typer.Argument(metavar="QUESTION...", help="The question; quotes are not needed.")]
AllVersions = Annotated[
    bool, typer.Option("--all-versions", help="Also show other translations, versions and summaries of the results.")
]
Diverse = Annotated[bool, typer.Option("--diverse", help="Diversify results (maximal marginal relevance).")]
Expand = Annotated[
    int, typer.Option("--expand", metavar="N", min=0, max=10, help="Add N neighbouring chunks on each side.")
]
WholeLesson = Annotated[bool, typer.Option("--whole-lesson", help="Show the whole lesson of each passage.")]
Explain = Annotated[bool, typer.Option("--explain", help="Explain the ranking of each passage.")]
Ranking = Annotated[
    SearchMode,
    typer.Option("--ranking", case_sensitive=False, help="Rank by meaning and keywords, or by only one of them."),
]


@with_filters()
def search(
    question: Question,
    book: Book = None,
    filters: Filters = NO_FILTERS,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=20, help="Maximum number of passages.")
    ] = 5,
    ranking: Ranking = "hybrid",
    expand: Expand = 0,
    whole_lesson: WholeLesson = False,
    diverse: Diverse = False,
    all_versions: AllVersions = False,
    explain: Explain = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show the passages closest to a question."""
    from rag.retrieval.filters import where_of
    from rag.retrieval.retriever import open_retriever
    from rag.views import search_view

    with open_retriever(read_settings(config, flags={"book.id": book})) as retriever:
        response = retriever.search(
            question_of(question),
            limit=limit,
            filters=filters,
            mode=ranking,
            expand=expand,
            whole_lesson=whole_lesson,
            diverse=diverse,
            all_versions=all_versions,
        )
        document = response.model_dump(mode="json")
        view = search_view(response, explain=explain)
        if explain:
            where = where_of(retriever.book_id, filters, retriever.settings.modules)
            document["searched"] = searched = retriever.store.search_method(where)
            view = [*view, f"Searched by: {searched}."]
    show(view, document, as_json=as_json)


def question_of(words: list[str]) -> str:
    """Return the question from its words, typed without quotes."""
    return " ".join(words)
