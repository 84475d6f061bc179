"""A server on this machine that speaks OpenAI's embeddings API and asks for no key, as the command line uses it."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from bookwise.command_line import app
from tests.support.books import page, write_book
from tests.support.openai_server import OpenAIServer


def test_a_service_without_a_key_is_one_setting_away_and_gets_no_key_of_another() -> None:
    write_book(Path("docs"), {"module-1-ros2/01-one.md": page("One", "The alpha turns on its axis.")})
    with OpenAIServer() as server:
        env = {
            "BOOKWISE_EMBEDDER": "openai",
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_EMBEDDING_MODEL": "nomic-embed-text",
        }
        done = CliRunner().invoke(app, ["ingest"], env=env)
        assert done.exit_code == 0, done.output
        info = CliRunner().invoke(app, ["info"], env=env)
    assert "nomic-embed-text/1 (8 dimensions)" in info.output
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer not-needed"}
