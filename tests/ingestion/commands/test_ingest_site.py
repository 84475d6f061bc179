"""`bookwise ingest --site`: addresses and ids come from the build, whatever made it, and stay without it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.books import write_book
from tests.support.built_sites import built_page, write_build
from tests.support.command_line import document, run

LESSONS = {
    "one.md": "# The lever\n\nThe cobalt lever opens the valve.\n\n## Its spring\n\nA spring of steel pulls it.\n",
    "two.md": "# The sensor\n\nThe amber sensor tells how full it is.\n\n## Its cable\n\nA cable of copper.\n",
    "three.md": "# The tank\n\nA tank of glass holds the water.\n\n## Its valve\n\nA valve of brass lets it out.\n",
}


def built(name: str, first: str, section: str, second: str, ids: tuple[str, str], url: str = "") -> str:
    head = f"<link rel=canonical href='{url}'>" if url else ""
    body = f"<h1 id={ids[0]}>{name}</h1><p>{first}</p><h2 id={ids[1]}>{section}</h2><p>{second}</p>"
    return built_page(name, body, head=head)


def build_of(base: str = "https://x.example/b", ids: str = "sec") -> dict[str, str]:
    """A site by a generator that nobody knows: its own addresses and its own ids."""
    parts = {
        "p/lever-1.html": (
            "The lever",
            "The cobalt lever opens the valve.",
            "Its spring",
            "A spring of steel pulls it.",
        ),
        "p/sensor-2.html": (
            "The sensor",
            "The amber sensor tells how full it is.",
            "Its cable",
            "A cable of copper.",
        ),
        "p/tank-3.html": (
            "The tank",
            "A tank of glass holds the water.",
            "Its valve",
            "A valve of brass lets it out.",
        ),
    }
    return {
        file: built(*texts, (f"{ids}-{at}-0", f"{ids}-{at}-1"), f"{base}/{file}" if base else "")
        for at, (file, texts) in enumerate(parts.items(), 1)
    }


def write(folder: Path, lessons: Mapping[str, str] = LESSONS, build: Mapping[str, str] | None = None) -> None:
    write_book(folder / "docs", dict(lessons))
    write_build(folder / "build", build_of() if build is None else build)


def indexed() -> dict[str, tuple[str, list[str]]]:
    """The address and the anchors of each lesson in the index."""
    assert run("export", "--chunks", "chunks.jsonl").exit_code == 0
    lines = [json.loads(line) for line in Path("chunks.jsonl").read_text().splitlines()]
    return {line["source_file"]: (line["page_url"], line["section_anchors"]) for line in lines}


def ingest(*arguments: str) -> dict[str, Any]:
    return document(run("ingest", "--json", *arguments))


FROM_THE_BUILD = {
    "one.md": ("https://x.example/b/p/lever-1.html", ["sec-1-0", "sec-1-1"]),
    "two.md": ("https://x.example/b/p/sensor-2.html", ["sec-2-0", "sec-2-1"]),
    "three.md": ("https://x.example/b/p/tank-3.html", ["sec-3-0", "sec-3-1"]),
}


def test_addresses_and_ids_are_those_of_a_build_that_no_generator_explains(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    ingest("--site", "build")
    assert indexed() == FROM_THE_BUILD
    assert document(run("check", "--site", "build", "--json"))["findings"] != []  # as a run without the build has it


def test_with_the_setting_a_book_has_no_dead_address(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    (clean_surroundings / "bookwise.toml").write_text('[book]\nid = "b"\nbuilt = "build/"\n')
    ingest()
    assert indexed() == FROM_THE_BUILD
    assert document(run("check", "--site", "build", "--json"))["findings"] == []
    urls = {page["path"]: page["url"] for page in document(run("crawl", "--json"))["files"]}
    assert urls == {path: url for path, (url, _) in FROM_THE_BUILD.items()}


def test_a_run_without_the_build_keeps_what_was_recorded_and_says_so(clean_surroundings: Path) -> None:
    write(clean_surroundings, {**LESSONS, "draft.md": "# Not built\n\nNobody has published this page yet.\n"})
    (clean_surroundings / "bookwise.toml").write_text('[book]\nid = "b"\nbuilt = "build/"\n')
    first = ingest()
    assert [each["path"] for each in first["skipped"]] == ["draft.md"]
    assert first["skipped"][0]["reason"].startswith("the built site has no page for it")
    shutil.rmtree(clean_surroundings / "build")
    second = run("ingest", "--json")
    assert "no built site in" in second.stderr and document(second)["changes"] == {}
    (clean_surroundings / "docs/one.md").write_text(LESSONS["one.md"].replace("steel", "steel and brass"))
    third = ingest()
    assert third["changes"] == {"one.md": "modified"} and third["chunks"]["deleted"] <= 1
    assert ingest("--mode", "recreate")["files"].get("deleted", 0) == 0
    assert indexed() == FROM_THE_BUILD


@pytest.mark.parametrize("mode", ["incremental", "recreate"])
def test_after_lost_records_a_run_without_the_build_keeps_what_the_index_has(
    clean_surroundings: Path, mode: str
) -> None:
    draft = {"draft.md": "# Not built\n\nNobody has published this page yet.\n"}
    write(clean_surroundings, {**LESSONS, **draft})
    (clean_surroundings / "bookwise.toml").write_text('[book]\nid = "b"\nbuilt = "build/"\n')
    ingest()
    shutil.rmtree(clean_surroundings / "build")
    for file in clean_surroundings.glob(".ingestion_state*"):
        file.unlink()
    result = run("ingest", "--json", "--mode", mode)
    report = document(result)
    assert "no built site in" in result.stderr and "or are in the index" in result.stderr
    assert report["chunks"]["deleted"] == 0 and report["chunks"]["embedded"] == 0
    assert [(each["path"], "state file is lost" in each["reason"]) for each in report["skipped"]] == [
        ("draft.md", True)
    ]
    assert indexed() == FROM_THE_BUILD
    write_build(clean_surroundings / "build", build_of(ids="part"))
    ingest()
    assert indexed()["one.md"] == ("https://x.example/b/p/lever-1.html", ["part-1-0", "part-1-1"])


def test_a_changed_build_changes_addresses_and_embeds_nothing(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    ingest("--site", "build")
    write_build(clean_surroundings / "build", build_of(ids="part"))
    report = ingest("--site", "build")
    assert set(report["changes"].values()) == {"metadata"} and report["chunks"]["embedded"] == 0
    assert {anchors[1] for _, anchors in indexed().values()} == {"part-1-1", "part-2-1", "part-3-1"}
    without = ingest()
    assert set(without["changes"].values()) == {"metadata"} and without["chunks"]["embedded"] == 0
    assert indexed()["one.md"][1] == ["", "its-spring"]


def test_a_run_with_nothing_to_do_reads_no_page_of_the_build(
    clean_surroundings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ingestion.source.built_site import folder
    from ingestion.state import stat_cache

    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)
    write(clean_surroundings)
    ingest("--site", "build")
    read: list[str] = []
    monkeypatch.setattr(folder, "read_page", lambda html: read.append(html))
    assert ingest("--site", "build")["changes"] == {} and read == []


def test_a_lesson_that_the_site_no_longer_publishes_leaves_the_index(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    ingest("--site", "build")
    (clean_surroundings / "build/p/tank-3.html").unlink()
    report = ingest("--site", "build")
    assert report["changes"] == {"three.md": "deleted"}
    assert [each["path"] for each in report["skipped"]] == ["three.md"]
    assert indexed().keys() == {"one.md", "two.md"}


def test_the_site_of_another_book_is_refused_before_anything_is_written(clean_surroundings: Path) -> None:
    other = {f"p/{n}.html": built_page(f"Else {n}", f"<h1 id=x>Else {n}</h1><h2 id=y>No {n}</h2>") for n in range(5)}
    write(clean_surroundings, build={**other, "p/lever-1.html": build_of()["p/lever-1.html"]})
    result = run("ingest", "--site", "build")
    assert result.exit_code == 4 and "1 of 3 lessons match a page there" in result.stderr
    assert not (clean_surroundings / ".ingestion_state.json").exists()


def test_without_a_known_base_ids_are_right_and_addresses_stay_empty(clean_surroundings: Path) -> None:
    write(clean_surroundings, build=build_of(base=""))
    ingest("--site", "build")
    assert indexed()["two.md"] == ("", ["sec-2-0", "sec-2-1"])
    (clean_surroundings / "bookwise.toml").write_text('[book]\nbase_url = "https://y.example"\n')
    ingest("--site", "build")
    assert indexed()["two.md"][0] == "https://y.example/p/sensor-2.html"


def test_a_book_may_not_name_a_build_outside_of_its_folder(clean_surroundings: Path) -> None:
    book = clean_surroundings / "book"
    write(book)
    write_build(clean_surroundings / "elsewhere", build_of())
    (book / "bookwise.toml").write_text('[book]\nbuilt = "../elsewhere"\n')
    result = run("ingest", "book")
    assert result.exit_code == 4 and "book.built" in result.stderr and "outside the book's folder" in result.stderr


def test_a_folder_that_is_not_there_and_many_books_are_refused(clean_surroundings: Path) -> None:
    write(clean_surroundings)
    assert run("ingest", "--site", "gone").exit_code == 2
    assert run("ingest", "--books", ".", "--site", "build").exit_code == 2
