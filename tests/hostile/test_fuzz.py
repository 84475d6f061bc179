"""Generated pages and metadata: read and chunked, or refused with an error of ours; `make fuzz` tries 10,000."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.hostile_pages import CONSTRUCTS
from tests.support.nasty_markdown import PAGES
from tests.support.read_lesson import chunks_of

EXAMPLES = int(os.environ.get("BOOKWISE_FUZZ_EXAMPLES", "500"))

_PARTS = st.one_of(st.sampled_from(CONSTRUCTS), st.text(max_size=12))
_SOUP = st.lists(st.tuples(_PARTS, st.integers(1, 6)), max_size=30).map(
    lambda parts: "".join(part * times for part, times in parts)
)
_VALUES = st.recursive(
    st.one_of(st.text(max_size=12), st.sampled_from(["*a", "&a b", "<<: *a", "!!python/object:a", "|", ">-", "no"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(st.sampled_from(["a", "title", "<<"]), inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}"
        ),
    ),
    max_leaves=8,
)
_KEYS = st.sampled_from(["title", "hardware_tier", "chapter", "lesson", "slug", "id", "mdx", "layer", "lang", "odd"])
_METADATA = st.tuples(
    st.sampled_from([("---", ": ", "---"), ("+++", " = ", "+++"), (";;;", ": ", ";;;"), ("---", ": ", "")]),
    st.lists(st.tuples(_KEYS, _VALUES), max_size=6),
).map(lambda made: "\n".join([made[0][0], *(f"{key}{made[0][1]}{value}" for key, value in made[1]), made[0][2], ""]))


@pytest.mark.slow
@pytest.mark.timeout(0)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(st.just(""), _METADATA), st.one_of(PAGES, _SOUP), st.sampled_from(["a.md", "a.mdx"]))
def test_any_page_is_chunked_or_refused(
    tmp_path_factory: pytest.TempPathFactory, metadata: str, body: str, name: str
) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes((metadata + body).encode("utf-8", "surrogatepass"))
    chunks = chunks_of(Path(path), may_fail=True)
    assert all(chunk.text.strip() for chunk in chunks)
