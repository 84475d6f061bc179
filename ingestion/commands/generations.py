"""`bookwise generations`: the physical indexes behind the collection."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import typer

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Config, Json, Yes
from ingestion.commands.parsing.program import Command, ListByDefault
from ingestion.commands.terminal import confirm, show
from ingestion.errors import UsageError

if TYPE_CHECKING:
    from ingestion.vector_stores.types import KeptGeneration

generations = typer.Typer(
    cls=ListByDefault,
    help="Manage the physical indexes behind the collection.",
)


@generations.command("list", cls=Command)
def list_generations(config: Config = None, as_json: Json = False) -> None:
    """List the physical indexes behind the collection.

    `bookwise ingest --mode recreate` keeps the index that it replaces as the previous generation.
    """
    from ingestion.factory import generations_of

    _show(generations_of(read_settings(config)).kept(), as_json)


@generations.command("rollback", cls=Command)
def rollback(config: Config = None, as_json: Json = False) -> None:
    """Switch back to the previous generation.

    A second `rollback` switches forward again. The state is reset, so the next `ingest` compares every lesson with
    the index. Known text is not embedded again.
    """
    from ingestion.factory import build_parts
    from ingestion.operations.rollback import roll_back

    with closing(build_parts(read_settings(config))) as parts:
        roll_back(parts)
        _show(parts.generations.kept(), as_json)


@generations.command("drop", cls=Command)
def drop(yes: Yes = False, config: Config = None, as_json: Json = False) -> None:
    """Delete the previous generation."""
    from ingestion.factory import build_parts
    from ingestion.operations.rollback import drop_former

    confirm("Delete the previous generation?", yes=yes)
    with closing(build_parts(read_settings(config))) as parts:
        if not drop_former(parts):
            raise UsageError("there is no previous generation to delete")
        _show(parts.generations.kept(), as_json)


def _show(kept: list[KeptGeneration], as_json: bool) -> None:
    from ingestion.commands.views import generations_view

    show(generations_view(kept), {"generations": [generation.as_json() for generation in kept]}, as_json=as_json)
