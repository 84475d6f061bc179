"""What an author takes out of the search of the site is searched and quoted by no door of ours either."""

from __future__ import annotations

import pytest

from ingestion.markdown.shown import shown_text
from ingestion.markdown.syntax import ANY


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (
            "# A\n\nSeen.\n\n## B { data-search-exclude }\n\nzq\n\n### C\n\nAgain.\n",
            "# A\n\nSeen.\n\n### C\n\nAgain.\n",
        ),
        ("# A\n\nSeen.\n\n## B { .x data-search-exclude }\n\nzq\n", "# A\n\nSeen.\n\n"),
        ("Seen.\n\n<div data-pagefind-ignore>\n\nzq\n\n</div>\n\nAgain.\n", "Seen.\n\n\nAgain.\n"),
        ('A <span data-pagefind-ignore="all">zq</span> word.\n', "A  word.\n"),
        ("<p data-search-exclude>zq</p>\n\nSeen.\n", "Seen.\n"),
    ],
)
def test_what_is_out_of_the_sites_search_is_not_shown(page: str, shown: str) -> None:
    assert shown_text(page, ANY).text.strip() == shown.strip()


@pytest.mark.parametrize(
    "page",
    [
        "# A\n\nWrite `{ data-search-exclude }` behind a heading.\n\n## B\n\nSeen.\n",
        "```html\n<div data-pagefind-ignore>seen</div>\n```\n",
        '<div data-pagefind-body data-title="data-pagefind-ignore">\n\nSeen.\n\n</div>\n',
    ],
)
def test_pages_that_only_tell_of_it_are_shown(page: str) -> None:
    assert shown_text(page, ANY).text == page
