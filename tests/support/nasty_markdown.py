"""Documents for property tests, built from the parts that break other splitters."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        "robot",
        "e.g.",
        "3.14",
        "`a | b`",
        "**bold**",
        "<UDID>",
        "a < b",
        "List<T>",
        "<|endoftext|>",
        "مرحبا",
        "گھر",
        "机器人走路。",
        "ロボット",
        "👩‍🚀🤖🇵🇰",
        "e\u0301",
        "zero\u200bwidth",
        "[link](http://x.y/z)",
        "don't",
        "$x_1$",
        "#tag",
        f"![alt](data:image/png;base64,{'iVBORw0KGgo' * 9})",
        "_it_",
        "<br/>",
        "{level}",
        "\\|",
        "::",
        "---",
        "```x```",
    ]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(lambda words: " ".join(words) + ".")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=6).map("\n".join)
LONG_LINES = st.tuples(WORDS, st.integers(50, 900)).map(lambda made: (made[0] + " ") * made[1])
UNBROKEN = st.tuples(st.sampled_from(["a", "机", "🇵🇰", "👨‍👩‍👧‍👦", "ہ", "0", "="]), st.integers(1, 2500)).map(
    lambda made: made[0] * made[1]
)
HEADINGS = st.builds(
    lambda level, title, end: f"{'#' * level} {title}{end}",
    st.integers(1, 6),
    st.sampled_from(["Setup", "Setup", "Ünïcode", "ہدایات", "24/7", "`code` *x*", "", "A <b>c</b>"]),
    st.sampled_from(["", " ##", " {#own-id}", " {/* own */}", " [[own]]", " <!-- x -->"]),
)
SETEXT = st.tuples(SENTENCES, st.sampled_from(["===", "---", "-", "="])).map("\n".join)
CODE_LINES = st.lists(
    st.sampled_from(
        [
            "# comment",
            "x = 1",
            "",
            "    return '```'",
            "| a | b |",
            "<!-- no",
            "~~~ no",
            "- item",
            "\tx",
            "::: no",
            "import os",
            "y" * 900,
            "  deep  ",
        ]
    ),
    max_size=120,
).map("\n".join)
FENCES = st.builds(
    lambda mark, info, code, closed: f"{mark}{info}\n{code}" + (f"\n{mark}" if closed else ""),
    st.sampled_from(["```", "~~~", "````", "`````"]),
    st.sampled_from(["", "python", 'js title="a.js" {1,3}', "mermaid"]),
    CODE_LINES,
    st.sampled_from([True, True, True, True, False]),
)
TABLES = st.builds(
    lambda columns, rows, cell: "\n".join(
        ["| " + " | ".join(["head"] * columns) + " |", "|" + ":--|" * columns]
        + ["| " + " | ".join([f"{cell} {row}"] * columns) + " |" for row in range(rows)]
    ),
    st.integers(1, 6),
    st.integers(0, 90),
    st.sampled_from(["x", "`a \\| b`", "5,120", "机器人"]),
)
TAGS = st.sampled_from(
    [
        "<details>\n<summary>S</summary>",
        "</details>",
        "<Tabs groupId={'os'}>",
        '  <TabItem value="a" label="A">',
        "</TabItem>",
        "<Quiz\n  questions={[\n    { q: '# x' },\n\n    { q: `y` },\n  ]}\n/>",
        "<Note>words</Note>",
        "<!-- one -->",
        "<!--\n# no\n-->",
        "{/* remark */}",
        "{/* two\n\nlines */}",
        "import X from './x';",
        "import {\n  a,\n  b,\n} from 'y';",
        "export const a = 3;",
        "<pre>\n# no\n\n# no\n</pre>",
        "<div>\ntext\n</div>",
        "<Broken x={",
        "<!-- never",
    ]
)
OTHERS = st.sampled_from(
    [
        "---",
        "***",
        "* * *",
        "$$\na = b\n$$",
        "[ref]: http://x.y 'title'",
        "[^1]: note",
        "    indented code",
        "{{< tabs >}}",
        "> [!NOTE]\n> Alert text",
        "Intro:",
        "term\n: definition",
        "&nbsp;",
        "\ufeff",
        "\x0c",
        "\u2028",
        "+",
        "1.",
        "-",
    ]
)
LEAVES = st.one_of(PARAGRAPHS, HEADINGS, SETEXT, FENCES, TABLES, TAGS, OTHERS, LONG_LINES, UNBROKEN)


def _indent(text: str, first: str, rest: str) -> str:
    lines = text.split("\n")
    return "\n".join([first + lines[0], *(rest + line if line else line for line in lines[1:])])


def _contain(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    inside = st.lists(blocks, min_size=1, max_size=4).map("\n\n".join)
    return st.one_of(
        inside.map(lambda text: _indent(text, "- ", "  ")),
        inside.map(lambda text: _indent(text, "12. ", "    ")),
        inside.map(lambda text: _indent(text, "*\t", "\t")),
        inside.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n"))),
        inside.map(lambda text: "\n".join(f">{line}" for line in text.split("\n"))),
        inside.map(lambda text: f":::note Title\n\n{text}\n\n:::"),
        inside.map(lambda text: f"::::tip[Label]\n{text}\n::::"),
    )


BLOCKS = st.recursive(LEAVES, _contain, max_leaves=6)
PAGES = st.lists(st.tuples(BLOCKS, st.sampled_from(["\n\n", "\n", "\n\n\n", "\n \n"])), max_size=14).map(
    lambda parts: "".join(block + gap for block, gap in parts)
)
"""Whole pages: blocks of every kind, nested, with and without blank lines between them."""

_PLAIN_LEAVES = st.one_of(
    PARAGRAPHS.filter(lambda text: not any(mark in text for mark in ("::", "<", "{", "[", "$", "\u200b"))),
    HEADINGS.filter(lambda text: "<" not in text and "{/*" not in text),
    FENCES.filter(lambda text: ":::" not in text and "import" not in text),
    TABLES,
    st.sampled_from(
        ["---", "***", "    indented code", "<div>\ntext", "<pre>\n\n# no\n</pre>", "<!-- x\n\n# no -->"]
    ),
)


def _contain_plainly(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        blocks.map(lambda text: _indent(text, "- ", "  ")),
        blocks.map(lambda text: _indent(text, "1. ", "   ")),
        blocks.map(lambda text: "\n".join(f"> {line}" for line in text.split("\n"))),
    )


COMMONMARK_PAGES = st.lists(
    st.tuples(st.recursive(_PLAIN_LEAVES, _contain_plainly, max_leaves=4), st.sampled_from(["\n\n", "\n\n\n"])),
    max_size=8,
).map(lambda parts: "".join(block + gap for block, gap in parts))
"""Pages of CommonMark and tables only, on which a reference parser must agree."""
