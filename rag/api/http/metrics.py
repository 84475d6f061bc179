"""Count requests, answers and failures for `/metrics`, in a registry per server."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
    start_http_server,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from ingestion.errors import ConfigurationError
from ingestion.settings import Settings

WORKER_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Makes prometheus_client, at its import, keep figures in files from which those of all workers are read."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class Metrics:
    """The figures of one server; no label has a value that callers choose freely."""

    def __init__(self) -> None:
        # This would add a series per counter with its start time.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        names = ["method", "route", "status"]
        self._requests = Counter("bookwise_requests", "Requests answered.", names, registry=self.registry)
        self._seconds = Histogram(
            "bookwise_request_seconds", "Seconds to the end.", ["route"], buckets=SECONDS, registry=self.registry
        )
        self._answers = Counter("bookwise_answers", "Answers.", ["confidence_level"], registry=self.registry)
        self._tokens = Counter("bookwise_model_tokens", "Tokens of the model.", registry=self.registry)
        self._waits = {
            name: Histogram(f"bookwise_{name}_seconds", text, buckets=SECONDS, registry=self.registry)
            for name, text in (
                ("retrieval", "Seconds of searching for an answer."),
                ("model", "Seconds of the language model for an answer."),
                ("first_token", "Seconds to the first piece of an answer."),
            )
        }
        self._failures = Counter("bookwise_failures", "Failures.", ["part", "kind"], registry=self.registry)
        self._refused = Counter(
            "bookwise_refused_connections", "Connections closed.", ["reason"], registry=self.registry
        )
        self._ratings = Counter("bookwise_ratings", "Ratings of answers.", ["rating"], registry=self.registry)
        self.streams = Gauge("bookwise_streams", "Open streams.", registry=self.registry, multiprocess_mode="livesum")

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        # A client may send any word as its method, and each label stays for ever.
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answered(self, level: str, tokens: int) -> None:
        """Count one answer."""
        self._answers.labels(level).inc()
        self._tokens.inc(tokens)

    def waited(self, **seconds: float) -> None:
        """Record an answer's times: `retrieval`, `model` and `first_token`."""
        for name, taken in seconds.items():
            self._waits[name].observe(taken)

    def failed(self, part: str, kind: str) -> None:
        """Count one failure of a part; `kind` is the class of its error."""
        self._failures.labels(part, kind).inc()

    def refused(self, reason: str) -> None:
        """Count one connection that was closed to keep within the limits."""
        self._refused.labels(reason).inc()

    def rated(self, rating: str) -> None:
        """Count one rating of an answer."""
        self._ratings.labels(rating).inc()

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(registry_of(self.registry))


class AllWorkers(Collector):
    """The figures of all workers of a server, including ended ones; each writes its own to files."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        """Return the sums; a gauge counts live workers only."""
        for process_id in {int(file.stem.rpartition("_")[2]) for file in Path(self._folder).glob("gauge_live*.db")}:
            if not _is_alive(process_id):
                mark_process_dead(process_id, self._folder)  # type: ignore[no-untyped-call]
        collector: Collector = MultiProcessCollector(None, self._folder)  # type: ignore[no-untyped-call]
        return collector.collect()


def registry_of(own: CollectorRegistry) -> CollectorRegistry:
    """Return the registry behind `/metrics`: the process's own figures, or those of all workers."""
    folder = os.environ.get(WORKER_FOLDER)
    return own if folder is None else _registry_in(folder)


@contextmanager
def shared_by_workers() -> Iterator[CollectorRegistry]:
    """Let workers started in the block write their figures to one folder; yields the figures of all."""
    with TemporaryDirectory(prefix="bookwise-metrics-") as folder:
        os.environ[WORKER_FOLDER] = folder
        try:
            yield _registry_in(folder)
        finally:
            del os.environ[WORKER_FOLDER]


def _registry_in(folder: str) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(AllWorkers(folder))
    return registry


@contextmanager
def serve_metrics(registry: CollectorRegistry, settings: Settings) -> Iterator[None]:
    """Serve only the figures at `api.metrics_address` while the block runs; raises ConfigurationError."""
    address = settings.api.metrics_address
    if address is None:
        yield
        return
    host, _, port = address.rpartition(":")
    try:
        server, thread = start_http_server(int(port), host.strip("[]"), registry)
    except (ValueError, OSError) as error:
        raise ConfigurationError(f"cannot serve metrics at api.metrics_address {address!r}: {error}") from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _is_alive(process_id: int) -> bool:
    if sys.platform == "win32":
        return True  # signal 0 is Ctrl-C there
    try:
        os.kill(process_id, 0)
    except OSError:
        return False
    return True
