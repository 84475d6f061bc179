"""Headings and front matter of all kinds, made from a fixed seed: the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator

_WORDS = (
    *("wheel", "Motor", "سبز", "بٹن", "\u673a\u5668\u4eba", "\u0939\u093f\u0928\u094d\u0926\u0940"),
    *("Straße", "naïve", "ΑΒΓ", "İzmir", "\ufb01n", "e\u0301t", "\uff46\uff55\uff4c\uff4c"),
)
_SIGNS = (
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    *("²", "½", "①", "Ⅳ", "Ⓐ", "\U0001f680", "\U0001f469\u200d\U0001f527", "–", "—", "…", "«", "\u200b"),
    *("\u200c", "\xad", "ª", "·", "٣", "\u3005", "\u30fc", "\u0301", "\u093f", "\u0e31", "‿", "\uff3f"),
    *("\U0001d4b3", "\U00010348", "\U0001f130", "ǅ", "ʼ", "№", "°", "µ", "\ufeff", "\u2028", "\u30a0"),
    *("\u30fb",),
)
_BLANKS = (" ", " ", " ", "  ", "\t", "\u00a0", "\u3000", "\u2009")


def headings(count: int, seed: int = 17) -> list[str]:
    """Texts of headings, some of which repeat or end in a number as repeats do."""
    made = random.Random(seed)
    found = ["A", "A", "A-1", "A", "A 1", "", "-", "--", "A"]
    while len(found) < count:
        parts = [made.choice(made.choice((_WORDS, _SIGNS, _BLANKS, "0123456789"))) for _ in range(made.randint(1, 9))]
        found.append("".join(parts))
        if made.random() < 0.1:
            found.append(made.choice(found))
    return found[:count]


_SCALARS = (
    *("word", "two words", "'quoted: one'", '"double: \\u00e9 \\n"', "12", "03", "3.0", "1e3", "0x1F"),
    *("true", "False", "yes", "off", "null", "~", "", "2024-01-02", "2024-01-02T10:00:00Z", "12:30", "-5"),
    *("+7", ".5", "1_000", "'it''s'", "a # comment", "a#b", "http://x.example/a", "سبز", "\U0001f680 up"),
    *('"\\ud83d\\ude80"', "@at", "`tick`", "%per", "a: b", "[a, b]", "[]", "{}", "{a: 1, b: [2]}"),
    *("[a, [b, c]]", "- x", "&anchor x", "*alias", "!!str 5", "!tag x", "|\n  block\n  lines"),
    *(">\n  folded\n  lines\n\n  more", "|-\n  strip", "\n  nested: 1\n  deep:\n    - a\n    - b"),
    *("\n  - one\n  - two", "\n- flush\n- list", "multi\n  line", "'open", '"open', "[open", "{open"),
    *("tab\there", "a:b", "?x", "'a' b", "a 'b'", "\\back", "=", "<<", "- ", "a\u2028b", "a\xa0b"),
    *("x: y: z", "|x", "> y", "#hash", "a\\: b"),
)
_KEYS = (
    *("title", "draft", "slug", "id", "tags", "hardware_tier", "Über", "'quoted key'", "key with blanks"),
    *("a-b", "1", "date"),
)


def front_matter(count: int, seed: int = 17) -> Iterator[str]:
    """Pages that begin with YAML in `---`, most of it right and some of it broken."""
    made = random.Random(seed)
    for number in range(count):
        lines = []
        for key in made.sample(_KEYS, made.randint(0, 4)):
            value = made.choice(_SCALARS)
            blank = "" if not value or value.startswith("\n") else made.choice((" ", " ", " ", "  ", "\t"))
            lines.append(f"{key}:{blank}{value}")
        if made.random() < 0.15:
            lines.append(
                made.choice(("# a comment", "", "  ", lines[0] if lines else "title: x", "no colon", "\tkey: x"))
            )
        opening = made.choice(("---", "---", "---", "---", "--- ", "---yaml", "--- yaml"))
        closing = made.choice(("---", "---", "---", "---", "--- ", "----", "...", " ---", ""))
        ends = made.choice(("\n", "\n", "\n", "\r\n"))
        body = made.choice(("# Body", "", "---\nrule", "Text\n\n---\n\nmore"))
        text = "\n".join([opening, *lines, closing, f"{body} {number}", ""])
        yield made.choice(("", "", "", "\ufeff")) + text.replace("\n", ends)
