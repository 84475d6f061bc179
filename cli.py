"""The command line: every command by its name. The commands read settings, call one function and print."""

import atexit
import gc
from typing import Annotated

import typer

from ingestion import commands as index
from ingestion import store_commands as stores
from ingestion.copy_command import copy
from ingestion.terminal import Commands, set_for_all_commands
from rag import commands as questions
from rag.ask_command import ask
from rag.chat_command import chat
from rag.eval_command import evaluate_command
from rag.mcp_command import mcp
from rag.serve_command import keys, serve

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
    *(index.crawl, index.check, index.plan, index.ingest, index.verify, index.watch, index.info, index.jobs),
    *(stores.generations, copy),
    *(questions.search, questions.lesson, ask, chat, serve, mcp),
):
    app.command()(command)
app.command("status", hidden=True)(index.plan)
app.command("delete-book")(index.delete_book)
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
    set_for_all_commands(wait=wait)
    if show_version:
        from importlib.metadata import version

        typer.echo(f"bookwise {version('bookwise')}")
        raise typer.Exit
