"""The syntax that Jekyll reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import NONE, Syntax

SYNTAX = Syntax(
    name="jekyll",
    comments=frozenset(("kramdown",)),
    containers=NONE,
    inline=frozenset(("attributes", "icons")),
    templates="liquid",
    raw_html=True,
)
