"""What each generator's include puts into a page, and the lines that it is cited with."""

from pathlib import Path

import pytest

from ingestion.markdown.blocks import walk
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.parser import parse_page
from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.generators import syntax_named
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source
from tests.support.books import write_book

SITES = {
    "docusaurus.config.js": "export default {presets: [['classic', {docs: {path: 'docs'}}]]};",
    "book.toml": '[book]\nsrc = "docs"\n',
    "mkdocs.yml": "site_name: Book\n",
    "_config.yml": "source: docs\n",
    "docs/.vitepress/config.mts": "export default {}\n",
    "hugo.toml": 'baseURL = "https://x.example"\ncontentDir = "docs"\n',
}


def lesson_in(folder: Path, config: str | None, files: dict[str, str], page: str = "docs/a/page.md") -> Lesson:
    write_book(folder, files | ({config: SITES[config]} if config else {}))
    found = crawl_book(folder / "docs", Settings())
    file = next(file for file in found.files if f"docs/{file.path}" == page)
    return parse_lesson(read_source(file), Settings())


RUST = """use std::io;
// ANCHOR: here
fn main() {
    // ANCHOR: inner
    run();
    // ANCHOR_END: inner
}
// ANCHOR_END: here
"""


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        ("{{#include ../../code/a.rs:here}}", "fn main() {\n    run();\n}"),
        ("{{#include ../../code/a.rs:inner}}", "    run();"),
        ("{{#rustdoc_include ../../code/a.rs:1}}", "use std::io;"),
        ("{{#include ../../code/a.rs:3:5}}", "fn main() {\n    // ANCHOR: inner\n    run();"),
        ("{{ #include ../../code/a.rs:8: }}", "// ANCHOR_END: here"),
        ("{{#include ../../code/a.rs::1}}", "use std::io;"),
        ("before {{#include ../../code/a.rs:1}} after", "before use std::io; after"),
        ("{{#playground ../../code/b.rs editable}}", "```rust\nfn b() {}\n```"),
        (r"\{{#include ../../code/a.rs:1}}", r"\{{#include ../../code/a.rs:1}}"),
    ],
)
def test_mdbook(tmp_path: Path, directive: str, text: str) -> None:
    files = {"code/a.rs": RUST, "code/b.rs": "fn b() {}\n", "docs/SUMMARY.md": "- [P](a/page.md)\n"}
    lesson = lesson_in(tmp_path, "book.toml", files | {"docs/a/page.md": f"# P\n\n{directive}\n\nEnd.\n"})
    assert lesson.body == f"# P\n\n{text}\n\nEnd.\n"
    assert not lesson.findings
    assert {lesson.line(number) for number in range(3, 3 + text.count("\n") + 1)} == {3}
    assert lesson.line(lesson.body.count("\n")) == 5


SECTIONS = "# One\n--8<-- [start:part]\nTwo\n--8<-- [end:part]\nThree\nFour\n"


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        ('--8<-- "shared/s.md"', "# One\nTwo\nThree\nFour"),
        ("--8<-- 'shared/s.md:part'", "Two"),
        ('--8<-- "shared/s.md:5"', "Three\nFour"),
        ('--8<-- "shared/s.md:5:5"', "Three"),
        ('--8<-- "shared/s.md::1"', "# One"),
        ('--8<-- "shared/s.md:1:1,6:6"', "# One\nFour"),
        ('--8<-- "shared/s.md:-1"', "Four"),
        ('    --8<-- "shared/s.md:part"', "    Two"),
        ("--8<--\nshared/s.md:part\n; shared/off.md\n\nshared/t.md\n--8<--", "Two\n; shared/off.md\n\nTea"),
        (';--8<-- "shared/s.md"', ';--8<-- "shared/s.md"'),
    ],
)
def test_mkdocs_snippets(tmp_path: Path, directive: str, text: str) -> None:
    files = {"shared/s.md": SECTIONS, "shared/t.md": "Tea\n", "docs/a/page.md": f"# P\n\n{directive}\n\nEnd.\n"}
    lesson = lesson_in(tmp_path, "mkdocs.yml", files)
    assert (lesson.body, lesson.findings) == (f"# P\n\n{text}\n\nEnd.\n", ())


def test_snippets_begin_at_the_folders_that_mkdocs_names(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").touch()
    SITES["mkdocs.yml"], usual = (
        "site_name: B\nmarkdown_extensions:\n  - pymdownx.snippets:\n      base_path: [parts, '$docs_dir/x']\n",
        SITES["mkdocs.yml"],
    )
    try:
        files = {"parts/p.md": "One\n", "docs/x/q.md": "Two\n", "docs/a/page.md": '--8<-- "p.md"\n--8<-- "q.md"\n'}
        lesson = lesson_in(tmp_path, "mkdocs.yml", files)
    finally:
        SITES["mkdocs.yml"] = usual
    assert lesson.body == "One\nTwo\n"
    assert lesson.includes.keys() == {"../parts/p.md", "../parts/q.md", "x/q.md"}
    assert lesson.includes["../parts/q.md"] == "", "it would count if it were there"


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        # Put in after Markdown was read.
        ('{{< readfile file="note.md" >}}', "<div>\nNote.\n</div>"),
        ("{{% include note.md %}}", "Note."),
        ('{{% readfile file="/shared/x.md" /%}}', "Shared."),
        ('{{% include "deep.md" `argument` %}}', "Deep."),
        ('{{< readfile file="/code.py" code="true" lang="python" >}}', "```python\nprint(1)\n```"),
        ('{{</* readfile file="note.md" */>}}', '{{</* readfile file="note.md" */>}}'),
    ],
)
def test_hugo_shortcodes(tmp_path: Path, directive: str, text: str) -> None:
    files = {
        "docs/a/note.md": "---\ntitle: N\n---\nNote.\n",
        "docs/shared/x.md": "Shared.\n",
        "docs/_includes/deep.md": "Deep.\n",
        "code.py": "print(1)\n",
    }
    lesson = lesson_in(tmp_path, "hugo.toml", files | {"docs/a/page.md": f"# P\n\n{directive}\n\nEnd.\n"})
    assert (lesson.body.replace("\n\n\n", "\n\n"), lesson.findings) == (f"# P\n\n{text}\n\nEnd.\n", ())


REGIONS = "Before\n// #region part\n    one()\n    // #region inner\n      two()\n// #endregion part\nAfter\n"


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        ("<!--@include: ./parts/note.md-->", "Note."),
        ("<!-- @include: @/a/parts/note.md -->", "Note."),
        ("<!--@include: @a/parts/lines.md{2,3}-->", "Two\nThree"),
        ("<!--@include: ./parts/lines.md{,1}-->", "One"),
        ("<!--@include: ./parts/lines.md{4,}-->", "Four"),
        ("<!--@include: ./parts/code.js#part-->", "one()\n  two()"),
        ("<!--@include: ./parts/code.js#part{2,2}-->", "  two()"),
        ("<<< ./parts/code.js#part", "```js\none()\n  two()\n```"),
        ("<<< @/a/parts/note.py{1,2 py:line-numbers} [note.py]", "```py\nprint(1)\n```"),
        ("  <!--@include: ./parts/lines.md{1,2}-->", "  One\nTwo"),
    ],
)
def test_vitepress(tmp_path: Path, directive: str, text: str) -> None:
    files = {
        "docs/a/parts/note.md": "---\ntitle: N\n---\nNote.\n",
        "docs/a/parts/lines.md": "One\nTwo\nThree\nFour\n",
        "docs/a/parts/code.js": REGIONS,
        "docs/a/parts/note.py": "print(1)\n",
        "docs/a/page.md": f"# P\n\n{directive}\n\nEnd.\n",
    }
    lesson = lesson_in(tmp_path, "docs/.vitepress/config.mts", files)
    assert (lesson.body.replace("\n\n\n", "\n\n"), lesson.findings) == (f"# P\n\n{text}\n\nEnd.\n", ())


def test_a_region_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    files = {"docs/a/x.md": "# region open\n", "docs/a/page.md": "# P\n\n<!--@include: ./x.md#open-->\n"}
    (finding,) = lesson_in(tmp_path, "docs/.vitepress/config.mts", files).findings
    assert (finding.line, finding.rule) == (3, "unresolved-include") and "has no region `open`" in finding.message


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        ("{% include note.md %}", "Note."),
        ('{%- include deep/x.html title="x" -%}', "<b>Deep.</b>"),
        ("{% include_relative parts/near.md %}", "Near."),
        ("before {% include note.md %} after", "before Note. after"),
    ],
)
def test_jekyll(tmp_path: Path, directive: str, text: str) -> None:
    files = {
        "_includes/note.md": "Note.\n",
        "_includes/deep/x.html": "<b>Deep.</b>\n",
        "docs/a/parts/near.md": "Near.\n",
        "docs/a/page.md": f"---\n---\n# P\n\n{directive}\n\nEnd.\n",
    }
    lesson = lesson_in(tmp_path, "_config.yml", files)
    assert (lesson.body.strip(), lesson.findings) == (f"# P\n\n{text}\n\nEnd.", ())


PARTIALS = """---
title: P
---
import Setup from './_setup.mdx';
import Other from "@site/shared/other.md";
import Code from '!!raw-loader!../../code/x.py';
import Button from '@site/src/Button';

<Setup />

- item

  <Other name="x"></Other>

<CodeBlock language="py">{Code}</CodeBlock>

<Button />

`<Setup />`

```jsx
<Setup />
```
"""


def test_docusaurus_partials(tmp_path: Path) -> None:
    files = {
        "docs/a/_setup.mdx": "---\nx: 1\n---\nimport Deep from './_deep.md';\n\nSet it up.\n\n<Deep/>\n",
        "docs/a/_deep.md": "Deep down.\n",
        "shared/other.md": "Other text.\n\nMore.\n",
        "code/x.py": "print('```')\n",
        "docs/a/page.md": PARTIALS,
    }
    lesson = lesson_in(tmp_path, "docusaurus.config.js", files)
    assert not lesson.findings
    text = lesson.body
    assert "Set it up.\n\n\nDeep down." in text and "import" not in text
    assert "  Other text.\n\n  More." in text
    assert "````py\nprint('```')\n\n````" in text or "````py\nprint('```')\n````" in text
    assert text.count("<Setup />") == 2 and "<Button />" in text
    cited = {
        lesson.body.split("\n")[number - 1]: lesson.line(number) for number in range(1, len(lesson.page.origins) + 1)
    }
    assert (cited["Deep down."], cited["  More."], cited["print('```')"]) == (9, 13, 15)
    assert (cited["<Button />"], cited["```jsx"]) == (17, 21)
    assert set(lesson.includes) == {"a/_setup.mdx", "a/_deep.md", "../shared/other.md", "../code/x.py"}


def test_partials_take_props_and_children(tmp_path: Path) -> None:
    page = """import Note from './_note.mdx';
import Plain from './_plain.mdx';

<Note kind="mild" size={'2'} count={3}>

The children of the note.

</Note>

<Plain kind="x"/>

After <Note kind="hot"></Note> all.
"""
    files = {
        "docs/a/_note.mdx": "A {props.kind} note of {props.size}, {props.count}.\n\n{props.children}\n\nIts end.\n",
        "docs/a/_plain.mdx": "Nothing of {props.other}.\n",
        "docs/a/page.mdx": page,
    }
    lesson = lesson_in(tmp_path, "docusaurus.config.js", files, "docs/a/page.mdx")
    words = " ".join(lesson.body.split())
    assert words == (
        "A mild note of 2, 3. The children of the note. Its end. Nothing of {props.other}. "
        "After A hot note of {props.size}, {props.count}. {props.children} Its end. all."
    )
    children = lesson.body.split("\n").index("The children of the note.") + 1
    assert lesson.line(children) == 6 and not lesson.findings


def test_a_syntax_of_another_generator_is_text(tmp_path: Path) -> None:
    text = '# P\n\n{{#include x.md}}\n\n{{% include x.md %}}\n\n--8<-- "x.md"\n'
    lesson = lesson_in(tmp_path, "docusaurus.config.js", {"docs/a/page.md": text, "docs/a/x.md": "X\n"})
    assert (lesson.body, lesson.findings, dict(lesson.includes)) == (text, (), {})


def test_every_syntax_is_read_where_no_generator_is_known(tmp_path: Path) -> None:
    text = '{{#include x.md}}\n\n{{% include x.md %}}\n\n--8<-- "a/x.md"\n\nimport X from "./x.md"\n\n<X/>\n'
    lesson = lesson_in(tmp_path, None, {"docs/a/page.md": text, "docs/a/x.md": "Xylophone.\n"})
    assert lesson.body.count("Xylophone.") == 4


NOTE = "# Note\n\nFirst.\n\n## Setup *now*\n\nCharge it.\n\n### Cable\n\nRed.\n\n## After\n\n- A block. ^a1\n- B.\n"


@pytest.mark.parametrize(
    ("embedded", "text"),
    [
        ("![[Note#Setup now]]", "## Setup *now*\n\nCharge it.\n\n### Cable\n\nRed."),
        ("![[Note#after#Cable|x]]", "### Cable\n\nRed."),
        ("![[Note#^a1]]", "- A block."),
        ("![[sub/Deep]]", "Deep down."),
        ("![[picture.png|200]]", ""),
        ("`![[Note#Cable]]`", "`![[Note#Cable]]`"),
    ],
)
def test_what_a_note_embeds_is_shown_in_its_place(tmp_path: Path, embedded: str, text: str) -> None:
    pages = {
        "docs/Note.md": NOTE,
        "docs/sub/Deep.md": "Deep down.\n",
        "docs/a/page.md": f"# P\n\n{embedded}\n\nEnd.\n",
    }
    lesson = lesson_in(tmp_path, None, pages)
    assert [line for line in lesson.body.split("\n") if line] == ["# P", *filter(None, text.split("\n")), "End."]
    assert not lesson.findings


def test_a_section_that_a_note_lacks_is_a_finding(tmp_path: Path) -> None:
    lesson = lesson_in(tmp_path, None, {"docs/Note.md": NOTE, "docs/a/page.md": "# P\n\n![[Note#None]]\n"})
    assert [(each.line, each.rule) for each in lesson.findings] == [(3, "unresolved-include")]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("{{ site.data.phone.support }}", "call 12"),
        ("{{site.data.phone.by_land['south east'].name}}", "Asha's desk"),
        ("{{ site.data.more.prices.pen }}", "3.50"),
        ("{{ site.data.people[1].name }}", "Bilal"),
        ("{{ site.data.list[0] }}", "first"),
    ],
)
def test_texts_of_jekylls_data_files_are_shown(tmp_path: Path, written: str, text: str) -> None:
    data = {
        "docs/_data/phone.yml": "support: call 12\nby_land:\n  south east: {name: Asha's desk}\n",
        "docs/_data/more/prices.json": '{"pen": 3.50}',
        "docs/_data/people.csv": "name,age\nAsha,3\nBilal,4\n",
        "docs/_data/list.yaml": "- first\n",
    }
    page = {"docs/a/page.md": f"---\ntitle: P\n---\nSo {written}.\n"}
    lesson = lesson_in(tmp_path, "_config.yml", data | page)
    assert lesson.body.strip() == f"So {text}." and not lesson.findings
    assert any(name.startswith("_data/") and found for name, found in lesson.includes.items())


@pytest.mark.parametrize("name", ["phone.none", "gone.support", "phone", "bad.a"])
def test_what_no_data_file_holds_is_a_finding(tmp_path: Path, name: str) -> None:
    data = {"docs/_data/phone.yml": "support: {a: b}\n", "docs/_data/bad.yml": "a: [\n"}
    page = {"docs/a/page.md": f"---\ntitle: P\n---\n\nSo {{{{ site.data.{name} }}}}.\n"}
    lesson = lesson_in(tmp_path, "_config.yml", data | page)
    assert [(each.line, each.rule) for each in lesson.findings] == [(5, "unresolved-variable")]


MARKS = "A (1) note, H~2~O, 2^nd^ and ^^new^^ `(1) ^^x^^`, ~5 to ~6, x~y or z~w.\n{ .annotate }\n\n1. Note (1).\n"


@pytest.mark.parametrize(
    ("extensions", "shown"),
    [
        ("[attr_list]", "A (1) note, H~2~O, 2^nd^ and ^^new^^ `(1) ^^x^^`, ~5 to ~6, x~y or z~w."),
        ("[attr_list, md_in_html]", "A note, H~2~O, 2^nd^ and ^^new^^ `(1) ^^x^^`, ~5 to ~6, x~y or z~w."),
        ("[pymdownx.caret]", "A (1) note, H~2~O, 2nd and new `(1) ^^x^^`, ~5 to ~6, x~y or z~w."),
        ("[{pymdownx.tilde: {}}]", "A (1) note, H2O, 2^nd^ and ^^new^^ `(1) ^^x^^`, ~5 to ~6, x~y or z~w."),
    ],
)
def test_marks_of_mkdocs_extensions_are_markup_where_the_site_has_them(
    tmp_path: Path, extensions: str, shown: str
) -> None:
    config = f"site_name: Book\nmarkdown_extensions: {extensions}\n"
    write_book(tmp_path, {"mkdocs.yml": config, "docs/page.md": f"# P\n\n{MARKS}"})
    (file,) = crawl_book(tmp_path / "docs", Settings()).files
    lesson = parse_lesson(read_source(file), Settings())
    assert syntax_named(lesson.syntax.name) == lesson.syntax
    page, blocks = parse_page(lesson.body, lesson.syntax)
    for quoted in (False, True):
        edits = find_edits(page, walk(blocks), (), lesson.syntax, quoted=quoted)
        words = clean(page.text, 0, len(page.text), edits).split("\n")
        assert shown in words and "1. Note (1)." in words


def test_annotations_are_read_in_admonitions_and_elements_of_their_class(tmp_path: Path) -> None:
    body = (
        '!!! note annotate "Title (1)"\n\n    Inside (2).\n\n<div class="annotate" markdown>\n\n> Quote (1) here.\n\n'
        "</div>\n\nPlain (3).\n"
    )
    page, blocks = parse_page(body, syntax := syntax_named("mkdocs+annotations"))
    words = clean(body, 0, len(body), find_edits(page, walk(blocks), (), syntax))
    assert [number for number in "123" if f"({number})" in words] == ["3"]
