"""The page on scale holds the tables that its arithmetic prints, and the arithmetic agrees with what was measured."""

from __future__ import annotations

import pytest

from benchmarks import sizing
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "benchmarks" / "scale.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", sizing.tables(), ids=["parts", "check", "10 million", "1 billion", "rebuild"])
def test_the_page_holds_each_table_as_it_is_printed(table: str) -> None:
    assert table in PAGE, "run `python -m benchmarks.sizing` and put the table into docs/benchmarks/scale.md"


def test_the_arithmetic_is_within_a_fifth_of_the_index_that_was_measured() -> None:
    by_arithmetic = 1_000_000 * sizing.memory_per_point(384, sizing.MEMORY) * sizing.HEADROOM
    assert 0.8 < by_arithmetic / (3.1 * sizing.GB) < 1.2


def test_ten_times_the_points_take_ten_times_the_disk() -> None:
    rows = [sizing.cluster_table(points).splitlines()[-1].split("|") for points in (100_000_000, 1_000_000_000)]
    small, large = (float(row[4].replace(",", "")) for row in rows)
    assert large == pytest.approx(10 * small, rel=0.01)


@pytest.mark.parametrize(
    ("seconds", "text"), [(90, "90 s"), (120, "2 minutes"), (7_200, "2 hours"), (864_000, "10 days")]
)
def test_durations_are_told_in_the_unit_that_people_use(seconds: float, text: str) -> None:
    assert sizing.duration(seconds) == text
