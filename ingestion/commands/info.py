"""`bookwise info`: show what the index holds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ingestion.commands.terminal import Config, Json, read_settings, show

if TYPE_CHECKING:
    pass


def info(config: Config = None, as_json: Json = False) -> None:
    """Show what the index holds: books, files, chunks, modules and the embedding."""
    from ingestion.commands.views import info_view
    from ingestion.factory import open_index
    from ingestion.operations.info import index_info

    settings = read_settings(config)
    with closing(open_index(settings)) as store:
        held = index_info(store, settings)
    show(info_view(held), held.as_json(), as_json=as_json)
