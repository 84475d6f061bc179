"""The syntax that VitePress reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import COLONS, NONE, Syntax

SYNTAX = Syntax(
    name="vitepress",
    comments=NONE,
    containers=COLONS,
    inline=frozenset(("attributes", "icons")),
    shows_templates=True,
)
