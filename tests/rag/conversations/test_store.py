"""The conversation store on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from ingestion.errors import ConfigurationError, StateError, UnknownThread, UsageError
from rag.conversations.database import ConversationDatabase
from rag.conversations.models import LIVE_MESSAGES, Message, iso, parse_thread_id, to_openai_messages
from rag.conversations.store import ThreadStore
from tests.support.postgres import database_url, postgres_server

__all__ = ["database_url", "postgres_server"]


@pytest.fixture
def store(database_url: str) -> Iterator[ThreadStore]:
    with closing(ConversationDatabase(database_url)) as database:
        yield ThreadStore(database)


def exchange(number: int) -> list[Message]:
    return [Message("user", f"question {number}"), Message("assistant", f"answer {number}", confidence=0.5)]


def test_a_thread_keeps_its_messages_in_order_with_their_times_in_utc(store: ThreadStore) -> None:
    thread_id = store.create(metadata={"tags": ["ros2"]}).thread_id
    store.append(thread_id, exchange(1))
    thread = store.get(thread_id)
    assert [(each.role, each.content, each.confidence) for each in thread.messages] == [
        ("user", "question 1", None),
        ("assistant", "answer 1", 0.5),
    ]
    assert thread.metadata == {"tags": ["ros2"]}
    assert thread.created_at.utcoffset() == thread.messages[0].timestamp.utcoffset() == timedelta(0)
    assert thread.thread_id.version == 4


def test_roles_alternate_and_a_refused_append_leaves_nothing(store: ThreadStore) -> None:
    thread_id = store.create().thread_id
    for wrong in ([Message("assistant", "hi")], [Message("user", "a"), Message("user", "b")]):
        with pytest.raises(UsageError, match="is next"):
            store.append(thread_id, wrong)
    assert store.get(thread_id).messages == ()


def test_the_last_fifty_messages_are_live_and_no_older_one_is_lost(store: ThreadStore) -> None:
    thread_id = store.create().thread_id
    for number in range(40):
        store.append(thread_id, exchange(number))
    thread = store.get(thread_id)
    assert len(thread.messages) == LIVE_MESSAGES and thread.message_count == 80
    assert thread.messages[-1].content == "answer 39"
    assert [each.content for each in store.all_messages(thread_id)][::2] == [f"question {n}" for n in range(40)]


def test_appends_at_once_lose_nothing(store: ThreadStore) -> None:
    thread_id = store.create().thread_id
    threads = [threading.Thread(target=store.append, args=(thread_id, exchange(number))) for number in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    messages = store.get(thread_id).messages
    assert len(messages) == 40 and {each.content for each in messages[::2]} == {f"question {n}" for n in range(20)}


def test_a_thread_begun_with_an_exchange_is_as_one_that_was_made_and_added_to(store: ThreadStore) -> None:
    begun = store.begin(uuid4(), exchange(1), owner="a")
    made = store.append(uuid4(), exchange(1), owner="a", create=True)
    for thread in (begun, made):
        assert store.get(thread.thread_id, owner="a") == thread
        assert (thread.message_count, thread.metadata) == (2, {"question": "question 1"})
    assert store.append(begun.thread_id, exchange(2), owner="a").message_count == 4


def test_no_thread_begins_under_an_id_in_use_or_with_an_answer(store: ThreadStore) -> None:
    thread_id = store.begin(uuid4(), exchange(1)).thread_id
    with pytest.raises(UsageError, match="already exists"):
        store.begin(thread_id, exchange(2), owner="another")
    with pytest.raises(UsageError, match="is next"):
        store.begin(uuid4(), exchange(1)[1:])
    assert store.get(thread_id).message_count == 2
    assert store.count() == 1


def test_a_thread_is_unknown_to_all_but_its_owner(store: ThreadStore) -> None:
    thread_id = store.create(owner="ada").thread_id
    for call in (
        lambda: store.get(thread_id, owner="eve"),
        lambda: store.append(thread_id, exchange(1), owner="eve"),
        lambda: store.delete(thread_id, owner="eve"),
        lambda: store.all_messages(thread_id, owner="eve"),
    ):
        with pytest.raises(UnknownThread):
            call()
    with pytest.raises(UsageError, match="already exists"):
        store.create(thread_id, owner="eve")
    assert store.list(owner="eve") == []
    assert [each.thread_id for each in store.list(owner="ada")] == [thread_id]


def test_an_idle_thread_is_archived_and_comes_back_when_it_is_used(store: ThreadStore) -> None:
    idle, used = store.create().thread_id, store.create().thread_id
    store.append(idle, exchange(1))
    assert store.archive() == 0
    assert store.archive(idle=timedelta(0)) == 2
    assert store.list() == [] and {each.thread_id for each in store.list(archived=True)} == {idle, used}
    assert store.get(idle).archived and store.get(idle).messages
    assert not store.append(idle, exchange(2)).archived
    assert [each.content for each in store.get(idle).messages][::2] == ["question 1", "question 2"]


def test_a_deleted_thread_leaves_no_message_behind(store: ThreadStore) -> None:
    thread_id = store.create().thread_id
    for number in range(30):
        store.append(thread_id, exchange(number))
    store.delete(thread_id)
    with pytest.raises(UnknownThread):
        store.get(thread_id)
    store.create(thread_id)
    assert store.all_messages(thread_id) == []


def test_the_list_shows_the_last_used_first_and_goes_on_where_it_stopped(store: ThreadStore) -> None:
    made = [store.create().thread_id for _ in range(5)]
    store.append(made[0], exchange(1))
    first = store.list(limit=2)
    rest = store.list(before=first[-1].updated_at)
    assert [each.thread_id for each in (*first, *rest)] == [made[0], *made[:0:-1]]
    assert first[0].message_count == 2


def test_a_topic_is_kept_and_cut_to_200_characters(store: ThreadStore) -> None:
    thread_id = store.create().thread_id
    for number in range(5):
        assert not store.get(thread_id).needs_topic
        store.append(thread_id, exchange(number))
    assert store.get(thread_id).needs_topic
    store.set_topic(thread_id, "x" * 300)
    assert store.get(thread_id).topic_summary == "x" * 200
    assert not store.get(thread_id).needs_topic


@pytest.mark.parametrize("wrong", ["", "nonsense", "f47ac10a-58cc-11f0-8de9-0242ac120002", str(UUID(int=0))])
def test_an_id_that_is_no_uuid_of_version_4_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="session id"):
        parse_thread_id(wrong)
    assert parse_thread_id(str(made := uuid4())) == made


@pytest.mark.parametrize(
    "wrong",
    [("robot", "x", None), ("system", "x", 0.5), ("user", " ", None), ("user", "x", 0.5), ("assistant", "x", 2)],
)
def test_a_message_holds_its_rules(wrong: tuple[str, str, float | None]) -> None:
    with pytest.raises(ValueError):
        Message(wrong[0], wrong[1], confidence=wrong[2])  # type: ignore[arg-type]


def test_times_are_shown_in_utc_to_the_millisecond() -> None:
    assert iso(datetime(2025, 12, 17, 14, 23, 45, 123456, UTC)) == "2025-12-17T14:23:45.123Z"


def test_a_database_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    down = ConversationDatabase("postgresql+psycopg://user:s3cret@127.0.0.1:1/none")
    with pytest.raises(StateError) as caught:
        ThreadStore(down).list()
    assert "s3cret" not in str(caught.value)
    with pytest.raises(ConfigurationError, match="DATABASE_URL"):
        ThreadStore(ConversationDatabase("nonsense")).list()


def test_metadata_is_merged_and_the_name_of_a_conversation_stays(store: ThreadStore) -> None:
    thread_id = uuid4()
    store.begin(thread_id, exchange(1), metadata={"user_id": "user123", "tags": ["ros2", "urdf"]})
    name = store.get(thread_id).metadata["question"]
    store.merge_metadata(thread_id, {"user_id": None, "deep": {"one": 1, "two": 2}, "question": None})
    store.merge_metadata(thread_id, {"deep": {"one": None}, "tags": ["gazebo"]})
    assert store.get(thread_id).metadata == {"question": name, "tags": ["gazebo"], "deep": {"two": 2}}
    with pytest.raises(UsageError, match="at most 20 fields"):
        store.merge_metadata(thread_id, {str(number): number for number in range(20)})
    with pytest.raises(UsageError, match="characters of JSON"):
        store.merge_metadata(thread_id, {"long": "x" * 5000})


def test_a_conversation_is_sent_to_a_model_in_its_own_form() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "retrieve_documentation", "arguments": "{}"}}
    said = [
        Message("system", "Only from the book."),
        Message("user", "What is a node?"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "{}", tool_call_id="c1"),
    ]
    sent = to_openai_messages(said)
    assert [each["role"] for each in sent] == ["system", "user", "assistant", "tool"]
    assert sent[2]["tool_calls"] == [call] and sent[3]["tool_call_id"] == "c1"
    for wrong in ({"role": "user", "tool_calls": (call,)}, {"role": "assistant", "tool_call_id": "c1"}):
        with pytest.raises(ValueError, match="tool_call"):
            Message(content="x", **wrong)
