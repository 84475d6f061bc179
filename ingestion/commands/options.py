"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ingestion.models import IngestionMode

Docs = Annotated[
    Path | None,
    typer.Argument(metavar="[DOCS]", help="Folder of the lessons, or book folder with a bookwise.toml."),
]
Book = Annotated[str | None, typer.Option("--book", metavar="ID", help="Book id.")]
Books = Annotated[
    str | None,
    typer.Option(
        "--books",
        metavar="FOLDERS",
        help="Many books in one collection: a folder of books, a quoted pattern, or a file with a list.",
    ),
]
BuiltSite = Annotated[
    Path | None,
    typer.Option(
        "--site", metavar="DIR", help="Take URLs and heading ids from the built site in this folder (`book.built`)."
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Chunk and embed on a Ray cluster: HOST:PORT, ray://HOST:PORT, `auto`, or `local` to start one.",
    ),
]
RayWorkers = Annotated[
    int | None,
    typer.Option("--ray-workers", metavar="N", min=1, help="Workers on the Ray cluster; one per core by default."),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Configuration file to use instead of the book's bookwise.toml."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show all details and log to stderr.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Answer yes to all questions.")]

Mode = Annotated[
    IngestionMode,
    typer.Option(
        "--mode",
        case_sensitive=False,
        help="Check only changed files, check every file, or build a new index next to the old one.",
    ),
]
AllowDelete = Annotated[
    bool, typer.Option("--allow-delete", help="Allow deleting more than `index.max_delete` percent of the book.")
]
State = Annotated[
    str | None,
    typer.Option("--state", metavar="FILE", help="Where to keep the ingestion state: a file, `qdrant` or `auto`."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with code 3 on warnings too.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", metavar="DOLLARS", help="Maximum embedding cost in US dollars.")
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", metavar="N", help="Maximum tokens to embed.")]
