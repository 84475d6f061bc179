"""The operators and marks of code, which a word tokenizer drops, as words of their own."""

from __future__ import annotations

import re
from functools import lru_cache

_SIGNS = """\
..= === !== <=> ::< <<= >>= ??= :: -> => == != <= >= && || << >>
+= -= *= /= %= &= |= ^= .. := |> <- <> ++ =~ ?.
"""

OPERATORS = frozenset(_SIGNS.split())
"""What programmers ask about by its sign alone; the turbofish is `::<`, as its type stands before the `>`."""

_RUN = re.compile(r"[!%&*+./:<=>?|^~-]{2,}")
_OPERATOR = re.compile("|".join(map(re.escape, sorted(OPERATORS, key=len, reverse=True))))
_NO_OPERATORS = re.compile(r"<?!?--+>?|([.=])\1{2,}(?<!===)")
"""Comments of HTML, arrows of diagrams, ellipses and lines below headings."""

_SPAN = re.compile(r"`([!-/:-@\[-_{-~])`")
_SPOKEN_OF = re.compile(r"(?<=\b[Tt]he )([&*@_|?])(?= \w)")
"""In a question a mark is often written without backticks: `the ? operator`."""


def symbols_in(text: str, *, is_question: bool = False) -> list[str]:
    """Return the operators of a text, and the single marks that stand between backticks, in no order."""
    runs = (run for run in _RUN.findall(text) if not _NO_OPERATORS.fullmatch(run))
    found = [operator for run in runs for operator in _OPERATOR.findall(run)] + _SPAN.findall(text)
    return found + _SPOKEN_OF.findall(text) if is_question else found


@lru_cache(maxsize=256)
def word_of(symbol: str) -> str:
    """Return a word for a symbol, made of letters and digits, that no text has."""
    return f"symbolx{symbol.encode().hex()}"
