"""The command line: every command by its name. The commands read settings, call one function and print."""

import atexit
import gc
from typing import Annotated

import typer

from ingestion.commands.batch import batch
from ingestion.commands.check import check
from ingestion.commands.configuration import set_root_flags
from ingestion.commands.copy import copy
from ingestion.commands.crawl import crawl
from ingestion.commands.delete_book import delete_book
from ingestion.commands.doctor import doctor
from ingestion.commands.generations import generations
from ingestion.commands.info import info
from ingestion.commands.ingest import ingest
from ingestion.commands.init import init
from ingestion.commands.jobs import jobs
from ingestion.commands.plan import plan
from ingestion.commands.program import Command, Program, show_help, show_version
from ingestion.commands.verify import verify
from ingestion.commands.watch import watch
from rag.commands.ask import ask
from rag.commands.chat import chat
from rag.commands.evaluate import evaluate_command
from rag.commands.export import export
from rag.commands.keys import keys
from rag.commands.lesson import lesson
from rag.commands.mcp import mcp
from rag.commands.questions import questions
from rag.commands.search import search
from rag.commands.serve import serve

# Python looks through all objects once more at its end, which takes a tenth of a second and frees nothing of use.
atexit.register(gc.freeze)

app = typer.Typer(
    name="bookwise",
    cls=Program,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GROUPS = {
    "Index": (init, crawl, check, plan, ingest, verify, watch),
    "Ask": (search, ask, chat, lesson),
    "Serve": (serve, mcp, questions),
    "Manage": (doctor, info, copy, export),
}
for panel, commands in GROUPS.items():
    for command in commands:
        app.command(cls=Command, rich_help_panel=panel)(command)
app.command("status", cls=Command, hidden=True)(plan)
app.command("eval", cls=Command, rich_help_panel="Ask")(evaluate_command)
app.command("delete-book", cls=Command, rich_help_panel="Manage")(delete_book)
app.add_typer(batch, name="batch", rich_help_panel="Index")
app.add_typer(keys, name="keys", rich_help_panel="Serve")
app.add_typer(jobs, name="jobs", rich_help_panel="Manage")
app.add_typer(generations, name="generations", rich_help_panel="Manage")
app.command("help", cls=Command, rich_help_panel="Manage")(show_help)


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
            help="Let the book's own files name hosts for your keys and folders outside of the book.",
        ),
    ] = False,
) -> None:
    """Keep a searchable, question-answering index equal to a folder of lesson markdown."""
    set_root_flags(ctx, {"index.wait": wait, "trust.config": trust_config or None})
