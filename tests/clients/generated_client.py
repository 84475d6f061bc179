"""Call every kind of operation with the client that openapi-python-client made, and print what came back as JSON.

Runs in the environment of that client: python generated_client.py ADDRESS
"""

from __future__ import annotations

import asyncio
import json
import sys
from uuid import UUID, uuid4

from bookwise_client import Client
from bookwise_client.api.books import get_book, get_lesson, list_books, search
from bookwise_client.api.chat import ask
from bookwise_client.api.ingestion import get_ingest, start_ingest
from bookwise_client.api.openai import create_completion, list_models
from bookwise_client.api.operation import health
from bookwise_client.api.threads import change_thread, get_thread, list_messages, list_threads, rate_answer
from bookwise_client.models import (
    ChatRequest,
    CompletionRequest,
    Feedback,
    FeedbackRatingType0,
    IngestRequest,
    SearchRequest,
    ThreadChange,
)

client = Client(base_url=sys.argv[1])
QUESTION = "What is a node?"


def calls() -> dict[str, object]:
    """What each call gave, as plain data."""
    found = search.sync(client=client, body=SearchRequest(query=QUESTION, limit=2, hardware_tier=4))
    answer = ask.sync(client=client, body=ChatRequest(message=QUESTION))
    assert isinstance(answer.session_id, UUID)
    later = asyncio.run(
        ask.asyncio(client=client, body=ChatRequest(message="And the memory?", session_id=answer.session_id))
    )
    change = ThreadChange.from_dict({"metadata": {"label": "homework", "done": True}})
    changed = change_thread.sync_detailed(answer.session_id, client=client, body=change)
    rating = Feedback(rating=FeedbackRatingType0.UP)
    rated = rate_answer.sync_detailed(answer.session_id, 2, client=client, body=rating)
    body = CompletionRequest.from_dict({"model": found.book_id, "messages": [{"role": "user", "content": QUESTION}]})
    completion = create_completion.sync_detailed(client=client, body=body)
    job = start_ingest.sync(client=client, body=IngestRequest())
    return {
        "found": found.to_dict(),
        "answer": answer.to_dict(),
        "is_same_thread": later.session_id == answer.session_id,
        "statuses": [int(changed.status_code), int(rated.status_code)],
        "thread": get_thread.sync(answer.session_id, client=client).to_dict(),
        "older": list_messages.sync(answer.session_id, client=client, before=3, limit=1).to_dict(),
        "threads": list_threads.sync(client=client, limit=10).to_dict(),
        "models": list_models.sync(client=client).to_dict(),
        "completion": json.loads(completion.content),
        "books": list_books.sync(client=client).to_dict(),
        "book": get_book.sync(found.book_id, client=client).to_dict(),
        "lesson": get_lesson.sync(found.results[0].parent_doc_id, client=client).to_dict(),
        "job": get_ingest.sync(job.job_id, client=client).to_dict(),
        "health": health.sync(client=client).to_dict(),
        "missing": get_thread.sync(uuid4(), client=client).to_dict(),
        "invalid": search.sync(client=client, body=SearchRequest(query=QUESTION, hardware_tier=5)).to_dict(),
    }


sys.stdout.write(json.dumps(calls(), default=str))
