"""Spans for OpenTelemetry where the standard OTEL_* variables ask for them; else nothing of it is imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ingestion.errors import ConfigurationError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORTERS = ("otlp", "console")

_tracer: Tracer | None = None


def start_tracing(environ: Mapping[str, str]) -> bool:
    """Send spans where OTEL_TRACES_EXPORTER (`otlp`, `console`) or an OTLP endpoint says; False where neither is set.

    The SDK reads its other variables itself. Raises ConfigurationError for another exporter, or without the extra.
    """
    wanted = environ.get("OTEL_TRACES_EXPORTER") or ("otlp" if any(map(environ.get, ENDPOINTS)) else "none")
    if wanted == "none" or environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    if wanted not in EXPORTERS:
        raise ConfigurationError(f"OTEL_TRACES_EXPORTER={wanted}: {', '.join(EXPORTERS)} and none are known")
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(_exporter(wanted)))
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; traces need the extra: pip install 'bookwise[otel]'"
        ) from error
    trace.set_tracer_provider(provider)
    trace_with(provider)
    return True


def trace_with(provider: TracerProvider | None) -> None:
    """Give spans to this provider, None to make none."""
    global _tracer
    _tracer = provider.get_tracer("bookwise") if provider else None


@contextmanager
def span(name: str, **attributes: Any) -> Iterator[Span | None]:
    """A span around the block, a child of the request's; never with the text of a message.

    It is not made the current one: the blocks of an answer are left and entered from several tasks.
    """
    if _tracer is None:
        yield None
        return
    opened = _tracer.start_span(name, attributes=attributes)
    try:
        yield opened
    except Exception as error:
        opened.set_attribute("error.type", type(error).__name__)
        raise
    finally:
        opened.end()


def _exporter(kind: str) -> Any:
    if kind == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()
