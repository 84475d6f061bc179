"""The syntax that Astro reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import COLONS, NONE, Syntax

SYNTAX = Syntax(name="astro", comments=NONE, containers=COLONS, inline=NONE)
