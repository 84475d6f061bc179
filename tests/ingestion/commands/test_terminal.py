"""What a person sees on a terminal, through a real one."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import pytest

from ingestion.commands.terminal import show
from ingestion.output import Link, Markdown, Table, View

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal of POSIX")

ADDRESS = "https://example.org/book/page#part"


def shown(view: View, encoding: str = "utf-8", **environ: str) -> str:
    """Show a view on a terminal of 40 columns; returns what it got."""
    leader, follower = os.openpty()
    with os.fdopen(follower, "w", encoding=encoding) as terminal, pytest.MonkeyPatch.context() as patched:
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "40", **environ}.items():
            patched.setenv(name, value)
        patched.setattr(sys, "stdout", terminal)
        show(view, {}, as_json=False)
    got = b""
    # Linux tells the end of what a closed terminal got by EIO.
    with suppress(OSError):
        while piece := os.read(leader, 65536):
            got += piece
    os.close(leader)
    return got.decode(encoding).replace("\r\n", "\n")


def test_markdown_is_rendered_and_a_link_can_be_opened() -> None:
    text = shown([Markdown("---\n**Sources:**"), Link("[1] The page", ADDRESS)])
    assert "**" not in text and "\x1b[1mSources:\x1b[0m" in text
    assert f";{ADDRESS}\x1b\\[1] The page\x1b]8;;\x1b\\" in text


def test_no_color_takes_the_colours_and_leaves_weight_and_links() -> None:
    view = [Markdown("## Part\n\n`code` and **weight**"), Link("page", ADDRESS)]
    assert "35m" in shown(view)
    plain = shown(view, NO_COLOR="1")
    assert "35m" not in plain and "36m" not in plain
    assert "\x1b[1mweight\x1b[0m" in plain and ADDRESS in plain


def test_the_rest_of_a_wrapped_line_stands_below_its_beginning() -> None:
    lines = shown(["   " + "word " * 12, "no indent"]).splitlines()
    assert [line[:7] for line in lines] == ["   word", "   word", "no inde"]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_character_that_the_terminal_lacks_is_an_escape(encoding: str) -> None:
    text = shown([Markdown("# روبوٹ"), "روبوٹ", Table("Books", ("book",), [("روبوٹ",)])], encoding)
    assert text.count("\\u0631\\u0648") == 3


@pytest.mark.parametrize(
    ("text", "strong", "bold"),
    [
        ("The house is old. The pump runs. Stop.", "The pump runs.", "The pump runs"),
        ("“Pumps” run. Valves rest.", "“Pumps” run.", "Pumps” run"),
        ("水泵很吵。水泵运行五秒。停。", "水泵运行五秒。", "水泵运行五秒"),
        ("- one\n- the `pump` runs", "the `pump` runs", "the "),
        ("a \x1b[31m b. c", "a \x1b[31m b.", "a \\x1b[31m b"),
    ],
)
def test_what_is_strong_is_bold_on_a_terminal_and_plain_in_a_pipe(text: str, strong: str, bold: str) -> None:
    start = text.index(strong)
    part = Markdown(text, ((start, start + len(strong)),))
    assert f"\x1b[1m{bold}" in shown([part]) and str(part) == text and "**" not in shown([part])
