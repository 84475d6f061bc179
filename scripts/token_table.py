"""Write `ingestion/cl100k_base.table`, from which few texts are counted: `python -m scripts.token_table`."""

from __future__ import annotations

import struct
from zlib import crc32

from toktok import _encoding

from ingestion.token_table import PATH, SLOTS


def table() -> bytes:
    """Return the file's bytes, made of the ranks that toktok has."""
    ranks = _encoding("cl100k_base")
    special = {rank for _, rank in ranks.special_tokens()}
    slots = [0] * SLOTS
    records = bytearray()
    for rank in range(ranks.n_vocab):
        if rank in special:
            continue
        try:
            token = bytes(ranks.decode_single_token_bytes(rank))
        except KeyError:  # a number that no token has
            continue
        slot = crc32(token) % SLOTS
        while slots[slot]:
            slot = (slot + 1) % SLOTS
        slots[slot] = SLOTS * 4 + len(records)
        records += bytes([len(token)]) + rank.to_bytes(3, "little") + token
    return struct.pack(f"<{SLOTS}I", *slots) + bytes(records)


if __name__ == "__main__":
    PATH.write_bytes(table())
