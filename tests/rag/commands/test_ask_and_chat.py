"""The commands ask and chat on a small index, with the scripted chat service and without any."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.books import page
from tests.support.command_line import copy_index, document, index_book, run
from tests.support.openai_chat import ChatServer, calls, cites, says
from tests.support.openai_server import error
from tests.support.paths import ROOT

QUESTION = "Who keeps the last message for late subscribers?"
REFUSAL = "I don't have information about that in the book content."
FOUND = calls("late subscribers last message")
RIGHT = cites("A publisher ", "keeps its last message ", "for subscribers that join late {0}.")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    others = (
        "The arm lifts a red cup.",
        "Physics runs at a fixed step.",
        "A wheel turns on its axle.",
        "Rain falls.",
    )
    pages = {f"module-2-gazebo/chapter-3-b/0{number}-x.md": page(text, text) for number, text in enumerate(others, 1)}
    text = "With transient local durability a publisher keeps its last message for subscribers that join late."
    pages["module-1-ros2/chapter-1-a/01-qos.md"] = page("Quality of service", text)
    return index_book(tmp_path_factory.mktemp("asked"), pages)


@pytest.fixture
def folder(clean_surroundings: Path, index: Path) -> Path:
    copy_index(index, clean_surroundings)
    return clean_surroundings


def test_ask_prints_the_answer_with_the_footer_of_specification_2(server: ChatServer) -> None:
    server.script += [FOUND, RIGHT]
    answer, _, footer = run("ask", QUESTION).stdout.partition("\n\n---\n**Sources:**\n")
    assert answer == "A publisher keeps its last message for subscribers that join late [1]."
    assert footer.startswith("[1] Quality of service") and "(score: 0." in footer


def test_the_users_system_prompt_holds_on_the_command_line(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_SYSTEM_PROMPT", "Like a pirate.")
    server.script += [FOUND, RIGHT]
    assert run("ask", QUESTION).exit_code == 0
    assert "Like a pirate." in server.requests[-1].body["messages"][0]["content"]


def test_ask_streams_the_same_text(server: ChatServer) -> None:
    server.script += [FOUND, RIGHT, FOUND, RIGHT]
    assert run("ask", QUESTION, "--stream").stdout == run("ask", QUESTION).stdout


def test_ask_as_json_is_one_agent_response(server: ChatServer) -> None:
    server.script += [FOUND, RIGHT]
    answer = document(run("ask", QUESTION, "--json", "--stream", "--cite-style", "source"))
    assert answer["answer"].endswith("[Source: Quality of service].") and answer["state"] == "completed"
    assert answer["passages"]["cited"] == answer["passages"]["verified"] == [answer["citations"][0]["chunk_id"]]


def test_ask_without_the_model_calls_nobody(server: ChatServer) -> None:
    answer = run("ask", QUESTION, "--no-llm")
    assert "no language model was used" in answer.stdout and server.requests == []


def test_a_failing_model_is_exit_9_and_with_json_one_document_that_says_why(server: ChatServer) -> None:
    server.script += [error(401, "no"), error(401, "no")]
    failed = run("ask", QUESTION)
    assert failed.exit_code == 9 and "the key was rejected" in failed.stderr and failed.stdout == ""
    failed = run("ask", QUESTION, "--json")
    told = document(failed)
    assert (failed.exit_code, told["error"]["exit_code"], told["error"]["kind"]) == (9, 9, "chat_model")
    assert "the key was rejected" in told["error"]["message"]


def test_a_refusal_of_the_model_is_exit_10(server: ChatServer) -> None:
    server.script += [FOUND, says(REFUSAL)]
    refused = run("ask", QUESTION, "--stream")
    assert (refused.exit_code, refused.stdout.strip()) == (10, REFUSAL) and "no answer:" in refused.stderr


def test_the_bound_of_searches_is_a_flag(server: ChatServer) -> None:
    server.script += [FOUND, RIGHT]
    assert run("ask", QUESTION, "--max-searches", "1").exit_code == 0
    assert server.requests[-1].body["tool_choice"] == "none"


def test_asking_without_a_key_imports_no_client(folder: Path) -> None:
    script = (
        "import sys; sys.argv = ['bookwise', 'ask', 'Who keeps the last message for late subscribers?']\n"
        "from bookwise.command_line import app\n"
        "app(standalone_mode=False)\n"
        "print([name for name in ('openai', 'httpx2', 'sqlalchemy', 'prompt_toolkit') if name in sys.modules])"
    )
    root = ROOT
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root)}
    )
    assert "[1] Quality of service" in done.stdout and done.stdout.strip().endswith("[]")


def test_chat_answers_one_question_a_line_and_keeps_the_conversation_in_mind(server: ChatServer) -> None:
    server.script += [FOUND, RIGHT, FOUND, RIGHT]
    talk = run("chat", stdin=f"{QUESTION}\n\ntell me more\n/searches\n/quit\nnever asked\n")
    assert talk.exit_code == 0 and talk.stdout.count("join late [1].") == 2 and talk.stdout.count("**Sources:**") == 2
    last = server.requests[-1].body["messages"]
    assert [each["content"] for each in last[1:4]] == [
        QUESTION,
        "A publisher keeps its last message for subscribers that join late [1].",
        "tell me more",
    ]
    assert "'late subscribers last message': 5 passages" in talk.stdout and len(server.requests) == 4


def test_chat_goes_on_after_a_failure_and_forgets_the_question_that_failed(server: ChatServer) -> None:
    server.script += [error(401, "no"), FOUND, RIGHT]
    talk = run("chat", stdin=f"{QUESTION}\n{QUESTION}\n")
    assert "the key was rejected" in talk.stderr and "join late [1]." in talk.stdout
    assert [each["role"] for each in server.requests[1].body["messages"]] == ["system", "user"]


def test_chat_without_a_model_never_quotes_twice_and_says_when_there_is_no_more(folder: Path) -> None:
    talk = run("chat", stdin=f"{QUESTION}\ntell me more\nanything else?\n/searches\n")
    assert talk.stdout.count("keeps its last message") == 1
    assert talk.stdout.count("The book says no more on this.") == 2
    assert talk.stdout.count(f"'{QUESTION}': 5 passages") == 3
    assert "the book says no more on this than what was already quoted" in talk.stderr


def test_chat_without_a_model_takes_a_follow_up_with_the_last_question(folder: Path) -> None:
    talk = run("chat", stdin=f"{QUESTION}\nand for subscribers?\nand on a submarine?\n/searches\n")
    assert f"'{QUESTION}\\nand for subscribers?'" in talk.stdout
    assert talk.stdout.count("keeps its last message") == 2, "all there is is quoted again"
    assert "I don't have information about that" in talk.stdout, "no passage has a word of the second"


def test_the_words_with_a_slash(folder: Path) -> None:
    talk = run("chat", "--tier", "3", stdin=f"/sources\n{QUESTION}\n/sources\n/filters\n/save talk.md\n/new\n/nope\n")
    assert talk.stdout.startswith("The last answer has no sources.") and talk.stdout.count("**Sources:**") == 2
    assert "hardware tier 3 or lower" in talk.stdout and "A new conversation." in talk.stdout
    assert "unknown command /nope; choose /help" in talk.stderr
    assert Path("talk.md").read_text(encoding="utf-8").startswith(f"## Question\n\n{QUESTION}\n\n## Answer\n\n")


def test_a_session_is_gone_on_with_and_new_begins_another(folder: Path) -> None:
    began = run("chat", "--session", "new", stdin=f"{QUESTION}\n/new\n{QUESTION}\n")
    session = began.stderr.split()[1].rstrip(",")
    assert "A new conversation, session " in began.stdout and session not in began.stdout
    again = run("chat", "--session", session, stdin=f"{QUESTION}\n/save all.md\n")
    assert f"session {session}, 1 turns so far" in again.stderr and "keeps its last message" in again.stdout
    assert Path("all.md").read_text(encoding="utf-8").count("## Question") == 2


def test_a_session_id_must_be_one(folder: Path) -> None:
    failed = run("chat", "--session", "yesterday", stdin="")
    assert failed.exit_code == 2 and "not a UUID" in failed.stderr


def test_a_conversation_has_a_bound_and_another_can_be_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_MAX_TURNS", "1")
    talk = run("chat", stdin=f"{QUESTION}\n{QUESTION}\n/new\n{QUESTION}\n")
    assert talk.stdout.count("keeps its last message") == 2 and "start a new conversation with /new" in talk.stderr


def test_the_document_of_a_failed_question_is_one_that_was_never_answered() -> None:
    from rag.models import AgentResponse

    failed = json.loads(AgentResponse.failed("q", "m", "why").model_dump_json())
    assert (failed["answer"], failed["error"], failed["supported"]) == ("", "why", False)
