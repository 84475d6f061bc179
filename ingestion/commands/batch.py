"""`ingest --batch` and `ingest --resume`: send texts, look how far they are, index what came back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingestion.commands.progress import progress_bar
from ingestion.commands.terminal import note, show
from ingestion.errors import ExitCode
from ingestion.settings import Settings
from ingestion.state.batch_ledger import mode_flag

if TYPE_CHECKING:
    from ingestion.models import IngestionMode
    from ingestion.operations.batch import Batches, OpenBatch

SECONDS_BETWEEN_LOOKS = 30.0


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """The flags of `ingest` that count here."""

    send: bool
    wait: bool
    mode: IngestionMode
    allow_delete: bool
    strict: bool
    as_json: bool
    verbose: bool


def ingest_by_batch(settings: Settings, root: Path, options: BatchOptions) -> int:
    """Do what was asked and return the exit code: 12 while a batch is running, else as `ingest`."""
    from ingestion.books import book_to_write
    from ingestion.factory import batch_ledger_of, batch_service_of, build_parts
    from ingestion.operations.batch import Batches

    with closing(build_parts(settings)) as parts, closing(batch_ledger_of(settings)) as ledger:
        book_id = book_to_write(settings, parts.states)
        service = batch_service_of(settings, parts.embedder.dimensions)
        batches = Batches(parts, service, ledger, book_id=book_id)
        if options.send and not _send(batches, root, book_id, options):
            return 0
        return _resume(batches, root, book_id, options)


def _send(batches: Batches, root: Path, book_id: str, options: BatchOptions) -> bool:
    """Send and tell; True if its end is to be waited for."""
    sending = batches.send(root, mode=options.mode, allow_delete=options.allow_delete)
    told = [_sent_line(each) for each in sending.batches]
    if sending.waiting:
        told.append(f"Sent before, and still in a batch: {sending.waiting}.")
    goes_on = bool(sending.batches or sending.waiting)
    flags = mode_flag(options.mode)
    if not goes_on:
        told.append(f"Every text has its vector; `bookwise ingest{flags}` indexes them without a batch.")
    elif not options.wait:
        told.append(
            f"`bookwise ingest --resume{flags}` fetches the vectors and indexes the lessons, within 24 hours."
        )
    lines = [f"{book_id}: {told[0]}", *told[1:]]
    if goes_on and options.wait:
        _note(lines)
        return True
    document = {
        "book_id": book_id,
        "waiting": sending.waiting,
        "batches": [each.as_json() for each in sending.batches],
    }
    show(lines, document, as_json=options.as_json)
    return False


def _resume(batches: Batches, root: Path, book_id: str, options: BatchOptions) -> int:
    found = batches.look()
    while options.wait and not _all_ended(found):
        _note(_running_lines(found))
        time.sleep(SECONDS_BETWEEN_LOOKS)
        found = batches.look()
    document: dict[str, Any] = {"book_id": book_id, "batches": [each.as_json() for each in found]}
    if not found:
        lines = [f"{book_id}: no batch is open. `bookwise ingest --batch` sends one."]
        show(lines, document, as_json=options.as_json)
        return 0
    if not _all_ended(found):
        lines = [*_running_lines(found), "Nothing is indexed yet; run `bookwise ingest --resume` again later."]
        show(lines, document, as_json=options.as_json)
        return ExitCode.NOT_IN_STEP
    return _finish(batches, root, found, document, options)


def _finish(
    batches: Batches, root: Path, found: Sequence[OpenBatch], document: dict[str, Any], options: BatchOptions
) -> int:
    from ingestion.commands.views import report_view

    with progress_bar() as progress:
        report = batches.finish(root, found, mode=options.mode, allow_delete=options.allow_delete, progress=progress)
    lines = _running_lines(found)
    if report.chunks.embedded:
        lines.append(f"Embedded at the full price, as in no batch (changed since): {report.chunks.embedded}.")
    view = [*lines, *report_view(report, verbose=options.verbose)]
    show(view, document | report.as_json(), as_json=options.as_json)
    return ExitCode.LESSONS_FAILED if report.failures or (options.strict and report.findings) else 0


def _all_ended(found: Sequence[OpenBatch]) -> bool:
    return all(each.status.ended for each in found)


def _running_lines(found: Sequence[OpenBatch]) -> list[str]:
    return [
        f"{each.status.batch_id}: {each.status.state}, {each.status.completed} of {len(each.sent.keys)} texts "
        f"embedded, {each.status.failed} failed{_price(each.sent.cost)}"
        for each in found
    ]


def _sent_line(batch: OpenBatch) -> str:
    sent = batch.sent
    return f"{len(sent.keys)} texts ({sent.tokens} tokens) sent as {batch.status.batch_id}{_price(sent.cost)}."


def _price(cost: float | None) -> str:
    return "" if cost is None else f", ${cost:.4f} at half price"


def _note(lines: Sequence[str]) -> None:
    for line in lines:
        note(line)
