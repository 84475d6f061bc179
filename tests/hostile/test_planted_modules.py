"""A book whose folder holds a module of every name that Python could look for: no file of it is ever executed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path

import httpx
import pytest

from ingestion.errors import ExitCode
from tests.support.books import page
from tests.support.paths import ROOT
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.waits import LONGEST

COMMAND = Path(sys.executable).with_name("bookwise")
OURS = ("bookwise", "ingestion", "rag", "cli")
NAMES = sorted({*sys.stdlib_module_names, *packages_distributions(), *OURS, "sitecustomize", "usercustomize"})
CODE_ITEM = {"items": [{"kind": "code", "text": "for x in y: pass", "language": "python"}]}

ONCE = (
    ["--version"],
    ["crawl"],
    ["check"],
    ["plan"],
    ["ingest"],
    ["verify"],
    ["search", "pump"],
    ["ask", "--no-llm", "How long does the pump run?"],
    ["lesson", "ros2/pump.md"],
    ["eval", "questions.jsonl", "--no-answers"],
    ["questions"],
    ["keys"],
    ["doctor"],
    ["info"],
    ["jobs"],
    ["generations"],
    ["export", "--out", "exported"],
    ["init", "--json"],
    ["ingest", "--mode", "recreate"],
    ["delete-book", "robots", "--yes"],
)

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="bookwise is not installed beside this Python")


class PlantedBook:
    """A book, and the folder in which each planted module that runs leaves a file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.canaries = folder / "book", folder / "canaries"
        self.canaries.mkdir()
        (self.folder / "docs" / "ros2").mkdir(parents=True)
        (self.folder / "docs" / "ros2" / "pump.md").write_text(
            page("The pump", "The pump runs for ninety seconds after each watering of the bed.", layer="L2")
        )
        (self.folder / "bookwise.toml").write_text('[book]\nid = "robots"\n')
        (self.folder / "questions.jsonl").write_text('{"id": "a", "question": "How long?", "answerable": false}\n')
        code = f"open({str(self.canaries)!r} + '/' + __name__, 'w').close()\n"
        for name in NAMES:
            (self.folder / f"{name}.py").write_text(code)
        for package in ("http", "multiprocessing", "encodings"):
            (self.folder / f"{package}.py").unlink()
            (self.folder / package).mkdir()
            (self.folder / package / "__init__.py").write_text(code)
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        self.environ |= {"BOOKWISE_EMBEDDER": "local", "HOME": str(folder), "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments, cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=110
        )

    @contextmanager
    def serving(self, *flags: str) -> Iterator[str]:
        """The address of `bookwise serve`, started in the book's folder."""
        process = subprocess.Popen(
            [COMMAND, "serve", "--port", "0", *flags],
            cwd=self.folder,
            env=self.environ,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr
        try:
            url = re.search(r"http://\S+", said := process.stderr.readline())
            assert url, said + process.stderr.read()
            yield url[0]
            process.send_signal(signal.SIGTERM)
            assert process.wait(LONGEST) == 0
        finally:
            process.kill()
            process.communicate()

    def ran(self) -> list[str]:
        return sorted(file.name for file in self.canaries.iterdir())


def health_check(url: str) -> list[str]:
    """What the container asks itself, of the server at this address and by this Python."""
    found = re.search(r"^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert found
    program, *arguments = json.loads(found[1].replace("http://127.0.0.1:8000", url))
    assert program == "python" and url in arguments[-1]
    return [sys.executable, *arguments]


@pytest.fixture
def book(tmp_path: Path) -> PlantedBook:
    return PlantedBook(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_no_command_runs_a_file_of_the_book(book: PlantedBook) -> None:
    for arguments in ONCE:
        done = book.run(str(COMMAND), *arguments)
        assert "Traceback" not in done.stderr, (arguments, done.stderr)
    assert book.ran() == []


def test_a_run_and_a_server_with_its_renderer_run_no_file_of_the_book(book: PlantedBook) -> None:
    done = book.run(str(COMMAND), "ingest")
    assert done.returncode == ExitCode.DONE, done.stderr
    with book.serving() as url:
        rendered = httpx.post(f"{url}/render", json=CODE_ITEM, timeout=60, trust_env=False)
        assert rendered.status_code == 200 and "keyword" in rendered.text
        healthy = book.run(*health_check(url))
        assert healthy.returncode == 0, healthy.stderr
    unhealthy = book.run(*health_check(url))
    assert unhealthy.returncode == 1 and "refused" in unhealthy.stderr
    assert book.ran() == []


@pytest.mark.slow
def test_workers_of_a_server_run_no_file_of_the_book(book: PlantedBook) -> None:
    with running(QdrantServer()) as qdrant:
        book.environ |= {"QDRANT_URL": qdrant.url, "QDRANT_API_KEY": KEY}
        done = book.run(str(COMMAND), "ingest")
        assert done.returncode == ExitCode.DONE, done.stderr
        with book.serving("--workers", "2") as url:
            assert httpx.get(f"{url}/health", timeout=60, trust_env=False).status_code == 200
    assert book.ran() == []


@pytest.mark.slow
def test_agents_tools_run_no_file_of_the_book(book: PlantedBook) -> None:
    pytest.importorskip("mcp")
    assert book.run(str(COMMAND), "ingest").returncode == ExitCode.DONE
    done = book.run(str(COMMAND), "mcp")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert book.ran() == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_workers_of_a_ray_cluster_run_no_file_of_the_book(book: PlantedBook) -> None:
    pytest.importorskip("ray")
    done = book.run(str(COMMAND), "ingest", "--ray", "local")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert book.ran() == []


def test_the_module_starts_with_p_and_refuses_without_where_a_module_of_ours_is_shadowed(book: PlantedBook) -> None:
    safe = book.run(sys.executable, "-P", "-m", "bookwise", "--version")
    assert safe.returncode == ExitCode.DONE and safe.stdout.startswith("bookwise "), safe.stderr
    assert book.ran() == []
    for file in book.folder.glob("*.py"):
        if file.stem != "ingestion":
            file.unlink()
    for package in ("http", "multiprocessing", "encodings"):
        (book.folder / package / "__init__.py").unlink()
    refused = book.run(sys.executable, "-m", "bookwise", "--version")
    assert refused.returncode == ExitCode.CONFIGURATION
    assert "ingestion.py stands in place of" in refused.stderr and "python -P -m bookwise" in refused.stderr
    assert book.ran() == []


def test_a_folder_of_the_users_in_place_of_ours_is_named_by_the_library_too(book: PlantedBook) -> None:
    mine = book.folder.parent / "mine"
    (mine / "rag").mkdir(parents=True)
    (mine / "rag" / "__init__.py").write_text("")
    book.environ["PYTHONPATH"] = str(mine)
    # -S: the finder of a checkout's installation would look for `rag.library` in our folder too.
    book.environ["PYTHONPATH"] += os.pathsep + str(ROOT)
    done = book.run(sys.executable, "-P", "-S", "-c", "import bookwise; bookwise.open_book")
    assert str(mine / "rag") in done.stderr and "in place of" in done.stderr
    refused = book.run(str(COMMAND), "--version")
    assert refused.returncode == ExitCode.CONFIGURATION and str(mine / "rag") in refused.stderr


def test_the_program_without_arguments_shows_its_help_and_exits_2() -> None:
    done = subprocess.run([COMMAND], capture_output=True, text=True)
    assert done.returncode == ExitCode.USAGE and done.stdout == ""
    assert done.stderr.startswith("Usage: bookwise [OPTIONS] COMMAND [ARGS]...\n") and "\\n" not in done.stderr
