"""The program: help in groups; every ending of a command is an exit code and, with --json, one document."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ingestion.commands.parsing.conversion import ConvertsWhereNeeded
from ingestion.commands.parsing.examples import EXAMPLES
from ingestion.commands.parsing.usage_errors import usage_error
from ingestion.commands.ray_address import with_ray_address
from ingestion.commands.terminal import (
    close_output,
    flush_output,
    lost_output,
    print_error,
    print_help,
    print_json,
    print_traceback,
    show,
)
from ingestion.errors import BookwiseError, ExitCode, Interrupted, OutputClosed, OutputError, UsageError
from ingestion.output import Block
from ingestion.own_files import explain, is_refused

_WRITING = {"ingest", "verify", "copy"}
OTHER_OPTIONS = "Options"
_VALUE_TYPE = re.compile(r" <([^<>]+)>")
_BOUNDS = re.compile(r"([\d.]+)<=x<=([\d.]+)")
_VALUES = {"int": "N", "float": "NUMBER", "path": "PATH"}


class Command(ConvertsWhereNeeded, TyperCommand):
    """A command whose options stand in groups in its help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; `--ray` may stand without an address, which Typer has no option for."""
        return super().parse_args(ctx, with_ray_address(args))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write an example, the arguments, then each group of options."""
        if example := EXAMPLES.get(ctx.command_path.removeprefix("bookwise ")):
            with formatter.section("Example"):
                formatter.write_text(f"bookwise {example}")
        write_options(self, ctx, formatter)


@dataclass(frozen=True, slots=True)
class Entry:
    """A command that is not imported yet: `where` is `module:name`, of a function or a Typer app."""

    where: str
    panel: str | None = None

    def build(self, name: str) -> Any:
        """Import the command and return it as Typer runs it."""
        module, _, attribute = self.where.partition(":")
        found = getattr(import_module(module), attribute)
        app = typer.Typer(rich_markup_mode=None, add_completion=False)
        app.callback()(_no_options)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name, cls=Command)(found)
        group: Any = get_command(app)
        command = group.commands[name]
        command.rich_help_panel, command.hidden = self.panel, self.panel is None
        return command


def _no_options() -> None:
    """With a callback, an app of one command stays a group."""


def commands_of(panels: Mapping[str, Mapping[str, str]], *, hidden: Mapping[str, str]) -> dict[str, Entry]:
    """Return the table of a program from its help panels, and names that no help lists."""
    shown = {name: Entry(where, panel) for panel, names in panels.items() for name, where in names.items()}
    return shown | {name: Entry(where) for name, where in hidden.items()}


class Program(ConvertsWhereNeeded, TyperGroup):
    """The root: maps how a command ends to exit codes, errors to one line on stderr, and groups its help.

    `table` has the commands. Only the one that runs is imported and built, since a run with nothing to do takes no
    longer than that would.
    """

    table: ClassVar[Mapping[str, Entry]] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the flags before the command's name; without any argument show the help, as a usage error."""
        if not args and not ctx.resilient_parsing:
            print_help(ctx.get_help())
            raise typer.Exit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, imported now; None if the name is unknown."""
        if cmd_name not in self.commands and (entry := self.table.get(cmd_name)):
            self.commands[cmd_name] = entry.build(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named; for a name that there is not, build all, to suggest the nearest."""
        if args[0] not in self.table:
            for name in self.table:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> int:
        """Run one command and exit; behaves the same in a test's runner and as a process.

        Arguments are never expanded: a question may hold `*` and `?`.
        """
        arguments = sys.argv[1:] if args is None else list(args)
        name = prog_name or "bookwise"
        if os.environ.get(complete_var or f"_{name}_COMPLETE".replace("-", "_").upper()):
            super().main(arguments, name, complete_var, standalone_mode, windows_expand_args, **extra)

        def run() -> None:
            with self.make_context(name, list(arguments), **extra) as ctx:
                self.invoke(ctx)

        code = exit_code_of(run, arguments)
        if standalone_mode:
            raise SystemExit(code)
        return code

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, then each group of commands."""
        write_options(self, ctx, formatter)
        for title, names in _groups((name, self.get_command(ctx, name)) for name in self.list_commands(ctx)):
            with formatter.section(title or "Commands"):
                width = formatter.width - 6 - max(len(name) for name, _ in names)
                formatter.write_dl([(name, command.get_short_help_str(width)) for name, command in names])


class ListByDefault(ConvertsWhereNeeded, TyperGroup):
    """A group of commands that lists where no command is named: `jobs` is `jobs list`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `list` before flags that stand alone."""
        if not ctx.resilient_parsing and (not args or (args[0].startswith("-") and args[0] not in ("-h", "--help"))):
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and the commands as plain sections."""
        write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def exit_code_of(run: Callable[[], None], arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; an error is printed on stderr, with --json on stdout too.

    A bug is reported in the document and raised on, so that its traceback shows.
    """
    as_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        try:
            run()
            return _flushed(ExitCode.DONE)
        except typer.Exit as done:
            return _flushed(done.exit_code)
        except Exception as error:
            if (expected := _expected(error, arguments)) is None:
                if as_json:
                    _tell_bug(error)
                sys.excepthook = print_traceback
                raise
            return _told(expected, as_json)
        except KeyboardInterrupt:
            resumes = "; completed work is saved; the next run resumes there" if _WRITING & {*arguments[:3]} else ""
            return _told(Interrupted(f"interrupted{resumes}"), as_json)
    except (OutputClosed, OutputError) as error:
        return _told(error, as_json=False)


def _expected(error: Exception, arguments: Sequence[str]) -> BookwiseError | None:
    """Return the error as one of ours, None if it is a bug."""
    if isinstance(error, BookwiseError):
        return error
    if isinstance(error, typer.TyperException):
        return usage_error(error, arguments)
    if isinstance(error, typer.Abort | EOFError):
        return UsageError("aborted: answer y, or pass --yes")
    if (lost := _lost_output(error)) is not None:
        return lost
    if isinstance(error, OSError) and error.filename and is_refused(error):
        return UsageError(f"{error.filename}: {explain(error)}")
    return None


def _flushed(code: int) -> int:
    flush_output()
    return code


def _told(error: BookwiseError, as_json: bool) -> int:
    if isinstance(error, OutputClosed | OutputError):
        close_output()
    if not isinstance(error, OutputClosed):
        prefix = "" if isinstance(error, Interrupted) else "error: "
        print_error(prefix + str(error), error.hint)
        # Where the output is what failed, a document was begun, or cannot be written.
        if as_json and not isinstance(error, OutputError):
            print_json(error_document(error))
    return int(error.exit_code)


def error_document(error: BookwiseError) -> dict[str, Any]:
    """Return the JSON object for an error, the same for every command."""
    return {
        "error": {
            "message": str(error),
            "kind": error.kind,
            "exit_code": int(error.exit_code),
            "hint": error.hint,
        }
    }


def _tell_bug(error: Exception) -> None:
    failure = BookwiseError(f"unexpected error: {type(error).__name__}: {error}")
    failure.kind = "bug"
    failure.hint = "please report this with the traceback on stderr"
    print_json(error_document(failure))


def _lost_output(error: Exception) -> BookwiseError | None:
    """Return the error to show when stdout or stderr itself failed: what is buffered cannot be written either."""
    if not isinstance(error, OSError):
        return None
    if traceback.extract_tb(error.__traceback__)[-1].name == "echo":  # Typer's own printing, of help
        return lost_output(error)
    try:
        flush_output()
    except (OutputClosed, OutputError) as lost:
        return lost
    return None


def _interrupt(*_: object) -> None:
    """Treat SIGTERM as an interrupt: completed work is saved, and the exit code is 130."""
    raise KeyboardInterrupt


def write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the arguments, then each group of options; those without a group come last."""
    records = [(param, param.get_help_record(ctx)) for param in command.get_params(ctx)]
    params = [(param, _plain(param, record)) for param, record in records if record]
    arguments = [record for param, record in params if param.param_type_name == "argument"]
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl(arguments)
    options = [(param, record) for param, record in params if param.param_type_name == "option"]
    groups = _groups((record, param) for param, record in options)
    for title, found in sorted(groups, key=lambda group: group[0] is None):
        with formatter.section(title or OTHER_OPTIONS):
            formatter.write_dl([record for record, _ in found])


def _plain(param: Any, record: tuple[str, str]) -> tuple[str, str]:
    """Return a line of the help without types of the program: what a person types is a choice, a number or a text."""
    name, meaning = record
    shown = _VALUE_TYPE.sub("" if param.param_type_name == "argument" else _value_name, name)
    return shown, _BOUNDS.sub(r"\1 to \2", meaning)


def _value_name(found: re.Match[str]) -> str:
    kind = found[1]
    return f" {kind}" if "|" in kind else f" {_VALUES.get(kind.partition(' ')[0], 'TEXT')}"


def _groups(named: Iterable[tuple[Any, Any]]) -> list[tuple[str | None, list[tuple[Any, Any]]]]:
    """Return what is shown, by its help panel, in the order in which the panels appear."""
    groups: dict[str | None, list[tuple[Any, Any]]] = {}
    for name, item in named:
        if not getattr(item, "hidden", False):
            groups.setdefault(getattr(item, "rich_help_panel", None), []).append((name, item))
    return list(groups.items())


def show_version(asked: bool) -> None:
    """Print the version and exit, if requested."""
    if asked:
        from importlib.metadata import version

        show([f"bookwise {version('bookwise')}"], {}, as_json=False)
        raise typer.Exit


def show_help(
    ctx: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...", help="The command to explain.")] = None,
) -> None:
    """Show the help of a command."""
    root = ctx.find_root()
    command: Any = root.command
    context: Any = root
    for word in words or ():
        _, found, _ = command.resolve_command(context, [word]) if isinstance(command, TyperGroup) else (0, None, 0)
        if found is None:
            raise UsageError(f"{context.command_path} has no command {word!r}")
        command, context = found, found.make_context(word, [], parent=context, resilient_parsing=True)
    show([Block(context.get_help())], {}, as_json=False)
