"""The owner's page in a browser: an answer opened, a question marked as done, lists saved, one's data deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.rag.api.conftest import Watch, expect
from tests.support.served_book import ServedBook

QUESTION = "Which plimsoll does the owner read about?"


def test_the_owner_opens_an_answer_marks_it_as_done_and_deletes_a_readers_data(
    watch: Watch, served: ServedBook, tmp_path: Path
) -> None:
    page = watch.open(f"{served.url}/owner")
    asked: dict[str, Any] = page.request.post(
        f"{served.url}/chat/run", data={"message": QUESTION, "metadata": {"user_id": "reader-37"}}
    ).json()
    feedback = f"{served.url}/threads/{asked['session_id']}/messages/2/feedback"
    page.request.post(feedback, data={"rating": "up", "comment": "Just what I needed."})
    page.reload()

    row = page.locator("#questions tr", has_text=QUESTION)
    page.locator("select[name=kind]").select_option("liked")
    page.locator("#questions[aria-busy=false]").wait_for()
    row.get_by_text("Questions and answers").click()
    row.get_by_text("Just what I needed.").wait_for()
    row.get_by_role("button", name=QUESTION).click()
    answer = page.get_by_role("dialog", name=QUESTION)
    answer.get_by_text(asked["response"].split(".")[0].split("[")[0].strip()).first.wait_for()
    expect(answer.get_by_text("Just what I needed.")).to_be_visible()
    answer.get_by_role("button", name="Whole conversation").click()
    answer.locator(".owner-question").wait_for()
    answer.get_by_role("button", name="Close").click()

    row.get_by_role("button", name="Mark as done").click()
    row.wait_for(state="detached")
    page.get_by_label("Hide what is done").uncheck()
    row.get_by_role("button", name="Reopen").wait_for()
    assert int(page.locator("#totals dd").first.inner_text()) >= 1 and page.locator("#trend rect").count() >= 2

    with page.expect_download() as saved:
        page.get_by_role("button", name="Export (CSV)").click()
    saved.value.save_as(tmp_path / "questions.csv")
    assert QUESTION in (tmp_path / "questions.csv").read_text(encoding="utf-8")

    page.get_by_label("User id").fill("reader-37")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export", exact=True).click()
    saved.value.save_as(tmp_path / "reader.json")
    [thread] = json.loads((tmp_path / "reader.json").read_text(encoding="utf-8"))["threads"]
    assert thread["thread_id"] == asked["session_id"]
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    page.get_by_text("Conversations deleted: 1, questions: 1").wait_for()
    row.wait_for(state="detached")
