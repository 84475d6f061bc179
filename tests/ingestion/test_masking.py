"""No password and no key reaches a log, a message, a document or a traceback."""

from __future__ import annotations

import json
import logging
import sys
import time

import pytest

from ingestion.commands.parsing.program import error_document
from ingestion.commands.terminal import SafeFormatter
from ingestion.errors import ConfigurationError, LessonError, PointRefused
from ingestion.masking import masked
from rag.api.http.logs import JsonLines, TerminalLines

SECRET = "s3cr-t/p:w@rd"

ADDRESSES = [
    f"https://user:{SECRET}@qdrant.example:6333/prefix",
    f"postgresql+psycopg://user:{SECRET}@db.example/book?sslmode=require",
    f"redis://:{SECRET}@cache.example:6379/0",
    f"http://user:{SECRET}@proxy.example:3128",
    "https://s3cr-t@api.example/v1",
    "user:s3cr-t@qdrant.example:6333",
    "https://api.example/v1?api_key=s3cr-t&model=m",
    "https://api.example/v1?model=m&subscription-key=s3cr-t#part",
    "https://a:s3cr-t@one.example:6333,https://b:s3cr-t@two.example:6333",
    "host=db.example password=s3cr-t user=me",
    "host=db.example password='s3cr-t with blanks' user=me",
    "{'Authorization': 'Bearer s3cr-t-0123456789'}",
    "api-key: s3cr-t-0123456789",
    "the key sk-s3cr-t0123456789abcdef is not accepted",
]


def is_clean(text: str) -> bool:
    return "s3cr" not in text and "p:w" not in text and "rd@" not in text


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_secret_in_an_address_is_masked_wherever_it_is_told(address: str) -> None:
    told = masked(f"cannot reach {address}, so stop")
    assert is_clean(told) and told.endswith(", so stop") and "***" in told
    assert masked(told) == told
    for error in (
        ConfigurationError(f"cannot reach {address}"),
        LessonError("a.md", address),
        PointRefused("id", {"source_file": "a.md"}, address),
    ):
        assert is_clean(str(error)) and is_clean(getattr(error, "reason", "")) and is_clean(f"{error}")
        assert is_clean(json.dumps(error_document(error)))


@pytest.mark.parametrize("formatter", [SafeFormatter(), JsonLines(), TerminalLines()])
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_log_masks_messages_fields_and_traces(formatter: logging.Formatter, address: str) -> None:
    try:
        raise ValueError(address)
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "at %s", (address,), sys.exc_info())
    record.reason, record.causes = address, [{"why": address}]
    told = formatter.format(record)
    assert is_clean(told) and "***" in told
    if isinstance(formatter, JsonLines):
        assert json.loads(told)["causes"][0]["why"] == masked(address)


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:6333/collections/a@b",
        "http://[::1]:6333/x@y",
        "https://h:6333,http://i:6334 and x@y",
        "write postgresql+psycopg://USER@HOST/NAME",
        "an API key is required: Authorization: Bearer KEY",
        "mailto:someone@example.org",
        "basic information about passwords and tokens",
        "12:30 at image@2x.png",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_a_text_of_any_form_is_masked_in_no_time() -> None:
    for unit in (
        "://a:",
        "://",
        "?key",
        "?keykey",
        "password='",
        "authorization: ",
        "sk-",
        "http://a",
        "://a:b@",
        "a:",
    ):
        began = time.process_time()
        masked(unit * 100_000)
        assert time.process_time() - began < 20, unit
