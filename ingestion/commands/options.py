"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Docs = Annotated[Path | None, typer.Argument(help="Folder of the lessons, or of the book that holds bookwise.toml.")]

Mode = Annotated[str, typer.Option("--mode", help="incremental, full or recreate.")]

AllowDelete = Annotated[bool, typer.Option("--allow-delete", help="Delete even most of a book.")]

State = Annotated[str | None, typer.Option("--state", help="Where the records are: a file, qdrant or auto.")]

IgnoreBatches = Annotated[
    bool, typer.Option("--ignore-batches", help="Embed now, at the full price, what an open batch embeds too.")
]

Strict = Annotated[bool, typer.Option("--strict", help="Exit 3 on warnings too.")]

MaxCost = Annotated[float | None, typer.Option("--max-cost", help="Maximum embedding cost in US dollars.")]

MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="Maximum tokens to embed.")]
