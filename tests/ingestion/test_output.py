"""The gate: nothing from a lesson or a model steers a terminal or forges a line of a log."""

from __future__ import annotations

import logging
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.commands.terminal import SafeFormatter
from ingestion.masking import masked
from ingestion.output import Link, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\nb", "a\\nb"),
        ("a\r::error::b", "a\\r::error::b"),
        ("bell\x07 c1\x9b2J", "bell\\x07 c1\\x9b2J"),
        ("right to left \u202egnp.exe", "right to left \\u202egnp.exe"),
        ("half \udc80", "half \\udc80"),
        ("plain, ümläut, 你好, 👩‍🚀, a\u00a0b", "plain, ümläut, 你好, 👩‍🚀, a\u00a0b"),
    ],
)
def test_what_steers_is_shown(text: str, shown: str) -> None:
    assert one_line(text) == shown


@given(st.text(st.characters(codec=None)))
def test_one_line_is_one_line_that_any_terminal_can_be_given(text: str) -> None:
    shown = one_line(text)
    assert len(shown.splitlines()) <= 1 and shown.encode("utf-8").decode("utf-8") == shown
    assert [c for c in shown if unicodedata.category(c) == "Cc"] == []
    assert {c for c in visible(text) if unicodedata.category(c) == "Cc"} <= {"\n", "\t"}


def test_a_password_of_an_address_is_masked() -> None:
    told = masked("cannot reach postgresql+psycopg://me:s3cr%40t@db.example/x and https://u:p@h:6333/")
    assert told == "cannot reach postgresql+psycopg://me:***@db.example/x and https://u:***@h:6333/"
    assert masked("https://h:6333/a@b") == "https://h:6333/a@b"


def test_a_log_record_keeps_its_line_and_its_secrets() -> None:
    values = ("a\n::error::b", "http://u:p@h")
    record = logging.LogRecord("x", logging.WARNING, "f", 1, "title %s at %s", values, None)
    assert SafeFormatter("%(levelname)s %(message)s").format(record) == (
        "WARNING title a\\n::error::b at http://u:***@h"
    )


def test_a_link_names_its_address_where_nothing_can_open_it() -> None:
    assert str(Link("[1] Page", "https://x.example/")) == "[1] Page, https://x.example/"
    assert str(Link("https://x.example/ (1)", "https://x.example/")) == "https://x.example/ (1)"
