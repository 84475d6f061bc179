"""Routes for the choices of a page: the books, and the filters of one."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field

from ingestion.vector_stores.filters import Where
from rag.api.dependencies import AppServices, CurrentCaller, Services
from rag.api.http.auth import Caller
from rag.api.schemas import Word
from rag.models import LessonId
from rag.retrieval.facets import choices_of

router = APIRouter(tags=["books"])


class Book(BaseModel):
    """A book that may be asked; `title` is known of the configured one."""

    book_id: str
    title: str | None = None


class Books(BaseModel):
    """The books that the key covers, by id."""

    books: tuple[Book, ...]


class ShownModule(BaseModel):
    """A module with the title that the book gives it, and its number of chunks."""

    name: str
    title: str | None
    chunks: int


class ShownSubject(BaseModel):
    """A heading of the book that makes a good first question, and its module."""

    title: str
    module: str


class ShownChoices(Book):
    """The values that the filters of a book can take, and a heading of each module to ask about."""

    modules: tuple[ShownModule, ...]
    tiers: tuple[int, ...]
    tier_names: tuple[str, ...] = Field((), description="Name of each hardware tier, from tier 1 on, if configured.")
    levels: tuple[str, ...]
    languages: tuple[str, ...]
    subjects: tuple[ShownSubject, ...]


class ShownPage(BaseModel):
    """A page of a book; questions that name its `parent_doc_id` are answered from it alone."""

    title: str
    url: str
    parent_doc_id: LessonId


class Pages(BaseModel):
    """The pages that were asked for, none where the book has no such page."""

    pages: tuple[ShownPage, ...]


@router.get("/books", response_model=Books, operation_id="list_books")
async def books(caller: CurrentCaller, services: Services) -> Any:
    """Return the books that the key may ask, the configured one first."""
    return {"books": await books_for(caller, services)}


async def books_for(caller: Caller, services: AppServices) -> list[dict[str, Any]]:
    """Return the books that a caller may ask, the configured one first."""
    async with services.index.opened() as store:
        indexed = await asyncio.to_thread(store.values, "book_id", Where())
    shown = sorted(
        indexed.keys() & set(caller.books or indexed), key=lambda each: (each != services.settings.book.id, each)
    )
    return [{"book_id": book_id, "title": services.title_of(book_id)} for book_id in shown]


@router.get("/books/{book_id}", response_model=ShownChoices, operation_id="get_book")
async def book(book_id: Word, caller: CurrentCaller, services: Services) -> Any:
    """Return what can be chosen in a book, as far as the key reads; 404 where it reads nothing of it."""
    return await choices_for(book_id, caller, services)


async def choices_for(book_id: str, caller: Caller, services: AppServices) -> dict[str, Any]:
    """Return what a caller can choose in a book; raises 404 where they read nothing of it."""
    found = None
    if not caller.books or book_id in caller.books:
        modules = services.settings.modules if services.is_configured(book_id) else ()
        async with services.index.opened() as store:
            found = await asyncio.to_thread(
                choices_of, store, book_id, highest_tier=caller.highest_tier, modules=modules
            )
    if found is None:
        raise HTTPException(404, f"no book {book_id!r}")
    names = services.settings.book.tiers if services.is_configured(book_id) else ()
    return asdict(found) | {"title": services.title_of(book_id), "tier_names": names}


@router.get("/books/{book_id}/pages", response_model=Pages, operation_id="find_pages")
async def pages(
    book_id: Word,
    caller: CurrentCaller,
    services: Services,
    url: Annotated[str, Query(min_length=1, max_length=2000, description="Address of a page of the book's site.")],
) -> Any:
    """Return the page at an address; its path counts, not its host."""
    async with services.index.retriever(caller.book(book_id), caller.scope) as retriever:
        page_at, highest_tier = services.index.pages.page_at, caller.highest_tier
        found = await asyncio.to_thread(page_at, retriever.store, book_id, url, highest_tier=highest_tier)
    return {"pages": [asdict(found)] if found else []}
