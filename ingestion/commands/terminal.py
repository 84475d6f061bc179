"""The terminal: results to stdout, everything else to stderr, all of it through the gate of `ingestion.output`."""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO

from ingestion.errors import OutputClosed, OutputError, UsageError
from ingestion.masking import masked
from ingestion.output import Block, Link, Markdown, Part, Table, View, json_escaped, one_line, visible

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console
    from rich.text import Text as RichText

_RED, _DIM, _RESET = "\x1b[31m", "\x1b[2m", "\x1b[0m"
_GONE = (errno.EPIPE, errno.ECONNRESET, errno.ESHUTDOWN)


def show(view: View, document: Mapping[str, Any], *, as_json: bool) -> None:
    """Print a result, as one JSON document or for people."""
    if as_json:
        print_json(document)
    elif can_draw(sys.stdout):
        console = _console()
        for part in view:
            _draw(part, console)
    else:
        for part in view:
            _print(part)


@contextmanager
def stdout_kept_clean(needed: bool) -> Iterator[None]:
    """Send a library's prints to stderr: stdout is for the result."""
    with redirect_stdout(sys.stderr) if needed else nullcontext():
        yield


def write(text: str) -> None:
    """Print a piece of a text at once, more of the same line follows."""
    _put(sys.stdout, _no_command(visible(text)))
    flush_output()


def print_json(document: Mapping[str, Any]) -> None:
    """Print the one document of a `--json` call."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    # A lone surrogate too, as in a file name that is no UTF-8, cannot be encoded but has an escape in JSON.
    _put(sys.stdout, json_escaped(text) + "\n")


def note(line: str) -> None:
    """Print one line to stderr, for everything but the result."""
    _put(sys.stderr, masked(one_line(line)) + "\n")


def print_help(text: str) -> None:
    """Print the help of a command to stderr, where one was called wrongly."""
    _put(sys.stderr, text + "\n")


def print_error(message: str, hint: str | None = None) -> None:
    """Print an error to stderr: its first line, its list indented below, and the next step."""
    first, *listed = message.split("\n  ")
    _put(sys.stderr, _painted(masked(one_line(first)), _RED) + "\n")
    for line in listed:
        # A dash: a log reader may take an indented line for a command of its own.
        _put(sys.stderr, f"  - {masked(one_line(line))}\n")
    if hint:
        _put(sys.stderr, f"hint: {masked(one_line(hint))}\n")


def print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug to stderr, as `sys.excepthook` does, with what is secret in it masked."""
    _put(sys.stderr, masked(visible("".join(traceback.format_exception(kind, error, trace)))))


def confirm(question: str, *, yes: bool) -> None:
    """Ask on stderr unless `yes`; raises UsageError if the answer is not y."""
    if not yes and not ask(question):
        raise UsageError("aborted: answer y, or pass --yes")


def ask(question: str) -> bool:
    """Ask on stderr, and return whether the answer is y."""
    _put(sys.stderr, f"{one_line(question)} [y/N]: ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def can_draw(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether it is a terminal that takes control characters."""
    return stream.isatty() and environ.get("TERM") not in (
        "dumb",
        "unknown",
        *(("", None) if os.name != "nt" else ()),
    )


def can_draw_progress() -> bool:
    """Return whether stderr is a terminal that takes control characters."""
    return can_draw(sys.stderr)


def is_interactive() -> bool:
    """Return whether a person types: stdin is a terminal."""
    return sys.stdin.isatty()


def flush_output() -> None:
    """Hand over buffered output; raises OutputClosed if the reader is gone, OutputError if writing fails."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as failure:
            raise lost_output(failure) from failure


def close_output() -> None:
    """Drop what is buffered, so that Python says nothing about it at its end."""
    try:
        hole = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                os.dup2(hole, stream.fileno())
        os.close(hole)
    except (OSError, ValueError):
        return


_COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)

OURS = ("bookwise", "ingestion", "rag")
"""Our loggers; libraries log each token of a page and each step of a request."""


def log_to_stderr(level: int) -> None:
    """Log to stderr, one line per record, through the gate; of libraries only their warnings."""
    handler = logging.StreamHandler()
    handler.setFormatter(SafeFormatter("%(levelname)s %(message)s"))
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[handler])
    for name in OURS:
        logging.getLogger(name).setLevel(level)


class SafeFormatter(logging.Formatter):
    """Keeps a record on its line, steers nothing, and shows no password of an address."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text; a traceback keeps its lines."""
        safe = logging.makeLogRecord(record.__dict__ | {"msg": one_line(record.getMessage()), "args": None})
        return masked(visible(super().format(safe)))


def _put(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    except OSError as failure:
        raise lost_output(failure) from failure


def lost_output(failure: OSError) -> OutputClosed | OutputError:
    """Return the error for a failed write to stdout or stderr."""
    # Windows reports EINVAL if the reader of a pipe is gone.
    if failure.errno in _GONE or (os.name == "nt" and failure.errno == errno.EINVAL):
        return OutputClosed("the reader of the output has gone")
    return OutputError(f"cannot write the output: {failure.strerror or failure}")


def _painted(text: str, colour: str) -> str:
    return f"{colour}{text}{_RESET}" if can_draw(sys.stderr) and not os.environ.get("NO_COLOR") else text


def _print(part: Part) -> None:
    """As plain text: one row of a table a line, nothing cut off or wrapped."""
    match part:
        case str():
            text = one_line(part)
        case Block() | Markdown():
            text = _no_command(visible(part.text))
        case Link():
            text = one_line(str(part))
        case Table():
            text = _no_command(_columns(part))
    if not isinstance(part, Table) or part.rows:
        _put(sys.stdout, text + "\n")


def _no_command(text: str) -> str:
    """Return text of lessons so that a job of GitHub takes no line of it for a command: `::add-mask::`."""
    return _COMMAND.sub(r"\1\\::", text) if os.environ.get("GITHUB_ACTIONS") else text


def _columns(table: Table) -> str:
    rows = _cells(table)
    widths = [max(map(len, column)) for column in zip(table.columns, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (list(table.columns), *rows)
    ]
    return "\n".join([f"{table.title}:", *lines, ""])


def _cells(table: Table) -> list[list[str]]:
    return [["" if cell is None else one_line(str(cell)) for cell in row] for row in table.rows]


def progress_console() -> Console:
    """Return a console on stderr."""
    from rich.console import Console

    _escape_unknown_characters(sys.stderr)
    return Console(stderr=True)


def _escape_unknown_characters(stream: TextIO) -> None:
    """Let what the encoding of a stream lacks be written as an escape, also by libraries that write to it."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _console() -> Console:
    from rich.console import Console

    _escape_unknown_characters(sys.stdout)
    return Console(highlight=False, markup=False, emoji=False)


def _draw(part: Part, console: Console) -> None:
    """Draw on a terminal: words wrapped, Markdown rendered, links to be opened."""
    from rich.text import Text

    match part:
        case str():
            _draw_line(Text(one_line(part)), console)
        case Block():
            console.print(Text(visible(part.text)))
        case Link():
            text = Text(one_line(part.text))
            text.stylize(f"link {one_line(part.address)}")
            _draw_line(text, console)
        case Markdown():
            # Without hyperlinks: an address that a lesson hides behind other words is shown.
            from rich.markdown import Markdown as Rendered

            console.print(Rendered(_emphasised(part), hyperlinks=False))
        case Table():
            if part.rows:
                _draw_table(part, console)


_EDGE = re.compile(r"^[^\w`]+|[^\w`]+$")


def _emphasised(part: Markdown) -> str:
    """Return Markdown with marks around what is strong; without its outer signs, beside which marks do not hold."""
    pieces, end = [], 0
    for start, stop in part.strong:
        inner = part.text[start:stop]
        words = _EDGE.sub("", inner)
        at = start + inner.find(words)
        pieces += [visible(part.text[end:at]), f"**{visible(words)}**" if words else ""]
        end = at + len(words)
    return "".join([*pieces, visible(part.text[end:])])


def _draw_line(line: RichText, console: Console) -> None:
    """Print one line; where it is wrapped, the rest stands as far in as its beginning."""
    from rich.padding import Padding

    indent = len(line.plain) - len(line.plain.lstrip(" "))
    console.print(Padding(line[indent:], (0, 0, 0, indent), expand=False) if indent else line)


def _draw_table(table: Table, console: Console) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    console.print(Text(table.title, "bold"))
    grid = Grid(*table.columns, box=None, pad_edge=False, header_style="dim")
    for row in _cells(table):
        grid.add_row(*map(Text, row))
    console.print(grid)
    console.print()
