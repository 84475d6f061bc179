"""Books as OpenAI's newer clients ask them: the real SDK's responses and embeddings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from tests.support.api_servers import listening
from tests.support.chat_api import QUESTION, book, indexed
from tests.support.openai_chat import ChatServer, calls, says
from tests.support.openai_server import error

__all__ = ["book", "indexed"]

BOOK = "physical-ai-robotics"
ASKED = QUESTION["message"]


@pytest.fixture
def server(book: Path, model: ChatServer) -> Iterator[httpx.Client]:
    with listening(book, **{"openai.base_url": model.base_url}) as client:
        yield client


@pytest.fixture
def sdk(server: httpx.Client) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.base_url}/v1", api_key="unused", max_retries=0)


def test_a_response_is_the_answer_of_the_chat_with_its_sources(sdk: openai.OpenAI, server: httpx.Client) -> None:
    plain = server.post("/chat/run", json=QUESTION).json()
    response = sdk.responses.create(model=BOOK, input=ASKED, instructions="Be brief.")
    assert response.output_text == plain["response"] and response.status == "completed"
    [citation] = response.output[0].content[0].annotations  # type: ignore[union-attr]
    assert citation.type == "url_citation" and citation.url == plain["sources"][0]["url"]  # type: ignore[union-attr]
    assert response.output_text[citation.start_index : citation.end_index] == "[1]"  # type: ignore[union-attr]
    assert response.usage and response.usage.total_tokens == plain["tokens_used"]
    beside = response.model_extra["bookwise"]  # type: ignore[index]
    assert beside["sources"] == plain["sources"]


def test_a_stream_of_events_ends_with_the_whole_response(sdk: openai.OpenAI) -> None:
    with sdk.responses.stream(model=BOOK, input=ASKED) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[:2] == ["response.created", "response.in_progress"] and kinds[-1] == "response.completed"
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == final.output_text
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert any(event.type == "response.output_text.annotation.added" for event in events)


def test_a_conversation_goes_on_from_the_response_before(sdk: openai.OpenAI, server: httpx.Client) -> None:
    first = sdk.responses.create(model=BOOK, input=ASKED, metadata={"course": "one"})
    second = sdk.responses.create(model=BOOK, input="What do they talk over?", previous_response_id=first.id)
    [thread] = server.get("/threads").json()["threads"]
    assert thread["message_count"] == 4 and thread["metadata"]["course"] == "one"
    assert second.previous_response_id == first.id and second.id[:37] == first.id[:37]
    for unknown in ("resp_nonsense", "resp_" + "0" * 32):
        with pytest.raises(openai.NotFoundError, match="no response"):
            sdk.responses.create(model=BOOK, input=ASKED, previous_response_id=unknown)


def test_a_conversation_of_the_client_s_own_is_not_kept(sdk: openai.OpenAI, server: httpx.Client) -> None:
    said: list[Any] = [
        {"role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One program."}]},
        {"role": "user", "content": "What do they talk over?"},
    ]
    assert sdk.responses.create(model=BOOK, input=said).output_text
    assert sdk.responses.create(model=BOOK, input=ASKED, store=False).output_text
    assert server.get("/threads").json()["threads"] == []


def test_a_text_beyond_the_limit_is_incomplete(sdk: openai.OpenAI, model: ChatServer) -> None:
    response = sdk.responses.create(model=BOOK, input=ASKED, max_output_tokens=3)
    assert response.status == "incomplete" and response.incomplete_details
    assert response.incomplete_details.reason == "max_output_tokens" and 0 < len(response.output_text) < 30
    with sdk.responses.stream(model=BOOK, input=ASKED, max_output_tokens=3) as stream:
        assert [event.type for event in stream][-1] == "response.incomplete"


def test_what_cannot_be_asked_is_said_in_the_form_that_clients_know(sdk: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        sdk.responses.create(model="another", input=ASKED)
    picture: list[Any] = [{"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]}]
    with pytest.raises(openai.BadRequestError, match="only text is supported"):
        sdk.responses.create(model=BOOK, input=picture)
    with pytest.raises(openai.BadRequestError, match="JSON is not supported"):
        sdk.responses.create(model=BOOK, input=ASKED, text={"format": {"type": "json_object"}})
    with pytest.raises(openai.NotFoundError, match="/docs"):
        sdk.files.list()


def test_half_a_surrogate_pair_is_answered(server: httpx.Client) -> None:
    odd = '"instructions": "a\\ud800", "metadata": {"b": "\\udc00"}'
    body = f'{{"model": "{BOOK}", "input": "{ASKED}", {odd}}}'
    answer = server.post("/v1/responses", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    assert (answer.json()["instructions"], answer.json()["metadata"]) == ("a\ufffd", {"b": "\ufffd"})


def test_a_failure_within_a_stream_is_an_event(book: Path, model: ChatServer) -> None:
    model.script.append(error(401, "no such key"))
    with listening(book, **{"openai.base_url": model.base_url, "qdrant.url": "http://127.0.0.1:1"}) as client:
        asked = {"model": BOOK, "input": ASKED, "stream": True}
        refused = client.post("/v1/responses", json=asked)
    assert refused.status_code == 503 and refused.json()["error"]["type"] == "server_error"


def test_texts_are_embedded_as_those_of_the_index(sdk: openai.OpenAI, server: httpx.Client) -> None:
    pair = sdk.embeddings.create(model=BOOK, input=["A node is one program.", "Isaac Sim"])
    plain = sdk.embeddings.create(model=BOOK, input="A node is one program.", encoding_format="float")
    assert [len(each.embedding) for each in pair.data] == [384, 384]
    assert pair.data[0].embedding == pytest.approx(plain.data[0].embedding, abs=1e-3)
    assert sum(number * number for number in plain.data[0].embedding) == pytest.approx(1, abs=1e-3)
    for wrong in ({"dimensions": 7}, {"input": []}, {"input": ["x" * 8001]}, {"input": ["x", " "]}):
        with pytest.raises(openai.BadRequestError):
            sdk.embeddings.create(**({"model": BOOK, "input": "x"} | wrong))  # type: ignore[arg-type]


def test_max_tokens_and_stop_of_a_completion_are_kept(sdk: openai.OpenAI) -> None:
    asked: list[Any] = [{"role": "user", "content": ASKED}]
    whole = sdk.chat.completions.create(model=BOOK, messages=asked).choices[0]
    short = sdk.chat.completions.create(model=BOOK, messages=asked, max_tokens=4).choices[0]
    assert short.finish_reason == "length" and whole.message.content and short.message.content
    assert whole.message.content.startswith(short.message.content) and "Sources:" not in short.message.content
    word = whole.message.content.split()[2]
    stopped = sdk.chat.completions.create(model=BOOK, messages=asked, stop=[word]).choices[0]
    assert stopped.finish_reason == "stop" and stopped.message.content == whole.message.content.partition(word)[0]
    pieces = list(sdk.chat.completions.create(model=BOOK, messages=asked, max_completion_tokens=4, stream=True))
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == short.message.content
    assert pieces[-1].choices[0].finish_reason == "length"


def test_an_answer_that_the_model_broke_off_ends_with_length(sdk: openai.OpenAI, model: ChatServer) -> None:
    model.script.extend([calls(ASKED), says("A node is one program that does one job. It", finish="length")])
    asked: list[Any] = [{"role": "user", "content": ASKED}]
    assert sdk.chat.completions.create(model=BOOK, messages=asked).choices[0].finish_reason == "length"


def test_suggestions_for_a_client_are_sections_of_the_cited_page(server: httpx.Client) -> None:
    history = f"<chat_history>\nUSER: {ASKED}\nASSISTANT: One.\n</chat_history>"
    task = f'### Task:\nSuggest.\n### Output:\n{{ "follow_ups": ["one?"] }}\n### Chat History:\n{history}'
    asked = {"model": BOOK, "messages": [{"role": "user", "content": task}]}
    answer = server.post("/v1/chat/completions", json=asked).json()
    assert isinstance(json.loads(answer["choices"][0]["message"]["content"])["follow_ups"], list)
    assert answer["bookwise"] == {"recorded": False}
    assert server.get("/owner/questions").json()["groups"] == []
