"""The judge of chunks sees what a splitter broke, and calls nothing broken that is whole."""

from __future__ import annotations

import pytest

from benchmarks.peers.damage import cuts_fence, cuts_table, has_heading, is_placed, titles_in


@pytest.mark.parametrize(
    "text",
    [
        "prose only",
        "```python\nx = 1\n```",
        "a\n\n~~~\n```\n~~~\n\nb",
        "````md\n```rust\nfn main() {}\n```\n````",
        "- ```sh\n  ls\n  ```",
        "> ```\n> x\n> ```",
        "``` `inline` ``` in prose",
    ],
)
def test_a_whole_fence_is_not_cut(text: str) -> None:
    assert not cuts_fence(text)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1",
        "x = 1\n```\n\nprose",
        "x = 1\n```\n\nprose\n\n```rust\nlet x;\n```",
        "```\nx\n~~~",
        "````md\n```rust\nfn main() {}\n```",
    ],
)
def test_a_fence_that_lost_an_end_is_cut(text: str) -> None:
    assert cuts_fence(text)


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("| a | b |\n| --- | :-: |\n| 1 | 2 |", False),
        ("> | a |\n> |---|\n> | 1 |", False),
        ("```\n| 1 | 2 |\n```", False),
        ("`a || b` in prose\n|x| x + 1", False),
        ("| 1 | 2 |\n| 3 | 4 |\n\nprose", True),
        ("prose\n\n| a | b |", True),
        ("| a |\n| --- |\n| 1 |\n\ntext\n\n| 5 |\n| 6 |", True),
    ],
)
def test_a_table_without_its_header_and_delimiters_is_cut(text: str, is_cut: bool) -> None:
    assert cuts_table(text) is is_cut


def test_a_heading_counts_in_the_text_and_in_the_metadata() -> None:
    titles = titles_in("# The `Loop` { #loop }\n\n```sh\n# no heading\n```\n\n## Ends ##\n")
    assert titles == {"the loop", "ends"}
    assert has_heading("## Ends\n\ntext", (), titles)
    assert has_heading("text", ("The Loop",), titles)
    assert not has_heading("# no heading\ntext", ("lesson-1",), titles)
    assert has_heading("text", (), set())


@pytest.mark.parametrize(
    ("line", "is_right"), [(3, True), (1, False), (2, False), (9, False), (0, False), (None, False)]
)
def test_a_chunk_is_placed_where_its_first_line_stands(line: int | None, is_right: bool) -> None:
    assert is_placed("\nsecond part", line, ["# Title", "", "first, second part", "end"]) is is_right
