"""Routes of shared answers: whoever has the link reads one question and its answer, until the link is revoked.

Off unless `page.sharing` is set. The link's secret stands in the metadata of its thread, so that it goes with it.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from rag.api.dependencies import AppServices, CurrentCaller, Services
from rag.api.routes.threads import AnswerNumber, shown_message
from rag.api.schemas import ShownMessage
from rag.conversations.models import SHARED
from rag.models import ThreadId

router = APIRouter(tags=["threads"])

MIN_SECRET_CHARS = 20


class Share(BaseModel):
    """What a link to a shared answer holds beside the answer's thread and number."""

    token: str = Field(min_length=MIN_SECRET_CHARS)


class SharedAnswer(BaseModel):
    """A question and its answer."""

    question: ShownMessage
    answer: ShownMessage


@router.post(
    "/threads/{thread_id}/messages/{number}/share", status_code=201, response_model=Share, operation_id="share_answer"
)
async def share(thread_id: ThreadId, number: AnswerNumber, caller: CurrentCaller, services: Services) -> Share:
    """Share an answer under a new link, instead of one that it has; 404 where the owner does not allow it."""
    _require_sharing(services)
    threads = services.turns.threads
    found = await services.database.run(threads.messages_before, thread_id, number + 1, owner=caller.owner, limit=1)
    if not found or found[0][0] != number or found[0][1].role != "assistant":
        raise HTTPException(404, f"message {number} is not an answer in this thread")
    token = secrets.token_urlsafe(24)
    change = {SHARED: {str(number): token}}
    await services.database.run(threads.merge_metadata, thread_id, change, owner=caller.owner)
    return Share(token=token)


@router.delete(
    "/threads/{thread_id}/messages/{number}/share",
    status_code=204,
    response_class=Response,
    operation_id="unshare_answer",
)
async def unshare(thread_id: ThreadId, number: AnswerNumber, caller: CurrentCaller, services: Services) -> Response:
    """Revoke the link to an answer."""
    change = {SHARED: {str(number): None}}
    await services.database.run(services.turns.threads.merge_metadata, thread_id, change, owner=caller.owner)
    return Response(status_code=204)


@router.get(
    "/shared/{thread_id}/{number}",
    response_model=SharedAnswer,
    response_model_exclude_none=True,
    operation_id="get_shared",
)
async def shared(
    thread_id: ThreadId,
    number: AnswerNumber,
    services: Services,
    request: Request,
    token: Annotated[str, Query(min_length=MIN_SECRET_CHARS, max_length=100, description="The link's secret.")],
) -> Any:
    """Return a shared answer with its question, without a key; 404 once it is not shared any more."""
    await services.auth.count_read(request)
    _require_sharing(services)
    found = await services.database.run(services.turns.threads.shared, thread_id, number, token)
    if len(found) != 2:
        raise HTTPException(404, "this answer is not shared, or not any more")
    question, answer = (shown_message(each, message) for each, message in found)
    return {"question": question, "answer": answer}


def _require_sharing(services: AppServices) -> None:
    if not services.settings.page.sharing:
        raise HTTPException(404, "sharing is turned off (page.sharing)")
