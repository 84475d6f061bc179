"""What bounds replies reaches into the HTTP libraries; one that has changed is refused, never used unbounded."""

from __future__ import annotations

from typing import Any

import httpx
import httpx2
import pytest

from ingestion.bounded_http import limit_heads


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_the_connections_of_a_client_are_bounded(library: Any) -> None:
    with library.Client() as client:
        limit_heads(client)
        assert type(client._transport._pool._network_backend).__name__ == "_TimedBackend"


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_a_library_that_keeps_its_connections_elsewhere_is_refused(library: Any) -> None:
    refused = pytest.raises(RuntimeError, match=rf"the installed {library.__name__} is too new")
    with library.Client(transport=library.MockTransport(lambda _: library.Response(200))) as client, refused:
        limit_heads(client)
