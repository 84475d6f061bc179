"""The syntax that Astro reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import COLONS, NONE, Syntax
from ingestion.source.includes.partials import find_partials

SYNTAX = Syntax(name="astro", comments=NONE, containers=COLONS, inline=NONE)
FINDERS = (find_partials,)
