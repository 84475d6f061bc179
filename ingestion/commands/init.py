"""`bookwise init`: make a folder a book."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingestion.commands.configuration import load_folder
from ingestion.commands.options import Book, Json, Yes
from ingestion.commands.terminal import ask, confirm, is_interactive, show
from ingestion.errors import UsageError
from ingestion.output import Block, Cell, Table, View
from ingestion.settings.trust import trusts_book

if TYPE_CHECKING:
    from ingestion.operations.init import Proposal
    from ingestion.settings import Settings
    from ingestion.source.contents import Page

SHOWN_LESSONS = 12


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Folder of the book.")] = Path(),
    book: Book = None,
    docs: Annotated[
        str | None, typer.Option("--docs", metavar="PATH", help="Folder of the lessons, relative to the book folder.")
    ] = None,
    trust: Annotated[
        bool | None,
        typer.Option(
            "--trust/--no-trust",
            help="Trust the folder's files: its bookwise.toml can set everything. Asks on a terminal.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written; write nothing.")] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Show what a folder contains and write its bookwise.toml.

    Shows which lessons would be indexed, with their modules, languages and URLs. Adds the index and the state file to
    `.gitignore`. Never changes an existing bookwise.toml.
    """
    from ingestion.operations.init import carry_out, has_config, propose, trust_folder
    from ingestion.settings.loader import CONFIG_NAME

    is_there = has_config(folder)
    if is_there and (book or docs):
        raise UsageError(f"{folder / CONFIG_NAME} already exists; set book.id and book.docs there, not with flags")
    loaded = load_folder(folder, {"book.id": book})
    proposal = propose(folder, loaded.settings, docs)
    if not as_json:
        show(_found(proposal), {}, as_json=False)
    written: list[Path] = []
    if proposal.to_write and not dry_run:
        confirm(f"Write {' and '.join(map(str, proposal.to_write))}?", yes=yes)
        written = carry_out(proposal)
    if not dry_run and _is_trusted(trust, loaded.settings, yes=yes or as_json):
        written.append(trust_folder(folder, loaded.settings, os.environ))
    document = proposal.as_json() | {"written": [str(path) for path in written]}
    show(_ending(proposal, written), document, as_json=as_json)


def _is_trusted(trust: bool | None, settings: Settings, *, yes: bool) -> bool:
    """Return whether the user says that the folder's files are to be trusted, which they are not yet."""
    if settings.trust.config or trusts_book(
        {"trust.config": False, "trust.folders": settings.trust.folders}, settings.folder
    ):
        return False
    if trust is None and not yes and is_interactive():
        return ask("Do you trust this folder? If so, its bookwise.toml can set hosts, keys and limits.")
    return bool(trust)


def _found(proposal: Proposal) -> View:
    """Return what is in the folder, and how it comes out."""
    contents = proposal.contents
    reasons = Counter(skipped.reason for skipped in contents.skipped)
    editions = [
        (edition.language, edition.version or "current", edition.pages, edition.indexed)
        for edition in proposal.editions
    ]
    return [
        _site_line(proposal),
        _lessons(contents.pages),
        Table("Modules", ("module", "lessons"), sorted(contents.modules.items())),
        Table("Languages and versions", ("language", "version", "pages", "indexed"), editions),
        Table("Skipped", ("reason", "paths"), reasons.most_common()),
        f"{len(contents.pages)} lessons in {contents.root}",
    ]


def _site_line(proposal: Proposal) -> str:
    site = proposal.site
    if site is None:
        return "No site generator recognised; set `book.style` and `book.base_url` to get URLs."
    address = f"pages at {site.base_url}" if site.base_url else "its URL is not known: set book.base_url"
    return f"{site.generator} site ({site.config.name}), {address}"


def _lessons(pages: Sequence[Page]) -> Table:
    columns = ("path", "module", "chapter", "lesson", "address")
    rows = _rows(pages)
    # Without a site no lesson has an address.
    shown = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    return Table("Lessons", columns[:shown], [row[:shown] for row in rows])


def _rows(pages: Sequence[Page]) -> list[tuple[Cell, ...]]:
    """Return some lessons that show how all come out: the first of each module, then others, in path order."""
    first = {page.place.module: page for page in reversed(pages)}
    others = [page for page in pages if page is not first[page.place.module]]
    wanted = max(0, SHOWN_LESSONS - len(first))
    shown = [*reversed(first.values()), *others[:: max(1, len(others) // max(1, wanted))][:wanted]][:SHOWN_LESSONS]
    rows: list[tuple[Cell, ...]] = [
        (page.path, page.place.module, page.place.chapter, page.place.lesson, page.url or None)
        for page in sorted(shown, key=lambda page: page.path)
    ]
    return rows + ([("…", None, None, None, None)] if len(shown) < len(pages) else [])


def _ending(proposal: Proposal, written: Sequence[Path]) -> View:
    return list(_last_lines(proposal, written))


def _last_lines(proposal: Proposal, written: Sequence[Path]) -> Iterator[str | Block]:
    yield f"The book's id is {proposal.book_id} (from {proposal.id_source})."
    if proposal.text is None:
        yield f"{proposal.config} already exists and is not changed."
    if written:
        yield f"Written: {', '.join(map(str, written))}"
    elif proposal.to_write:
        yield f"Would be written: {', '.join(map(str, proposal.to_write))}"
        if proposal.text is not None:
            yield Block(f"\n{proposal.text}")
        return
    yield "Next: `bookwise check` lints the lessons, `bookwise ingest` indexes them."
