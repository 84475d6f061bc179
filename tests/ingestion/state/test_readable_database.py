"""Databases of ours where they cannot be written: what is in them is read, also from the log of SQLite."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ingestion.embedding.cache import EmbeddingCache
from ingestion.errors import StateError
from ingestion.state.job_ledger import JobLedger
from ingestion.state.readable_database import ReadableDatabase
from rag.conversations.database import ConversationDatabase
from rag.conversations.store import ThreadStore
from tests.support.read_only import refuse_writes


def test_a_database_that_can_be_written_is_the_file_itself(tmp_path: Path) -> None:
    with closing(ReadableDatabase(tmp_path / "mine.sqlite")) as database:
        assert (database.path, database.is_copy) == (tmp_path / "mine.sqlite", False)
    assert (tmp_path / "mine.sqlite").exists()


def test_what_is_only_in_the_log_is_in_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "log.sqlite"
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE words (word TEXT)")
        writer.execute("INSERT INTO words VALUES ('late')")
        writer.commit()
        refuse_writes(monkeypatch, tmp_path)
        database = ReadableDatabase(file)
        assert database.is_copy
        with closing(sqlite3.connect(database.path)) as copy:
            assert copy.execute("SELECT word FROM words").fetchall() == [("late",)]
    database.close()
    assert not database.path.exists()


def test_jobs_are_listed_from_a_ledger_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(JobLedger(tmp_path / "jobs.sqlite")) as ledger:
        ledger.begin("robots", "full")
    refuse_writes(monkeypatch, tmp_path)
    with closing(JobLedger(tmp_path / "jobs.sqlite")) as ledger:
        assert [entry.job.book_id for entry in ledger.entries()] == ["robots"]
    with closing(JobLedger(tmp_path / "none.sqlite")) as ledger:
        assert ledger.entries() == []


def test_vectors_are_got_from_a_cache_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with closing(EmbeddingCache(tmp_path / "a b?.sqlite")) as cache:
        cache.put({"key": np.ones(4, np.float32)})
    with closing(sqlite3.connect(tmp_path / "a b?.sqlite")) as old, old:
        old.execute("UPDATE vectors SET used_at = 1")
    refuse_writes(monkeypatch, tmp_path)
    with closing(EmbeddingCache(tmp_path / "a b?.sqlite")) as cache:
        assert cache.get(["key", "other"]).keys() == {"key"}
        assert not caplog.records
        cache.put({"new": np.ones(4, np.float32)})
        assert "continuing without the embedding cache" in caplog.text


def test_conversations_that_must_last_are_not_written_to_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(ConversationDatabase(tmp_path / "threads.sqlite")) as database:
        thread_id = ThreadStore(database).create().thread_id
    refuse_writes(monkeypatch, tmp_path)
    with closing(ConversationDatabase(tmp_path / "threads.sqlite")) as database:
        assert ThreadStore(database).get(thread_id).thread_id == thread_id
        with pytest.raises(StateError, match=r"threads\.sqlite cannot be written; set DATABASE_URL"):
            ThreadStore(database).create()


def test_a_server_keeps_conversations_for_as_long_as_it_runs_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refuse_writes(monkeypatch, tmp_path)
    with closing(ConversationDatabase(tmp_path / "threads.sqlite", lasting=False)) as database:
        thread_id = ThreadStore(database).create().thread_id
        assert ThreadStore(database).get(thread_id).thread_id == thread_id
    assert "conversations are kept until the server ends; set DATABASE_URL" in caplog.text
    assert not (tmp_path / "threads.sqlite").exists()
