"""A scripted chat service that the commands under test use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.openai_chat import ChatServer


@pytest.fixture
def server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """The service, set as the language model of the book in `folder`."""
    with ChatServer() as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.base_url)
        monkeypatch.setenv("BOOKWISE_EMBEDDER", "local")
        yield running
