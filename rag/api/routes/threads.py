"""Routes of the caller's conversations: list, read, label and delete them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import AfterValidator, AwareDatetime

from rag.api.dependencies import AppServices, CurrentCaller, Services
from rag.api.http.auth import Caller
from rag.api.schemas import MessageList, ShownConversation, ThreadChange, ThreadList
from rag.conversations.models import Message, ThreadSummary, iso
from rag.models import ThreadId

router = APIRouter(tags=["threads"])
MAX_NUMBER = 2**31 - 1


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is before the first or after the last year") from None


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
AnswerNumber = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="Number of the answer in its thread.")]
OlderThan = Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="Only older messages than this.")]
HowMany = Annotated[int, Query(ge=1, le=200, description="Number of messages to return.")]


@router.get("/threads", response_model=ThreadList, operation_id="list_threads")
async def list_threads(
    caller: CurrentCaller,
    services: Services,
    limit: Annotated[int, Query(ge=1, le=1000, description="Number of threads to return.")] = 50,
    before: Annotated[Moment | None, Query(description="Continue after this `updated_at`.")] = None,
    archived: Annotated[bool, Query(description="List the archived threads instead of the live ones.")] = False,
) -> Any:
    """List the caller's threads without messages, the last used first; none for a public key."""
    # Already in shape: to check a thousand threads against the model would take longer than to read them.
    return JSONResponse(await threads_of(caller, services, limit=limit, before=before, archived=archived))


async def threads_of(
    caller: Caller, services: AppServices, *, limit: int, before: datetime | None = None, archived: bool = False
) -> dict[str, Any]:
    """Return a part of the list of a caller's threads, in the shape of ThreadList."""
    if caller.is_public:
        return {"threads": [], "next_before": None}
    threads = services.turns.threads
    found = await services.database.run(
        threads.list, owner=caller.owner, limit=limit, before=before, archived=archived
    )
    more = found[-1].updated_at.isoformat() if len(found) == limit else None
    return {"threads": [_summary(thread) for thread in found], "next_before": more}


@router.get(
    "/threads/{thread_id}",
    response_model=ShownConversation,
    response_model_exclude_none=True,
    operation_id="get_thread",
)
async def get_thread(thread_id: ThreadId, caller: CurrentCaller, services: Services) -> Any:
    """Return a thread with its last 50 messages, archived or not."""
    return await thread_of(thread_id, caller.owner, services)


async def thread_of(thread_id: UUID, owner: str | None, services: AppServices) -> dict[str, Any]:
    """Return an owner's thread, None: anyone's, in the shape of ShownConversation; raises UnknownThread."""
    thread = await services.database.run(services.turns.threads.get, thread_id, owner=owner)
    first = thread.message_count - len(thread.messages) + 1
    messages = [shown_message(number, message) for number, message in enumerate(thread.messages, first)]
    return _summary(thread) | {"messages": messages}


@router.get(
    "/threads/{thread_id}/messages",
    response_model=MessageList,
    response_model_exclude_none=True,
    operation_id="list_messages",
)
async def list_messages(
    thread_id: ThreadId,
    caller: CurrentCaller,
    services: Services,
    before: OlderThan = None,
    limit: HowMany = 50,
) -> Any:
    """Return messages of a thread, the archived ones too, oldest first; `next_before` leads to older ones."""
    return await messages_of(thread_id, caller.owner, services, before=before, limit=limit)


async def messages_of(
    thread_id: UUID, owner: str | None, services: AppServices, *, before: int | None, limit: int
) -> dict[str, Any]:
    """Return messages of an owner's thread, None: of anyone's, in the shape of MessageList; raises UnknownThread."""
    call = services.turns.threads.messages_before
    found = await services.database.run(call, thread_id, before, owner=owner, limit=limit)
    first = found[0][0] if found else 1
    return {
        "messages": [shown_message(number, message) for number, message in found],
        "next_before": first if first > 1 else None,
    }


@router.patch("/threads/{thread_id}", status_code=204, response_class=Response, operation_id="change_thread")
async def change_thread(
    thread_id: ThreadId, body: ThreadChange, caller: CurrentCaller, services: Services
) -> Response:
    """Merge fields into the metadata of a thread (RFC 7396): null removes one, its name is kept."""
    call = services.turns.threads.merge_metadata
    await services.database.run(call, thread_id, body.metadata, owner=caller.owner)
    return Response(status_code=204)


@router.delete("/threads/{thread_id}", status_code=204, response_class=Response, operation_id="delete_thread")
async def delete_thread(thread_id: ThreadId, caller: CurrentCaller, services: Services) -> Response:
    """Delete a thread with its messages, and what is recorded of its questions."""
    await services.database.run(services.turns.threads.delete, thread_id, owner=caller.owner)
    return Response(status_code=204)


def _summary(thread: ThreadSummary) -> dict[str, Any]:
    return {
        "thread_id": str(thread.thread_id),
        "created_at": iso(thread.created_at),
        "updated_at": iso(thread.updated_at),
        "topic_summary": thread.topic_summary,
        "metadata": dict(thread.metadata),
        "message_count": thread.message_count,
        "archived": thread.archived,
    }


def shown_message(number: int, message: Message) -> dict[str, Any]:
    """Return a message in the shape of ShownMessage."""
    return message.as_json() | {"number": number}
