"""Reference pages made from the code, so that they cannot go stale."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from typer.core import TyperGroup
from typer.main import get_command

from bookwise.command_line import app
from ingestion.commands.parsing.examples import EXAMPLES
from ingestion.errors import ExitCode
from ingestion.models import DocumentMetadata, QdrantPayload
from ingestion.settings import FIELDS
from ingestion.settings.embedding import PRICES
from ingestion.settings.validators import always
from ingestion.vector_stores.filters import PAYLOAD_INDEXES
from scripts.docs.book_pages import check_rules, files
from scripts.docs.cures import EXITS
from scripts.docs.http_api import http_api
from scripts.docs.json_shapes import json_output
from scripts.docs.markdown import table, text
from scripts.docs.messages import messages
from scripts.docs.python_api import python_api


def commands() -> str:
    """Return every command with its help, arguments and options."""
    parts = [
        "# Commands\n",
        "Results go to stdout, everything else to stderr. `--json` prints exactly one document.\n",
    ]
    for path, command in _commands(get_command(app)):
        parts.append(f"## `bookwise {path}`\n\n{text(command.help or '')}\n")
        parts.append(f"```bash\nbookwise {EXAMPLES[path]}\n```\n")
        arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
        options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
        rows = [(f"`{_metavar(parameter)}`", text(getattr(parameter, "help", "") or "")) for parameter in arguments]
        parts.append(table(("argument", "meaning"), rows))
        rows = [(_flags(option), text(option.help or ""), _default(option)) for option in options]
        parts.append(table(("option", "meaning", "default"), rows))
    return "\n".join(part for part in parts if part)


def _commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name in sorted(group.list_commands(None)):
        command = group.get_command(None, name)
        if command.hidden:
            continue
        if isinstance(command, TyperGroup):
            if getattr(command, "invoke_without_command", False):
                yield f"{prefix}{name}", command
            yield from _commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _flags(option: Any) -> str:
    flags = ", ".join(f"`{flag}`" for flag in (*option.opts, *option.secondary_opts))
    return flags if option.is_flag else f"{flags} `{_metavar(option)}`"


def _metavar(parameter: Any) -> str:
    annotation = parameter.type_descriptor.annotation
    if get_origin(annotation) is Literal:
        return "\\|".join(map(str, get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "\\|".join(str(choice.value) for choice in annotation)
    return text(str(parameter.metavar or parameter.name.upper()))


def _default(option: Any) -> str:
    value = option.default
    if option.is_flag or value in (None, "", (), []) or callable(value):
        return ""
    return f"`{getattr(value, 'value', value)}`"


def settings() -> str:
    """Return every setting by table, with its environment variable and default."""
    head = (
        "# Settings\n\nA setting is taken from the first of these that has it: a flag, the environment, `.env` "
        "beside the configuration, `bookwise.toml` (the nearest in the current folder or above it), your own "
        "`~/.config/bookwise/config.toml`, the default. Secrets are never read from `bookwise.toml`. A table such as "
        "`api.limits` is written as JSON in the environment (`BOOKWISE_API_LIMITS='{\"rate\": 20}'`); each entry comes "
        "from the first source that has it. Names of earlier releases are still read, with a warning that says the new one.\n"
    )
    tables: dict[str, list[str]] = {}
    for name, field in FIELDS.items():
        items = tables.setdefault(name.partition(".")[0], [])
        first = f"`{name}`" if field.metadata["in_file"] else f"`{field.metadata['env']}`, in the environment only"
        variable = field.metadata["env"] if field.metadata["in_file"] else ""
        items.append(_setting(first, variable, field.default, field.metadata["help"]))
        if is_dataclass(field.default):
            items += (
                _setting(f"`{name}.{each.name}`", "", each.default, each.metadata["help"])
                for each in fields(field.default)
            )
    return "\n".join([head, *(f"## `[{name}]`\n\n" + "\n".join(items) for name, items in tables.items())])


def _setting(name: str, variable: str, default: Any, meaning: str) -> str:
    """Return an item of a list: a table of four columns is wider than a telephone."""
    facts = [name, *([f"environment `{variable}`"] if variable else [])]
    if isinstance(default, str | int | float) and default != "":
        facts.append(f"default `{default}`")
    return f"{' · '.join(facts)}\n:   {text(meaning)}\n"


def book_settings() -> str:
    """Return what the files of a book may set, by table; where not every value counts, which do."""
    rows: dict[str, list[str]] = {}
    for name, field in FIELDS.items():
        by_book = field.metadata["by_book"]
        if by_book is always:
            rows.setdefault(name.partition(".")[0], []).append(f"`{name.partition('.')[2] or name}`")
        elif allowed := [value for value in PRICES if by_book(value)]:
            listed = ", ".join(f"`{value}`" for value in allowed)
            rows.setdefault(name.partition(".")[0], []).append(f"`{name.partition('.')[2]}` (one of {listed})")
    return table(("table", "settings"), [(f"`[{name}]`", ", ".join(names)) for name, names in rows.items()])


def exit_codes() -> str:
    """Return the exit codes: when a command ends with each, and what to do next."""
    rows = [(f"{code.value}", code.name.lower().replace("_", " "), *EXITS[code]) for code in ExitCode]
    return "# Exit codes\n\nEach error message is explained in [troubleshooting](troubleshooting.md).\n\n" + table(
        ("code", "name", "when", "what to do"), rows
    )


def payload() -> str:
    """Return what is stored with each point, and which fields are indexed."""
    fields = DocumentMetadata.__dataclass_fields__ | QdrantPayload.__dataclass_fields__
    rows = [
        (f"`{name}`", f"`{text(str(field.type))}`", PAYLOAD_INDEXES.get(name, ""))
        for name, field in fields.items()
        if name != "metadata"
    ]
    head = (
        "# Payload\n\nEach chunk is one point in Qdrant: named vectors `dense` (cosine) and `bm25` (sparse, IDF), "
        "and this payload. Filters can only use the indexed fields.\n\n"
    )
    return head + table(("field", "type", "index"), rows)


PAGES: Mapping[str, Callable[[], str]] = {
    "check-rules": check_rules,
    "commands": commands,
    "exit-codes": exit_codes,
    "files": files,
    "http-api": http_api,
    "json": json_output,
    "payload": payload,
    "python-api": python_api,
    "troubleshooting": messages,
    "settings": settings,
}
