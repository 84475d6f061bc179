"""Check the index: its server, its model, the records of runs, and the free disk space."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ingestion.factory import embedder_of, host_of, kind_of, location_of, states_of
from ingestion.operations.doctor.report import Check, note, ok, problem
from ingestion.settings import Settings
from ingestion.settings.qdrant import addresses
from ingestion.vector_stores.protocol import Generations, OpenGenerations
from ingestion.versions import same_model

LEAST_FREE = 200 << 20
"""Free bytes below which a run may lack room for its cache and its ledger."""


def server_checks(settings: Settings, generations: Generations) -> Iterator[Check]:
    """Yield version and health of the Qdrant server or cluster."""
    health = generations.health()
    if health is None:
        yield ok("vector store", f"embedded, in {location_of(settings)}")
        return
    facts = ", ".join(f"{name} {value}" for name, value in health.facts)
    yield ok("vector store", f"Qdrant {health.version} at {_addresses(settings)} answers: {facts}")
    for warning in health.warnings:
        message, _, step = warning.rpartition("; ")
        yield problem(
            "vector store", message or warning, step if message else "see the server's log, and the guide to Qdrant"
        )


def index_checks(settings: Settings, generations: OpenGenerations) -> Iterator[Check]:
    """Yield whether there is an index and the chosen embedder made it; `settings` are settled on its embedder."""
    active = generations.active()
    if active is None:
        yield note("index", f"nothing is indexed in {location_of(settings)}", "run `bookwise ingest`")
        return
    schema = active.schema
    made_by = f"made by {schema.embedding} ({schema.dimensions} dimensions)"
    embedder = embedder_of(settings)
    # A library tells its dimensions only once its model is loaded, which may be a download.
    in_step = same_model(embedder.model, schema.embedding) and (
        kind_of(settings) not in ("local", "openai") or embedder.dimensions == schema.dimensions
    )
    if in_step:
        yield ok("index", f"{location_of(settings)}, {made_by}, as chosen")
    else:
        yield problem(
            "index",
            f"{made_by}, but {embedder.model} is chosen",
            "set BOOKWISE_EMBEDDER or OPENAI_EMBEDDING_MODEL to what made it, or build another one with "
            "`bookwise ingest --mode recreate`",
        )


def state_checks(settings: Settings, generations: Generations) -> Iterator[Check]:
    """Yield whether the records of runs are readable and agree with the index."""
    states = states_of(settings, generations)
    books = states.books()
    is_there = generations.active() is not None
    if not books:
        yield ok("state", "no run has been recorded yet")
    for book_id in books:
        state = states.load(book_id, settings.qdrant.collection)
        counted = generations.known_count(book_id) if is_there else None
        recorded = f"{len(state.records)} files, {state.total_chunks} chunks"
        if counted is not None and counted != state.total_chunks:
            yield problem(
                "state",
                f"{book_id}: {recorded} are recorded, {counted} chunks are in the index",
                "`bookwise verify` shows the differences, `bookwise verify --repair` repairs them",
            )
        else:
            yield ok("state", f"{book_id}: {recorded}, last run {state.last_incremental_update or 'unknown'}")


def disk_checks(settings: Settings) -> Iterator[Check]:
    """Yield the free space on the index's disk, and whether a second index fits."""
    directory = Path(settings.index.directory)
    there = next(folder for folder in (directory.resolve(), *directory.resolve().parents) if folder.is_dir())
    free, used = shutil.disk_usage(there).free, _bytes_below(directory)
    room = f"{_size(free)} free, {_size(used)} used by {directory}"
    if not os.access(there, os.W_OK):
        yield note("disk", f"{there} cannot be written to", "to index, set BOOKWISE_DIRECTORY to a folder of yours")
    if free < LEAST_FREE:
        yield problem("disk", room, "free space, or set BOOKWISE_DIRECTORY to a folder on another disk")
    elif free < used + LEAST_FREE:
        yield note("disk", room, "free space before `--mode recreate`, which builds a second index next to the first")
    else:
        yield ok("disk", room)


def _bytes_below(folder: Path) -> int:
    """Return what the files take on the disk; those of the engine are mostly holes."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(os.path.join(root, name))
            except OSError:
                continue
            total += getattr(status, "st_blocks", status.st_size // 512) * 512
    return total


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def _addresses(settings: Settings) -> str:
    return ", ".join(map(host_of, addresses(settings.qdrant.url or "")))
