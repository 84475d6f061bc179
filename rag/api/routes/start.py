"""Route of what a page needs when it begins, in one request: a slow line pays for each round trip."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from ingestion.errors import UnknownThread
from rag.api.dependencies import CurrentCaller, Services
from rag.api.routes.diagrams import has_diagrams
from rag.api.routes.facets import Book, ShownChoices, books_for, choices_for
from rag.api.routes.threads import thread_of, threads_of
from rag.api.schemas import ShownConversation, ThreadList, Word
from rag.models import ThreadId

router = APIRouter(tags=["books"])

LISTED = 50
MOST_LIVE = 1000


class Start(BaseModel):
    """What a page shows first."""

    books: tuple[Book, ...]
    book: ShownChoices | None = Field(None, description="The wanted book, or the first; null where none can be read.")
    threads: ThreadList = Field(description="Threads of the last hour.")
    archived: ThreadList = Field(description="The threads before them.")
    thread: ShownConversation | None = Field(None, description="The thread that was asked for, null if it is gone.")
    questions: tuple[str, ...] = Field((), description="The owner's questions to begin with.")
    disclaimer: str | None = Field(None, description="The owner's line below the question.")
    sharing: bool = Field(False, description="Whether answers can be shared.")
    diagrams: bool = Field(False, description="Whether the diagrams of passages can be drawn.")


@router.get("/start", response_model=Start, operation_id="start")
async def start(
    caller: CurrentCaller,
    services: Services,
    book_id: Annotated[Word | None, Query(description="The book wanted.")] = None,
    thread_id: Annotated[ThreadId | None, Query(description="A thread to show.")] = None,
) -> Any:
    """Return what a page shows first: the books, one with its choices, the caller's threads, the owner's words."""
    books = await books_for(caller, services)
    ids = [book["book_id"] for book in books]
    wanted = book_id if book_id in ids else next(iter(ids), None)
    page = services.settings.page
    shown = {
        "books": books,
        "book": await choices_for(wanted, caller, services) if wanted else None,
        "threads": await threads_of(caller, services, limit=MOST_LIVE),
        "archived": await threads_of(caller, services, limit=LISTED, archived=True),
        "thread": None,
        "questions": page.questions,
        "disclaimer": page.disclaimer,
        "sharing": page.sharing,
        "diagrams": has_diagrams(),
    }
    if thread_id:
        with suppress(UnknownThread):
            shown["thread"] = await thread_of(thread_id, caller.owner, services)
    return JSONResponse(shown)
