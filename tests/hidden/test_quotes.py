"""Quotes show what the page shows: code and formulas as written, no mark of the build, nothing that is struck."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingestion.chunking.splitter import split_markdown
from ingestion.source.metadata.front_matter import split_front_matter
from rag.quoting.rendering import rendered_blocks
from tests.hidden.test_page import read
from tests.support.passages import passage, passage_of
from tests.support.paths import SHARED

CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
FORMULA = re.compile(r"\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]", re.S)


def quoted(text: str, **changes: object) -> str:
    return "\n\n".join(block.text for block in rendered_blocks(passage(text, **changes)))


@pytest.mark.parametrize(
    "text",
    [
        "Call `super().__init__(**kwargs)` and never `self.__dict__.clear()`.",
        "Search with `docs/*/*.md` and `a[b](c)` or ``x ` {% y %}``.",
        "The mean is $\\sum_{i=1}^{n} x_i$, the set $A_{.x}$ and $B_{#y}$ of $a*b*c$.",
        "It is \\(\\sum_{i=1}^{n} a_i * b_i * c\\) and \\[x_{t=0}\\].",
        "$$\n\\sum_{n=0}^{\\infty} {i=1} \\frac{x^n}{n!} *a* = e^x\n$$",
        "```py\nsuper().__init__()  # {#x} <!-- y -->\n```",
        "| a | b |\n| --- | --- |\n| `__all__` | `x|y`  |",
    ],
)
def test_code_and_formulas_are_quoted_letter_by_letter(text: str) -> None:
    assert quoted(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Words **bold**, *slanted* and __both__, a_snake_name.", "Words bold, slanted and both, a_snake_name."),
        ("2 * 3 * 4 and a*b", "2 * 3 * 4 and a*b"),
        ("~~It listens on port 8000.~~ It listens on port 9000.", "It listens on port 9000."),
        ("<del>The password is tiger.</del> It is set at first start.", "It is set at first start."),
        ("<s>Use pip.</s> Use uv.", "Use uv."),
        ("Look at ![a chart](a.png) here.", "Look at  here."),
        ("![a chart](a.png)", "a chart"),
        ("> Words of *a* quote.\n> More.", "Words of a quote.\nMore."),
        ('!!! note "Hi"\n\n    See [it](a).\n\n    ```sh\n    x\n    ```', "Hi\n\nSee it.\n\n```sh\nx\n```"),
        ('=== "Bash"\n\n    Run it.', "Bash\n\nRun it."),
        ("/// tip | Title\nWords.\n///", "Title\nWords."),
        (":::tip[Own]\nWords.\n:::", "Own\nWords."),
        (":::tip\nWords.\n:::", "tip\nWords."),
        ("<details>\n<summary>How?</summary>\n\nSo.\n\n</details>", "How?\n\nSo."),
        ("<center>\n\nWords.\n\n</center>", "Words."),
        ('```yaml title="a.yml" hl_lines="2"\nx: 1\n```', "```yaml\nx: 1\n```"),
        ("Run :material-check:{ .x } with ++ctrl+c++ and ==care==.", "Run  with ctrl+c and care."),
        ("See [[guide|the guide]] and [[Valve]].", "See the guide and Valve."),
        ("Words[^1] of it.\n\n*[HTML]: Hyper Text", "Words of it."),
        ("Words.\n{.lead}", "Words."),
    ],
)  # fmt: skip
def test_marks_of_the_build_are_not_quoted(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_what_is_struck_alone_is_no_quote() -> None:
    assert quoted("~~The service listens on port 8000.~~\n\nIt listens on 9000.") == "It listens on 9000."


def _pages() -> list[Path]:
    found = sorted((SHARED / "corpora").rglob("*.md")) if (SHARED / "corpora").is_dir() else []
    return found[:: max(1, len(found) // 60)]


@pytest.mark.parametrize("page", _pages(), ids=lambda page: page.stem)
def test_each_code_span_and_formula_of_a_quote_stands_in_its_source(page: Path) -> None:
    body = split_front_matter(page.read_text(encoding="utf-8")).body
    for piece in split_markdown(body):
        for block in rendered_blocks(passage(piece.text)):
            spans = [found[0] for found in CODE_SPAN.finditer(block.text)] if block.kind == "paragraph" else []
            for span in [*spans, *(found[0] for found in FORMULA.finditer(block.text) if block.kind == "math")]:
                assert " ".join(span.split()) in " ".join(re.sub(r"\n[ \t>]+", "\n", piece.text).split())


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("# Error E17\n\nThe encoder cable is loose.", False),
        ("# Gimbal\n\nA mount.", False),
        ("# 電源電圧\n\n7.4ボルト。", False),
        ("# Start\n\n```bash\nros2 launch sim\n```", False),
        ("# Query\n\n`rover log --tail`", False),
        ("# Tasks\n\nThe TODO panel lists every job.", False),
        ("# Terms\n\n<dl><dt>Gimbal</dt><dd>It turns.</dd></dl>", False),
        ("# Later\n\nTODO", True),
        ("# Later\n\n- coming soon\n\n---\n\n> To be written.", True),
        ("# Later\n\n<!-- words for editors alone -->", True),
        ("# Later\n\n<div></div>", True),
    ],
)
def test_a_page_says_nothing_yet_only_where_each_block_is_a_placeholder(
    tmp_path: Path, text: str, is_empty: bool
) -> None:
    lesson, chunks = read(tmp_path, "unknown", text + "\n")
    assert (lesson.doc_type == "stub") is is_empty
    assert is_empty or any(rendered_blocks(passage_of(chunk)) for chunk in chunks)


CONFLICT = "<<<<<<< HEAD\nIt is 12 volts.\n=======\nIt is 24 volts.\n>>>>>>> feature/psu\n"


@pytest.mark.parametrize("text", [f"# Wiring\n\n{CONFLICT}\nEnd.\n", f"# C\n\n| a |\n| --- |\n{CONFLICT}\nEnd.\n"])
def test_a_merge_that_was_not_finished_fails_its_lesson_by_line(tmp_path: Path, text: str) -> None:
    from ingestion.errors import LessonError

    with pytest.raises(LessonError) as raised:
        read(tmp_path, "unknown", text)
    assert raised.value.line == text.split("\n").index("<<<<<<< HEAD") + 1


@pytest.mark.parametrize(
    "text",
    [f"# Git\n\n```text\n{CONFLICT}```\n", "# Code\n\n<<< @/a.js#x\n\nWords.\n", "# Shift\n\na <<<<<<< b\n"],
)
def test_marks_of_a_merge_in_code_are_text(tmp_path: Path, text: str) -> None:
    lesson, _ = read(tmp_path, "unknown", text)
    assert lesson.body.strip() == text.strip()
