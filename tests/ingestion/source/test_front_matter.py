"""Front matter: every form that generators read, kept as text; what is there and cannot be read closes the page."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.source.crawler import SourceFile
from ingestion.source.generators import named
from ingestion.source.metadata.front_matter import FrontMatter, UnreadableMetadata, split_front_matter
from ingestion.source.metadata.plain_yaml import MAX_NODES
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
        "+++\na = 1\n+++\n# H",
        '{\n"a": 1\n}\n\n# H',
        "\n\n---\ntitle: a\n---\n# H",
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


def refusal(text: str) -> UnreadableMetadata:
    with pytest.raises(UnreadableMetadata) as caught:
        split_front_matter(text)
    return caught.value


def test_an_alias_bomb_is_refused_before_it_is_unfolded(cases: Path) -> None:
    started = time.process_time()
    error = refusal(read_source(SourceFile("x.md", cases / "c09/huge-alias.md")).decode())
    assert time.process_time() - started < 10
    assert str(MAX_NODES) in error.reason


@pytest.mark.parametrize(
    "block",
    ["a: &a [*a]", "a: &a {b: *a}", "a: " + "[" * 100_000, "a: " + "{a: " * 5_000, "a: [" + "x," * 25_000 + "]"],
    ids=["itself in a list", "itself in a map", "deep lists", "deep maps", "many values"],
)
def test_a_block_that_never_ends_is_refused(block: str) -> None:
    assert refusal(f"---\n{block}\n---\nText.").line == 2


@pytest.mark.parametrize(("name", "line"), [("02-broken.md", 2), ("03-tab.md", 3)])
def test_broken_yaml_closes_the_page_and_names_the_line(cases: Path, name: str, line: int) -> None:
    """Case C10."""
    error = refusal(read_source(SourceFile("x.md", cases / f"c10/{name}")).decode())
    assert error.line == line and "not valid YAML" in error.reason


def test_a_colon_in_a_title_closes_the_page_and_says_how_to_write_it() -> None:
    error = refusal("---\ntitle: Part 2: The Arm\nhardware_tier: 4\n---\n# H\n")
    assert error.line == 2 and "put the value in quotes" in error.reason


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("---\ntitle: never closed\n\n# H\n", 1, "never closed"),
        ("+++\ntitle = 'x'\n\n# H\n", 1, "never closed"),
        ("+++\ntitle = 'x'\ntier = \n+++\n", 3, "TOML"),
        ('---json\n{"a": 1,\n"b"}\n---\n', 3, "JSON"),
        ('{\n"title": "x",\n"tier" 4\n}\n# H\n', 3, "JSON"),
        (';;;\n"a": 1 2\n;;;\n', 2, "JSON"),
        ("---\n- title: x\n- tier: 4\n---\n", 2, "list"),
        ("---\ntitle: \x01\n---\n", 2, "control character"),
        ("\n---\nhardware_tier: 4\ntitle: a: b\n---\n# H\n", 4, "YAML"),
        ("\n---\nhardware_tier: 4\n\n# H\n", 2, "never closed"),
    ],
)
def test_metadata_that_is_there_and_cannot_be_read_closes_the_page(text: str, line: int, word: str) -> None:
    error = refusal(text)
    assert error.line == line and word in error.reason


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: T\nhardware_tier: 4\ndraft: false\ntags: [a]\n---\n\nBody",
        "---yaml\ntitle: T\nhardware_tier: 4\ndraft: false\ntags: [a]\n---\n\nBody",
        "--- \ntitle: T\nhardware_tier: 4\ndraft: false\ntags: [a]\n...\n\nBody",
        "+++\ntitle = 'T'\nhardware_tier = 4\ndraft = false\ntags = ['a']\n+++\n\nBody",
        "---toml\ntitle = 'T'\nhardware_tier = 4\ndraft = false\ntags = ['a']\n---\n\nBody",
        '---json\n{"title": "T", "hardware_tier": 4, "draft": false, "tags": ["a"]}\n---\n\nBody',
        '{\n"title": "T", "hardware_tier": 4,\n"draft": false, "tags": ["a"]\n}\n\nBody',
        ';;;\n"title": "T", "hardware_tier": 4,\n"draft": false, "tags": ["a"]\n;;;\n\nBody',
    ],
)
def test_every_form_of_metadata_says_the_same(text: str) -> None:
    front = split_front_matter(text)
    assert front.values == {"title": "T", "hardware_tier": "4", "draft": "false", "tags": ["a"]}
    assert (front.body, front.problems) == ("\n\nBody", ())
    assert front.lines["hardware_tier"] in (2, 3)


def test_metadata_below_a_blank_line_or_a_remark_counts_and_is_reported() -> None:
    """Case N02: generators show it as text, and its tier must not be lost."""
    for before in ("\n", "<!-- c -->\n", "\n\n<!-- a\nb -->\n"):
        front = split_front_matter(f"{before}---\ntitle: Late\nhardware_tier: 4\n---\n# H\n")
        assert front.values == {"title": "Late", "hardware_tier": "4"}
        assert [rule for _, rule in rules(front)] == ["front-matter-place"]
        assert front.lines["title"] == 2 + before.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "----\ntitle: T\nhardware_tier: 4\n----\n# Body\n",
        "-----\nhardware_tier: 4\n---\n# Body\n",
        "  ---\nhardware_tier: 4\n---\n# Body\n",
        "\u00a0---\nhardware_tier: 4\n---\n# Body\n",
        "\u200b\n\ufeff---\nhardware_tier: 4\n---\n# Body\n",
        " +++\nhardware_tier = 4\n+++\n# Body\n",
    ],
)
def test_metadata_with_a_wrong_mark_close_the_page_and_are_reported(text: str) -> None:
    front = split_front_matter(text)
    assert (front.values["hardware_tier"], front.body.strip()) == ("4", "# Body")
    assert [rule for _, rule in rules(front)] == ["front-matter-place"]


@pytest.mark.parametrize(
    "text", ["----\n# Title\n\ntitle: x\n\n----\nmore\n", "----\nid: 5 is text\n", "-----\n\nText\n"]
)
def test_text_between_long_rules_is_text(text: str) -> None:
    front = split_front_matter(text)
    assert (front.values, front.body, rules(front)) == ({}, text, [])


def test_halves_of_a_character_are_joined_and_reported() -> None:
    """Case N19."""
    front = split_front_matter('---\ntitle: "\\ud83d\\ude80 Launch"\nid: "\\ud83d"\n---\n')
    assert front.values == {"title": "\U0001f680 Launch", "id": "\ufffd"}
    assert [rule for _, rule in rules(front)] == ["front-matter-escape"]


def test_other_line_breaks_end_no_line_and_are_reported() -> None:
    front = split_front_matter("---\ntitle: a\u2028hardware_tier\nhardware_tier: 4\n---\n")
    assert front.values == {"title": "a hardware_tier", "hardware_tier": "4"}
    assert [rule for _, rule in rules(front)] == ["front-matter-break"]


def test_a_repeated_json_key_is_reported() -> None:
    front = split_front_matter('---json\n{"a": 1,\n"a": 2}\n---\n')
    assert front.values == {"a": "2"} and front.repeated == {"a"}


def test_mkdocs_reads_lines_without_a_mark_and_only_mkdocs() -> None:
    text = "Title: The arm\nHardware_Tier: 4\nnotes: one\n    two\n\n# H\n"
    front = named("mkdocs").front_matter(text)
    assert front.values == {"title": "The arm", "hardware_tier": "4", "notes": "one two"}
    assert front.body == "\n# H\n" and front.body_offset == 4
    assert split_front_matter(text).body == text
    assert named("mkdocs").front_matter("# H\n\nTitle: x\n").values == {}


@pytest.mark.parametrize("text", ["{/* remark */}\n\n# H", "{expr}\n", "{\n  props.x\n}\n", "{{ shortcode }}\n"])
def test_a_brace_that_opens_no_key_is_text(text: str) -> None:
    assert split_front_matter(text) == FrontMatter({}, {}, text, 0)


def test_finding_no_metadata_takes_time_in_proportion_to_the_text() -> None:
    started = time.process_time()
    for text in ("---\n" + "\n" * 500_000 + "x", "---\na" + " " * 500_000, "<!-- " * 100_000, "\n" * 500_000 + "x"):
        split_front_matter(text)
    assert time.process_time() - started < 20


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
        "-----\n\nprose\n",
        "---php\na: 1\n---\n",
    ],
)
def test_what_opens_no_metadata_is_text(text: str) -> None:
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
        "+++",
        "a = 1",
        ";;;",
        '"a": 1',
        "{",
        "}",
        "title: x",
    ]
)


@given(
    st.one_of(st.text(), st.lists(LINES).map("\n".join), st.lists(LINES).map(lambda x: "\n".join(["---", *x]))),
    st.sampled_from(["unknown", "mkdocs"]),
)
def test_no_text_is_lost_and_a_refusal_names_a_line_of_it(text: str, generator: str) -> None:
    lines = text.count("\n") + 1
    try:
        front = named(generator).front_matter(text)
    except UnreadableMetadata as error:
        assert 1 <= error.line <= lines
        return
    assert text.endswith(front.body)
    block = text.removesuffix(front.body) if front.body else text
    assert front.body_offset == block.count("\n")
    assert all(1 <= line <= lines for line in front.lines.values())
    assert all(1 <= line <= lines for line, _, _ in front.problems)


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
