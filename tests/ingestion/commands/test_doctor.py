"""`bookwise doctor` finds what is wrong, names the next step of each finding, shows no secret and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingestion.operations.doctor import index as index_of_the_doctor
from tests.support.command_line import copy_index, document, run
from tests.support.openai_server import OpenAIServer, error
from tests.support.qdrant_server import KEY as QDRANT_KEY
from tests.support.qdrant_server import QdrantServer, running
from tests.support.socket_servers import redis_server

KEY = "sk-very-secret-1234567890-1234567890-1234567890"


@pytest.fixture
def indexed(clean_surroundings: Path, index_of_the_book: Path) -> Path:
    copy_index(index_of_the_book, clean_surroundings)
    Path("bookwise.toml").write_text('[book]\nid = "physical-ai-robotics"\n', encoding="utf-8")
    return clean_surroundings


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


def examine(*, problems: bool) -> dict[str, Any]:
    """The report, whose exit code tells whether there are problems, and whose findings all say what to do."""
    result = run("doctor", "--json")
    report = document(result)
    assert result.exit_code == (12 if problems else 0), report["checks"]
    assert (report["problems"] > 0) == problems
    assert all(check["next_step"] for check in report["checks"] if check["level"] != "ok")
    return report


def findings(report: dict[str, Any], subject: str, level: str) -> list[str]:
    return [each["message"] for each in report["checks"] if (each["subject"], each["level"]) == (subject, level)]


def test_a_sound_book_has_no_problem_and_stays_as_it_is(indexed: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in indexed.rglob("*") if path.is_file() and path.name != "lock"}
    report = examine(problems=False)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert "as chosen" in findings(report, "index", "ok")[0]
    assert "stay on this machine" in findings(report, "embedder", "ok")[0]
    assert "3 files, 3 chunks" in findings(report, "state", "ok")[0]
    assert "GB free" in findings(report, "disk", "ok")[0]
    assert report["versions"]["qdrant-edge-py"] and report["versions"]["python"]


def test_an_empty_folder_gets_notes_and_nothing_else(clean_surroundings: Path) -> None:
    report = examine(problems=False)
    assert [check["subject"] for check in report["checks"] if check["level"] == "note"] == [
        "book",
        "lessons",
        "index",
    ]
    assert list(clean_surroundings.iterdir()) == []


def test_each_setting_is_shown_with_its_source(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOP_K", "7")
    Path(".env").write_text("AGENT_MAX_TURNS=3\n", encoding="utf-8")
    rows = {row["name"]: (row["value"], row["source"]) for row in examine(problems=False)["settings"]}
    assert rows["agent.top_k"] == (7, "environment") and rows["agent.max_turns"] == (3, ".env")
    assert rows["book.id"] == ("physical-ai-robotics", "bookwise.toml") and rows["agent.timeout"][1] == "default"
    shown = run("doctor").stdout
    assert "agent.top_k" in shown and "agent.timeout" not in shown
    assert "agent.timeout" in run("doctor", "-v").stdout


def test_no_secret_is_shown_whatever_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = "127.0.0.1:1"
    secrets = {
        "OPENAI_API_KEY": "hunter2-key",
        "QDRANT_API_KEY": "hunter2-qdrant",
        "QDRANT_URL": f"http://me:hunter2-url@{nowhere}",
        "DATABASE_URL": f"postgresql+psycopg://me:hunter2-db@{nowhere}/x",
        "BOOKWISE_API_RATE_STORE": f"redis://:hunter2-redis@{nowhere}",
        "BOOKWISE_RERANK_API_KEY": "hunter2-rerank",
        "BOOKWISE_RERANK_URL": f"http://me:hunter2-rerank@{nowhere}/rerank",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    report = examine(problems=True)
    subjects = {check["subject"] for check in report["checks"] if check["level"] == "problem"}
    assert subjects == {"vector store", "model service", "database", "redis"}
    for arguments in (["doctor", "--json"], ["doctor", "-v"]):
        result = run(*arguments)
        assert "hunter2" not in result.stdout + result.stderr
        assert "***" in result.stdout


def test_wrong_settings_are_findings_too_one_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TOP_K", "many")
    Path("bookwise.toml").write_text("[index]\nwiat = 3\n", encoding="utf-8")
    mistakes = findings(examine(problems=True), "settings", "problem")
    assert len(mistakes) == 2 and any("AGENT_TOP_K" in each for each in mistakes)


def test_a_key_that_the_book_would_send_elsewhere_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    Path(".env").write_text("OPENAI_BASE_URL=https://evil.example/v1\n", encoding="utf-8")
    report = examine(problems=True)
    assert "evil.example" in findings(report, "openai.api_key", "problem")[0]
    assert any("--trust-config" in (check["next_step"] or "") for check in report["checks"])


def test_the_service_is_asked_for_its_models_and_given_no_text(service: OpenAIServer) -> None:
    report = examine(problems=False)
    assert service.host in findings(report, "embedder", "ok")[0]
    assert [request.path for request in service.requests] == ["/v1/models"]
    assert "lists 3 models" in findings(report, "model service", "ok")[0]


def test_a_model_that_the_service_lacks_is_named(service: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "gpt-nine")
    assert "gpt-nine" in findings(examine(problems=False), "model service", "note")[0]


def test_a_key_that_is_refused_is_a_problem(service: OpenAIServer) -> None:
    service.script.append(error(401, f"no such key {KEY}"))
    assert "key was rejected" in findings(examine(problems=True), "model service", "problem")[0]


def test_an_index_of_another_model_is_a_problem(indexed: Path, service: OpenAIServer) -> None:
    assert "built in" in findings(examine(problems=False), "embedder", "ok")[0], "`auto` keeps the index's embedder"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOKWISE_EMBEDDER", "openai")
        assert "text-embedding-3-small/1 is chosen" in findings(examine(problems=True), "index", "problem")[0]


def test_records_that_the_index_does_not_hold_are_a_problem(indexed: Path) -> None:
    path = indexed / ".ingestion_state.json"
    state = json.loads(path.read_text(encoding="utf-8"))
    records = state["books"]["physical-ai-robotics"]["records"]
    records.pop(next(iter(records)))
    path.write_text(json.dumps(state), encoding="utf-8")
    assert (
        "2 chunks are recorded, 3 chunks are in the index" in findings(examine(problems=True), "state", "problem")[0]
    )


def test_a_damaged_state_is_a_problem_and_the_rest_is_still_looked_at(indexed: Path) -> None:
    (indexed / ".ingestion_state.json").write_text("{", encoding="utf-8")
    report = examine(problems=True)
    assert findings(report, "state", "problem") and findings(report, "disk", "ok") and findings(report, "index", "ok")


def test_little_room_is_a_problem_and_no_room_for_a_second_index_a_note(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 100 << 20

    monkeypatch.setattr(index_of_the_doctor.shutil, "disk_usage", lambda path: Usage)
    assert findings(examine(problems=True), "disk", "problem")
    Usage.free = (200 << 20) + 1
    assert findings(examine(problems=False), "disk", "note")


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
def test_a_server_without_an_index_on_a_field_is_a_problem_and_nothing_is_written_to_it(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(QdrantServer()) as server:
        monkeypatch.setenv("QDRANT_URL", server.url)
        monkeypatch.setenv("QDRANT_API_KEY", QDRANT_KEY)
        assert findings(examine(problems=False), "index", "note")
        assert run("ingest").exit_code == 0
        assert server.version in findings(examine(problems=False), "vector store", "ok")[0]
        collection = next(name for name in server.collections if "__" in name)
        server.collections[collection].indexed.pop("module")
        written = len([1 for method, _, _ in server.requests if method in ("PUT", "DELETE", "PATCH")])
        found = findings(examine(problems=True), "vector store", "problem")
        assert any("no index on module" in each for each in found)
        assert len([1 for method, _, _ in server.requests if method in ("PUT", "DELETE", "PATCH")]) == written


@pytest.mark.parametrize(("key", "address"), [("wrong", ""), (QDRANT_KEY, "http://127.0.0.1:1")])
def test_a_server_that_cannot_be_used_comes_before_any_other_step(
    indexed: Path, monkeypatch: pytest.MonkeyPatch, key: str, address: str
) -> None:
    with running(QdrantServer()) as server:
        monkeypatch.setenv("QDRANT_URL", address or server.url)
        monkeypatch.setenv("QDRANT_API_KEY", key)
        checks = examine(problems=True)["checks"]
    steps = {each["subject"]: each["next_step"] for each in checks if each["level"] == "problem"}
    assert steps["index"] == steps["state"] == "start the server, or correct QDRANT_URL and QDRANT_API_KEY"


def test_a_redis_that_answers_tells_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    with redis_server() as url:
        monkeypatch.setenv("BOOKWISE_API_RATE_STORE", url)
        assert "version" in findings(examine(problems=False), "redis", "ok")[0]
