"""The syntax of files that no generator reads: that of any."""

from __future__ import annotations

from ingestion.markdown.syntax import ANY

SYNTAX = ANY
