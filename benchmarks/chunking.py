"""Speed and integrity of the chunker on a folder of markdown, beside langchain's recursive splitter if installed.

    python -m benchmarks.chunking FOLDER

CPU time of one process; every text is split three times and the best time counts. The tables in chunking.md,
with more peers, are of an earlier parser; `benchmarks.peers.splitting` makes today's.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ingestion.chunking.splitter import split_markdown
from ingestion.markdown.blocks import walk
from ingestion.markdown.parser import parse_blocks
from ingestion.tokens import count_tokens

TARGET, LIMIT, TINY = 400, 512, 20
Split = Callable[[str], Sequence[str]]


def ours(text: str) -> list[str]:
    """The chunks of `split_markdown`."""
    return [piece.text for piece in split_markdown(text, target=TARGET, limit=LIMIT)]


def langchain() -> Split | None:
    """langchain's recursive splitter with the same counts and target, or None if it is not installed."""
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter
    except ImportError:
        return None
    return RecursiveCharacterTextSplitter(
        chunk_size=TARGET, chunk_overlap=0, length_function=lambda text: count_tokens([text])[0]
    ).split_text


def measure_speed(split: Split, texts: Sequence[str]) -> float:
    """Megabytes per second of CPU time."""
    seconds = 0.0
    for text in texts:
        times = []
        for _ in range(3):
            begun = time.process_time()
            split(text)
            times.append(time.process_time() - begun)
        seconds += min(times)
    return sum(len(text.encode()) for text in texts) / 1e6 / seconds


def count_faults(split: Split, texts: Sequence[str]) -> dict[str, float]:
    """Chunks and their sizes; fences and tables that fit but are whole in no chunk; characters in no chunk."""
    chunks = [list(split(text)) for text in texts]
    sizes = count_tokens([chunk for parts in chunks for chunk in parts])
    cut = fitting = lost = 0
    for text, parts in zip(texts, chunks, strict=True):
        lines = text.split("\n")
        held = "\0".join(parts)
        lost += max(0, len("".join(text.split())) - sum(len("".join(part.split())) for part in parts))
        for block in walk(parse_blocks(lines)):
            source = "\n".join(lines[block.start : block.end]).strip()
            if block.kind in ("fence", "table") and count_tokens([source])[0] <= TARGET:
                fitting += 1
                cut += source not in held
    return {
        "chunks": len(sizes),
        "mean": round(sum(sizes) / len(sizes), 1),
        f"> {LIMIT}": sum(size > LIMIT for size in sizes),
        f"< {TINY} %": round(100 * sum(size < TINY for size in sizes) / len(sizes), 2),
        "cut fences and tables": cut,
        "of": fitting,
        "characters lost": lost,
    }


def main() -> None:
    """Measure and print one line a splitter."""
    files = sorted(path for path in Path(sys.argv[1]).rglob("*.md*") if path.is_file())
    texts = [text for path in files if (text := path.read_text(encoding="utf-8-sig", errors="replace")).strip()]
    for name, split in {"bookwise": ours, "langchain recursive": langchain()}.items():
        if split is None:
            print(f"{name}: not installed")
            continue
        figures = {"MB/s": round(measure_speed(split, texts), 2), **count_faults(split, texts)}
        print(f"{name}: " + ", ".join(f"{label} {value}" for label, value in figures.items()))


if __name__ == "__main__":
    main()
