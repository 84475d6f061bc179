"""Send spans to OpenTelemetry where the standard OTEL_* variables ask for them; else nothing of it is imported.

Names and attributes follow its conventions for databases (`db.*`) and generative models (`gen_ai.*`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ingestion.errors import ConfigurationError
from ingestion.extras import extra_needed

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORTERS = ("otlp", "console")

_tracer: Tracer | None = None


def start_tracing(environ: Mapping[str, str]) -> bool:
    """Send spans as OTEL_TRACES_EXPORTER (`otlp`, `console`) or an OTLP endpoint says; False where neither is set.

    The SDK reads its other variables itself. Raises ConfigurationError for another exporter, or without the extra.
    """
    exporter = environ.get("OTEL_TRACES_EXPORTER") or ("otlp" if any(map(environ.get, ENDPOINTS)) else "none")
    if exporter == "none" or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if exporter not in EXPORTERS:
        raise ConfigurationError(f"invalid OTEL_TRACES_EXPORTER={exporter}: choose {', '.join(EXPORTERS)} or none")
    with extra_needed("otel", "traces need"):
        from opentelemetry import trace
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        name = environ.get("OTEL_SERVICE_NAME") or "bookwise"
        provider = TracerProvider(resource=Resource.create({SERVICE_NAME: name}))
        provider.add_span_processor(BatchSpanProcessor(_exporter(exporter)))
    trace.set_tracer_provider(provider)
    trace_with(provider)
    return True


def trace_with(provider: TracerProvider | None) -> None:
    """Give spans to this provider, None to make none."""
    global _tracer
    _tracer = provider.get_tracer("bookwise") if provider else None


@contextmanager
def span(name: str, attributes: Mapping[str, Any] | None = None) -> Iterator[Span | None]:
    """Open a span around the block, a child of the request's; never with the text of a message.

    It is not made the current span: the blocks of an answer are left and entered from several tasks.
    """
    if _tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind, Status, StatusCode

    given = {key: value for key, value in (attributes or {}).items() if value is not None}
    is_call = any(key.startswith(("db.", "gen_ai.")) for key in given)
    opened = _tracer.start_span(name, kind=SpanKind.CLIENT if is_call else SpanKind.INTERNAL, attributes=given)
    try:
        yield opened
    except Exception as error:
        opened.set_attribute("error.type", type(error).__name__)
        opened.set_status(Status(StatusCode.ERROR, type(error).__name__))
        raise
    finally:
        opened.end()


def current_trace_id() -> str:
    """Return the id of the request's trace, "" where there is none."""
    if _tracer is None:
        return ""
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    return f"{context.trace_id:032x}" if context.is_valid else ""


def _exporter(kind: str) -> Any:
    if kind == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()
