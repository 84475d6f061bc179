"""`bookwise crawl`: show what would be indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingestion.commands.options import Docs
from ingestion.commands.terminal import Config, Json, Verbose, read_book, show

if TYPE_CHECKING:
    pass


def crawl(docs: Docs = None, config: Config = None, as_json: Json = False, verbose: Verbose = False) -> None:
    """Show what would be indexed, by module, and what is skipped and why. Reads nothing but names."""
    from ingestion.commands.views import contents_view
    from ingestion.source.contents import table_of_contents

    settings, root = read_book(docs, config, verbose=verbose)
    contents = table_of_contents(root, settings)
    show(contents_view(contents), contents.as_json(), as_json=as_json)
