"""The syntax that MkDocs reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import INLINE, NONE, Syntax

SYNTAX = Syntax(
    name="mkdocs",
    comments=NONE,
    containers=frozenset(("indented", "slashes")),
    inline=INLINE - {"wiki"},
    raw_html=True,
)
