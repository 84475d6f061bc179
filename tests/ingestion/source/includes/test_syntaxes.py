"""What each generator's include puts into a page, and the lines that it is cited with."""

from pathlib import Path

import pytest

from ingestion.settings import Settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.parser import Lesson, parse_lesson
from ingestion.source.reader import read_source

SITES = {
    "docusaurus.config.js": "export default {presets: [['classic', {docs: {path: 'docs'}}]]};",
    "book.toml": '[book]\nsrc = "docs"\n',
    "mkdocs.yml": "site_name: Book\n",
    "hugo.toml": 'baseURL = "https://x.example"\ncontentDir = "docs"\n',
}


def plant(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def lesson_in(folder: Path, config: str | None, files: dict[str, str], page: str = "docs/a/page.md") -> Lesson:
    plant(folder, files | ({config: SITES[config]} if config else {}))
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
    plant(tmp_path, {"mkdocs.yml": ""})
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
        ('{{< readfile file="note.md" >}}', "Note."),
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
    _, _, text = lesson.body.partition("Button';\n")
    assert "Set it up.\n\n\nDeep down." in text and "import" not in text
    assert "  Other text.\n\n  More." in text
    assert "````py\nprint('```')\n\n````" in text or "````py\nprint('```')\n````" in text
    assert text.count("<Setup />") == 2 and "<Button />" in text
    cited = {lesson.body.split("\n")[number - 1]: lesson.line(number) for number in range(1, len(lesson.origins) + 1)}
    assert (cited["Deep down."], cited["  More."], cited["print('```')"]) == (9, 13, 15)
    assert (cited["<Button />"], cited["```jsx"]) == (17, 21)
    assert set(lesson.includes) == {"a/_setup.mdx", "a/_deep.md", "../shared/other.md", "../code/x.py"}


def test_a_syntax_of_another_generator_is_text(tmp_path: Path) -> None:
    text = '# P\n\n{{#include x.md}}\n\n{{% include x.md %}}\n\n--8<-- "x.md"\n'
    lesson = lesson_in(tmp_path, "docusaurus.config.js", {"docs/a/page.md": text, "docs/a/x.md": "X\n"})
    assert (lesson.body, lesson.findings, dict(lesson.includes)) == (text, (), {})


def test_every_syntax_is_read_where_no_generator_is_known(tmp_path: Path) -> None:
    text = '{{#include x.md}}\n\n{{% include x.md %}}\n\n--8<-- "a/x.md"\n\nimport X from "./x.md"\n\n<X/>\n'
    lesson = lesson_in(tmp_path, None, {"docs/a/page.md": text, "docs/a/x.md": "Xylophone.\n"})
    assert lesson.body.count("Xylophone.") == 4
