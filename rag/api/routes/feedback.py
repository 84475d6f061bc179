"""Route that takes what a reader thinks of an answer."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from rag.api.dependencies import CurrentCaller, Services
from rag.api.routes.threads import AnswerNumber
from rag.api.schemas import NO_NUL
from rag.conversations.questions import MAX_COMMENT_CHARS, Rating
from rag.models import ThreadId

router = APIRouter(tags=["threads"])


class Feedback(BaseModel):
    """A rating of an answer; null takes it back."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"rating": "up", "comment": "Clear."}]})

    rating: Rating | None
    comment: str | None = Field(None, max_length=MAX_COMMENT_CHARS, pattern=NO_NUL)


@router.post(
    "/threads/{thread_id}/messages/{number}/feedback",
    status_code=204,
    response_class=Response,
    operation_id="rate_answer",
)
async def rate(
    thread_id: ThreadId,
    number: AnswerNumber,
    body: Feedback,
    caller: CurrentCaller,
    services: Services,
) -> Response:
    """Rate an answer, or change or remove its rating."""
    call = services.questions.rate
    await services.database.run(call, thread_id, number, body.rating, body.comment, owner=caller.owner)
    services.metrics.rated(body.rating or "removed")
    return Response(status_code=204)
