"""Arguments that need no conversion are taken as they are, to the same values as Typer's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner

from ingestion.commands.parsing.conversion import ConvertsWhereNeeded
from tests.support.paths import ROOT

ARGUMENTS = (
    ["page.md"],
    ["page.md", "--mode", "full", "--name", "a", "--name", "b", "--count", "3", "--share", "0.5", "--flag"],
    ["page.md", "--mode", "FULL"],
    ["page.md", "--mode", "sideways"],
    ["page.md", "--count", "ten"],
    ["page.md", "--count", "0"],
    [],
)


def outcome(cls: type, arguments: list[str]) -> tuple[int, Any]:
    app, values = typer.Typer(pretty_exceptions_enable=False, add_completion=False), []

    @app.command(cls=cls)
    def command(
        page: Path,
        mode: Annotated[Literal["incremental", "full"], typer.Option("--mode", case_sensitive=False)] = "incremental",
        name: Annotated[list[str] | None, typer.Option("--name")] = None,
        count: Annotated[int | None, typer.Option("--count", min=1)] = None,
        share: Annotated[float, typer.Option("--share")] = 1.0,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        values.append((page, mode, name or None, count, share, flag))

    done = CliRunner().invoke(app, arguments)
    return done.exit_code, values or done.stderr


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
def test_values_and_errors_are_those_of_typer(arguments: list[str]) -> None:
    class Ours(ConvertsWhereNeeded, TyperCommand):
        """As the program's commands are."""

    assert outcome(Ours, arguments) == outcome(TyperCommand, arguments)


def test_a_command_whose_values_need_no_conversion_imports_no_validator() -> None:
    code = (
        "import sys; from bookwise.command_line import app\n"
        "try: app(['crawl', 'examples/physical-ai/docs', '--json'])\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print('pydantic' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "False", "typer no longer asks `process_value` of a parameter"
