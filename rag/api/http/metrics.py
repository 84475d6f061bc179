"""The figures of `/metrics`, in a registry of each server's own."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """What is counted; no label holds anything that a caller chooses freely."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        names = ["method", "route", "status"]
        self._requests = Counter("bookwise_requests", "Requests answered.", names, registry=self._registry)
        self._seconds = Histogram(
            "bookwise_request_seconds", "Time to the end.", ["route"], buckets=SECONDS, registry=self._registry
        )
        self._answers = Counter("bookwise_answers", "Answers.", ["confidence_level"], registry=self._registry)
        self._tokens = Counter("bookwise_model_tokens", "Tokens of the model.", registry=self._registry)
        self.streams = Gauge("bookwise_streams", "Streams that are open.", registry=self._registry)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answered(self, level: str, tokens: int) -> None:
        """One answer."""
        self._answers.labels(level).inc()
        self._tokens.inc(tokens)

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self._registry)
