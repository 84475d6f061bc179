"""`--ray` on the command line: where its address may stand, and what is told where there is no Ray."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
import typer

import ingestion.sync.distributed.connection as connection
from ingestion.commands.ray_address import with_ray_address
from ingestion.commands.terminal import stdout_kept_clean
from ingestion.errors import ClusterError, ExitCode
from tests.support.books import page
from tests.support.command_line import run


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        (["--ray"], ["--ray=found"]),
        (["--ray", "docs"], ["--ray=found", "docs"]),
        (["docs", "--ray", "--json"], ["docs", "--ray=found", "--json"]),
        (["--ray", "./my:1", "--json"], ["--ray=found", "./my:1", "--json"]),
        (["--ray", "head:6379", "docs"], ["--ray", "head:6379", "docs"]),
        (["--ray", "ray://head:10001"], ["--ray", "ray://head:10001"]),
        (["--ray", "auto"], ["--ray", "auto"]),
        (["--ray", "local", "docs"], ["--ray", "local", "docs"]),
        (["--ray=head:6379"], ["--ray=head:6379"]),
        (["--", "--ray"], ["--", "--ray"]),
    ],
)
def test_the_address_may_be_left_out(arguments: list[str], read: list[str]) -> None:
    assert with_ray_address(arguments) == read


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(page("Page", "A text."), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_ray_prints_does_not_reach_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    with stdout_kept_clean(True):
        typer.echo("a worker died")
    typer.echo("{}")
    assert capsys.readouterr() == ("{}\n", "a worker died\n")


def ingest(*arguments: str) -> Any:
    return run("ingest", "docs", *arguments, "--json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ray=nowhere"], "--ray nowhere: not an address; use HOST:PORT, ray://HOST:PORT, auto or local"),
        (["--ray-workers", "2"], "--ray-workers needs --ray"),
    ],
)
def test_flags_that_cannot_be_used_are_refused(book: Path, arguments: list[str], message: str) -> None:
    done = ingest(*arguments)
    assert (done.exit_code, json.loads(done.stdout)["error"]["message"]) == (ExitCode.USAGE, message)


@pytest.mark.parametrize("more", [[], ["--books", "."]])
def test_without_the_extra_the_command_that_adds_it_is_told(
    book: Path, monkeypatch: pytest.MonkeyPatch, more: list[str]
) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda _: None)
    done = run("ingest", *(more or ["docs"]), "--ray", "--json")
    assert done.exit_code == ExitCode.CONFIGURATION
    assert "--ray needs an extra: pip install 'bookwise[ray]'" in json.loads(done.stdout)["error"]["message"]


def test_an_address_that_does_not_answer_is_one_sentence_and_bounded(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setattr(connection, "JOIN_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        # The connection is tried by a thread that outlives the test.
        monkeypatch.setattr(connection, "_connect", lambda _: connection.Event().wait(5))
        done = ingest("--ray", f"127.0.0.1:{port}")
    error = json.loads(done.stdout)["error"]
    assert (done.exit_code, error["kind"]) == (ExitCode.EMBEDDING, ClusterError.kind)
    assert error["message"].startswith(f"no Ray cluster responds at 127.0.0.1:{port}; check the address")
