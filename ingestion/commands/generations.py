"""The commands on the store itself: its generations."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ingestion.commands.terminal import Config, Json, read_settings, show
from ingestion.errors import UsageError


def generations(
    action: Annotated[
        str | None, typer.Argument(metavar="[rollback|drop]", help="Go back to the former one, or drop it.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before dropping.")] = False,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """List the physical indexes behind the collection; `rollback` to the former one, or `drop` it.

    `recreate` keeps the index it replaced, so that `rollback` is one step; a second `rollback` goes forward again.
    """
    from ingestion.commands.views import generations_view
    from ingestion.factory import build_parts
    from ingestion.operations.rollback import drop_former, roll_back

    if action not in (None, "rollback", "drop"):
        raise UsageError(f"generations {action}: write `generations`, `generations rollback` or `generations drop`")
    if action == "drop" and not yes and not typer.confirm("Drop the former generation?", err=True):
        raise UsageError("nothing was dropped; say yes, or use --yes")
    with closing(build_parts(read_settings(config))) as parts:
        if action == "rollback":
            roll_back(parts)
        elif action == "drop" and not drop_former(parts):
            raise UsageError("there is no former generation to drop")
        kept = parts.generations.kept()
    show(generations_view(kept), {"generations": [each.as_json() for each in kept]}, as_json=as_json)
