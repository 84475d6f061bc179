"""The command line: every command by its name. The commands read settings, call one function and print."""

import atexit
import gc
from typing import Annotated

import typer

from ingestion.commands.configuration import set_root_flags
from ingestion.commands.parsing.program import Program, commands_of, show_version
from ingestion.openai_types import defer_openai_types

# Python looks through all objects once more at its end, which takes a tenth of a second and frees nothing of use.
atexit.register(gc.freeze)

# Python's own 700 makes the collector look at what an import or a parser just made dozens of times, for a tenth of a
# run; memory without cycles is freed at once all the same.
gc.set_threshold(100_000)
defer_openai_types()

COMMANDS = commands_of(
    {
        "Index": {
            "init": "ingestion.commands.init:init",
            "crawl": "ingestion.commands.crawl:crawl",
            "check": "ingestion.commands.check:check",
            "plan": "ingestion.commands.plan:plan",
            "ingest": "ingestion.commands.ingest:ingest",
            "verify": "ingestion.commands.verify:verify",
            "watch": "ingestion.commands.watch:watch",
        },
        "Ask": {
            "search": "rag.commands.search:search",
            "ask": "rag.commands.ask:ask",
            "chat": "rag.commands.chat:chat",
            "lesson": "rag.commands.lesson:lesson",
            "eval": "rag.commands.evaluate:evaluate_command",
        },
        "Serve": {
            "serve": "rag.commands.serve:serve",
            "mcp": "rag.commands.mcp:mcp",
            "questions": "rag.commands.questions:questions",
            "keys": "rag.commands.keys:keys",
        },
        "Manage": {
            "doctor": "ingestion.commands.doctor:doctor",
            "info": "ingestion.commands.info:info",
            "jobs": "ingestion.commands.jobs:jobs",
            "generations": "ingestion.commands.generations:generations",
            "copy": "ingestion.commands.copy:copy",
            "delete-book": "ingestion.commands.delete_book:delete_book",
            "export": "rag.commands.export:export",
            "help": "ingestion.commands.parsing.program:show_help",
        },
    },
    hidden={"status": "ingestion.commands.plan:plan"},
)
"""Every command by its panel and name; its module is imported when it is run or listed."""


class Bookwise(Program):
    """The program with its commands."""

    table = COMMANDS


app = typer.Typer(
    name="bookwise",
    cls=Bookwise,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def main(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", "-V", is_eager=True, callback=show_version, help="Show the version.")
    ] = False,
    wait: Annotated[
        str | None,
        typer.Option(
            "--wait", metavar="SECONDS", help="Seconds to wait for an index that another process has locked."
        ),
    ] = None,
    trust_config: Annotated[
        bool,
        typer.Option(
            "--trust-config",
            help="Trust the book's files: they can change any setting and point outside the book's folder.",
        ),
    ] = False,
) -> None:
    """Keep a search and Q&A index in sync with a folder of Markdown lessons."""
    set_root_flags(ctx, {"index.wait": wait, "trust.config": trust_config or None})
