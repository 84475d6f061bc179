"""`bookwise info`: show what the index holds."""

from __future__ import annotations

from contextlib import closing

from ingestion.commands.configuration import read_settings
from ingestion.commands.options import Config, Json
from ingestion.commands.terminal import show


def info(config: Config = None, as_json: Json = False) -> None:
    """Show the books, files, chunks and modules of the index."""
    from ingestion.commands.views import info_view
    from ingestion.factory import open_index
    from ingestion.operations.info import index_info

    settings = read_settings(config)
    with closing(open_index(settings)) as store:
        held = index_info(store, settings)
    show(info_view(held), held.as_json(), as_json=as_json)
