"""Where sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.grounding.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It runs. It stops!", ["It runs.", "It stops!"]),
        ("Use a sensor, e.g. a LiDAR. See Fig. 2. Done", ["Use a sensor, e.g. a LiDAR.", "See Fig. 2.", "Done"]),
        ("It says *stop.* \nThen it stops.", ["It says *stop.*", "Then it stops."]),
        ("Version 2.5 of node.js is out. ok", ["Version 2.5 of node.js is out. ok"]),
        ("1. Start. 2. Stop.", ["1. Start.", "2. Stop."]),
        ("水泵运行。等待。", ["水泵运行。", "等待。"]),
        ("  ", []),
    ],
)
def test_a_sentence_ends_at_its_stop(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(alphabet="aB.!? \n*。1", max_size=40))
def test_nothing_but_spaces_lies_between_sentences(text: str) -> None:
    spans = sentence_spans(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    assert all(not text[end:start].strip() for end, start in zip(ends, starts, strict=True))
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
