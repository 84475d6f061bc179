"""`/books/{book_id}/llms.txt`: what the key may read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.support.openai_chat import ChatServer
from tests.support.served_book import key_for, run, serving, write_sample

ABOVE = "Isaac Sim on a local RTX workstation"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("read")
    write_sample(folder)
    run(folder, "ingest")
    return folder


def test_a_book_is_read_as_text_within_the_key_and_the_tier(folder: Path) -> None:
    with ChatServer() as model, key_for(folder, highest_tier=2) as secret, serving(folder, model) as server:
        with httpx.Client(base_url=f"{server.url}/books/physical-ai-robotics", headers={"X-API-Key": secret}) as book:
            listed = book.get("/llms.txt")
            full = book.get("/llms-full.txt")
            above = book.get("/llms.txt", params={"hardware_tier": 3})
            within = book.get("/llms-full.txt", params={"hardware_tier": 2})
            nothing = httpx.get(f"{server.url}/books/physical-ai-robotics/llms.txt")
    assert listed.headers["content-type"] == "text/markdown; charset=utf-8"
    assert listed.text.startswith("# Physical AI") and ABOVE not in listed.text and ABOVE not in full.text
    assert "Source: https://" in full.text and len(full.text) > len(listed.text)
    assert above.status_code == 403 and nothing.status_code == 401
    assert ABOVE in within.text
