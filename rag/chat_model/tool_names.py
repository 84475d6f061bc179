"""The one tool that a model may call, as far as a reply is read for calls: its names and its arguments."""

from __future__ import annotations

TOOL_NAME = "retrieve_documentation"
ALIAS = "search_textbook"
"""Another name by which the same tool may be called."""

TOOL_ARGUMENTS = ("query", "top_k", "similarity_threshold")

MAX_ARGUMENT_CHARS = 20_000
"""How long the arguments of a call may be; longer ones are refused whole."""
