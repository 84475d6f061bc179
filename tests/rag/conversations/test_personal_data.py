"""One reader's data is found, exported whole and deleted, and figures are counted, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from rag.conversations.database import ConversationDatabase
from rag.conversations.models import Message, new_thread_id, now
from rag.conversations.personal_data import Deleted, PersonalData, Reader
from rag.conversations.questions import DELETED, AskedQuestion, QuestionLog
from rag.conversations.store import ThreadStore
from tests.support.postgres import database_url, postgres_server

__all__ = ["database_url", "postgres_server"]


@pytest.fixture
def database(database_url: str) -> Iterator[ConversationDatabase]:
    with closing(ConversationDatabase(database_url)) as opened:
        yield opened


def ask(database: ConversationDatabase, owner: str, **metadata: Any) -> AskedQuestion:
    asked = AskedQuestion(
        thread_id=new_thread_id(), message_number=2, owner=owner, asked_at=now(), book_id="a-book", question="Why?",
        hardware_tier=1, answered=True, confidence_level="high", supported=True, model="m", tokens=10, cost=0.5,
        pages=(),
    )  # fmt: skip
    exchange = [Message("user", "Why?"), Message("assistant", "Because.", confidence=0.5)]
    ThreadStore(database).begin(asked.thread_id, exchange, owner=owner, asked=asked, metadata=metadata)
    return asked


def exported(database: ConversationDatabase, reader: Reader) -> Any:
    return json.loads("".join(PersonalData(database).export(reader)))


def test_a_user_of_a_key_and_a_key_are_each_exported_and_deleted_alone(database: ConversationDatabase) -> None:
    key, other = uuid4().hex[:8], uuid4().hex[:8]
    first = ask(database, key, user_id="anna")
    ask(database, key, user_id="ben")
    ask(database, other, user_id="anna")
    ThreadStore(database).archive(idle=timedelta(0))
    anna = Reader(key, "anna")
    [thread] = exported(database, anna)["threads"]
    assert thread["thread_id"] == str(first.thread_id) and len(thread["messages"]) == 2
    assert PersonalData(database).delete(anna) == Deleted(1, 1)
    assert PersonalData(database).delete(Reader(key)) == Deleted(1, 1)
    left = exported(database, Reader(key))
    assert left["threads"] == left["questions"] == []
    assert len(exported(database, Reader(other))["questions"]) == 1
    usage = {day.owner: (day.questions, day.cost) for day in QuestionLog(database).usage(since=now())}
    assert key not in usage and usage[other] == (1, 0.5) and usage[DELETED][0] >= 2


def test_marks_and_figures_by_day(database: ConversationDatabase) -> None:
    asked, log, book = ask(database, uuid4().hex[:8]), QuestionLog(database), "a-book"
    log.rate(asked.thread_id, 2, "up", owner=asked.owner)
    log.mark([(asked.thread_id, 2)], done=True, books=("another",))
    assert log.asked_in(asked.thread_id)[0].is_done is False
    log.mark([(asked.thread_id, 2)], done=True)
    since = now() - timedelta(days=1)
    assert asked.thread_id not in {each.thread_id for each in log.find(since=since, book_id=book, is_open=True)}
    day = log.trend(since=since, book_id=book)[-1]
    assert day.liked >= 1 and day.questions >= day.answered >= 1 and (day.cost or 0) > 0
