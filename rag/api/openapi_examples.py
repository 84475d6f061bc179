"""Examples for each request and result in the OpenAPI description; a test validates each one."""

from __future__ import annotations

from typing import Any

from rag.api.schemas import SESSION

_PARENT = "8c9e2c1e-7d0b-5a53-9f0e-0d3c2c5f7a11"
_CHUNK = "5f0c5a3a-64a5-5d5e-8c38-6f4b4f1f6a52"
_FILE = "module-1-ros2/chapter-1-first-steps/02-nodes-and-topics.md"
_HASH = "9b74c9897bac770ffc029102a200c5de2f0f4c7f1d3a6f0c2a7f8f6f1e2d3c4b"
_TEXT = "A node is one program that does one job. Nodes talk to each other over topics."

SOURCE: dict[str, Any] = {
    "chunk_text": _TEXT,
    "similarity_score": 0.82,
    "chapter": "Chapter 1",
    "section": "What a node is",
    "url": "https://example.org/physical-ai/nodes-and-topics#what-a-node-is",
    "chunk_index": 0,
    "number": 1,
    "chunk_id": _CHUNK,
    "page_title": "Nodes and topics",
    "heading_path": ["What a node is"],
    "source_file": _FILE,
    "line_start": 12,
    "line_end": 18,
    "content_hash": _HASH,
    "parent_doc_id": _PARENT,
    "verified": True,
}

ANSWER: dict[str, Any] = {
    "response": "A node is one program that does one job [1].",
    "confidence": 0.82,
    "sources": [SOURCE],
    "session_id": SESSION,
    "timestamp": "2025-12-17T14:23:45.123Z",
    "message_number": 2,
    "confidence_level": "high",
    "should_answer": True,
    "model": "gpt-4o-mini",
    "tokens_used": 812,
    "completion_tokens": 40,
    "supported": True,
}

_LLMS = "# A course\n\n## ROS 2\n\n- [Nodes and topics](https://example.org/physical-ai/nodes-and-topics)\n"
_LLMS_FULL = (
    f"# A course\n\n# Nodes and topics\n\nSource: https://example.org/physical-ai/nodes-and-topics\n\n{_TEXT}\n"
)

_EVENTS = (
    'event: retrieval\ndata: {"query":"What is a node?","passages":[],'
    '"average_score":0.0,"has_sufficient_context":false}\n\n'
    'event: token\ndata: {"text":"A node is"}\n\n'
    'event: sources\ndata: {"sources":[]}\n\n'
    'event: done\ndata: {"response":"A node is one program."}\n\n'
)

_PASSAGE: dict[str, Any] = {
    "id": _CHUNK,
    "rank": 1,
    "text": _TEXT,
    "score": 0.82,
    "relevance": 0.91,
    "source_file": _FILE,
    "page_title": "Nodes and topics",
    "page_url": "https://example.org/physical-ai/nodes-and-topics",
    "section_title": "What a node is",
    "heading_path": ["What a node is"],
    "anchor": "what-a-node-is",
    "line_start": 12,
    "line_end": 18,
    "book_id": "physical-ai-robotics",
    "module": "ros2",
    "chapter": 1,
    "lesson": 2,
    "hardware_tier": 1,
    "proficiency_level": "A2",
    "layer": "L1",
    "language": "en",
    "doc_type": "lesson",
    "declared": ["hardware_tier"],
    "chunk_index": 0,
    "total_chunks": 3,
    "parent_doc_id": _PARENT,
    "prev_chunk_id": None,
    "next_chunk_id": None,
    "content_hash": _HASH,
}

_THREAD: dict[str, Any] = {
    "thread_id": SESSION,
    "created_at": "2025-12-17T14:20:00.000Z",
    "updated_at": "2025-12-17T14:21:00.000Z",
    "topic_summary": "What is a node? Also: topics, messages",
    "metadata": {"question": "What is a node?"},
    "message_count": 2,
    "archived": False,
}

_MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "What is a node?", "timestamp": "2025-12-17T14:20:00.000Z", "number": 1},
    {
        "role": "assistant",
        "content": "A node is one program that does one job [1].",
        "timestamp": "2025-12-17T14:20:02.150Z",
        "number": 2,
        "confidence": 0.82,
    },
]

_JOB: dict[str, Any] = {
    "job_id": 12,
    "book_id": "physical-ai-robotics",
    "mode": "incremental",
    "status": "completed",
    "started_at": "2025-12-17T14:20:00Z",
    "completed_at": "2025-12-17T14:20:09Z",
    "duration_seconds": 9,
    "lessons_done": 1,
    "lessons_total": 1,
    "files_processed": 1,
    "files_skipped": 25,
    "chunks_created": 4,
    "chunks_deleted": 0,
    "embedded": 4,
    "reused": 0,
    "tokens": 1204,
}

_BOOK: dict[str, Any] = {"book_id": "physical-ai-robotics", "title": "Physical AI: a short course"}
_CHOICES: dict[str, Any] = {
    "modules": [{"name": "ros2", "title": "The Robotic Nervous System", "chunks": 31}],
    "tiers": [1, 2, 4],
    "tier_names": ["any laptop", "a computer with an RTX graphics card", "a Jetson kit", "a physical robot"],
    "levels": ["A1", "A2", "B1"],
    "languages": ["en"],
    "subjects": [{"title": "What a node is", "module": "ros2"}],
}
_PAGE: dict[str, Any] = {
    "title": "Nodes and topics",
    "url": "https://example.org/physical-ai/nodes-and-topics",
    "parent_doc_id": _PARENT,
}

_MODEL: dict[str, Any] = {
    "id": "physical-ai-robotics",
    "name": "Physical AI: a short course",
    "object": "model",
    "created": 1735689600,
    "owned_by": "bookwise",
}
_COMPLETION: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1765981425,
    "model": "physical-ai-robotics",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "A node is one program that does one job [1]."},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 772, "completion_tokens": 40, "total_tokens": 812},
}
_RESPONSE: dict[str, Any] = {
    "id": "resp_550e8400e29b41d4a716446655440000_1f2e3d4c",
    "object": "response",
    "created_at": 1765981425,
    "status": "completed",
    "model": "physical-ai-robotics",
    "output": [
        {
            "id": "msg_1",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "A node is one program that does one job [1].", "annotations": []}
            ],
        }
    ],
    "usage": {"input_tokens": 772, "output_tokens": 40, "total_tokens": 812},
}
_EMBEDDINGS: dict[str, Any] = {
    "object": "list",
    "data": [{"object": "embedding", "index": 0, "embedding": [0.01, -0.03]}],
    "model": "physical-ai-robotics",
    "usage": {"prompt_tokens": 5, "total_tokens": 5},
}
_GROUP: dict[str, Any] = {
    "question": "What is a node?",
    "count": 12,
    "unanswered": 0,
    "weak": 3,
    "liked": 5,
    "disliked": 1,
    "done": 0,
    "last_asked": "2025-12-17T14:20:00+00:00",
    "wordings": ["What is a node?", "what's a node"],
    "comments": ["Too short."],
    "pages": [
        {
            "title": "Nodes and topics",
            "url": "https://example.org/physical-ai/nodes",
            "source_file": _FILE,
            "score": 0.82,
        }
    ],
    "answers": [
        {
            "thread_id": SESSION,
            "number": 2,
            "asked_at": "2025-12-17T14:20:00+00:00",
            "question": "What is a node?",
            "answered": True,
            "confidence_level": "high",
            "rating": "down",
            "comment": "Too short.",
            "done": False,
        }
    ],
}
_EXPORTED = ("thread_id", "created_at", "updated_at", "topic_summary", "metadata")
_CSV = (
    "asked_at,book_id,key_id,question,answered,confidence,supported,rating,comment,done,tokens,cost,page\n"
    f"2025-12-17T14:20:00+00:00,a-course,1f2e3d4c,What is a node?,True,high,True,down,Too short.,False,812,,{_FILE}\n"
)
_FIGURES: dict[str, Any] = {
    "questions": 120,
    "answered": 103,
    "weak": 14,
    "liked": 20,
    "disliked": 4,
    "tokens": 97_440,
    "cost": 0.0487,
}
_USAGE: dict[str, Any] = {
    "day": "2025-12-17",
    "key_id": "1f2e3d4c",
    "name": "site",
    "questions": 120,
    "answered": 103,
    "liked": 20,
    "disliked": 4,
    "tokens": 97_440,
    "cost": 0.0487,
}
_READY = {"database": "ok", "index": "ok"}
_JSON = "application/json"
_STREAM = "text/event-stream"

RESULTS: dict[tuple[str, str, str, str], Any] = {
    ("post", "/chat/run", "200", _JSON): ANSWER,
    ("post", "/chat/run", "200", _STREAM): _EVENTS,
    ("post", "/chat/stream", "200", _STREAM): _EVENTS,
    ("get", "/threads", "200", _JSON): {"threads": [_THREAD], "next_before": None},
    ("get", "/threads/{thread_id}", "200", _JSON): _THREAD | {"messages": _MESSAGES},
    ("get", "/threads/{thread_id}/messages", "200", _JSON): {"messages": _MESSAGES, "next_before": None},
    ("post", "/threads/{thread_id}/messages/{number}/share", "201", _JSON): {"token": "k3Zt0bT5oF1y9wQm2vXcS7aR"},
    ("get", "/shared/{thread_id}/{number}", "200", _JSON): {"question": _MESSAGES[0], "answer": _MESSAGES[1]},
    ("post", "/render", "200", _JSON): {"items": [["math", {"display": "inline"}, [["mi", {}, ["x"]]]]]},
    ("get", "/v1/models", "200", _JSON): {"object": "list", "data": [_MODEL]},
    ("get", "/v1/models/{model}", "200", _JSON): _MODEL,
    ("post", "/v1/chat/completions", "200", _JSON): _COMPLETION,
    ("post", "/v1/chat/completions", "200", _STREAM): (
        'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1765981425,"model":"book-id",'
        '"choices":[{"index":0,"delta":{"content":"A node is"},"finish_reason":null}]}\n\ndata: [DONE]\n\n'
    ),
    ("post", "/v1/responses", "200", _JSON): _RESPONSE,
    ("post", "/v1/responses", "200", _STREAM): (
        'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":4,'
        '"item_id":"msg_1","output_index":0,"content_index":0,"delta":"A node is"}\n\n'
    ),
    ("post", "/v1/embeddings", "200", _JSON): _EMBEDDINGS,
    ("get", "/owner/questions", "200", _JSON): {"total": 12, "groups": [_GROUP]},
    ("get", "/owner/usage", "200", _JSON): {"usage": [_USAGE]},
    ("get", "/owner/questions.csv", "200", "text/csv"): _CSV,
    ("get", "/owner/trend", "200", _JSON): {"days": [{"day": "2025-12-17"} | _FIGURES], "totals": _FIGURES},
    ("get", "/owner/threads/{thread_id}", "200", _JSON): _THREAD | {"messages": _MESSAGES},
    ("get", "/owner/threads/{thread_id}/messages", "200", _JSON): {"messages": _MESSAGES, "next_before": None},
    ("get", "/owner/reader", "200", _JSON): {
        "key_id": "1f2e3d4c",
        "user_id": None,
        "exported_at": "2025-12-18T09:00:00.000Z",
        "threads": [{name: _THREAD[name] for name in _EXPORTED} | {"messages": _MESSAGES}],
        "questions": [{"question": "What is a node?", "asked_at": "2025-12-17T14:20:00+00:00", "answered": True}],
    },
    ("delete", "/owner/reader", "200", _JSON): {"threads": 3, "questions": 7},
    ("post", "/search", "200", _JSON): {
        "query": "What is a node?",
        "results": [_PASSAGE],
        "total_found": 82,
        "hardware_tier_filter": 1,
        "module_filter": None,
        "book_id": "physical-ai-robotics",
    },
    ("get", "/books", "200", _JSON): {"books": [_BOOK]},
    ("get", "/books/{book_id}", "200", _JSON): _BOOK | _CHOICES,
    ("get", "/start", "200", _JSON): {
        "books": [_BOOK],
        "book": _BOOK | _CHOICES,
        "threads": {"threads": [_THREAD], "next_before": None},
        "archived": {"threads": [], "next_before": None},
        "questions": ["How do I begin?"],
    },
    ("get", "/books/{book_id}/pages", "200", _JSON): {"pages": [_PAGE]},
    ("get", "/lessons/{parent_doc_id}", "200", _JSON): {
        "title": "Nodes and topics",
        "parent_doc_id": _PARENT,
        "text": _TEXT,
        "chunks": [{"id": _CHUNK, "text": _TEXT, "hardware_tier": 1}],
    },
    ("post", "/ingest", "202", _JSON): _JOB | {"status": "queued"},
    ("get", "/ingest/{job_id}", "200", _JSON): _JOB,
    ("get", "/health", "200", _JSON): {"status": "ok", "checks": {}},
    ("get", "/ready", "200", _JSON): {"status": "ok", "checks": _READY},
    ("get", "/ready", "503", _JSON): {
        "status": "unavailable",
        "checks": _READY | {"index": "nothing is indexed; run `bookwise ingest DOCS` first"},
    },
    ("get", "/books/{book_id}/llms.txt", "200", "text/markdown"): _LLMS,
    ("get", "/books/{book_id}/llms-full.txt", "200", "text/markdown"): _LLMS_FULL,
    ("get", "/metrics", "200", "text/plain"): 'bookwise_answers_total{confidence_level="high"} 12.0\n',
}
"""By method, path, status and media type."""
