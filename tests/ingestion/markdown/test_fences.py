"""Blocks of code that are written around a text."""

from __future__ import annotations

import time

from ingestion.markdown.fences import fenced


def test_the_marks_are_longer_than_any_of_their_kind_in_the_text() -> None:
    assert fenced("x = 1", "py") == "```py\nx = 1\n```"
    assert fenced("````\na\n````\n~~~~~~", "") == "`````\n````\na\n````\n~~~~~~\n`````"


def test_a_text_of_marks_alone_takes_time_in_proportion_to_its_length() -> None:
    began = time.process_time()
    assert fenced("`" * 1_000_000, "").startswith("`" * 1_000_001 + "\n")
    assert time.process_time() - began < 20
