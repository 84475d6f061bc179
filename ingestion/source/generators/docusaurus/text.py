"""The syntax that Docusaurus reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import COLONS, NONE, Syntax
from ingestion.source.includes.partials import find_partials

SYNTAX = Syntax(name="docusaurus", comments=NONE, containers=COLONS, inline=frozenset(("attributes",)))
FINDERS = (find_partials,)
