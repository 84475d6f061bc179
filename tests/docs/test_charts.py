"""The charts of the documentation show the figures that stand beside them."""

from __future__ import annotations

from scripts.charts import JOBS, PAGE, PICTURE, chart, seconds


def test_the_picture_is_drawn_from_the_table_of_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == chart(page, "iot-beginners"), "run `make pictures`"


def test_every_bar_has_its_figure_and_the_longest_fills_the_room() -> None:
    page = "## b\n\n| job | ours | theirs |\n| --- | ---: | ---: |\n"
    page += "".join(f"| {job} | 1 · 0.50 s | 2 · {at + 1}.00 s, **wrong** |\n" for at, job in enumerate(JOBS))
    tools, measured = seconds(page, "b")
    assert tools == ("ours", "theirs") and measured[JOBS[1]] == [0.5, 2.0]
    drawn = chart(page, "b")
    assert drawn.count("0.50 s") == len(JOBS) and 'width="470.0"' in drawn
