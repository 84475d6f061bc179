"""`bookwise eval` as a user meets it: over a real index, with its gate, its comparison and its calibration."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.books import page
from tests.support.command_line import copy_index, document, index_book, run
from tests.support.openai_chat import TOKENS, ChatServer, calls, cites, says
from tests.support.openai_server import error

TOPICS = {
    "nodes": "A node is one program that does one job. Nodes talk to each other over topics.",
    "durability": "With transient local durability a publisher keeps its last message for late subscribers.",
    "graphics": "The simulator needs a graphics card with sixteen gigabytes of memory.",
    "gravity": "An accelerometer at rest shows the pull of gravity, 9.81 metres per second squared.",
    "watchdog": "A watchdog stops the wheels when no command has come for half a second.",
}
ASKED = {
    "nodes": "How do programs talk to each other?",
    "durability": "How do late subscribers get the last message?",
    "graphics": "How much memory does the card need?",
    "gravity": "What does an accelerometer show at rest?",
    "watchdog": "What stops the wheels without a command?",
}
UNANSWERABLE = ["Who won the World Cup in 1998?", "How do I bake a cake with Julia Child?"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = {f"module-1-ros2/{name}.md": page(name, text) for name, text in TOPICS.items()}
    folder = index_book(tmp_path_factory.mktemp("eval"), pages)
    lines = [
        {"id": name, "question": text, "answerable": True, "source_file": f"x/module-1-ros2/{name}.md"}
        for name, text in ASKED.items()
    ]
    lines += [{"id": text, "question": text, "answerable": False} for text in UNANSWERABLE]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder


@pytest.fixture
def folder(clean_surroundings: Path, index: Path) -> Iterator[Path]:
    copy_index(index, clean_surroundings)
    yield clean_surroundings


def test_the_measures_the_misses_and_the_leak_rate_are_shown(folder: Path) -> None:
    result = run("eval", "questions.jsonl", "--answers")
    assert result.exit_code == 0
    assert "file recall@5" in result.stdout and "answered right" in result.stdout
    assert "leak rate 0 over" in result.stdout


def test_the_document_is_one_and_can_be_compared_with(folder: Path) -> None:
    first = run("eval", "questions.jsonl", "--json")
    assert document(first)["measures"]["file recall@5"] == 1.0
    (folder / "run.json").write_text(first.stdout, encoding="utf-8")
    again = run("eval", "questions.jsonl", "--compare", "run.json", "--json")
    compared = {each["measure"]: each for each in document(again)["compared"]}
    assert compared["file recall@5"]["difference"] == 0.0 and compared["file recall@5"]["pairs"] == len(TOPICS)


def test_markdown_is_printed_on_request(folder: Path) -> None:
    assert run("eval", "questions.jsonl", "--markdown").stdout.startswith("### Measures\n\n| measure |")


def test_the_gate_is_exit_12(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("eval", "questions.jsonl", "--min-recall", "1").exit_code == 0
    path = folder / "questions.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("x/module-1-ros2/nodes.md", "x/module-1-ros2/other.md"), encoding="utf-8")
    lost = run("eval", "questions.jsonl")
    assert lost.exit_code == 2 and "x/module-1-ros2/other.md" in lost.stderr, "a page that is not there is an error"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr("rag.evaluation.metrics.mean_of", lambda name, outcomes: 0.8)
    below = run("eval", "questions.jsonl", "--min-recall", "0.9")
    assert below.exit_code == 12 and "below 0.9" in below.stderr


def test_another_collection_is_compared(folder: Path) -> None:
    assert run("eval", "questions.jsonl", "--against", "bookwise", "--json").exit_code == 0
    missing = run("eval", "questions.jsonl", "--against", "nothing")
    assert missing.exit_code == 4 and "nothing is indexed" in missing.stderr


def test_a_language_model_is_asked_and_its_answers_are_measured(server: ChatServer) -> None:
    shown = document(run("eval", "questions.jsonl", "--json"))
    answers, measures = shown["answers"], shown["measures"]
    assert answers["endings"] == {"answered": 5, "refused": 0, "not_asked": 2, "failed": 0}
    assert (answers["cited_sentences"], answers["supported_sentences"], answers["dropped"]) == (5, 5, 0)
    assert answers["tokens"] == 5 * 2 * TOKENS and answers["latency_ms"]["p99"] > 0
    assert measures["answers with a true citation"] == measures["answers citing a right page"] == 1.0
    assert measures["wrongly refused by the model"] == 0.0


def test_what_a_model_does_wrong_shows_in_the_measures(server: ChatServer) -> None:
    calls_nodes = calls("nodes talk over topics")
    server.script += [calls_nodes, cites("A node is a camera with 12 legs {0}.")]
    server.script += [calls_nodes, says("Topics [p-ffffff].")]
    server.script += [calls_nodes, says("I don't have information about that in the book content.")]
    server.script += [error(401, "no")]
    answers = document(run("eval", "questions.jsonl", "--json"))["answers"]
    assert answers["endings"] == {"answered": 3, "refused": 1, "not_asked": 2, "failed": 1}
    # What nothing holds is replaced by a quotation, which is an answer of the book.
    assert (answers["cited_sentences"], answers["supported_sentences"], answers["dropped"]) == (1, 1, 0)


def test_a_model_that_fails_at_once_ends_the_evaluation(server: ChatServer) -> None:
    server.script += [error(401, "no")]
    failed = run("eval", "questions.jsonl")
    assert failed.exit_code == 9 and "the key was rejected" in failed.stderr


def test_no_answers_asks_no_model(server: ChatServer) -> None:
    assert "answer support: not measured" in run("eval", "questions.jsonl", "--no-answers").stdout
    assert server.requests == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl"], "cannot be read"),
        (["questions.jsonl", "--corpus", "other"], "no question about 'other'"),
        (["questions.jsonl", "--compare", "missing.json"], "cannot be read"),
        (["questions.jsonl", "--compare", "a", "--against", "b"], "use only one of"),
        (["questions.jsonl", "--book", "other"], "no book 'other'"),
        (["questions.jsonl", "--calibrate"], "10 answerable and 10 unanswerable"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(folder: Path, arguments: list[str], message: str) -> None:
    result = run("eval", *arguments)
    assert result.exit_code == 2 and message in result.stderr


def test_calibrating_writes_a_policy_that_the_next_call_reads(folder: Path) -> None:
    path = folder / "questions.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    many = [each | {"id": f"{each['id']}-{copy}"} for each in lines for copy in range(5)]
    path.write_text("\n".join(map(json.dumps, many)), encoding="utf-8")
    (folder / "bookwise.toml").write_text("# mine\n[agent]\ntop_k = 4\n", encoding="utf-8")
    result = run("eval", "questions.jsonl", "--calibrate")
    assert result.exit_code == 0 and "written to bookwise.toml" in result.stderr
    text = (folder / "bookwise.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)["confidence"]["fitted"]
    assert text.startswith("# mine\n[agent]\ntop_k = 4\n")
    assert table["model"].startswith("all-MiniLM-L6-v2") and len(table["weights"]) == 7
    measures = document(run("eval", "questions.jsonl", "--json"))["measures"]
    assert measures["refusal recall"] == 1.0 and measures["wrongly refused"] <= 0.2
