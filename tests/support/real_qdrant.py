"""A running Qdrant server for the suite, where the environment names one (`make test-qdrant`)."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from ingestion.vector_stores.server.client import connect
from ingestion.vector_stores.server.generations import ServerGenerations

# Read before the clean environment of the tests takes them away.
URL, KEY = (os.environ.get(f"BOOKWISE_TEST_QDRANT_{name}") for name in ("URL", "API_KEY"))


@contextmanager
def real_server() -> Iterator[Callable[[str], ServerGenerations]]:
    """Opens collections under names of their own, and removes them at the end."""
    if not URL:
        pytest.skip("no Qdrant server: BOOKWISE_TEST_QDRANT_URL is not set")
    server = connect(URL, KEY)
    prefix = f"bookwise-test-{secrets.token_hex(4)}"
    try:
        yield lambda name: ServerGenerations(server, f"{prefix}-{name}")
    finally:
        for each in server.client.get_collections().collections:
            if each.name.startswith(prefix):
                server.client.delete_collection(each.name)
