"""Addresses of lessons by Docusaurus' routing rules."""

from __future__ import annotations

import pytest

from ingestion.source.site_urls import page_url

SITE = "https://book.example/docs"


def test_without_a_site_there_is_no_address() -> None:
    assert page_url("", "a.md") == ""


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("intro.md", "/intro"),
        ("module-1-ros2/chapter-2-x/03-topics.mdx", "/module-1-ros2/chapter-2-x/topics"),
        ("01-basics/02-setup/03 - first steps.md", "/basics/setup/first%20steps"),
        ("01_a/2.b.md", "/a/b"),
        # README, index and a file named as its folder stand for the folder
        ("README.md", ""),
        ("index.md", ""),
        ("01-basics/README.md", "/basics"),
        ("01-basics/index.mdx", "/basics"),
        ("guides/Guides.md", "/guides"),
        ("01-basics/01-basics.md", "/basics"),
        ("basics/01-basics.md", "/basics/basics"),
        ("a/01-readme.md", "/a/readme"),
        # dates and versions are no prefixes, and a number alone is a name
        ("2024-01-02-news.md", "/2024-01-02-news"),
        ("1.2-release.md", "/1.2-release"),
        ("7.0-x/01-y.md", "/7.0-x/y"),
        ("5.md", "/5"),
        ("03-.md", "/03-"),
        ("3d-printing.md", "/3d-printing"),
        # names are quoted
        ("chapter 3 & more/[WIP] #1 100%.md", "/chapter%203%20%26%20more/%5BWIP%5D%20%231%20100%25"),
        ("باب/سبق.md", "/%D8%A8%D8%A7%D8%A8/%D8%B3%D8%A8%D9%82"),
    ],
)
def test_the_path_gives_the_route(path: str, route: str) -> None:
    assert page_url(SITE, path) == SITE + route


@pytest.mark.parametrize(
    ("slug", "route"),
    [
        ("/", ""),
        ("/start", "/start"),
        ("start", "/a/start"),
        ("./b/c", "/a/b/c"),
        ("../up", "/up"),
        ("../../../x", "/x"),
    ],
)
def test_a_slug_decides(slug: str, route: str) -> None:
    assert page_url(SITE, "01-a/02-page.md", slug=slug, doc_id="other") == SITE + route


def test_an_id_replaces_the_file_name_only() -> None:
    assert page_url(SITE, "01-a/02-page.md", doc_id="other") == f"{SITE}/a/other"
    assert page_url(SITE, "01-a/README.md", doc_id="other") == f"{SITE}/a"
    assert page_url(SITE, "01-a/02-page.md", doc_id="no/slash") == f"{SITE}/a/page"
