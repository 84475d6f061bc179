"""One example of each command, for its help and the reference."""

from __future__ import annotations

from collections.abc import Mapping

EXAMPLES: Mapping[str, str] = {
    "init": "init lessons",
    "crawl": "crawl",
    "check": "check --strict",
    "plan": "plan",
    "ingest": "ingest docs --mode recreate",
    "verify": "verify --repair",
    "watch": "watch",
    "search": "search late subscriber --tier 2",
    "ask": 'ask "What kind of computer do I need?" --tier 4',
    "chat": "chat --module ros2",
    "lesson": "lesson module-1/01-nodes.md",
    "eval": "eval questions.jsonl --min-recall 0.9",
    "serve": "serve --port 8000",
    "mcp": "mcp",
    "questions": "questions",
    "keys add": "keys add course-site --public --highest-tier 2",
    "keys list": "keys list",
    "keys revoke": "keys revoke 3f2a91c4",
    "keys export": "keys export 3f2a91c4",
    "keys forget": "keys forget 3f2a91c4",
    "doctor": "doctor",
    "info": "info",
    "jobs list": "jobs list",
    "jobs show": "jobs show 12",
    "generations list": "generations list",
    "generations rollback": "generations rollback",
    "generations drop": "generations drop",
    "copy": "copy --to backup",
    "delete-book": "delete-book old-course",
    "export": "export site/static --tier 4",
    "help": "help ingest",
}
"""The line behind `bookwise`, by the command's name."""
