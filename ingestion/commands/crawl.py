"""`bookwise crawl`: show what would be indexed."""

from __future__ import annotations

from ingestion.commands.configuration import read_book
from ingestion.commands.options import Config, Docs, Json, Verbose
from ingestion.commands.terminal import show


def crawl(docs: Docs = None, config: Config = None, as_json: Json = False, verbose: Verbose = False) -> None:
    """List the lessons by module, and what is skipped and why.

    Looks at file names only.
    """
    from ingestion.commands.views import contents_view
    from ingestion.source.contents import table_of_contents

    settings, root = read_book(docs, config, verbose=verbose)
    contents = table_of_contents(root, settings)
    show(contents_view(contents), contents.as_json(), as_json=as_json)
