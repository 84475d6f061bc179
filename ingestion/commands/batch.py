"""`bookwise batch`: have a service embed within a day at half the price, ahead of `bookwise ingest`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from ingestion.commands.configuration import read_book, read_settings
from ingestion.commands.options import Book, Config, Docs, Json, MaxCost, MaxTokens, Mode, State, Verbose
from ingestion.commands.program import Command, ListByDefault
from ingestion.commands.terminal import note, show
from ingestion.errors import ExitCode

if TYPE_CHECKING:
    from ingestion.operations.batch import Batches, FetchedBatch, OpenBatch
    from ingestion.settings import Settings

batch = typer.Typer(cls=ListByDefault, help="Embed at half price through the Batch API.")


@batch.command(cls=Command)
def submit(
    docs: Docs = None,
    mode: Mode = "incremental",
    book: Book = None,
    config: Config = None,
    state: State = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Submit the texts that `ingest` would embed.

    The index is not touched. A text is never in two open batches. `bookwise batch fetch` then puts the vectors into
    the embedding cache, where `bookwise ingest` finds them. A batch over --max-cost or --max-tokens is not submitted
    (exit 11).
    """
    flags = {
        "book.id": book,
        "embedding.max_cost": max_cost,
        "embedding.max_tokens": max_tokens,
        "index.state": state,
    }
    settings, root = read_book(docs, config, verbose=verbose, flags=flags)
    with _batches(settings) as (book_id, batches):
        submission = batches.submit(root, mode=mode)
    lines = [_sent_line(sent) for sent in submission.batches]
    if submission.waiting:
        lines.append(f"Already in an open batch: {submission.waiting} texts.")
    if submission.batches or submission.waiting:
        lines.append("Within 24 hours, `bookwise batch fetch` gets the vectors; then run `bookwise ingest`.")
    else:
        lines.append("Every text has its vector; run `bookwise ingest`.")
    document = {
        "book_id": book_id,
        "waiting": submission.waiting,
        "batches": [sent.as_json() for sent in submission.batches],
    }
    show([f"{book_id}: {lines[0]}", *lines[1:]], document, as_json=as_json)


@batch.command("list", cls=Command)
def list_batches(book: Book = None, config: Config = None, as_json: Json = False, verbose: Verbose = False) -> None:
    """List the open batches with their status; exit 12 while one is running."""
    with _batches(read_settings(config, verbose=verbose, flags={"book.id": book})) as (book_id, batches):
        found = batches.open()
    lines = [_status_line(status) for status in found] or [f"{book_id}: no open batch."]
    show(lines, {"book_id": book_id, "batches": [status.as_json() for status in found]}, as_json=as_json)
    _exit_pending(found)


@batch.command(cls=Command)
def fetch(book: Book = None, config: Config = None, as_json: Json = False, verbose: Verbose = False) -> None:
    """Put the vectors of batches that ended into the embedding cache; exit 12 while one is running.

    Texts that their batch did not embed are counted by reason (exit 3); `bookwise ingest` embeds them at the full
    price.
    """
    with _batches(read_settings(config, verbose=verbose, flags={"book.id": book})) as (book_id, batches):
        fetching = batches.fetch()
    lines = [line for ended in fetching.fetched for line in _fetched_lines(ended)]
    lines += [_status_line(status) for status in fetching.running]
    lines = lines or [f"{book_id}: no open batch."]
    document = {
        "book_id": book_id,
        "fetched": [ended.as_json() for ended in fetching.fetched],
        "running": [status.as_json() for status in fetching.running],
    }
    show(lines, document, as_json=as_json)
    if any(ended.failed for ended in fetching.fetched):
        raise typer.Exit(ExitCode.LESSONS_FAILED)
    _exit_pending(fetching.running)


@contextmanager
def _batches(settings: Settings) -> Iterator[tuple[str, Batches]]:
    from ingestion.books import book_to_write
    from ingestion.factory import batch_ledger_of, batch_service_of, build_parts, cache_of
    from ingestion.operations.batch import Batches

    with (
        closing(build_parts(settings)) as parts,
        closing(cache_of(settings)) as cache,
        closing(batch_ledger_of(settings)) as ledger,
    ):
        book_id = book_to_write(settings, parts.states, parts.generations)
        service = batch_service_of(settings, parts.embedder.dimensions)
        yield book_id, Batches(replace(parts, tell=note), cache, service, ledger, book_id=book_id)


def _exit_pending(found: Sequence[OpenBatch]) -> None:
    if not all(batch.status.ended for batch in found):
        raise typer.Exit(ExitCode.NOT_IN_STEP)


def _sent_line(sent: OpenBatch) -> str:
    return (
        f"submitted {len(sent.sent.keys)} texts ({sent.sent.tokens} tokens) as {sent.status.batch_id}"
        f"{_price(sent.sent.cost)}."
    )


def _status_line(found: OpenBatch) -> str:
    return (
        f"{found.status.batch_id}: {found.status.state}, {found.status.completed} of {len(found.sent.keys)} texts "
        f"embedded, {found.status.failed} failed{_price(found.sent.cost)}"
    )


def _fetched_lines(fetched: FetchedBatch) -> list[str]:
    failed = [f"not embedded: {count} texts: {reason}" for reason, count in fetched.failed.items()]
    return [f"{fetched.batch_id}: {fetched.state}; {fetched.vectors} vectors are in the embedding cache.", *failed]


def _price(cost: float | None) -> str:
    return "" if cost is None else f", ${cost:.4f} at half price"
