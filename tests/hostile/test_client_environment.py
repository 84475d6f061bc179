"""Certificates and proxies of the environment that cannot be used: one sentence with the variable, at every door."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.openai_client.access import ServiceAccess
from ingestion.openai_client.connections import Connections
from ingestion.openai_client.sdk import Service
from ingestion.operations.doctor import diagnose
from ingestion.settings.loader import load
from ingestion.vector_stores.server.client import connect
from rag.retrieval.rerankers.endpoint import RerankEndpoint

URL = "http://service.example:9"
ACCESS = {"api_key": "k", "base_url": URL, "timeout": 1.0, "max_retries": 0}
DOORS: Mapping[str, Callable[[], object]] = {
    "embeddings": lambda: Connections(ServiceAccess(**ACCESS)),  # type: ignore[arg-type]
    "chat": lambda: Service(**ACCESS).open(),  # type: ignore[arg-type]
    "answers": lambda: Service(**ACCESS).open_async(),  # type: ignore[arg-type]
    "many answers": lambda: Service(**ACCESS).open_async(many=True),  # type: ignore[arg-type]
    "qdrant": lambda: connect(URL),
    "qdrant cluster": lambda: connect(f"{URL},http://other.example:9"),
    "reranker": lambda: RerankEndpoint(URL).rerank("a", ["b"]),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", ["missing", "empty", "wrong"])
def test_a_file_of_certificates_that_cannot_be_used_is_named(
    door: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ca.pem"
    if kind != "missing":
        file.write_text("" if kind == "empty" else "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    with pytest.raises(ConfigurationError, match=rf"SSL_CERT_FILE \('{re.escape(str(file))}'\) is not usable"):
        DOORS[door]()


# The nodes of a cluster are asked directly, and the client for many answers looks at a proxy when it asks.
@pytest.mark.parametrize("door", sorted(DOORS.keys() - {"qdrant cluster", "many answers"}))
@pytest.mark.parametrize("proxy", ["socks5://user:s3cret@proxy.example:1", "what://proxy.example"])
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(
    door: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ConfigurationError, match="ALL_PROXY is not usable") as caught:
        DOORS[door]()
    assert "s3cret" not in str(caught.value)
    assert "NO_PROXY" in str(caught.value.hint)


def test_the_next_step_of_doctor_is_what_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:9")
    report = diagnose(load({"qdrant.url": "https://127.0.0.1:7"}, environ={}))
    [told] = [check for check in report.checks if check.subject == "vector store"]
    assert "HTTPS_PROXY is not usable" in told.message and "NO_PROXY" in str(told.next_step)
