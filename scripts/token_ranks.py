"""Write the ranks of cl100k_base in the form that `ingestion/tokens/ranks.py` looks them up in.

    python -m scripts.token_ranks

The tokens are OpenAI's, as toktok has them; the file changes only if the form does.
"""

from __future__ import annotations

from collections import defaultdict

import toktok

from ingestion.tokens.ranks import FILE, RANK_BYTES


def table(tokens: list[bytes]) -> bytes:
    """Return the contents of the file: how many tokens of each length, and the tokens with their ranks."""
    by_length: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
    for rank, token in enumerate(tokens):
        by_length[len(token)].append((token, rank))
    lengths = range(max(by_length) + 1)
    head = " ".join(str(len(by_length[length])) for length in lengths) + "\n"
    rows = (row for length in lengths for row in sorted(by_length[length]))
    return head.encode() + b"".join(token + rank.to_bytes(RANK_BYTES) for token, rank in rows)


def main() -> None:
    """Write the file."""
    encoding = toktok._encoding("cl100k_base")
    FILE.write_bytes(table(list(encoding.token_byte_values())))


if __name__ == "__main__":
    main()
