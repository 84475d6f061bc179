"""The syntax that mdBook reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import NONE, Syntax

SYNTAX = Syntax(name="mdbook", comments=NONE, containers=NONE, inline=NONE, hidden_code=(("rust", "# "),))
