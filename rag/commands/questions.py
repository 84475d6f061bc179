"""`bookwise questions`: what readers of the server asked, and what the book did not answer."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Book, Config, Json
from ingestion.commands.terminal import show, write
from ingestion.errors import UsageError
from ingestion.extras import extra_needed

if TYPE_CHECKING:
    from ingestion.output import View
    from ingestion.settings import Settings
    from rag.conversations.question_groups import QuestionGroup
    from rag.conversations.questions import AskedQuestion, QuestionKind


def questions(
    unanswered: Annotated[bool, typer.Option("--unanswered", help="Only questions that were refused.")] = False,
    weak: Annotated[bool, typer.Option("--weak", help="Only answers with low confidence or support.")] = False,
    disliked: Annotated[bool, typer.Option("--disliked", help="Only answers that readers rated down.")] = False,
    liked: Annotated[bool, typer.Option("--liked", help="Only answers that readers rated up.")] = False,
    open_only: Annotated[bool, typer.Option("--open", help="Hide groups that are marked as done.")] = False,
    since: Annotated[str, typer.Option("--since", metavar="SPAN", help="Time span such as 36h, 7d or 4w.")] = "7d",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the questions as CSV.")] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write the questions as a file for `bookwise eval`."),
    ] = None,
    book: Book = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Show what readers asked, grouped by meaning.

    Each group lists the pages that should answer it. Questions are grouped by the similarity of their vectors.
    """
    if as_csv and as_json:
        raise UsageError("--csv and --json cannot be combined; choose one")
    kind = _kind(unanswered=unanswered, weak=weak, disliked=disliked, liked=liked)
    settings = read_settings(config, flags={"book.id": book})
    found = _find(settings, kind, since, book, is_open=open_only)
    if as_csv:
        from rag.conversations.question_csv import questions_as_csv

        write(questions_as_csv(found))
        return
    groups = _grouped(settings, found)
    if export:
        _export(export, groups)
    document = {"since": since, "kind": kind, "total": len(found), "groups": [group.as_json() for group in groups]}
    show(_view(groups, len(found), since), document, as_json=as_json)


def _kind(**flags: bool) -> QuestionKind:
    chosen = [name for name, is_set in flags.items() if is_set]
    if len(chosen) > 1:
        raise UsageError("--unanswered, --weak, --disliked and --liked cannot be combined; choose one")
    return cast("QuestionKind", chosen[0]) if chosen else "all"


def _find(
    settings: Settings, kind: QuestionKind, since: str, book: str | None, *, is_open: bool
) -> list[AskedQuestion]:
    with extra_needed("api", "`bookwise questions` needs"):
        from rag.conversations.database import database_of
        from rag.conversations.models import now
        from rag.conversations.questions import QuestionLog, parse_since

    span = parse_since(since)
    with closing(database_of(settings)) as database:
        return QuestionLog(database).find(kind, since=now() - span, book_id=book, is_open=is_open)


def _grouped(settings: Settings, found: list[AskedQuestion]) -> list[QuestionGroup]:
    if not found:
        return []
    from ingestion.factory import embedder_of
    from rag.conversations.question_groups import group_questions

    return group_questions(found, embedder_of(settings).embed_documents)


def _view(groups: list[QuestionGroup], total: int, since: str) -> View:
    from ingestion.output import Table

    if not groups:
        return [f"No such questions in the last {since}."]
    rows = [
        (
            len(group.questions),
            group.unanswered,
            group.weak,
            group.disliked,
            group.liked,
            " ".join(group.text.split()),
            ", ".join(page.source_file for page in group.pages[:2]),
        )
        for group in groups
    ]
    columns = ("asked", "unanswered", "weak", "disliked", "liked", "question", "nearest pages")
    return [f"{total} questions in {len(groups)} groups", Table("questions", columns, rows)]


def _export(path: Path, groups: list[QuestionGroup]) -> None:
    """Write an evaluation file: an answered question expects its nearest page, another one a refusal."""
    lines = []
    for number, group in enumerate(groups, 1):
        nearest = [page.source_file for page in group.pages]
        answerable = bool(nearest) and not group.unanswered
        entry: dict[str, object] = {"id": f"reader-{number}", "question": group.text, "answerable": answerable}
        entry |= {"source_file": nearest[0], "also_ok": nearest[1:]} if answerable else {"nearest": nearest}
        entry["tier"] = max(asked.hardware_tier for asked in group.questions)
        lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--export {path}: cannot be written: {error.strerror}") from error
