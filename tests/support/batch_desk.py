"""A folder with a book and a service that takes batches, and commands run in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from cli import app
from tests.support.books import BOOK, page, write_book
from tests.support.openai_batches import BatchServer

ONE, TWO, THREE = "module-1-ros2/01-one.md", "module-1-ros2/02-two.md", "module-1-ros2/03-three.md"
PAGES = {
    ONE: page("One", "The alpha turns on its axis."),
    TWO: page("Two", "The beta turns on its axis."),
    THREE: page("Three", "The gamma turns on its axis."),
}
KEY = "sk-not-to-be-seen"


class Desk:
    """A folder with a book, and commands run in it."""

    def __init__(self, server: BatchServer) -> None:
        self.server = server
        self.results: list[Result] = []

    def write(self, pages: dict[str, str]) -> None:
        write_book(Path("docs"), pages)

    def run(self, *arguments: str, exit_code: int = 0, **variables: str) -> str:
        """Standard output of one command that must end with that code."""
        env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": self.server.base_url, "BOOKWISE_BOOK": BOOK} | variables
        result = CliRunner().invoke(app, list(arguments), env=env)
        assert result.exit_code == exit_code, result.output
        assert KEY not in result.output
        return result.output

    def report(self, *arguments: str, exit_code: int = 0, **variables: str) -> Any:
        return json.loads(self.run(*arguments, "--json", exit_code=exit_code, **variables).split("\nerror:")[0])

    @property
    def indexed(self) -> int:
        return int(self.report("info")["points"])
