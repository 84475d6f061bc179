"""What 10 million and 1 billion chunks take on a Qdrant cluster, on paper: `python -m benchmarks.sizing`.

Every figure follows from the bytes and rates below; change one and run it again. "Measured" ones were, "assumed" ones
are yours to replace. The tables are in `docs/benchmarks/scale.md`, and a test holds that page to them.
"""

from __future__ import annotations

from dataclasses import dataclass

GB = 1e9

PAYLOAD = 2_600
"""Measured: bytes of JSON per chunk, mean of five books (2,340 to 2,910); the text is half of it."""

TERMS = 75
"""Measured: different terms per chunk in the BM25 vector, mean of the same books (50 to 99)."""

TOKENS = 290
"""Measured: tokens per chunk in the same books."""

POSTING = 12
"""Qdrant's: number of the point, weight, and the highest weight that follows, 4 bytes each."""

GRAPH = 2 * 2 * 16 * 4
"""Twice `m` links of 4 bytes, once for all points and once for those of the same book (the tenant)."""

IDS = 64
"""Assumed: a UUID to a number and back, with the version of the point."""

INDEXED_FIELDS = 18
FIELD = 12
"""Assumed: a number in a list of points, and the value by point."""

HEADROOM = 1.5
"""Qdrant's rule: half as much again for metadata and for segments that are rewritten."""

NODE_MEMORY, NODE_DISK, NODE_DOLLARS = 128 * GB, 4_000 * GB, 700.0
"""Assumed: 16 cores, 128 GB, 4 TB of local disk, dollars per month."""

REPLICAS = 2
WRITER = 2_870
"""Measured: points per second that one writer sends to one server on two shared cores."""

GRAPHS = 1_000_000 / 240
"""Measured: points per second of which two shared cores build the graph, after a load."""

NODE_CORES = 16
CHUNKER = 2_300
"""Measured: chunks per core and second that are read, parsed and chunked, over three books."""

EMBEDDER = 44
"""Measured: chunks per core and second through the built-in model (360 tokens each)."""

SERVICE_PRICE = 0.02
"""Assumed: dollars per million tokens, text-embedding-3-small."""

SERVICE_RATE = 10_000_000 / 60
"""Assumed: tokens per second that the service allows, of ten million a minute."""

RECORD = 95
"""Measured: bytes per chunk in the records of two books."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the parts of a point are."""

    name: str
    vector_in_memory: float
    postings_in_memory: bool


MEMORY = Layout("int8 in memory", 1.0, True)
DISK = Layout("binary in memory, the rest on disk", 1 / 8, False)


def memory_per_point(dimensions: int, layout: Layout) -> float:
    """Return the bytes that must be in memory for one point."""
    postings = TERMS * POSTING if layout.postings_in_memory else 0
    graph = GRAPH if layout.postings_in_memory else 0
    return dimensions * layout.vector_in_memory + graph + IDS + INDEXED_FIELDS * FIELD + postings


def disk_per_point(dimensions: int) -> float:
    """Return the bytes on disk: the vector, its code, graph, postings and stored terms, payload, ids."""
    return dimensions * 5 + GRAPH + TERMS * (POSTING + 8) + PAYLOAD + IDS + INDEXED_FIELDS * FIELD


def parts_table(dimensions: int) -> str:
    """Return what a point consists of, for one number of dimensions."""
    rows = [
        ("vector", 4 * dimensions, "disk"),
        ("int8 code, or an eighth of it in binary", dimensions, "memory"),
        ("graph", GRAPH, "memory, or disk"),
        (f"BM25: {TERMS} postings", TERMS * POSTING, "memory, or disk"),
        (f"BM25: {TERMS} stored terms", TERMS * 8, "disk"),
        ("payload", PAYLOAD, "disk"),
        (f"{INDEXED_FIELDS} payload indexes", INDEXED_FIELDS * FIELD, "memory"),
        ("ids and versions", IDS, "memory"),
    ]
    lines = [f"| {name} | {size:,.0f} | {place} |" for name, size, place in rows]
    return "\n".join(["| part of a point | bytes | where |", "| --- | ---: | --- |", *lines])


def cluster_table(points: int) -> str:
    """Return memory, disk and nodes for a number of points."""
    head = "| dimensions | layout | memory GB | disk GB | nodes | shards | dollars per month |"
    lines = [head, "| ---: | --- | ---: | ---: | ---: | ---: | ---: |"]
    for dimensions in (384, 1536):
        for layout in (MEMORY, DISK):
            memory = points * REPLICAS * HEADROOM * memory_per_point(dimensions, layout)
            disk = points * REPLICAS * HEADROOM * disk_per_point(dimensions)
            # Two thirds of a node's memory, so that the system can keep pages of what is on disk.
            nodes = max(3, -(-memory // (NODE_MEMORY * 2 / 3)), -(-disk // NODE_DISK))
            lines.append(
                f"| {dimensions} | {layout.name} | {memory / GB:,.0f} | {disk / GB:,.0f} | {nodes:,.0f} "
                f"| {shards(points, nodes):,.0f} | {nodes * NODE_DOLLARS:,.0f} |"
            )
    return "\n".join(lines)


def shards(points: int, nodes: float) -> float:
    """Return the shards of a collection: a multiple of the nodes, of at most 20 million points each."""
    return nodes * max(1, -(-points // (20_000_000 * int(nodes))))


def rebuild_table() -> str:
    """Return how long each stage of a first run takes, and what it costs."""
    lines = ["| stage | resources | 10 million | 1 billion |", "| --- | --- | ---: | ---: |"]
    small, large = 10_000_000, 1_000_000_000
    for stage, means, rate in (
        ("chunk", "one core", CHUNKER),
        ("chunk", "64 cores (Ray)", 64 * CHUNKER),
        ("embed", "the built-in model, 2 cores", 2 * EMBEDDER),
        ("embed", "the built-in model, 64 cores (Ray)", 64 * EMBEDDER),
        ("embed", "a service with 10 million tokens per minute", SERVICE_RATE / TOKENS),
        ("write", "one writer", WRITER),
        ("graph", "one node of 16 cores", GRAPHS * NODE_CORES / 2),
        ("graph", "20 nodes of 16 cores, 2 replicas", GRAPHS * NODE_CORES / 2 * 20 / REPLICAS),
    ):
        lines.append(f"| {stage} | {means} | {duration(small / rate)} | {duration(large / rate)} |")
    price = TOKENS * SERVICE_PRICE / 1e6
    lines.append(f"| embed | dollars paid to a service | {small * price:,.0f} | {large * price:,.0f} |")
    lines.append(f"| record | state of all books | {small * RECORD / GB:,.0f} GB | {large * RECORD / GB:,.0f} GB |")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Return seconds in the unit that people would use."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} s"


def check_table() -> str:
    """Return what the arithmetic says of an index that was measured."""
    expected = 1_000_000 * memory_per_point(384, MEMORY)
    measured = 3.1 * GB
    return "\n".join(
        [
            "| 1,000,000 × 384, int8, one server | GB |",
            "| --- | ---: |",
            f"| estimate, without headroom | {expected / GB:.1f} |",
            f"| estimate, with headroom | {expected * HEADROOM / GB:.1f} |",
            f"| measured, resident | {measured / GB:.1f} |",
        ]
    )


def tables() -> list[str]:
    """Return all tables, as they stand in the documentation."""
    return [parts_table(384), check_table(), cluster_table(10_000_000), cluster_table(1_000_000_000), rebuild_table()]


def main() -> None:
    """Print the tables."""
    print("\n\n".join(tables()))


if __name__ == "__main__":
    main()
