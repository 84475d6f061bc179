"""The syntax that Hugo reads pages by."""

from __future__ import annotations

from ingestion.markdown.syntax import INLINE, NONE, Syntax

SYNTAX = Syntax(name="hugo", comments=NONE, containers=NONE, inline=INLINE - {"wiki", "keys"}, templates="hugo")
