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
        book = f"{server.url}/books/physical-ai-robotics"

        def get(name: str, **asked: int) -> httpx.Response:
            return httpx.get(f"{book}/{name}", params=asked, headers={"X-API-Key": secret}, timeout=100)

        listed, full = get("llms.txt"), get("llms-full.txt")
        above, within = get("llms.txt", hardware_tier=3), get("llms-full.txt", hardware_tier=2)
        nothing = httpx.get(f"{book}/llms.txt", timeout=100)
    assert listed.headers["content-type"] == "text/markdown; charset=utf-8"
    assert listed.text.startswith("# Physical AI") and ABOVE not in listed.text and ABOVE not in full.text
    assert "Source: https://" in full.text and len(full.text) > len(listed.text)
    assert above.status_code == 403 and nothing.status_code == 401
    assert ABOVE in within.text
