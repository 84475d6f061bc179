"""The page's own markdown: what elements each construct becomes, and that anything else stays text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.served_book import ServedBook

SHOW = """async (text) => {
  const { showProse } = await import("/static/markdown/prose.js");
  const place = document.createElement("div");
  showProse(place, text);
  for (const each of place.querySelectorAll("*")) {
    for (const name of each.getAttributeNames()) if (!["href", "start"].includes(name)) each.removeAttribute(name);
  }
  place.querySelectorAll("figcaption").forEach((each) => each.remove());
  return place.innerHTML;
}"""
STREAM = """async (text) => {
  const { showProse } = await import("/static/markdown/prose.js");
  const [streamed, whole] = [document.createElement("div"), document.createElement("div")];
  for (let end = 1; end <= text.length; end += 1) showProse(streamed, text.slice(0, end));
  showProse(whole, text);
  return [streamed.innerHTML, whole.innerHTML];
}"""
CASES = {
    "- [ ] open\n- [x] **done**": "<ul><li><input> open</li><li><input> <strong>done</strong></li></ul>",
    "As told[^1].\n\n[^1]: By *them*.\n    And others.": "<p>As told<sup>1</sup>.</p>"
    "<div><span>1</span><div><p>By <em>them</em>.\nAnd others.</p></div></div>",
    "[the *old* page](../my old page.md) and [none]()": "<p><span>the <em>old</em> page</span> "
    "and <span>none</span></p>",
    "a **b** *c* ***d*** ~~e~~ `f * g`": "<p>a <strong>b</strong> <em>c</em> <strong><em>d</em></strong> <s>e</s> "
    "<code>f * g</code></p>",
    "snake_case_name and _this_, 2 * 3 * 4, **open": "<p>snake_case_name and <em>this</em>, 2 * 3 * 4, **open</p>",
    "**all `of` it**": "<p><strong>all <code>of</code> it</strong></p>",
    r"\*not\* \[1\]": "<p>*not* [1]</p>",
    "see [2], [3].": "<p>see <span><button><span>[</span>2<span>]</span></button>,</span> "
    "<span><button><span>[</span>3<span>]</span></button>.</span></p>",
    "x[1](y) z[1000]": "<p>x<span>1</span> z[1000]</p>",
    "[a](https://x.example/b_(c)) <https://y.example>": '<p><a href="https://x.example/b_(c)">a</a> '
    '<a href="https://y.example">https://y.example</a></p>',
    "go to https://x.example/a?b=1.": '<p>go to <a href="https://x.example/a?b=1">https://x.example/a?b=1</a>.</p>',
    "[a](javascript:alert(1)) [b](/c) [d](ftp://e)": "<p><span>a</span> <span>b</span> <span>d</span></p>",
    "![a cat](https://x.example/cat.png)": "<p><span>a cat</span></p>",
    "<script>alert(1)</script>": "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
    "one  \ntwo\nthree": "<p>one<br>two\nthree</p>",
    "# A\n\n### B\n\n## C": "<h3>A</h3><h4>B</h4><h4>C</h4>",
    "- a\n  - b\n- c": "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>",
    "3. a\n4. b\n\ntext": '<ol start="3"><li>a</li><li>b</li></ol><p>text</p>',
    "born in\n1998. Then": "<p>born in\n1998. Then</p>",
    "> a\n> b": "<blockquote><p>a\nb</p></blockquote>",
    "> [!NOTE]\n> a": "<div><p>Note</p><p>a</p></div>",
    ":::tip Do this\na\n:::\nb": "<div><p>Do this</p><p>a</p></div><p>b</p>",
    "```py\n# **x**\n```\nafter": "<figure><pre><code># **x**</code></pre></figure><p>after</p>",
    "~~~\nnever closed\n\n[1]": "<figure><pre><code>never closed\n\n[1]</code></pre></figure>",
    "| a | b |\n|---|--:|\n| `x|y` | |\n": "<div><table><thead><tr><th>a</th><th>b</th></tr></thead>"
    "<tbody><tr><td><code>x|y</code></td><td></td></tr></tbody></table></div>",
    "a | b is no table": "<p>a | b is no table</p>",
    "It is $x_1 + *y*$ or \\(a^2\\).": "<p>It is <span>$x_1 + *y*$</span> or <span>\\(a^2\\)</span>.</p>",
    "from $5 to $6, $HOME/$PATH and \\(not a formula\\)": "<p>from $5 to $6, $HOME/$PATH and (not a formula)</p>",
    "as\n$$\na = b\n$$\n\n\\[ c \\]\nend": "<p>as</p>"
    "<p><span>$$\na = b\n$$</span></p><p><span>\\[ c \\]</span></p><p>end</p>",
    "$$\nnever\n\nclosed": "<p>$$\nnever</p><p>closed</p>",
    "a\n\n---\n\nb": "<p>a</p><hr><p>b</p>",
}
TAGS = {
    '<Tabs>\n<TabItem value="a" label="Linux">\n\n`ls`\n\n</TabItem>\n</Tabs>': "<p><strong>Linux</strong></p>"
    "<p><code>ls</code></p>",
    "<details>\n<summary>Show <b></summary>\nYes.\n</details>": "<p><strong>Show &lt;b&gt;</strong></p><p>Yes.</p>",
    "```\n<Tabs>\n</Tabs>\n```": "<figure><pre><code>&lt;Tabs&gt;\n&lt;/Tabs&gt;</code></pre></figure>",
    "a <Tabs> b\n\n<include>": "<p>a &lt;Tabs&gt; b</p><p>&lt;include&gt;</p>",
    '<Card title="<img src=x onerror=alert(1)>" />': "<p><strong>&lt;img src=x onerror=alert(1)&gt;</strong></p>",
    "<>\none\n</>": "<p>one</p>",
    "<A" + " a" * 5000 + "!": "<p>&lt;A" + " a" * 5000 + "!</p>",
}
WITHOUT_TAGS = """async (text) => {
  const { withoutTags } = await import("/static/markdown/tags.js");
  return withoutTags(text).text;
}"""
HOSTILE = tuple(mark * 3000 for mark in ("$", "$a ", "\\[\n", "\\(", "*", "[", "`", "_a", "> ", "- ", "|"))
HOSTILE += ("|" * 5000 + "\n" + "|-" * 2000,)


@pytest.fixture(scope="module")
def page(browser: Any, served: ServedBook) -> Iterator[Any]:
    page = browser.new_page()
    page.goto(served.url)
    yield page
    page.close()


@pytest.mark.parametrize("text", CASES, ids=lambda text: text.split("\n")[0])
def test_markdown_becomes_these_elements(page: Any, text: str) -> None:
    assert page.evaluate(SHOW, text) == CASES[text]


@pytest.mark.parametrize("text", ["\n\n".join(CASES), "\n\n".join(reversed(CASES))], ids=["cases", "reversed"])
def test_a_text_that_grows_letter_by_letter_ends_as_the_whole_would(page: Any, text: str) -> None:
    streamed, whole = page.evaluate(STREAM, text)
    assert streamed == whole


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:2])
def test_no_text_holds_the_page_up(page: Any, text: str) -> None:
    assert page.evaluate(f"async (text) => {{ await ({SHOW})(text); return 'shown' }}", text) == "shown"


@pytest.mark.parametrize("text", TAGS, ids=lambda text: text.split("\n")[0][:20])
def test_tags_that_stand_alone_are_not_shown_in_a_passage(page: Any, text: str) -> None:
    assert page.evaluate(SHOW, page.evaluate(WITHOUT_TAGS, text)) == TAGS[text]


RENDER = """async ([text, results]) => {
  const { showProse } = await import("/static/markdown/prose.js");
  const { renderMarks } = await import("/static/markdown/rendering.js");
  const place = document.createElement("div");
  const asked = [];
  showProse(place, text);
  for (let time = 0; time < 2; time += 1) {
    await renderMarks(place, async (items) => (asked.push(items), { items: results }));
  }
  return [asked, place.querySelector("p:last-child").innerHTML, place.querySelector("code").innerHTML];
}"""


def test_code_and_formulas_are_asked_for_once_and_become_elements_without_markup(page: Any) -> None:
    text = "```py\nx = '<b>'\n```\n\n$a<b$"
    code = [["", "x = "], ["string", "'<b>'"]]
    tree = ["math", {"display": "inline"}, [["mi", {}, ["a<b>"]]]]
    asked, formula, shown = page.evaluate(RENDER, [text, [code, tree]])
    items = [
        {"kind": "code", "text": "x = '<b>'", "language": "py"},
        {"kind": "math", "text": "a<b", "display": False},
    ]
    assert asked == [items]
    assert shown == "x = <span class=\"code-string\">'&lt;b&gt;'</span>"
    assert '<math display="inline"><mi>a&lt;b&gt;</mi></math>' in formula


def test_a_request_that_failed_is_made_again_for_the_next_text(page: Any) -> None:
    shown = page.evaluate(
        """async () => {
  const { showProse } = await import("/static/markdown/prose.js");
  const { renderMarks } = await import("/static/markdown/rendering.js");
  const place = document.createElement("div");
  showProse(place, "$once$");
  await renderMarks(place, () => Promise.reject(new Error("away")));
  await renderMarks(place, async () => ({ items: [["math", {}, ["once"]]] }));
  return place.querySelector("math")?.textContent;
}"""
    )
    assert shown == "once"


def test_what_the_server_cannot_render_stays_as_it_was_written(page: Any) -> None:
    _, formula, code = page.evaluate(RENDER, ["```nolanguage\nx = 1\n```\n\n$a \\unknown$", [None, None]])
    assert "$a \\unknown$" in formula and code == "x = 1"


def test_a_list_within_a_list_runs_as_the_one_around_it(page: Any) -> None:
    text = "1. روبوٹ ایک مشین ہے جو خود کام کرتی ہے\n   - `one` two three four five six seven\n2. دوسرا قدم"
    nested = """text => import("/static/markdown/prose.js").then(({ showProse }) => {
      const place = document.body.appendChild(document.createElement("div"));
      showProse(place, text);
      return getComputedStyle(place.querySelector("ul")).direction;
    })"""
    assert page.evaluate(nested, text) == "rtl"


MARK = """async ([text, from, to]) => {
  const { showProse, markLines } = await import("/static/markdown/prose.js");
  const place = document.createElement("div");
  showProse(place, text);
  return markLines(place, from, to).map((each) => each.textContent.trim());
}"""
LINES = "# Head\n\nOne\ntwo.\n\n- a\n- b\n  more\n- c\n\n| x | y |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |\n"


@pytest.mark.parametrize(
    ("lines", "marked"),
    [
        ((2, 4), ["One\ntwo."]),
        ((3, 4), ["One\ntwo."]),
        ((6, 8), ["b\nmore"]),
        ((6, 9), ["b\nmore", "c"]),
        ((13, 14), ["34"]),
        ((4, 5), []),
        ((90, 91), []),
    ],
)
def test_lines_are_marked_by_block_item_and_row(page: Any, lines: tuple[int, int], marked: list[str]) -> None:
    assert page.evaluate(MARK, [LINES, *lines]) == marked


PICTURES = """async ([text, page]) => {
  const { showProse } = await import("/static/markdown/prose.js");
  const { showPictures } = await import("/static/chat/pictures.js");
  const place = document.body.appendChild(document.createElement("div"));
  showProse(place, text);
  showPictures(place, page);
  await new Promise((ready) => setTimeout(ready, 1500));
  const seen = (each) => each.querySelector("img")?.alt ?? `words: ${each.textContent}`;
  const shown = [...place.querySelectorAll(".picture")].map(seen);
  place.remove();
  return shown;
}"""


def test_a_passage_shows_pictures_of_its_site_and_of_no_other_host(page: Any) -> None:
    text = """![Root](/static/icon.svg) ![Beside](icon.svg "t") <img src='../static/icon.svg' alt="Above"/>

![Gone](/static/none.svg) ![Far](https://example.org/far.png) ![Data](data:image/png;base64,AAAA) ![](<nothing>)"""
    address = page.evaluate("location.origin")
    shown = page.evaluate(PICTURES, [text, f"{address}/static/lesson"])
    assert shown == ["Root", "Beside", "Above", "words: Gone", "words: Far", "words: Data", "words: picture"]
    assert page.evaluate(PICTURES, [text, "lesson.md:1-2"])[0] == "words: Root"


PLACES = """async (sources) => {
  await (await import("/static/language.js")).speak("en");
  const { sourceList } = await import("/static/chat/sources.js");
  const list = sourceList(sources, () => {});
  return [...list.querySelectorAll(".source-place")].map((each) => each.textContent);
}"""


def test_no_two_cards_look_the_same_and_lines_only_tell_apart(page: Any) -> None:
    def source(number: int, file: str, lines: tuple[int, int], *path: str) -> dict[str, Any]:
        place = {"source_file": file, "line_start": lines[0], "line_end": lines[1], "heading_path": path}
        named = {"number": number, "page_title": "Nodes", "chapter": "Chapter 1", "url": "", "chunk_text": "## Other"}
        return named | place

    places = page.evaluate(
        PLACES,
        [
            source(1, "a.md", (1, 4), "Example"),
            source(2, "a.md", (13, 13), "Example"),
            source(3, "b.md", (1, 4), "Example"),
            source(4, "a.md", (20, 30), "Use", "Detail"),
            source(5, "a.md", (40, 41)),
        ],
    )
    assert places == [
        "Chapter 1 › Example · lines 1–4 · a.md",
        "Chapter 1 › Example · line 13",
        "Chapter 1 › Example · lines 1–4 · b.md",
        "Chapter 1 › Use › Detail",
        "Chapter 1",
    ]


DIRECTIONS = """async (text) => {
  const { showProse } = await import("/static/markdown/prose.js");
  const place = document.createElement("div");
  place.className = "prose";
  place.style.inlineSize = "343px";
  document.body.append(place);
  showProse(place, text);
  const [list, item] = [place.querySelector("ol"), place.querySelector("li")];
  const cells = [...place.querySelectorAll("th")].map((each) => each.getBoundingClientRect().left);
  const style = getComputedStyle(list);
  const isRight = style.paddingRight !== "0px";
  const result = [style.direction, getComputedStyle(item).direction, isRight, cells[0] > cells[1]];
  place.remove();
  return result;
}"""


@pytest.mark.parametrize(
    ("text", "mirrored"),
    [
        ("1. `ros2 run` سے نوڈ شروع کریں\n2. پیغام دیکھیں\n\n| نام | کام |\n| - | - |\n| `topic` | پیغام |", True),
        ("1. Start the node\n2. Look\n\n| name | use |\n| - | - |\n| a | b |", False),
    ],
)
def test_lists_and_tables_run_the_way_of_their_text(page: Any, text: str, mirrored: bool) -> None:
    direction = "rtl" if mirrored else "ltr"
    assert page.evaluate(DIRECTIONS, text) == [direction, direction, mirrored, mirrored]


@pytest.mark.parametrize(
    ("text", "marked", "shown"),
    [
        (
            "Old. The `pump` runs. Stop.",
            "The `pump` runs.",
            "<p>Old. <mark>The <code>pump</code> runs.</mark> Stop.</p>",
        ),
        ("🚰 Old. It runs. Stop.", "It runs.", "<p>🚰 Old. <mark>It runs.</mark> Stop.</p>"),
        ("- one\n- it runs", "it runs", "<ul><li>one</li><li><mark>it runs</mark></li></ul>"),
        ("It runs\nfast. Stop.", "It runs\nfast.", "<p><mark>It runs\nfast.</mark> Stop.</p>"),
    ],
)
def test_the_sentence_that_answers_is_marked(page: Any, text: str, marked: str, shown: str) -> None:
    start = text.index(marked)
    excerpts = [{"number": 1, "marked_start": start, "marked_end": start + len(marked)}, {"number": 2}]
    with_marks = """async ([text, excerpts]) =>
      (await import("/static/markdown/inline.js")).withMarks(text, excerpts)"""
    assert page.evaluate(SHOW, page.evaluate(with_marks, [text, excerpts])) == shown
    assert page.evaluate(with_marks, [text, []]) == text
