"""What is embedded: every word a reader sees, and nothing that only a browser or a build needs."""

from __future__ import annotations

import pytest

from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.parser import parse_blocks
from ingestion.markdown.shown import shown_text
from ingestion.markdown.syntax import ANY, Syntax

URI = "data:image/png;base64," + "iVBORw0KGgo" * 20


def embedded(source: str) -> str:
    source = shown_text(source, ANY).text
    page = Page(source)
    return clean(source, 0, len(source), find_edits(page, walk(parse_blocks(page.lines))))


@pytest.mark.parametrize(
    "source",
    [
        "<UDID> is a placeholder",
        "a < b and c > d",
        "List<T> and Promise<void>",
        "if x <y then z> w",
        "`<b>` and ``<i> ` </i>``",
        "The value is {level}",
        "sets {a=1} {.5} and {{.Name}}, {:?} and 100 {% of it",
        "`{% if x %}` and `[a](b){.c}`",
        "$a < b$ and $$x_1$$",
        "[not a link] and [^note]",
        "100%% of 50%% and %%open",
        "AT&T and &notanentity; and R&D;",
        "import the module from 'catalog' before you order.",
        "\\<b> \\[a](b)",
        "<https://example.org>",
        "100 % data: none",
        "See <your api key>.",
        "```html\n<b>{#id}</b> [a](b) <!-- c -->\n```",
        "    <- indented code",
        "emoji 👨‍👩‍👧‍👦",
    ],
)
def test_this_stays_as_it_is(source: str) -> None:
    assert embedded(source) == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('a [link](http://x.y/z_(1) "title") b', "a link b"),
        ("[text][ref] and\n\n[ref]: http://x.y", "text and"),
        ("[soft\nbreak](u)", "soft\nbreak"),
        ("![alt `x`](a.png)", "alt `x`"),
        ("[![badge](b.svg)](http://x.y)", "badge"),
        ("**[bold](u)** [two](v)", "**bold** two"),
        ("<b>bold</b> H<sub>2</sub>O", "bold H2O"),
        ("The remedy is [[Magnetometer]]\nand [[a|b]].", "The remedy is Magnetometer\nand b."),
        ("# Related to [[Hygrometer]]", "# Related to Hygrometer"),
        ("Words[^n] of it[^1].\n\n[^n]: A note.", "Words of it.\n\nA note."),
        ("Press ++ctrl+c++ on :material-check:{ .x } ==this== [a][b]{ .y }", "Press ctrl+c on  this a"),
        ('```py title="a.py" hl_lines="1"\nx\n```', '```py title="a.py"\nx\n```'),
        ("```ts {1} [config.ts]\nx\n```", "```ts [config.ts]\nx\n```"),
        ("> [!INFO] Own title\n> words", ">  Own title\n> words"),
        ("A paragraph.\n{.lead-text}", "A paragraph."),
        ("The sum \\\\(x_i\\\\) of it", "The sum \\(x_i\\) of it"),
        ("one<br/>two", "one two"),
        ("<img src='a.png' alt='x'/> text", "x text"),
        ("<Tabs groupId='os'>\n<TabItem value='a' label='Ubuntu Jammy'>\n\nwords", "Ubuntu Jammy\n\nwords"),
        ('<Card title="Grippers" description="How they hold" href="/g" />', "Grippers. How they hold"),
        ("<Tabs values={[{label: 'One', value: 'a'}, {\"label\": `Two`}]} />words", "One. Two words"),
        ("a<Icon label={'Fish &amp; chips'} />b", "a Fish & chips b"),
        ("<a title='tooltip' href='b'>words</a>", "words"),
        ("<Badge /> Feature <Check /> works", " Feature  works"),
        ("<style>\n.a { b: c }\n\n.d {}\n</style>\n\nwords", "words"),
        ("<script>\nx = 1;\n\ny = 2;\n</script>\nwords", "words"),
        ("<svg><title>Hidden</title><text>Shown</text></svg> words", " Shown  words"),
        ("a %%private%% b", "a  b"),
        ("%%\nprivate\n\n# more\n%%\n\nwords", "words"),
        ("<!-- a\n\nb --> words", " words"),
        ("Fish &amp; chips &lt;10 caf&eacute; a&nbsp;b &#x41;", "Fish & chips <10 café a b A"),
        ("\ufe8d\ufedf\ufee4 \u0645\u06cc\u200c\u062e\u0648", "\u0627\u0644\u0645 \u0645\u06cc\u062e\u0648"),
        ("one  \ntwo\t\r\nthree \n", "one\ntwo\nthree"),
        ("<Note>words</Note>", "words"),
        ("<Tab label={<b>x</b>} on={() => 3 > 2}>words</Tab>", "words"),
        ("<>words</>", "words"),
        ("[Start](a.md){ .button .wide } now", "Start now"),
        ("![alt](a.png){: width=300 title='x y' } now", "alt now"),
        ("words\n{: .wide #own }\n\nmore", "words\n\n\nmore"),
        ("* words\n{:toc}", "* words"),
        ("a {% comment %}\nhidden\n\n## Hidden\n{%- endcomment -%} b", "a\n\n b"),
        ("{::comment}\nhidden\n\n{:/comment}words", "words"),
        ("{{% comment %}}hidden{{% /comment %}}words", "words"),
        ("{% raw %}Use {{ braces }}.{% endraw %}", "Use {{ braces }}."),
        ('{% hint style="info" title="Mind this" %}\nwords\n{% endhint %}', "Mind this:\nwords"),
        ('Write {{</* tab "name" */>}} here.', 'Write {{< tab "name" >}} here.'),
        ('<Badge text="beta" />', "beta"),
        ("<p hidden>secret</p>words", "words"),
        ('<div style="color: red; display:none">\n<div>one</div>\n\ntwo\n</div>\nwords', "words"),
        ("<div style={{display: 'none'}}>secret</div>words", "words"),
        ('<p hidden="until-found">words</p>', "words"),
        ('<p class="hidden" data-hidden title="hidden x">words</p>', "words"),
        ("<details open>\n<summary>S</summary>\n\nwords\n\n</details>", "S\n\nwords"),
        ("# Title {#own-id}", "# Title"),
        ("# Title[[own-id]]", "# Title"),
        ("# Title {#own-id .wide}", "# Title"),
        ("# Title {: #own-id } ##", "# Title  ##"),
        ("Title {#own-id x=1}\n===", "Title\n==="),
        ("# Title {/* own-id */}", "# Title"),
        ("a <!-- remark --> b", "a  b"),
        ("<!-- CO_OP_TRANSLATOR_METADATA:\n{}\n-->\n# T", "# T"),
        ("{/* two\n\nlines */}\n\nwords", "words"),
        ("import {\n  a,\n} from 'b';\n\nwords", "words"),
        ("export const a = [\n\n  1,\n];\nwords", "words"),
        ("{{< tabs >}}\nwords\n{{< /tabs >}}", "words"),
        ('{{< tab "macOS" >}}\nwords', "macOS:\nwords"),
        ('{{< tabs items="JSON,YAML" >}}{{% tab header="Rust" %}}', "JSON,YAML: Rust:"),
        ('{{< youtube "id" >}} {{< ref "a.md" >}} words', "  words"),
        ('{{% alert title="Careful" color="red" %}}words{{% /alert %}}', "Careful: words"),
        (":::warning[Hot parts]\nwords\n:::", "Hot parts\nwords"),
        ("::::note Title {.x}\nwords\n::::", "Title\nwords"),
        (":::tip\n\nwords\n\n:::", "tip\n\nwords"),
        ("> [!NOTE]\n> words", "> Note:\n> words"),
        (f"![x]({URI}) words", "x words"),
        (f"src {URI} words", "src  words"),
        ("zero\u200bwidth \ufeff\u00ad\u200e mark", "zerowidth  mark"),
        ("Quiz <Quiz questions={[{ q: 'a > b' }]} /> end", "Quiz  end"),
    ],
)
def test_this_is_cleaned(source: str, expected: str) -> None:
    assert embedded(source) == expected


@pytest.mark.parametrize(
    "source", ["<!-- only -->", "import a from 'b';", "<br/>", "---", f"![]({URI})", "{/* x */}"]
)
def test_nothing_remains_of_what_is_only_dropped(source: str) -> None:
    assert embedded(source) == ""


def test_an_open_mark_drops_nothing_beyond_its_paragraph() -> None:
    source = "a <!-- open\n\nkept\n\nb --> c {/* open\n\nkept */}"
    assert embedded(source) == source


def test_a_piece_of_a_long_tag_is_dropped_as_part_of_the_whole() -> None:
    source = "<Quiz q={[" + "'words', " * 50 + "]} />"
    page = Page(source)
    edits = find_edits(page, walk(parse_blocks(page.lines)))
    assert [clean(source, start, start + 100, edits) for start in range(0, 400, 100)] == [""] * 4


def quoted(source: str, syntax: Syntax = ANY) -> str:
    page = Page(shown_text(source, syntax).text)
    return clean(page.text, 0, len(page.text), find_edits(page, walk(parse_blocks(page.lines)), (), ANY, quoted=True))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Press ++ctrl+c++ :material-check: now", "Press ctrl+c  now"),
        ("A {--gone--} word, {++new++}, {~~old~>young~~}, {==marked==}", "A  word, new, young, marked"),
        ("x = a{i=1} and f(x){i=1}", "x = a{i=1} and f(x){i=1}"),
        ("[Go](x.md){ .md-button width=3 } and [go](y.md){ target=_blank }", "Go and go"),
        ("```py\nx = 1  # (1)!\ny = f(1)!=2\n```", "```py\nx = 1\ny = f(1)!=2\n```"),
        ("Use ~~pip~~ <del>pip</del> uv", "Use   uv"),
        ("A **bold *and* [two*](x) three** end", "A bold and two* three end"),
        ("a [b [c](d) e](f)", "a [b c e](f)"),
        ("![a [b](c) d](e)", "a b d"),
        ("[Go]({% link a b.md %}#c) on", "Go on"),
        ('[Go]({{< ref "a.md" >}})', "Go"),
        ("> A `code > span` and **two\n> lines** of [a\n> link](x)", "A `code > span` and two\nlines of a\nlink"),
        ("| **a | b** |\n|---|---|\n| `x` *y* | [z](u) |", "| **a | b** |\n|---|---|\n| `x` y | z |"),
    ],
)
def test_quotes_show_marks_as_the_page_does(source: str, shown: str) -> None:
    assert quoted(source) == shown


def test_a_doubled_hash_of_rust_is_one_on_the_page() -> None:
    mdbook = Syntax(name="mdbook", hidden_code=(("rust", "# "),))
    assert quoted("```rust\n# let hidden = 1;\n## shown\n#[derive(X)]\n```", mdbook) == (
        "```rust\n# shown\n#[derive(X)]\n```"
    )
