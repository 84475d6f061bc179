"""The command line: every command by its name. The commands read settings, call one function and print."""

import atexit
import gc
from typing import Annotated

import typer

from ingestion.commands.check import check
from ingestion.commands.copy import copy
from ingestion.commands.crawl import crawl
from ingestion.commands.delete_book import delete_book
from ingestion.commands.generations import generations
from ingestion.commands.info import info
from ingestion.commands.ingest import ingest
from ingestion.commands.jobs import jobs
from ingestion.commands.plan import plan
from ingestion.commands.terminal import Commands, set_for_all_commands
from ingestion.commands.verify import verify
from ingestion.commands.watch import watch
from rag.commands.ask import ask
from rag.commands.chat import chat
from rag.commands.evaluate import evaluate_command
from rag.commands.keys import keys
from rag.commands.lesson import lesson
from rag.commands.mcp import mcp
from rag.commands.search import search
from rag.commands.serve import serve

# Python looks through all objects once more at its end, which takes a tenth of a second and frees nothing of use.
atexit.register(gc.freeze)

app = typer.Typer(
    name="bookwise",
    cls=Commands,
    help="Keep a searchable, question-answering index equal to a folder of lesson markdown.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    *(crawl, check, plan, ingest, verify, watch, info, jobs),
    *(generations, copy),
    *(search, lesson, ask, chat, serve, mcp),
):
    app.command()(command)
app.command("status", hidden=True)(plan)
app.command("delete-book")(delete_book)
app.add_typer(keys, name="keys")
app.command("eval")(evaluate_command)


@app.callback(invoke_without_command=True)
def main(
    show_version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    wait: Annotated[
        str | None, typer.Option("--wait", metavar="SECONDS", help="Wait so long for an index in use.")
    ] = None,
) -> None:
    """Keep a searchable, question-answering index equal to a folder of lesson markdown."""
    set_for_all_commands({"index.wait": wait})
    if show_version:
        from importlib.metadata import version

        typer.echo(f"bookwise {version('bookwise')}")
        raise typer.Exit
