"""Slugs and front matter of generated pages are read as generators' own parsers read them."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingestion.markdown.anchors import number_like_github, slug
from ingestion.source.generators import named
from ingestion.source.metadata.front_matter import FrontMatter, UnreadableMetadata
from tests.generators.generated import front_matter, headings
from tests.support.installed_tools import BUILD_SECONDS, node_modules, python_tool

HERE = Path(__file__).parent
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

HEADINGS, PAGES, HUGO_PAGES = 5000, 4000, 100
SCRIPTS = HERE / "scripts"
MATTER_LAYOUT = '{{ .Params | jsonify (dict "noHTMLEscape" true) }}\n'
HUGO_ADDS = ("draft", "iscjklanguage", "date", "lastmod", "publishdate", "title")


@cache
def _of_node() -> dict[str, Any]:
    modules = node_modules(HERE)
    given = json.dumps({"headings": headings(HEADINGS), "pages": list(front_matter(PAGES))})
    command = ["node", str(SCRIPTS / "parsers.mjs"), str(modules.parent)]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=BUILD_SECONDS, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("release", ["old", "new"])
def test_slugs_are_those_of_github_slugger(release: str) -> None:
    """`old` is the release that Docusaurus takes, `new` the newest."""
    texts = headings(HEADINGS)
    ours = number_like_github([(slug(text), None) for text in texts])
    assert [row for row in zip(texts, _of_node()[release], ours, strict=True) if row[1] != row[2]] == []


def test_front_matter_is_read_as_gray_matter_reads_it() -> None:
    pages = zip(front_matter(PAGES), _of_node()["pages"], strict=True)
    # A line of points, which closes the block in other generators and here, makes a page all metadata there.
    read = [(page, each) for page, each in pages if isinstance(each.get("data"), dict) and "\n..." not in page]
    counts = compare([(page, each["data"], each["body"]) for page, each in read], "docusaurus")
    assert counts["same"] > PAGES / 5, counts


def test_front_matter_is_read_as_mkdocs_reads_it() -> None:
    python = python_tool(HERE, "python")
    given = json.dumps(list(front_matter(PAGES)))
    command = [python, str(SCRIPTS / "mkdocs_meta.py")]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=BUILD_SECONDS, check=True)
    read = zip(front_matter(PAGES), json.loads(done.stdout), strict=True)
    counts = compare([(page, data, body) for page, (data, body) in read if data], "mkdocs")
    assert counts["same"] > PAGES / 8, counts


def test_front_matter_is_read_as_hugo_reads_it(tmp_path: Path) -> None:
    read = list(_built_by_hugo(list(front_matter(HUGO_PAGES)), tmp_path))
    counts = compare([(page, data, None) for page, data in read], "hugo")
    assert counts["same"] > HUGO_PAGES / 8, counts


def _built_by_hugo(pages: Sequence[str], folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pages that Hugo can read, one build for each that it cannot, and what it reads."""
    hugo = python_tool(HERE, "hugo")
    (folder / "content").mkdir()
    (folder / "layouts/_default").mkdir(parents=True)
    (folder / "layouts/_default/single.html").write_text(MATTER_LAYOUT)
    (folder / "hugo.toml").write_text("disableKinds = ['home', 'section', 'taxonomy', 'term', 'rss', 'sitemap']\n")
    for number, page in enumerate(pages):
        # What decides on addresses and dates is another test's.
        plain = re.sub(r"^(slug|date|draft|title):", r"\1x:", page, flags=re.M)
        (folder / f"content/p{number}.md").write_text(plain, encoding="utf-8", newline="")
    while True:
        done = subprocess.run([hugo], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        broken = re.search(r"content/(p\d+\.md)", done.stdout + done.stderr)
        if not done.returncode:
            break
        assert broken, done.stdout + done.stderr
        (folder / "content" / broken[1]).unlink()
    for number in range(len(pages)):
        built = folder / f"public/p{number}/index.html"
        if built.is_file():
            source = (folder / f"content/p{number}.md").read_bytes().decode()
            read = json.loads(built.read_text(encoding="utf-8"))
            yield source, {key: value for key, value in read.items() if key not in HUGO_ADDS}


def compare(read: Sequence[tuple[str, Mapping[str, Any], str | None]], generator: str) -> Counter[str]:
    """Fail where we read other values than a generator, or less without a word; return how often each came about."""
    counts: Counter[str] = Counter()
    wrong = []
    for page, data, body in read:
        ours = _ours(page, generator)
        if isinstance(ours, UnreadableMetadata):
            counts["refused"] += 1
        elif not data:
            counts["empty"] += 1
        else:
            lower = (lambda key: key.lower()) if generator == "hugo" else (lambda key: key)
            values = {lower(key): value for key, value in ours.values.items()}
            is_same = all(_is_same(value, values.get(key, Ellipsis)) for key, value in data.items())
            is_same = is_same and (body is None or _words(body) == _words(ours.body))
            counts["same" if is_same else "other"] += 1
            wrong += [] if is_same else [(page, data, dict(ours.values), ours.body)]
    assert wrong[:5] == []
    return counts


def _ours(page: str, generator: str) -> FrontMatter | UnreadableMetadata:
    try:
        return named(generator).front_matter(page.removeprefix("\ufeff").replace("\r\n", "\n"))
    except UnreadableMetadata as error:
        return error


def _is_same(theirs: Any, ours: Any) -> bool:
    """Whether two values say the same: ours keep how numbers, dates and booleans are written."""
    if isinstance(theirs, dict):
        return isinstance(ours, Mapping) and all(_is_same(value, ours.get(key)) for key, value in theirs.items())
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(theirs) == len(ours) and all(map(_is_same, theirs, ours))
    if theirs is None or ours is None:
        return theirs == ours
    if isinstance(theirs, bool):
        return str(ours).lower() in (("true", "yes", "on") if theirs else ("false", "no", "off"))
    if isinstance(theirs, int | float):
        return bool(re.fullmatch(r"[-+]?[\w.:]+", str(ours)))
    return _words(str(theirs)) == _words(str(ours)) or str(theirs).startswith(str(ours)[:10])


def _words(text: str) -> str:
    return "".join(text.split())
