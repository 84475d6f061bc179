"""Front matter: read as text, optional, local, and never a reason to lose a page (REAL_BOOKS rules 4 and 5)."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.source.crawler import SourceFile
from ingestion.source.front_matter import MAX_NODES, FrontMatter, split_front_matter
from ingestion.source.reader import read_source


def read_case(cases: Path, path: str) -> FrontMatter:
    return split_front_matter(read_source(SourceFile(path, cases / path)).decode())


def rules(front: FrontMatter) -> list[tuple[int, str]]:
    return [(line, rule) for line, rule, _ in front.problems]


def test_a_block_at_the_top_is_split_from_the_body() -> None:
    front = split_front_matter("---\ntitle: A: no\nx: 1\n---\n\n# H\n".replace("A: no", "A"))
    assert front.values == {"title": "A", "x": "1"}
    assert front.lines == {"title": 2, "x": 3}
    assert front.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\n---\n# H\ntext\n",
        "---\n\n\na: 1\n\n---\n\n\n# H\n",
        "---\n---\n# H",
        "# H\n",
        "---\na: [\n---\n# H",
    ],
)
def test_a_body_line_is_the_file_line_minus_the_offset(text: str) -> None:
    front = split_front_matter(text)
    body = front.body.split("\n").index("# H") + 1
    assert body + front.body_offset == text.split("\n").index("# H") + 1


def test_every_value_is_the_text_the_author_wrote(cases: Path) -> None:
    """Case C09."""
    front = read_case(cases, "c09/types.md")
    assert front.values == {
        "title": "2019",
        "date": "2025-12-06",
        "last_modified": "2025-12-06T10:30:00Z",
        "version": "1.10",
        "id": "007",
        "draft": "no",
        "tags": "beginner",
        "chapter": "03",
        "lesson": "3.0",
        "hardware_tier": "2",
        "lang": "no",
        "skills": [{"name": "Reading", "proficiency_level": "A2-B1"}],
        "nothing": None,
        "12": "number as key",
    }
    assert front.lines["skills"] == 13 and front.lines["12"] == 17
    assert front.problems == ()
    assert json.loads(json.dumps(dict(front.values))) == front.values


def test_an_empty_block_is_no_metadata_and_no_problem(cases: Path) -> None:
    front = read_case(cases, "c09/empty.md")
    assert (front.values, front.problems) == ({}, ())
    assert front.body.strip().startswith("# Empty block")
    assert split_front_matter("---\n# only a comment\n---\nText").problems == ()


def test_a_list_is_no_metadata_and_the_body_stays(cases: Path) -> None:
    front = read_case(cases, "c09/list-not-map.md")
    assert front.values == {}
    assert rules(front) == [(1, "front-matter-mapping")]
    assert front.body.strip() == "# List\n\nText."


def test_of_a_repeated_key_the_last_counts_and_it_is_reported(cases: Path) -> None:
    front = read_case(cases, "c09/duplicate-key.md")
    assert front.values == {"title": "Second"}
    assert front.problems == ((3, "front-matter-duplicate-key", "key `title` twice; the last one counts"),)


def test_a_key_that_overrides_a_merged_one_is_not_repeated() -> None:
    front = split_front_matter("---\nbase: &b {layer: L1, tier: 2}\n<<: *b\nlayer: L2\n---\n")
    assert (front.values["layer"], front.values["tier"], front.problems) == ("L2", "2", ())


def test_an_alias_bomb_is_refused_within_a_second(cases: Path) -> None:
    started = time.monotonic()
    front = read_case(cases, "c09/huge-alias.md")
    assert time.monotonic() - started < 1
    assert front.values == {}
    assert [rule for _, rule in rules(front)] == ["front-matter-yaml"]
    assert str(MAX_NODES) in front.problems[0][2]
    assert front.body.strip() == "# Alias bomb\n\nText."


@pytest.mark.parametrize(
    "block",
    ["a: &a [*a]", "a: &a {b: *a}", "a: " + "[" * 100_000, "a: " + "{a: " * 5_000, "a: [" + "x," * 25_000 + "]"],
    ids=["itself in a list", "itself in a map", "deep lists", "deep maps", "many values"],
)
def test_a_block_that_never_ends_is_refused_and_the_body_stays(block: str) -> None:
    front = split_front_matter(f"---\n{block}\n---\nText.")
    assert (front.values, front.body) == ({}, "\nText.")
    assert [rule for _, rule in rules(front)] == ["front-matter-yaml"]


@pytest.mark.parametrize(("name", "line", "word"), [("02-broken.md", 2, "pear"), ("03-tab.md", 3, "plum")])
def test_broken_yaml_costs_the_metadata_only_and_names_the_line(cases: Path, name: str, line: int, word: str) -> None:
    """Case C10."""
    front = read_case(cases, f"c10/{name}")
    assert front.values == {}
    assert rules(front) == [(line, "front-matter-yaml")]
    assert word in front.body and "title" not in front.body


@pytest.mark.parametrize(
    ("name", "title", "word"), [("01-good.md", "Good one", "apple"), ("04-good.md", "Good four", "cherry")]
)
def test_its_neighbours_are_read(cases: Path, name: str, title: str, word: str) -> None:
    front = read_case(cases, f"c10/{name}")
    assert (front.values, front.problems) == ({"title": title}, ())
    assert word in front.body


def test_a_byte_order_mark_hides_nothing(cases: Path) -> None:
    """Case C07."""
    assert read_case(cases, "c07/bom-frontmatter.md").values == {
        "title": "Saved by an old editor",
        "hardware_tier": "2",
    }
    assert read_case(cases, "c07/bom-heading.md").body.startswith("# First heading")
    assert "\n# Second file glued on" in read_case(cases, "c07/bom-in-the-middle.md").body


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA page that opens with a rule.\n\n---\n\nAnd another.\n",
        "---\n\n- a list\n- of two: [\n\n---\nText\n",
        "---\n> quote\n\n---\n",
        "---\n",
        "---\ntitle: never closed\n\n# H\n",
        "-----\n\nprose\n",
    ],
)
def test_a_leading_rule_is_text_and_is_reported(text: str) -> None:
    front = split_front_matter(text)
    assert (front.body, front.body_offset, front.values) == (text, 0, {})
    assert rules(front) == [(1, "front-matter-unclosed")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n---\na: 1\n---\n",
        "<!-- c -->\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "# H\n\n---\na: 1\n---\n",
        "--\na: 1\n--\n",
    ],
)
def test_only_a_block_on_the_first_line_counts(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({}, {}, text, 0)


def test_comments_long_and_nested_blocks_are_normal() -> None:
    skills = "".join(f"  - name: Skill {n}\n    levels: {{from: A1, to: [A2, B1]}}  # note\n" for n in range(300))
    front = split_front_matter(f"---\n# a comment\ntitle: T # tail\nskills:\n{skills}---\nText")
    assert front.values["title"] == "T"
    assert front.values["skills"][299] == {"name": "Skill 299", "levels": {"from": "A1", "to": ["A2", "B1"]}}
    assert front.problems == ()


@pytest.mark.parametrize("null", ["", "~", "null"])
def test_nothing_is_none_but_a_quoted_word_is_text(null: str) -> None:
    assert split_front_matter(f"---\na: {null}\nb: '{null}'\n---\n").values == {"a": None, "b": null}


def test_a_tag_makes_no_object() -> None:
    assert split_front_matter("---\na: !!python/object/apply:os.getcwd []\n---\n").values == {"a": []}


LINES = st.sampled_from(
    [
        "---",
        "----",
        "a: 1",
        "a: [",
        "title: 'x",
        "- b",
        "",
        "# H",
        "...",
        "\tx: 1",
        "&a x: *a",
        "<<: {b: 2}",
        "? x",
        "%YAML",
    ]
)


@given(st.one_of(st.text(), st.lists(LINES).map("\n".join), st.lists(LINES).map(lambda x: "\n".join(["---", *x]))))
def test_no_text_raises_and_none_is_lost(text: str) -> None:
    front = split_front_matter(text)
    assert text.endswith(front.body)
    block = text.removesuffix(front.body) if front.body else text
    assert front.body_offset == block.count("\n")
    if block:
        first, *inner, last = block.split("\n")
        assert set(first.strip()) == {"-"} and any(set(line.strip()) == {"-"} for line in [*inner, last])
    assert all(1 <= line <= text.count("\n") + 1 for line in front.lines.values())


@given(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u0085\u2028\u2029\ufeff\ufffe\uffff"),
        max_size=40,
    )
)
def test_any_quoted_title_comes_back_as_written(title: str) -> None:
    quoted = title.replace("'", "''")
    front = split_front_matter(f"---\ntitle: '{quoted}'\n---\nText")
    assert front.values["title"] == title
    assert front.body == "\nText"
