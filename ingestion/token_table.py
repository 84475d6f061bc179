"""Count the tokens of a few texts without the counter, which takes 0.15 s to build its vocabulary.

`cl100k_base.table` holds the ranks that OpenAI publishes with tiktoken (MIT), laid out so that a token is looked up
in the file's bytes; `scripts/token_table.py` writes it. What is not plain western text is left to the counter.

    131,072 × 2 numbers of four bytes    where the record of a token is, by the checksum of its bytes; 0: no token
    records                              length (1 byte), rank (3 bytes), the token's bytes
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

PATH = Path(__file__).with_name("cl100k_base.table")
SLOTS = 1 << 18
HEAD = 4

MOST_CHARACTERS = 1_000_000
"""Of a process: to count more takes longer than to build the vocabulary."""

_MOST_STEPS = 20_000_000
"""Of a process: a word of n bytes that is no token by itself takes n × n."""

_NO_TOKEN = sys.maxsize
"""In the place of a rank."""

_LETTERS = "A-Za-zÀ-ÖØ-öø-ÿ"
_MARKS = (
    "\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"  # of Latin-1
    "\u200d\u2010-\u2027\u2030-\u205e\u20ac\u2122\u2190-\u23ff"  # quotes and dashes, arrows, mathematics
    "\u2500-\u2775\u2794-\u27bf\ufe0f\U0001f300-\U0001faff"  # boxes, symbols, pictures
)
_KNOWN = re.compile(rf"[\t\n\r -~{_LETTERS}{_MARKS}]*")
"""Letters, digits, blanks and marks that the expression below tells apart as Unicode's classes do."""

_PIECE = re.compile(
    rf"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n{_LETTERS}0-9]?+[{_LETTERS}]++|[0-9]{{1,3}}+"
    rf"| ?[^\s{_LETTERS}0-9]++[\r\n]*+|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s"
)
"""cl100k_base's own, with its classes spelt out for the characters of _KNOWN."""


class TokenTable:
    """Counts until it was given MOST_CHARACTERS; counts of words are kept."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._slots = memoryview(data)[: SLOTS * 4].cast("I")
        self._counts: dict[str, int] = {}
        self._characters = 0
        self._steps = 0

    def count(self, texts: Sequence[str]) -> list[int] | None:
        """Return the tokens in each text, None where one of them, or all so far, are for the counter."""
        self._characters += sum(map(len, texts))
        if self._characters > MOST_CHARACTERS or not all(map(_KNOWN.fullmatch, texts)):
            return None
        try:
            return [sum(map(self._count_piece, _PIECE.findall(text))) for text in texts]
        except _TooLong:
            return None

    def _count_piece(self, piece: str) -> int:
        count = self._counts.get(piece)
        if count is None:
            count = self._counts[piece] = self._merged(piece.encode())
        return count

    def _merged(self, piece: bytes) -> int:
        """Return how many tokens are left once neighbours were merged as their ranks say."""
        if self._rank(piece) < _NO_TOKEN:
            return 1
        self._steps += len(piece) ** 2
        if self._steps > _MOST_STEPS:
            raise _TooLong
        parts = [piece[at : at + 1] for at in range(len(piece))]
        ranks = [self._rank(left + right) for left, right in pairwise(parts)]
        while ranks and (best := min(ranks)) < _NO_TOKEN:
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
            del ranks[at]
            for pair in range(max(at - 1, 0), min(at + 1, len(ranks))):
                ranks[pair] = self._rank(parts[pair] + parts[pair + 1])
        return len(parts)

    def _rank(self, token: bytes) -> int:
        data, length, slot = self._data, len(token), crc32(token) % SLOTS
        while at := self._slots[slot]:
            if data[at] == length and data[at + HEAD : at + HEAD + length] == token:
                return int.from_bytes(data[at + 1 : at + HEAD], "little")
            slot = (slot + 1) % SLOTS
        return _NO_TOKEN


class _TooLong(Exception):
    """Words that take long to count here."""


@cache
def token_table() -> TokenTable | None:
    """Return the table of this process, None where its file is missing or the machine orders bytes otherwise."""
    try:
        return TokenTable(PATH.read_bytes()) if sys.byteorder == "little" else None
    except OSError:
        return None
