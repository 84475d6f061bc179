"""A page of twice the size takes about twice the work, whatever it is made of."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from ingestion.errors import LessonError
from ingestion.markdown.blocks import TooMuchWork
from ingestion.markdown.parser import parse_page
from ingestion.source.linter import check_book
from ingestion.source.metadata.front_matter import UnreadableMetadata, split_front_matter
from tests.support.hostile_pages import FAMILIES, FAMILIES_WITHIN, Family
from tests.support.paths import ROOT
from tests.support.read_lesson import chunks_of, settings_of

TIMES_PER_DOUBLING = 3.0
"""Linear work takes 2, quadratic 4."""

SOON = 0.15
"""Seconds of CPU below which a ratio tells nothing."""


def seconds(make: Family, size: int, path: Path, *, tries: int = 1) -> float:
    """Return the CPU time that a page of the family takes from its bytes to its chunks, the best of some tries."""
    path.write_text(make(size), encoding="utf-8", newline="")
    best = 60.0
    for _ in range(tries):
        parse_page.cache_clear()
        gc.collect()
        gc.disable()  # a collection falls into some tries and not into others
        try:
            began = time.process_time()
            chunks_of(path, may_fail=True)
            best = min(best, time.process_time() - began)
        finally:
            gc.enable()
    return best


def assert_linear(name: str, make: Family, size: int, path: Path) -> None:
    """Measure at a quarter of the size and at the size; where that looks bad, each doubling again and with care."""
    small, large = seconds(make, size // 4, path), seconds(make, size, path)
    if large < SOON or large < small * TIMES_PER_DOUBLING**2:
        return
    times = [seconds(make, step, path, tries=3) for step in (size // 4, size // 2, size)]
    steepest = max(later / max(earlier, SOON / 8) for earlier, later in pairwise(times))
    assert times[-1] < SOON or steepest < TIMES_PER_DOUBLING, f"{name}: {[round(each, 3) for each in times]} seconds"


@pytest.mark.fuzz
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("suffix", ["md", "mdx"])
def test_twice_the_page_takes_twice_the_time(name: str, suffix: str, tmp_path: Path) -> None:
    assert_linear(name, FAMILIES[name], 256 << 10, tmp_path / f"a.{suffix}")


@pytest.mark.fuzz
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", FAMILIES_WITHIN)
def test_twice_the_page_takes_twice_the_time_inside_of_other_blocks(name: str, tmp_path: Path) -> None:
    assert_linear(name, FAMILIES_WITHIN[name], 128 << 10, tmp_path / "a.md")


@pytest.mark.fuzz
def test_the_measure_finds_quadratic_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The doubling test must be able to fail: without the budget, lazy lines of quotes take quadratic time."""
    monkeypatch.setattr("ingestion.markdown.rules.new_work", lambda text: 1 << 60)
    with pytest.raises(AssertionError, match="seconds"):
        assert_linear("lazy", FAMILIES["quote of a heading and lazy line"], 16 << 10, tmp_path / "a.md")


def test_a_page_that_takes_too_much_work_fails_alone_and_by_line(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Good\n\nWords of a lesson that is read.\n")
    (tmp_path / "slow.md").write_text("---\ntitle: Slow\n---\n\n" + "> # a\nb\n" * 4000)
    report = check_book(tmp_path, settings_of())
    (failure,) = report.failures
    assert failure.path == "slow.md" and "more work" in failure.reason and failure.line and failure.line > 4
    with pytest.raises(LessonError, match="more work"):
        chunks_of(tmp_path / "slow.md")
    assert chunks_of(tmp_path / "good.md")


def test_the_budget_of_work_is_the_same_every_time() -> None:
    lines = set()
    for _ in range(3):
        parse_page.cache_clear()
        with pytest.raises(TooMuchWork) as caught:
            parse_page("> # a\nb\n" * 4000)
        lines.add(caught.value.line)
    assert len(lines) == 1


@pytest.mark.parametrize("make", [FAMILIES["YAML aliases"], FAMILIES["YAML laughs"], FAMILIES["one table"]])
def test_metadata_is_bounded_after_its_aliases(make: Callable[[int], str]) -> None:
    text = make(200_000)
    if not text.startswith("---"):
        text = f"---\ntitle: >\n  {'words ' * 50_000}\n---\n{text}"
    with pytest.raises(UnreadableMetadata, match="more than"):
        split_front_matter(text)


def test_a_key_of_a_thousand_dots_is_refused_by_line() -> None:
    with pytest.raises(UnreadableMetadata, match="nested too deeply") as caught:
        split_front_matter(f"+++\ntitle = 'a'\n{'a.' * 1000}b = 1\n+++\n")
    assert caught.value.line == 3


def test_long_strings_of_dots_in_metadata_are_read() -> None:
    dotted = ".".join(["a"] * 1000)
    assert split_front_matter(f'+++\ntitle = "{dotted}"\n+++\n').values["title"] == dotted


MEASURE = """
import json, os, resource, sys
from pathlib import Path
from tests.support.hostile_pages import FAMILIES
from tests.support.read_lesson import chunks_of

path, size = Path(sys.argv[1]), int(sys.argv[2])
path.write_text("# A page\\n\\nThat loads what every page needs.\\n")
chunks_of(path)
for name, make in FAMILIES.items():
    path.write_text(make(size), encoding="utf-8", newline="")
    if (child := os.fork()) == 0:
        # A child's peak begins with what its parent holds, which has read no page of a family.
        chunks_of(path, may_fail=True)
        print(json.dumps([name, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.fuzz
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak differs")
@pytest.mark.parametrize("suffix", ["md", "mdx"])
def test_no_page_takes_more_than_20_times_its_size_and_200_megabytes(tmp_path: Path, suffix: str) -> None:
    size = 256 << 10
    command = [sys.executable, "-c", MEASURE, str(tmp_path / f"a.{suffix}"), str(size)]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert child.returncode == 0, child.stderr
    peaks: dict[str, int] = dict(json.loads(line) for line in child.stdout.splitlines())
    assert peaks.keys() == FAMILIES.keys()
    assert {name: peak for name, peak in peaks.items() if peak > 20 * size + (200 << 20)} == {}
