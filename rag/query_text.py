"""How long a question must be to be searched, and how much of a long one is.

In Chinese, Japanese and Korean two characters are a word. A single word that is a term of the index, as Go or C, is
searched however short it is.
"""

from __future__ import annotations

import re

MIN_QUERY_CHARS = 3
"""How few characters are a question."""

MIN_CJK_CHARS = 2
"""How few characters reach it: a Han, kana or Hangul character counts as two."""

TOO_SHORT = f"at least {MIN_QUERY_CHARS} characters, or {MIN_CJK_CHARS} in Chinese, Japanese or Korean"

MOST_COMPARED = 1_000
"""How many characters of a question are compared with the book: each word and each window costs its time."""

_ONE_WORD = re.compile(r"[^\W_][\w+#]*")
_CJK = re.compile(
    r"[\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\uffa1-\uffdc"
    r"\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""Han, kana of both widths, bopomofo and Hangul; not their punctuation."""


def is_long_enough(text: str) -> bool:
    """Return whether a question is long enough to be searched, blanks around it left out."""
    said = text.strip()
    return len(said) + len(_CJK.findall(said)) >= MIN_QUERY_CHARS


def may_be_searched(text: str) -> bool:
    """Return whether a question is long enough, or one word, which only the index can tell."""
    return is_long_enough(text) or bool(_ONE_WORD.fullmatch(text.strip()))


def compared_part(text: str) -> str:
    """Return what of a question is compared with the book: of a long one whole words of its beginning and its end,
    between which mostly a log or code is pasted.
    """
    if len(text) <= MOST_COMPARED:
        return text
    half = MOST_COMPARED // 2
    begins, ends = text[:half], text[-half:]
    return f"{begins.rpartition(' ')[0] or begins}\n{ends.partition(' ')[2] or ends}"
