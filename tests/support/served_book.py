"""A real `bookwise serve` over a few pages of the sample book, for tests in a browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ingestion.settings.loader import load_settings
from rag.conversations.api_keys import KeyStore
from rag.conversations.database import database_of
from tests.support.books import page
from tests.support.openai_chat import ChatServer
from tests.support.paths import ROOT
from tests.support.socket_servers import answering

SAMPLE = ROOT / "examples" / "physical-ai"
LESSONS = (
    "module-1-ros2/chapter-2-robot-systems/01-quality-of-service.md",
    "module-3-isaac/chapter-5-isaac-sim/01-isaac-sim-without-an-rtx-gpu.md",
    "module-3-isaac/chapter-5-isaac-sim/02-isaac-sim-on-a-local-rtx-workstation.md",
)
NASTY = "module-2-gazebo/chapter-3-worlds-and-physics/07-nasty-markup.md"
URDU = "module-2-gazebo/chapter-3-worlds-and-physics/08-urdu.md"
ATTACK = (
    "The zorblat valve opens <img src=x onerror=\"document.title='owned'\"> slowly. "
    "<script>document.title = 'owned'</script> "
    "[Press](javascript:document.title='owned') or [press](data:text/html,owned) "
    "or [read](https://example.org/a_(b)) the zorblat valve."
)


@dataclass(frozen=True, slots=True)
class ServedBook:
    """Where the server is, the model it asks, and the folder it runs in."""

    url: str
    model: ChatServer
    folder: Path


def write_sample(folder: Path) -> None:
    """A book of a few lessons with its configuration."""
    for name in LESSONS:
        target = folder / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SAMPLE / "docs" / name, target)
    (folder / "docs" / NASTY).parent.mkdir(parents=True)
    (folder / "docs" / NASTY).write_text(page("Nasty <b>markup</b>", ATTACK, hardware_tier=1), encoding="utf-8")
    urdu = page("روبوٹ کیا ہے", "روبوٹ ایک مشین ہے جو خود کام کرتی ہے۔", hardware_tier=1, lang="ur")
    (folder / "docs" / URDU).write_text(urdu, encoding="utf-8")
    shutil.copyfile(SAMPLE / "bookwise.toml", folder / "bookwise.toml")


def bookwise(
    folder: Path, *arguments: str, stdout: int = subprocess.DEVNULL, **settings: str
) -> subprocess.Popen[str]:
    """A process of the command in a folder, with no settings but these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BOOKWISE_", "OPENAI_"))}
    return subprocess.Popen(
        [sys.executable, "-c", "from bookwise.command_line import app; app()", *arguments],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(ROOT), "BOOKWISE_EMBEDDER": "local"} | settings,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def run(folder: Path, *arguments: str) -> str:
    """What a command that ends printed."""
    process = bookwise(folder, *arguments, stdout=subprocess.PIPE)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return printed


@contextmanager
def key_for(folder: Path, **access: Any) -> Iterator[str]:
    """The secret of a key that is revoked when the block ends; a server started meanwhile asks for keys."""
    settings = load_settings({"index.directory": str(folder / ".bookwise")}, environ={})
    with closing(database_of(settings)) as database:
        key, secret = KeyStore(database).add("reader", **access)
        try:
            yield secret
        finally:
            KeyStore(database).revoke(key.key_id)


@contextmanager
def serving(folder: Path, model: ChatServer, **settings: str) -> Iterator[ServedBook]:
    """The server over an indexed folder, until the block ends."""
    port = free_port()
    process = bookwise(folder, "serve", "--port", str(port), OPENAI_BASE_URL=model.base_url, **settings)
    try:
        wait_for(port, process)
        yield ServedBook(f"http://127.0.0.1:{port}", model, folder)
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def serving_files(folder: Path) -> Iterator[str]:
    """A plain web server over a folder, as a site of lessons is; its address."""
    handler = partial(_Quiet, directory=str(folder))
    with answering(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as port:
        yield f"http://127.0.0.1:{port}"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def wait_for(port: int, process: subprocess.Popen[str], seconds: float = 60) -> None:
    """Until it answers: it listens before its model and its index are open."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=seconds):
            return
        time.sleep(0.02)
    raise AssertionError("the server did not start")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Tests look at the browser instead."""
