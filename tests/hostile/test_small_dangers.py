"""What a request, a title or a full disk can do to what is counted, shown and written."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import socket
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from ingestion.commands.terminal import print_json, show, write
from ingestion.errors import ExitCode, LessonError, StateError
from ingestion.operations.reports.junit import junit_xml
from ingestion.output import Block, Table
from ingestion.report import IngestReport
from ingestion.state.writer_lock import writer_lock
from ingestion.vector_stores.edge.index_files import is_in_memory
from tests.support.api_servers import listening
from tests.support.chat_api import book, indexed, serving
from tests.support.command_line import run

__all__ = ["book", "indexed"]

STEERING = "\x7f\x85\x9b31m\u202e\u2066"
STEERS = {*STEERING} - {*"31m"}


def test_a_method_that_a_client_made_up_makes_no_line_of_the_figures(book: Path) -> None:
    with serving(book, open_to_all=True) as client:
        for number in range(5):
            client.request(f"MADE{number}", "/health")
        counted = re.findall(r'bookwise_requests_total\{method="(\w+)"', client.get("/metrics").text)
    assert "other" in counted and not any(method.startswith("MADE") for method in counted)


def test_a_redirect_leads_to_no_host_that_the_client_wrote(book: Path) -> None:
    with serving(book, open_to_all=False) as client:
        answer = client.get("/books/?a=1", headers={"host": "evil.example"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/books?a=1")


TWO_ENDS = (
    b"POST /search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
)


def test_a_body_with_two_ends_is_refused(book: Path) -> None:
    with listening(book) as client:
        url = client.base_url
        with closing(socket.create_connection((url.host, url.port or 80))) as connection:
            connection.sendall(TWO_ENDS)
            assert b" 400 " in connection.recv(4096).split(b"\r\n")[0]


def test_json_on_a_terminal_and_junit_hold_nothing_that_steers(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"title": STEERING})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"title": STEERING} and not STEERS & set(printed)
    report = IngestReport(book_id="b", mode="full", root="docs", failures=[LessonError("a.md", STEERING)])
    assert not STEERS & set(junit_xml(report, {}, 1.0))


def test_no_line_of_a_lesson_is_a_command_of_a_job(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    lines = "text\n  ::add-mask::a\n::error::b"
    show([Block(lines), Table("Lessons", ("path",), [("::error::.md",)])], {}, as_json=False)
    write("::set-output name=a::b")
    assert not re.search(r"^\s*::", capsys.readouterr().out, re.MULTILINE)
    show(["::error file=a.md::our own annotation"], {}, as_json=False)
    assert capsys.readouterr().out.startswith("::error file=a.md")


def test_a_full_disk_at_the_start_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    said = r"writer\.lock: the lock of the index cannot be written: No space left"
    with pytest.raises(StateError, match=said), writer_lock(tmp_path / "writer.lock"):
        pass


def test_an_index_on_a_full_file_system_in_memory_is_refused_and_kills_nobody(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingestion.vector_stores.edge.shard.is_in_memory", lambda path: True)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1 << 20))
    refused = run("info")
    assert refused.exit_code == ExitCode.VECTOR_STORE and "(tmpfs): to open the index takes" in refused.stderr


@pytest.mark.skipif(not is_in_memory(Path("/dev/shm")) if Path("/dev/shm").is_dir() else True, reason="no tmpfs here")
def test_a_file_system_in_memory_is_told_from_a_disk() -> None:
    assert is_in_memory(Path("/dev/shm")) and not is_in_memory(Path("/proc"))
