"""`bookwise batch` as a user runs it: the real SDK, a loopback service, a real cache, ledger and index."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli import app
from tests.support.batch_service import PAGES
from tests.support.books import BOOK, write_book
from tests.support.openai_batches import BatchServer

KEY = "sk-not-to-be-seen"


class Desk:
    """A folder with a book, and commands run in it."""

    def __init__(self, server: BatchServer) -> None:
        self.server = server

    def run(self, *arguments: str, exit_code: int = 0, **variables: str) -> str:
        """All that one command says, which must end with that code."""
        return self._result(arguments, exit_code, variables).output

    def _result(self, arguments: Sequence[str], exit_code: int, variables: Mapping[str, str]) -> Result:
        env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.server.base_url, "BOOKWISE_BOOK": BOOK} | variables
        result = CliRunner().invoke(app, list(arguments), env=env)
        assert result.exit_code == exit_code, result.output
        assert KEY not in result.output
        return result

    def report(self, *arguments: str, exit_code: int = 0, **variables: str) -> Any:
        return json.loads(self._result((*arguments, "--json"), exit_code, variables).stdout)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    write_book(Path("docs"), PAGES)
    with BatchServer() as server:
        yield Desk(server)


def test_submit_list_fetch_and_an_ordinary_ingest(desk: Desk) -> None:
    submitted = desk.run("batch", "submit")
    assert "submitted 3 texts" in submitted and "as batch_1, $0.0000 at half price" in submitted
    assert "bookwise batch fetch" in submitted
    assert "0 of 3 texts embedded" in desk.run("batch", "list", exit_code=12)
    assert "in_progress" in desk.run("batch", "fetch", exit_code=12)
    desk.server.end("batch_1")
    assert "completed" in desk.run("batch", "list")
    assert "3 vectors are in the embedding cache" in desk.run("batch", "fetch")
    assert "no open batch" in desk.run("batch", "fetch")
    counts = desk.report("ingest")["chunks"]
    assert (counts["embedded"], counts["reused"]) == (0, 3) and desk.server.embedded == []
    assert "Every text has its vector" in desk.run("batch", "submit")


def test_the_json_documents_name_batches_texts_and_reasons(desk: Desk) -> None:
    submitted = desk.report("batch", "submit")
    assert submitted["book_id"] == BOOK and submitted["waiting"] == 0
    (batch,) = submitted["batches"]
    assert (batch["batch_id"], batch["texts"], batch["state"]) == ("batch_1", 3, "in_progress")
    assert batch["cost"] == pytest.approx(batch["tokens"] * 0.02 / 1_000_000 / 2)
    assert desk.report("batch", "list", exit_code=12)["batches"][0]["completed"] == 0
    desk.server.end("batch_1", failing=("beta",))
    fetched = desk.report("batch", "fetch", exit_code=3)
    assert fetched["running"] == [] and fetched["fetched"][0]["vectors"] == 2
    assert list(fetched["fetched"][0]["failed"].values()) == [1]


def test_the_index_is_that_of_a_run_without_a_batch(desk: Desk) -> None:
    desk.run("batch", "submit")
    desk.server.end("batch_1")
    desk.run("batch", "fetch")
    desk.run("ingest")
    found = desk.report("search", "alpha", "--ranking", "dense")
    desk.run("ingest", BOOKWISE_DIRECTORY="other", BOOKWISE_STATE="other.json")
    assert found == desk.report("search", "alpha", "--ranking", "dense", BOOKWISE_DIRECTORY="other")


def test_a_batch_over_its_budget_is_not_uploaded(desk: Desk) -> None:
    desk.run("batch", "submit", "--max-tokens", "1", exit_code=11)
    desk.run("batch", "submit", "--max-cost", "0.0000000001", exit_code=11)
    assert desk.server.batches == {} and desk.server.files == {}


def test_the_embedded_model_takes_no_batches(desk: Desk) -> None:
    assert "BOOKWISE_EMBEDDER" in desk.run("batch", "submit", BOOKWISE_EMBEDDER="local", exit_code=4)


def test_azure_is_sent_no_batches(desk: Desk) -> None:
    assert "not sent to Azure" in desk.run("batch", "submit", BOOKWISE_AZURE_API_VERSION="2024-10-21", exit_code=4)
    assert desk.server.files == {}


@pytest.mark.parametrize("flag", ["--batch", "--resume", "--ignore-batches"])
def test_ingest_knows_nothing_of_batches(desk: Desk, flag: str) -> None:
    desk.run("ingest", flag, exit_code=2)
