"""A book that an earlier release indexed opens: index, state, configuration, ledger of runs, keys and conversations.

`made-by-c3f187a.tar.xz` holds what that commit wrote by `bookwise ingest docs`, `bookwise keys add reader` and
`bookwise chat --session`, over two lessons (packed by `tar --sparse -cJf`, without its lock files).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner

import bookwise
from bookwise.command_line import app
from ingestion.settings.loader import load_settings
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import database_of
from rag.conversations.store import ThreadStore
from tests.support.paths import ROOT

MADE = Path(__file__).parent / "made-by-c3f187a.tar.xz"
SECRET = "bw_HXN5ENCwtKLx1XLWe-ljtK6yO3Gy4ScxiBKofCxpAik"
THREAD = "3f0c9d52-7d0a-4a8e-9d5e-0c6f1c2b7a11"
QUESTION = "Why does a late subscriber miss messages?"
Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(MADE) as packed:
        packed.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    def invoke(*arguments: str) -> Any:
        done = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    return invoke


def test_it_answers_before_anything_is_indexed_again(folder: Path) -> None:
    with bookwise.open_book(folder) as book:
        answer = book.ask(QUESTION)
        hidden = book.search("ray tracing on a graphics card").results
    assert "transient local" in answer.answer and answer.citations[0].source_file == "m1/01-topics.md"
    assert {passage.source_file for passage in hidden} == {"m1/01-topics.md"}


def test_the_plan_says_what_is_embedded_again_and_its_price(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKWISE_EMBEDDING_PRICE", "20")
    before = (folder / ".ingestion_state.json").read_bytes()
    planned = run("plan")
    assert planned["files"] == {"outdated": 2, "unchanged": 0}
    chunks = planned["chunks"]
    assert chunks["embedded"] + chunks["reused"] + chunks["patched"] + chunks["kept"] == 2
    assert planned["cost"] == pytest.approx(chunks["tokens"] * 20 / 1_000_000)
    assert (folder / ".ingestion_state.json").read_bytes() == before
    shown = CliRunner().invoke(app, ["plan"]).output
    assert f"{chunks['embedded']} would be embedded ({chunks['tokens']} tokens" in shown
    assert "indexed by another version" in shown


def test_a_run_brings_it_up_to_date_and_the_next_has_nothing_to_do(run: Run) -> None:
    done = run("ingest")
    assert (done["book_id"], done["failures"], done["total_chunks"]) == ("robots", [], 2)
    assert run("plan")["files"] == {"unchanged": 2}
    assert CliRunner().invoke(app, ["verify"]).exit_code == 0


def test_a_lost_state_is_rebuilt_from_the_old_index(run: Run, folder: Path) -> None:
    (folder / ".ingestion_state.json").unlink()
    assert run("ingest")["total_chunks"] == 2
    assert run("plan")["files"] == {"unchanged": 2}


def test_jobs_keys_and_conversations_are_kept(run: Run, folder: Path) -> None:
    assert [job["book_id"] for job in run("jobs")["jobs"]] == ["robots"]
    settings = load_settings({}, config=folder / "bookwise.toml")
    with closing(database_of(settings)) as database:
        key = KeyStore(database).find(SECRET)
        messages = ThreadStore(database).all_messages(UUID(THREAD))
    assert key is not None and key.name == "reader"
    assert [message.role for message in messages] == ["user", "assistant"]
    assert messages[0].content == QUESTION and "transient local" in messages[1].content


def test_a_state_of_a_newer_release_is_refused_with_what_to_do(folder: Path) -> None:
    state = folder / ".ingestion_state.json"
    state.write_text(state.read_text().replace('"format_version": 1', '"format_version": 99'))
    done = subprocess.run(
        [sys.executable, "-c", "from bookwise.command_line import app; app()", "ingest"],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 8 and "update it" in done.stderr
