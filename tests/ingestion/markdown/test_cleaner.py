"""What is embedded: every word a reader sees, and nothing that only a browser or a build needs."""

from __future__ import annotations

import pytest

from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.cleaner import clean, clean_inline, find_edits
from ingestion.markdown.parser import parse_blocks

URI = "data:image/png;base64," + "iVBORw0KGgo" * 20


def embedded(source: str) -> str:
    page = Page(source)
    return clean(source, 0, len(source), find_edits(page, walk(parse_blocks(page.lines))))


@pytest.mark.parametrize(
    "source",
    [
        "<UDID> is a placeholder",
        "a < b and c > d",
        "List<T> and Promise<void>",
        "if x <y then z> w",
        "`<b>` and ``<i> ` </i>``",
        "The value is {level}",
        "$a < b$ and $$x_1$$",
        "[not a link] and [^1]",
        "\\<b> \\[a](b)",
        "<https://example.org>",
        "100 % data: none",
        "See <your api key>.",
        "```html\n<b>{#id}</b> [a](b) <!-- c -->\n```",
        "    <- indented code",
        "emoji 👨‍👩‍👧‍👦",
    ],
)
def test_this_stays_as_it_is(source: str) -> None:
    assert embedded(source) == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('a [link](http://x.y/z_(1) "title") b', "a link b"),
        ("[text][ref] and\n\n[ref]: http://x.y", "text and"),
        ("[soft\nbreak](u)", "soft\nbreak"),
        ("![alt `x`](a.png)", "alt `x`"),
        ("[![badge](b.svg)](http://x.y)", "badge"),
        ("**[bold](u)** [two](v)", "**bold** two"),
        ("<b>bold</b> H<sub>2</sub>O", "bold H2O"),
        ("one<br/>two", "one two"),
        ("<img src='a.png' alt='x'/> text", " text"),
        ("<Note>words</Note>", "words"),
        ("<Tab label={<b>x</b>} on={() => 3 > 2}>words</Tab>", "words"),
        ("<>words</>", "words"),
        ("<details open>\n<summary>S</summary>\n\nwords\n\n</details>", "S\n\nwords"),
        ("# Title {#own-id}", "# Title"),
        ("# Title [[own-id]]", "# Title"),
        ("# Title {/* own-id */}", "# Title"),
        ("a <!-- remark --> b", "a  b"),
        ("<!-- CO_OP_TRANSLATOR_METADATA:\n{}\n-->\n# T", "# T"),
        ("{/* two\n\nlines */}\n\nwords", "words"),
        ("import {\n  a,\n} from 'b';\n\nwords", "words"),
        ("export const a = [\n\n  1,\n];\nwords", "words"),
        ("{{< tabs >}}\nwords\n{{< /tabs >}}", "words"),
        ('{{% alert title="Careful" color="red" %}}words{{% /alert %}}', "Careful: words"),
        (":::warning[Hot parts]\nwords\n:::", "warning: Hot parts\nwords"),
        ("::::note Title {.x}\nwords\n::::", "note: Title\nwords"),
        (":::tip\n\nwords\n\n:::", "tip\n\nwords"),
        ("> [!NOTE]\n> words", "> Note:\n> words"),
        (f"![x]({URI}) words", "x words"),
        (f"src {URI} words", "src  words"),
        ("zero\u200bwidth \ufeff\u00ad\u200e mark", "zerowidth  mark"),
        ("Quiz <Quiz questions={[{ q: 'a > b' }]} /> end", "Quiz  end"),
    ],
)
def test_this_is_cleaned(source: str, expected: str) -> None:
    assert embedded(source) == expected


@pytest.mark.parametrize(
    "source", ["<!-- only -->", "import a from 'b';", "<br/>", "---", f"![]({URI})", "{/* x */}"]
)
def test_nothing_remains_of_what_is_only_dropped(source: str) -> None:
    assert embedded(source) == ""


def test_an_open_mark_drops_nothing_beyond_its_paragraph() -> None:
    source = "a <!-- open\n\nkept\n\nb --> c {/* open\n\nkept */}"
    assert embedded(source) == source


def test_a_piece_of_a_long_tag_is_dropped_as_part_of_the_whole() -> None:
    source = "<Quiz q={[" + "'words', " * 50 + "]} />"
    page = Page(source)
    edits = find_edits(page, walk(parse_blocks(page.lines)))
    assert [clean(source, start, start + 100, edits) for start in range(0, 400, 100)] == [""] * 4


def test_one_line_is_cleaned_alone() -> None:
    assert clean_inline("A [b](c) <i>d</i>") == "A b d"
    assert clean_inline("plain") == "plain"
