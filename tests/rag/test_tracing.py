"""Traces: a span for the request, its searches, the model's calls and the database, and none unless asked for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingestion.errors import ConfigurationError
from rag.tracing import start_tracing, trace_with
from tests.support.chat_api import QUESTION, book, events_in, indexed, serving
from tests.support.openai_chat import TOKENS, ChatServer

__all__ = ["book", "indexed"]


@pytest.fixture
def spans() -> Iterator[Any]:
    pytest.importorskip("opentelemetry.sdk", reason="the extra bookwise[otel] is not installed")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    trace_with(provider)
    yield exporter
    trace_with(None)
    provider.shutdown()


def test_an_answer_is_one_trace_without_the_words_of_the_question(book: Path, spans: Any) -> None:
    with ChatServer() as model, serving(book, open_to_all=True, **{"openai.base_url": model.base_url}) as client:
        spans.clear()
        assert events_in(client.post("/chat/stream", json=QUESTION).text)[-1][0] == "done"
    found = spans.get_finished_spans()
    [request] = [each for each in found if each.name == "POST /chat/stream"]
    mine = [each.name for each in found if each.context.trace_id == request.context.trace_id]
    assert mine.count("retrieval") == 2 and mine.count("chat gpt-4o-mini") == 2 and "database" in mine
    [embedded, *_] = [each for each in found if each.name.startswith("embeddings ")]
    assert embedded.attributes["gen_ai.request.model"] in embedded.name and embedded.name in mine
    [called, _] = [each.attributes for each in found if each.name == "chat gpt-4o-mini"]
    assert called["gen_ai.usage.input_tokens"] + called["gen_ai.usage.output_tokens"] == TOKENS
    assert not any(QUESTION["message"] in each.to_json() for each in found)


def test_a_failure_is_named_by_its_class(book: Path, spans: Any) -> None:
    with serving(book, open_to_all=True) as client:
        spans.clear()
        client.post("/search", json={"query": "a node", "module": "no-such-module"})
    [retrieval] = [each for each in spans.get_finished_spans() if each.name == "retrieval"]
    assert retrieval.attributes["error.type"] == "UsageError"


@pytest.mark.parametrize(
    "environ", [{}, {"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}]
)
def test_traces_that_nobody_asked_for_are_not_made(environ: dict[str, str]) -> None:
    assert not start_tracing(environ)


def test_another_exporter_is_a_mistake_of_the_settings() -> None:
    with pytest.raises(ConfigurationError, match="zipkin"):
        start_tracing({"OTEL_TRACES_EXPORTER": "zipkin"})


def test_without_traces_nothing_of_the_sdk_is_imported() -> None:
    script = "import rag.tracing, sys; rag.tracing.start_tracing({}); print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
