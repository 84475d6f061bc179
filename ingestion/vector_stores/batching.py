"""Cuts what is sent to an engine into requests of bounded size."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TypeVar

from ingestion.vector_stores.filters import HasId, Where
from ingestion.vector_stores.types import Payload

T = TypeVar("T")


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in order, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def sized_batches(items: Iterable[tuple[T, int]], *, max_items: int, max_bytes: int) -> Iterator[list[T]]:
    """Yield the items, each given with its bytes, in order, in batches that keep both limits; none is larger
    alone.
    """
    batch: list[T] = []
    held = 0
    for item, size in items:
        if batch and (len(batch) == max_items or held + size > max_bytes):
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += size
    if batch:
        yield batch


def do_all(items: Iterable[T], action: Callable[[T], None], *, workers: int) -> None:
    """Call the action with each item, up to `workers` at a time; returns when all calls have ended.

    Items are taken one by one, as calls end. After the first error no more are begun, and it is raised.
    """
    with ThreadPoolExecutor(workers) as pool:
        running: set[Future[None]] = set()
        for item in items:
            if len(running) == workers:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                _raise_first(ended)
            running.add(pool.submit(action, item))
        _raise_first(wait(running).done)


def _raise_first(ended: Iterable[Future[None]]) -> None:
    for future in ended:
        future.result()


def deletions(where: Where, max_ids: int) -> Iterator[Where]:
    """Yield the filter cut into filters that name at most `max_ids` ids each and together match the same points.

    Raises ValueError where nothing must hold: such a filter would empty the store.
    """
    if not where.must:
        raise ValueError("a deletion needs a condition that must hold")
    named = next((condition for condition in where.must if isinstance(condition, HasId)), None)
    if named is None:
        yield where
        return
    others = tuple(condition for condition in where.must if condition is not named)
    for ids in batches(named.ids, max_ids):
        yield replace(where, must=(*others, HasId(tuple(ids))))


def payload_bytes(payload: Payload) -> int:
    """Return the bytes of the payload in a JSON request body."""
    return len(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode())
