"""Sphinx with MyST and Jupyter Book: what is read of them, addresses, order, ids as real builds have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.settings.loader import load_settings
from ingestion.source.book_folder import crawl_book
from ingestion.source.generators import of_style
from ingestion.source.generators.finding import find_site
from ingestion.source.parser import parse_lesson
from ingestion.source.reader import read_source
from tests.generators.books.common import write_site
from tests.generators.books.sphinx import SPHINX

SETTINGS = load_settings({}, environ={})
JUPYTER = {
    "_config.yml": "title: Robots\nhtml: {baseurl: https://x.example/robots}\nexclude_patterns: [old/*]\n",
    "_toc.yml": (
        "format: jb-book\nroot: intro\nparts:\n  - caption: First\n    chapters:\n      - file: ch1/motors\n"
        "        title: Of motors\n        sections:\n          - file: ch1/wheels\n      - file: ch2\n"
    ),
    **dict.fromkeys(("intro.md", "ch1/motors.md", "ch1/wheels.md", "ch2.md", "extra.md", "old/a.md"), "# Page\n"),
}


def test_conf_py_is_read_and_never_run(tmp_path: Path) -> None:
    text = "raise SystemExit(1)\nproject: str = 'B'\nlanguage = 'ur'\nhtml_baseurl = 'https://x.example/b/'\n"
    write_site(tmp_path, {"conf.py": f"{text}exclude_patterns = ['_build'] + other\nextensions = f()\n"})
    site = find_site(tmp_path)
    assert site is not None and (site.title, site.language, site.base_url) == ("B", "ur", "https://x.example/b")


@pytest.mark.parametrize("text", ["DEBUG = True\n", "", "def main():\n    project = 1\n"])
def test_a_conf_py_of_another_program_is_no_site(tmp_path: Path, text: str) -> None:
    write_site(tmp_path, {"conf.py": text, "a.md": "# A\n"})
    assert find_site(tmp_path) is None


def test_a_broken_conf_py_is_named_with_its_line(tmp_path: Path) -> None:
    write_site(tmp_path, {"conf.py": "project = 'x'\nextensions = [\n"})
    with pytest.raises(ConfigurationError, match=r"conf\.py:2: cannot be read"):
        find_site(tmp_path)
    (tmp_path / "conf.py").write_text("x = " + "(" * 5000 + "1" + ")" * 5000)
    with pytest.raises(ConfigurationError, match=r"conf\.py.*cannot be read"):
        find_site(tmp_path)


def test_read_the_docs_says_where_the_site_is_and_how_it_is_built(tmp_path: Path) -> None:
    files = {
        ".readthedocs.yaml": "sphinx:\n  configuration: docs/conf.py\n  builder: dirhtml\n",
        "docs/a.md": "# A\n",
    }
    write_site(tmp_path, files)
    site = find_site(tmp_path)
    assert site is not None and (site.docs_folder, site.directory_urls) == (tmp_path / "docs", True)
    for other in ("mkdocs: {configuration: mkdocs.yml}\n", "sphinx: {configuration: ../x/conf.py}\n", "[]\n"):
        (tmp_path / ".readthedocs.yaml").write_text(other)
        assert find_site(tmp_path) is None


def test_pages_have_the_addresses_ids_and_order_of_the_real_build(tmp_path: Path) -> None:
    write_site(tmp_path, SPHINX)
    found = crawl_book(tmp_path, SETTINGS)
    lessons = {file.path: parse_lesson(read_source(file), SETTINGS) for file in found.files}
    assert {path: lesson.url.removeprefix("https://x.example") for path, lesson in lessons.items()} == {
        "_under.md": "/_under.html",
        "body.md": "/body.html",
        "headings.md": "/headings.html",
        "index.md": "",
        "part/deep.md": "/part/deep.html",
        "part/index.md": "/part/",
    }
    entries = {file.path: file.entry and (file.entry.chapter, file.entry.lesson) for file in found.files}
    assert entries == {
        "_under.md": None,
        "body.md": (2, 0),
        "headings.md": (1, 0),
        "index.md": (0, 0),
        "part/index.md": (3, 0),
        "part/deep.md": (3, 1),
    }
    assert {each.path for each in found.skipped} == {"zq.md", "zqdrafts/one.md"}


def test_a_jupyter_book_is_its_own_generator(tmp_path: Path) -> None:
    write_site(tmp_path, JUPYTER)
    found = crawl_book(tmp_path, SETTINGS)
    assert found.site is not None
    assert (found.site.generator, found.site.title, found.site.base_url) == (
        "sphinx",
        "Robots",
        "https://x.example/robots",
    )
    entries = {
        file.path: file.entry and (file.entry.chapter, file.entry.lesson, file.entry.title) for file in found.files
    }
    assert entries == {
        "intro.md": (0, 0, None),
        "ch1/motors.md": (1, 0, "Of motors"),
        "ch1/wheels.md": (1, 1, None),
        "ch2.md": (2, 0, None),
        "extra.md": None,
    }
    with (tmp_path / "_config.yml").open("a") as file:
        file.write("only_build_toc_files: true\n")
    reasons = {each.path: each.reason for each in crawl_book(tmp_path, SETTINGS).skipped}
    assert reasons["extra.md"] == "not in _toc.yml, so the site has no page for it"


@pytest.mark.parametrize(
    ("headings", "ids"),
    [
        (["Motors {#motor-label}", "Motors", "Motors"], ["motor-label", "id1", "id2"]),
        (["机器人", "...", "3. Numbers first"], ["id1", "id2", "numbers-first"]),
        (["Usage {#usage}", "Ünïcode — straße"], ["usage", "unicode-strasze"]),
        (["Big {#Big-Label_x}", "What is “this”? It's — fine…"], ["big-label-x", "what-is-this-it-s-fine"]),
        (["Usage {#usage}", "Usage"], ["usage", "id2"]),
    ],
)
def test_headings_are_named_as_docutils_names_them(headings: list[str], ids: list[str]) -> None:
    named = of_style("sphinx").heading_ids(None).name([(2, heading) for heading in headings])
    assert [anchor for _, anchor in named] == ids


def shown(tmp_path: Path, text: str) -> str:
    write_site(
        tmp_path, {"conf.py": "extensions = ['myst_parser']\nmyst_substitutions = {'v': '4.2'}\n", "a.md": text}
    )
    (tmp_path / "part.md").write_text("Of *tin*, {kbd}`Tab`.\n% zq\n")
    file = next(file for file in crawl_book(tmp_path, SETTINGS).files if file.path == "a.md")
    return parse_lesson(read_source(file), SETTINGS).body


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("% zqremark", ""),
        ("+++", ""),
        ("```{toctree}\n:hidden:\nzq\n```", ""),
        ("```{note}\nWords.\n```", "::: note\nWords.\n:::"),
        ("````{tip} Title\n:class: zq\n```js\nx\n```\n````", ":::: tip Title\n```js\nx\n```\n::::"),
        (":::{admonition} Mind\n---\nclass: zq\n---\nWords.\n:::", "**Mind**\n\nWords."),
        ("```{code-block} python\n:linenos:\n% kept\n```", "```python\n% kept\n```"),
        ("```{math}\n% kept\n```", "$$\n% kept\n$$"),
        ("```{figure} a.png\n:alt: A gear\nThe caption.\n```", "![A gear](a.png)\n\nThe caption."),
        ("- ```{note}\n  In a list.\n  ```", "- ::: note\n  In a list.\n  :::"),
        ("```{include} part.md\n```", "Of *tin*, `Tab`."),
        ("{ref}`the words <zq-label>` {term}`x` {py:class}`~a.b.C` {math}`V`", "the words x `C` $V$"),
        (
            "`` {ref}`x` `` stays, {{ v }} is filled, {{ w }} stays",
            "`` {ref}`x` `` stays, 4.2 is filled, {{ w }} stays",
        ),
        ("```\n% in code\n{ref}`x`\n```", "```\n% in code\n{ref}`x`\n```"),
        ("(a label)=\n\n## Title", "## Title {#a-label}"),
        ("(a)=\nA paragraph.\n\n## Title", "A paragraph.\n\n## Title"),
    ],
)
def test_directives_roles_and_labels_become_what_they_show(tmp_path: Path, source: str, expected: str) -> None:
    body = shown(tmp_path, f"# A\n\n{source}\n\nLast.\n")
    assert body.removeprefix("# A").removesuffix("Last.\n").strip("\n") == expected


def test_each_line_of_what_a_directive_holds_keeps_its_line(tmp_path: Path) -> None:
    write_site(
        tmp_path,
        {"conf.py": "project = 'x'\n", "a.md": "# A\n\n```{note}\n:class: x\n\nWords.\n```\n\n## B\n\nEnd.\n"},
    )
    (file,) = crawl_book(tmp_path, SETTINGS).files
    lesson = parse_lesson(read_source(file), SETTINGS)
    lines = {text: lesson.line(number) for number, text in enumerate(lesson.body.split("\n"), 1) if text}
    assert (lines["Words."], lines["## B"], lines["End."]) == (6, 9, 11)


def test_many_labels_and_fences_that_are_never_closed_take_linear_time(tmp_path: Path) -> None:
    text = "```{toctree}\n(a)=\n{ref}`x\n:::{note}\n" * 5_000
    assert len(shown(tmp_path, f"# A\n\n{text}")) < 10 * len(text)
