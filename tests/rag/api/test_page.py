"""The chat page in a real browser: answers, their sources, filters and conversations; the model is scripted."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from ingestion.settings.loader import load_settings
from rag.conversations.database import database_of
from rag.conversations.models import Message
from rag.conversations.store import ThreadStore
from tests.rag.api.conftest import Watch, expect
from tests.support.openai_chat import calls, cites
from tests.support.served_book import LESSONS, ServedBook, run, serving, write_sample

QUESTION = "Why does a subscriber that starts late miss the last message?"
OUTSIDE = "Who won the world cup in 1998?"
ANSWER = (
    "The default keeps **nothing** for late ",
    "subscribers {0}. Choose `transient local` {1}.\n\n",
    "1. One\n2. Two\n",
)


def ask(page: Any, question: str = QUESTION) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")


def answered(page: Any, question: str = QUESTION) -> Any:
    """The turn of a question, once it has its sources and the next question can be sent."""
    ask(page, question)
    turn = page.locator(".turn").last
    turn.locator(".sources").wait_for()
    page.locator(".is-stop").wait_for(state="detached")
    return turn


def script(served: ServedBook, *pieces: str) -> None:
    served.model.script.extend([calls(QUESTION), cites(*pieces)])


def test_an_answer_streams_as_text_with_its_confidence_and_numbered_sources(chat: Any, served: ServedBook) -> None:
    script(served, *ANSWER)
    turn = answered(chat)
    expect(turn.get_by_role("heading", level=2)).to_have_text(QUESTION, use_inner_text=True)
    expect(turn.locator(".prose strong")).to_have_text("nothing", use_inner_text=True)
    expect(turn.locator(".prose code")).to_have_text("transient local", use_inner_text=True)
    expect(turn.locator(".prose ol > li")).to_have_text(["One", "Two"], use_inner_text=True)
    expect(turn.locator(".cite")).to_have_text(["[1]", "[2]"])
    expect(turn.locator(".confidence")).not_to_be_empty()
    expect(turn.locator(".source")).to_have_count(2)


def test_an_answer_can_be_copied_with_its_sources_and_asked_for_again(chat: Any, served: ServedBook) -> None:
    chat.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    script(served, *ANSWER)
    turn = answered(chat)
    turn.get_by_role("button", name="Copy with sources").click()
    answer, _, sources = chat.evaluate("window.copied").rpartition("\n\n")
    assert "transient local" in answer
    assert [line.split(" ")[0] for line in sources.splitlines()] == ["[1]", "[2]"]
    assert "https://example.org/physical-ai/" in sources
    script(served, "Another **answer** {0}.")
    turn.get_by_role("button", name="Answer again").click()
    chat.locator(".turn").nth(1).locator(".sources").wait_for()
    expect(chat.locator(".turn")).to_have_count(2)


def test_sections_beside_the_cited_ones_can_be_asked_for_next(chat: Any, served: ServedBook) -> None:
    script(served, "With `TRANSIENT_LOCAL` the publisher keeps its last messages for late subscribers {0}.")
    turn = answered(chat)
    suggested = turn.locator(".follow-ups .example-question").all_inner_texts()
    headings = (served.folder / "docs" / LESSONS[0]).read_text(encoding="utf-8")
    assert suggested and all(f"# {each}" in headings for each in suggested)
    assert set(suggested).isdisjoint(turn.locator(".source-place").all_inner_texts())
    with chat.expect_request("**/chat/stream") as asked:
        turn.locator(".follow-ups button").first.click()
    assert suggested[0] in json.loads(asked.value.post_data)["message"]
    assert json.loads(asked.value.post_data)["message"].endswith("?")
    chat.locator(".turn").nth(1).locator(".confidence, .refusal").first.wait_for()
    expect(chat.locator(".turn").first.locator(".follow-ups")).to_have_count(0)


def test_code_and_formulas_of_an_answer_and_of_its_passage_are_rendered(chat: Any, served: ServedBook) -> None:
    script(served, "The depth is $d^2$ {0}.\n\n```python\nreturn 1\n```\n\n$$\n\\frac{{a}}{{b}}\n$$\n")
    turn = answered(chat)
    turn.locator(".code-keyword").first.wait_for()
    turn.locator("math mfrac").wait_for()
    expect(turn.locator("math")).to_have_count(2)
    turn.locator(".source").first.click()
    chat.locator("dialog.passage code[data-rendered]").first.wait_for()


def test_a_citation_opens_its_whole_passage_and_gives_the_focus_back(chat: Any, served: ServedBook) -> None:
    script(served, *ANSWER)
    turn = answered(chat)
    turn.locator(".cite").first.click()
    passage = chat.get_by_role("dialog", name="Quality of service")
    passage.get_by_text("A video stream").first.wait_for()
    expect(passage.locator(".passage-place")).to_contain_text("Chapter 2", use_inner_text=True)
    assert (
        passage.get_by_role("link", name="Open the lesson").get_attribute("href").startswith("https://example.org/")
    )
    expect(passage.locator(".fact code")).to_contain_text("01-quality-of-service.md:", use_inner_text=True)
    expect(passage).to_contain_text("Similarity", use_inner_text=True)
    passage.get_by_role("button", name="Next source").click()
    expect(passage).to_contain_text("Source 2 of 2", use_inner_text=True)
    chat.keyboard.press("Escape")
    expect(passage).to_be_hidden()
    expect(turn.locator(".cite").first).to_be_focused()


def test_the_lines_that_are_cited_are_marked_and_in_view(chat: Any, served: ServedBook) -> None:
    script(served, "With `TRANSIENT_LOCAL` the publisher keeps its last messages for late subscribers {0}.")
    turn = answered(chat)
    turn.locator(".source").first.click()
    passage = chat.get_by_role("dialog", name="Quality of service")
    marked = passage.locator(".is-cited")
    marked.first.wait_for()
    assert "TRANSIENT_LOCAL" in " ".join(marked.all_inner_texts())
    inside = """mark => {
      const [one, body] = [mark, mark.closest('.passage-body')].map(each => each.getBoundingClientRect());
      return one.top >= body.top && one.top < body.bottom;
    }"""
    assert marked.first.evaluate(inside)
    expect(passage.locator(".passage-text > :not(.is-cited)")).not_to_have_count(0)


def test_a_long_passage_is_completed_from_its_lesson(chat: Any, served: ServedBook) -> None:
    script(served, "See {0}.")
    turn = answered(chat)
    with chat.expect_response("**/lessons/*"):
        turn.locator(".source").first.click()
    chat.locator(".passage-text code:text('TRANSIENT_LOCAL')").first.wait_for()


def test_what_the_book_does_not_answer_is_said_calmly_and_more_of_it_is_not_offered_in_vain(chat: Any) -> None:
    ask(chat, OUTSIDE)
    refusal = chat.locator(".turn[data-state=refused] .refusal")
    refusal.wait_for()
    expect(refusal).to_contain_text("Tier 1: any laptop", use_inner_text=True)
    expect(chat.get_by_role("alert")).to_have_count(0)
    # The reader has chosen none.
    expect(refusal).not_to_contain_text("Your filters", use_inner_text=True)
    expect(refusal.get_by_role("button")).to_have_count(0)


def test_better_passages_behind_the_tier_are_told_and_can_be_asked_for(chat: Any, served: ServedBook) -> None:
    question = "Which driver does Isaac Sim need on a local RTX workstation?"
    served.model.script.extend([calls(question), cites("The book says {0}.")])
    ask(chat, question)
    note = chat.locator(".turn .hidden-note")
    note.wait_for()
    expect(note).not_to_contain_text("higher", use_inner_text=True)
    expect(note).to_contain_text("hardware tier 2: a computer with", use_inner_text=True)
    expect(chat.locator(".turn .places h3")).to_have_count(1)
    with chat.expect_request("**/chat/stream") as asked:
        note.get_by_role("button", name="Ask for tier 2").click()
    assert json.loads(asked.value.post_data)["hardware_tier"] == 2


def test_who_asks_while_the_page_still_loads_keeps_what_is_shown(chat: Any) -> None:
    held: list[Any] | None = []
    chat.route("**/start?*", lambda route: route.continue_() if held is None else held.append(route))
    chat.reload()
    ask(chat, OUTSIDE)
    chat.locator(".turn[data-state=refused]").wait_for()
    chat.wait_for_url("**/#/threads/*")
    late, held = held, None
    for route in late:
        route.continue_()
    chat.locator("#threads [aria-current]").wait_for()
    chat.get_by_role("button", name="Filters: Tier 1").wait_for()
    expect(chat.locator(".refusal")).to_have_count(1)


def test_a_page_that_was_here_before_asks_twice_and_a_new_one_a_few_times(watch: Watch, served: ServedBook) -> None:
    page = watch.open("about:blank")
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    asked: dict[str, str] = {}
    network.on("Network.requestWillBeSent", lambda event: asked.update({event["requestId"]: event["request"]["url"]}))
    network.on("Network.requestServedFromCache", lambda event: asked.pop(event["requestId"], None))
    network.on(
        "Network.responseReceived",
        lambda event: event["response"]["fromDiskCache"] and asked.pop(event["requestId"], None),
    )
    counts = []
    for _ in range(2):
        asked.clear()
        page.goto(served.url)
        page.locator(".example").first.wait_for()
        page.wait_for_load_state("networkidle")
        counts.append(len(asked))
    assert counts[0] <= 12 and counts[1] <= 2, asked


def test_a_mouse_on_a_citation_sees_the_cited_lines(chat: Any, served: ServedBook) -> None:
    script(served, "With `TRANSIENT_LOCAL` the publisher keeps its last messages for late subscribers {0}.")
    turn = answered(chat)
    turn.locator(".cite").first.hover()
    chat.locator(".peek:popover-open").wait_for()
    expect(chat.locator(".peek:popover-open")).to_contain_text("TRANSIENT_LOCAL", use_inner_text=True)
    chat.keyboard.press("Escape")
    expect(chat.locator(".peek:popover-open")).to_have_count(0)


def test_a_conversation_is_renamed_and_keeps_its_name(chat: Any) -> None:
    ask(chat, OUTSIDE)
    chat.locator("#threads [aria-current]").hover()
    chat.locator(".thread").first.get_by_role("button", name="Rename").click()
    chat.get_by_role("textbox", name="Rename the conversation").fill("About football")
    chat.keyboard.press("Enter")
    chat.get_by_role("button", name="About football", exact=True).wait_for()
    chat.reload()
    chat.get_by_role("button", name="About football", exact=True).wait_for()


def test_an_answer_is_shared_by_a_link_that_can_be_revoked(watch: Watch, served: ServedBook, tmp_path: Path) -> None:
    # An index of its own: two servers would take turns at one.
    write_sample(tmp_path)
    run(tmp_path, "ingest")
    with serving(tmp_path, served.model, BOOKWISE_PAGE_SHARING="true") as shared:
        page = watch.open(shared.url)
        page.locator(".example").first.wait_for()
        turn = answered(page)
        turn.get_by_role("button", name="Share").click()
        link = turn.get_by_role("textbox", name="Link to this answer").input_value()
        reader = watch.open(link)
        expect(reader.locator(".question")).to_have_text(QUESTION, use_inner_text=True)
        expect(reader.locator(".source")).not_to_have_count(0)
        expect(reader.get_by_role("button", name="Share")).to_have_count(0)
        turn.get_by_role("button", name="Stop sharing").click()
        turn.get_by_role("button", name="Share").wait_for()
        reader.reload()
        reader.get_by_text("This answer cannot be shown").wait_for()


def test_filters_say_what_is_set_hold_for_requests_and_are_remembered(chat: Any) -> None:
    button = chat.get_by_role("button", name="Filters:")
    expect(button).to_have_text("Tier 1: any laptop", use_inner_text=True)
    button.click()
    filters = chat.get_by_role("dialog", name="Filters")
    filters.get_by_label("Module").select_option("ros2")
    filters.get_by_label("To chapter").fill("3")
    filters.get_by_label("B1").check()
    expect(filters.get_by_label("2: a computer with an RTX graphics card")).to_have_count(1)
    chat.keyboard.press("Escape")
    expect(filters).to_have_count(0)
    expect(button).to_be_focused()
    expect(button).to_have_text(
        "The Robotic Nervous System · Up to chapter 3 · B1 · Tier 1: any laptop", use_inner_text=True
    )
    with chat.expect_request("**/chat/stream") as asked:
        answered(chat)
    body = json.loads(asked.value.post_data)
    assert (body["module"], body["chapter_max"], body["proficiency_levels"]) == ("ros2", 3, ["B1"])
    assert "chapter_min" not in body
    chat.reload()
    chat.get_by_role("button", name="Filters: The Robotic Nervous System").click()
    chat.get_by_role("button", name="Reset").click()
    assert "is-set" not in (button.get_attribute("class") or "")
    expect(button).to_have_text("Tier 1: any laptop", use_inner_text=True)


def test_a_conversation_is_listed_resumed_after_a_reload_and_deleted(chat: Any, served: ServedBook) -> None:
    script(served, "Kept {0}.")
    answered(chat, "Which policies does quality of service have?")
    name = "Which policies does quality of service have?"
    threads = chat.get_by_role("navigation", name="Conversations")
    threads.get_by_role("button", name=name, exact=True).wait_for()
    # Without a mark the model's words were held by nothing, and the book is quoted.
    expect(chat.locator(".turn mark")).not_to_have_count(0)
    marked = chat.locator(".turn mark").all_text_contents()
    chat.reload()
    chat.locator(".turn .cite").first.click()
    expect(chat.locator(".turn mark")).to_have_text(marked)
    expect(chat.locator("dialog.passage")).to_be_visible()
    script(served, "And more {0}.")
    answered(chat, "What about the depth?")
    expect(chat.locator(".turn")).to_have_count(2)
    threads.get_by_role("button", name=f"Delete “{name}”").first.click()
    chat.get_by_role("button", name="Cancel").click()
    expect(chat.locator(".turn")).to_have_count(2)
    threads.get_by_role("button", name=f"Delete “{name}”").first.click()
    chat.get_by_role("button", name="Delete", exact=True).click()
    chat.locator(".welcome").wait_for()
    chat.reload()
    chat.locator(".welcome").wait_for()


def test_back_and_forward_go_through_conversations(chat: Any, served: ServedBook) -> None:
    answered(chat)
    chat.get_by_role("button", name="New conversation").first.click()
    chat.locator(".welcome").wait_for()
    chat.go_back()
    chat.locator(".turn").wait_for()
    chat.go_forward()
    chat.locator(".welcome").wait_for()


def test_markup_in_lessons_and_answers_stays_text(chat: Any, served: ServedBook) -> None:
    question = "What does the zorblat valve open?"
    served.model.script.extend([calls(question), cites(
        "<img src=x onerror=alert(1)> <b>bold</b> [go](javascript:alert(1)) [data](data:text/html,x) {0} ",
        "![pixel](https://evil.example/p.png)\n\nThe zorblat valve opens slowly {0}.\n\n",
        "| a | b |\n| - | - |\n| <i>x</i> | `|` |",
    )])  # fmt: skip
    turn = answered(chat, question)
    expect(turn).to_contain_text("<img src=x onerror=alert(1)> <b>bold</b> go", use_inner_text=True)
    expect(turn.locator("img, script, b, i")).to_have_count(0)
    expect(turn.locator(".prose a")).to_have_count(0)
    turn.locator(".cite").first.click()
    passage = chat.locator("dialog.passage")
    passage.get_by_text("slowly").first.wait_for()
    expect(passage.locator("img, script")).to_have_count(0)
    assert passage.locator(".prose a").evaluate_all("links => links.map(link => link.href)") == [
        "https://example.org/a_(b)"
    ]
    assert chat.title() == "Physical AI: a short course"
    expect(passage).to_contain_text("Nasty <b>markup</b>", use_inner_text=True)


def test_conversations_beyond_the_first_page_are_reached(watch: Watch, served: ServedBook) -> None:
    settings = load_settings({"index.directory": str(served.folder / ".bookwise")}, environ={})
    with closing(database_of(settings)) as database:
        store = ThreadStore(database)
        made = [store.append(store.create().thread_id, [Message("user", f"Asked {at}")]) for at in range(60)]
        page = watch.open(served.url)
        page.locator("#threads li").nth(59).wait_for(state="attached")
        store.archive(idle=timedelta(0))
        page.reload()
        page.get_by_role("button", name="Older conversations").click()
        page.locator("#threads li").nth(59).wait_for(state="attached")
        for thread in made:
            store.delete(thread.thread_id)


def test_a_chapter_has_the_name_of_its_folder(chat: Any, served: ServedBook) -> None:
    script(served, *ANSWER)
    expect(answered(chat).locator(".source-place").first).to_contain_text("Chapter 2: Robot systems")


def test_a_question_in_the_address_is_asked_once(watch: Watch, served: ServedBook) -> None:
    script(served, *ANSWER)
    page = watch.open(f"{served.url}/?q=Why%20does%20a%20late%20subscriber%20wait%3F")
    turn = page.locator(".turn")
    turn.locator(".sources").wait_for()
    expect(turn.get_by_role("heading", level=2)).to_have_text("Why does a late subscriber wait?", use_inner_text=True)
    page.reload()
    page.locator(".turn .sources").wait_for()
    expect(page.locator(".turn")).to_have_count(1)
    assert "q=" not in page.url
    expect(page.locator(".follow-ups .example-question")).not_to_have_count(0)


def test_the_page_needs_few_requests_and_fewer_when_it_was_here_before(watch: Watch, served: ServedBook) -> None:
    page = watch.open("about:blank")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(served.url)
    page.locator(".example").first.wait_for()
    assert len(asked) <= 12, asked
    page.goto("about:blank")
    page.goto(served.url)
    page.locator(".example").first.wait_for()
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').filter(each => each.transferSize).map(each => each.name)"
    )
    assert [url for url in loaded if "/static/" in url] == []
