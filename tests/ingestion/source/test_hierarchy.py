"""From path to place in the book: one table of every layout that real books use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.models import DOC_TYPES
from ingestion.settings.loader import load_settings
from ingestion.settings.path_patterns import compile_pattern
from ingestion.settings.validators import BUILT_IN_MODULES, Module
from ingestion.source.book_order import Entry
from ingestion.source.editions import original_path
from ingestion.source.hierarchy import Place, locate, module_slug

LAYOUTS = [
    # module / chapter / lesson
    ("module-1-ros2/chapter-2-robot-system/04-your-hardware-tier.md", Place("ros2", 2, 4)),
    ("docs/module-1-ros2/chapter-2-x/03-y.md", Place("ros2", 2, 3)),
    ("module-1-ros2/chapter-02/lesson-03-y.mdx", Place("ros2", 2, 3)),
    ("module-1-ros2/chapter-2-x/03-y/README.md", Place("ros2", 2, 3)),
    ("module-1-ros2/chapter-2-x/2.3-y.md", Place("ros2", 2, 3)),
    ("Module 1 ROS2/Chapter 2/Lesson 3.md", Place("ros2", 2, 3)),
    ("ros2/2-nodes/3-topics.md", Place("ros2", 2, 3)),
    ("module-5/chapter-1/01-a.md", Place("module-5", 1, 1)),
    ("module-1-ros2/chapter-13-x/100-y.md", Place("ros2", 13, 100)),
    ("module-1-ros2/chapter-0-x/00-y.md", Place("ros2", 0, 0)),
    # overviews
    ("module-1-ros2/README.md", Place("ros2", 0, 0, doc_type="readme")),
    ("docs/module-1-ros2/index.md", Place("ros2", 0, 0, doc_type="readme")),
    ("module-1-ros2/chapter-2-x/README.md", Place("ros2", 2, 0, doc_type="readme")),
    ("module-1-ros2/chapter-2-x/index.mdx", Place("ros2", 2, 0, doc_type="readme")),
    ("README.md", Place("intro", 0, 0, doc_type="readme")),
    ("chapter-1/index.md", Place("intro", 1, 0, doc_type="readme")),
    # part / chapter / lesson, with twins
    ("05-Python-Fundamentals/17-data-types/02-numeric-types.md", Place("python-fundamentals", 17, 2)),
    (
        "05-Python-Fundamentals/17-data-types/02-numeric-types.summary.md",
        Place("python-fundamentals", 17, 2, doc_type="summary"),
    ),
    ("05-Python-Fundamentals/17-data-types/README.md", Place("python-fundamentals", 17, 0, doc_type="readme")),
    ("13-Physical-AI/02-sensors-perception/03-imu-proprioception.md", Place("physical-ai", 2, 3)),
    ("part-1/chapter-2/03-x.md", Place("module-1", 2, 3)),
    ("part-1-basics/02-setup/03-x.md", Place("basics", 2, 3)),
    # chapter / lesson
    ("chapter-1/lesson-2.mdx", Place("intro", 1, 2)),
    ("chapter-1-one/01-intro.md", Place("intro", 1, 1)),
    ("01-chapter-1-introduction/03-nodes-communication.md", Place("intro", 1, 3)),
    # weeks
    ("module-1-ros2/week-4-lesson-2-building-packages.md", Place("ros2", 4, 2)),
    ("module-1-ros2/week-4-overview.md", Place("ros2", 4, 0)),
    ("week-3/lesson-2.md", Place("intro", 3, 2)),
    # module.chapter
    ("1.2-x.md", Place("module-1", 2)),
    ("1.2-x/03-y.md", Place("module-1", 2, 3)),
    ("module-1-ros2/1.2-x.md", Place("ros2", 2)),
    # lessons by their folders
    ("2-Regression/3-Linear/README.md", Place("regression", 3, 0, doc_type="readme")),
    ("2-Regression/3-Linear/translations/README.ja.md", Place("regression", 3, 0, "ja", "readme")),
    ("2-farm/README.md", Place("farm", 0, 0, doc_type="readme")),
    ("2-farm/lessons/3-automated-plant-watering/README.md", Place("farm", 2, 3)),
    ("2-farm/lessons/3-automated-plant-watering/assignment.md", Place("farm", 2, 3, doc_type="assignment")),
    # units, letters after numbers
    ("unit2/introduction.mdx", Place("intro", 2)),
    ("units/en/unit2/langgraph/quiz1.mdx", Place("intro", 2, language="en", doc_type="quiz")),
    ("chapters/fr/chapter7/7.mdx", Place("intro", 7, 7, "fr")),
    ("chapter7/4_tf.mdx", Place("intro", 7, 4)),
    ("chapter-1/extras/02-x.md", Place("intro", 1, 2)),
    # sites without numbers
    ("content/ja/docs/collector/_index.md", Place("collector", None, 0, "ja", "readme")),
    ("docs/js/api.md", Place("js")),
    ("go/api.md", Place("go")),
    ("learn/state.md", Place("learn")),
    ("intro.md", Place("intro")),
    ("module-1-ros2/2024-notes.md", Place("ros2")),
    # languages
    ("i18n/ur/docusaurus-plugin-content-docs/current/module-1-ros2/chapter-2-x/03-y.md", Place("ros2", 2, 3, "ur")),
    ("translations/ur/2-farm/lessons/3-watering/README.md", Place("farm", 2, 3, "ur")),
    ("translations/zh-CN/README.md", Place("intro", 0, 0, "zh-CN", "readme")),
    ("pt_BR/chapter-1/02-x.md", Place("intro", 1, 2, "pt_BR")),
    ("chapter-1/02-x.ur.md", Place("intro", 1, 2, "ur")),
    # other kinds and odd names
    ("module-1-ros2/chapter-2-x/05-quiz.md", Place("ros2", 2, 5, doc_type="quiz")),
    ("chapter 3 & more/[WIP] #1 100%.md", Place("intro", 3)),
    ("باب-4/سبق-1.md", Place("باب-4")),
]


@pytest.mark.parametrize(("path", "place"), LAYOUTS, ids=[path for path, _ in LAYOUTS])
def test_the_path_tells_the_place(path: str, place: Place) -> None:
    assert locate(path) == place


@pytest.mark.parametrize(
    ("folder", "module"),
    [
        ("module-1-ros2", "ros2"),
        ("module-2-simulation", "gazebo"),
        ("module-0-introduction", "intro"),
        ("module-4-vision-language-action", "vla"),
        ("isaac-newton", "isaac-newton"),
        ("gazebo-buildings", "gazebo-buildings"),
    ],
)
def test_the_built_in_vocabulary_counts_for_whole_names(folder: str, module: str) -> None:
    assert locate(f"{folder}/chapter-1/01-a.md", modules=BUILT_IN_MODULES).module == module


def test_the_built_in_vocabulary_counts_only_where_the_book_asks_for_it() -> None:
    assert locate("simulation/chapter-1/01-a.md").module == "simulation"
    assert load_settings({}, environ={}).modules == ()
    assert load_settings({"book.vocabulary": "physical-ai"}, environ={}).modules == BUILT_IN_MODULES


@pytest.mark.parametrize("wrapper", ["docs", "content", "src", "book"])
def test_modules_are_found_one_folder_deeper(wrapper: str) -> None:
    assert locate(f"{wrapper}/02-farm/01-a.md") == Place("farm", 2, 1)
    assert locate(f"{wrapper}/intro.md") == Place("intro")
    ros = Module(name="ros2", path="module-1-ros2")
    assert locate(f"{wrapper}/module-1-ros2/chapter-2/03-y.md", modules=(ros,)) == Place("ros2", 2, 3)


@pytest.mark.parametrize(
    ("path", "chapter", "lesson"),
    [
        ("ch03-02-data-types.md", 3, 2),
        ("ch00-00-introduction.md", 0, 0),
        ("chapter-3-2-x.md", 3, 2),
        ("ros2/ch4-1.md", 4, 1),
        ("week-1-2-basics.md", 1, 0),
        ("weeks-1-2/03-x.md", None, 3),
        ("chapter-1-2024-review.md", 1, 0),
        ("chapter-4-3d-printing.md", 4, 0),
    ],
)
def test_two_numbers_after_chapter_are_chapter_and_lesson(path: str, chapter: int | None, lesson: int) -> None:
    place = locate(path)
    assert (place.chapter, place.lesson) == (chapter, lesson)


def test_the_books_contents_number_what_the_path_does_not() -> None:
    entry = Entry(chapter=3, lesson=2)
    assert locate("motors/stepper.md", entry=entry) == Place("motors", 3, 2)
    assert locate("motors/05-stepper.md", entry=entry) == Place("motors", 3, 5)


def test_positions_of_folders_are_numbers_of_folders() -> None:
    entry = Entry(folders=(2, 5))
    assert locate("motors/stepper/wiring.md", entry=entry) == Place("motors", 5)
    assert locate("motors/wiring.md", entry=Entry(folders=(2,))) == Place("motors", 2)
    assert locate("motors/07-stepper/wiring.md", entry=entry) == Place("motors", 7)


@pytest.mark.parametrize(
    ("path", "language", "version", "original"),
    [
        ("i18n/ur/docusaurus-plugin-content-docs/current/01-start/01-intro.md", "ur", None, "01-start/01-intro.md"),
        (
            "i18n/ur/docusaurus-plugin-content-docs/version-1.0/01-start/01-intro.md",
            "ur",
            "1.0",
            "01-start/01-intro.md",
        ),
        ("versioned_docs/version-1.0/01-start/01-intro.md", None, "1.0", "01-start/01-intro.md"),
        ("docs/01-start/01-intro.md", None, None, "01-start/01-intro.md"),
        ("01-start/01-intro.md", None, None, "01-start/01-intro.md"),
        ("versioned_docs/old.md", None, None, "versioned_docs/old.md"),
    ],
)
def test_translations_and_versions_are_recognised(
    path: str, language: str | None, version: str | None, original: str
) -> None:
    place = locate(path)
    assert (place.language, place.version) == (language, version)
    assert original_path(path) == original


def test_a_configured_vocabulary_replaces_the_default_one() -> None:
    modules = (Module(name="ROS Basics", aliases=("robots",)),)
    assert locate("module-1-robots/01-a.md", modules=modules).module == "ROS Basics"
    assert locate("module-1-ros-basics/01-a.md", modules=modules).module == "ROS Basics"
    assert locate("module-2-simulation/01-a.md", modules=modules).module == "simulation"


def test_a_configured_path_beats_the_names_and_the_longest_path_wins() -> None:
    modules = (
        Module(name="all", path="book"),
        Module(name="deep", path="book/part-2/"),
        Module(name="front", path="."),
    )
    assert locate("book/part-1/chapter-1/01-a.md", modules=modules).module == "all"
    assert locate("book/part-2/chapter-1/01-a.md", modules=modules).module == "deep"
    assert locate("book/part-20/chapter-1/01-a.md", modules=modules).module == "all"
    assert locate("welcome.md", modules=modules).module == "front"
    assert locate("bookshelf/01-a.md", modules=modules).module == "bookshelf"


def test_configured_paths_fit_with_and_without_the_language_folder() -> None:
    for module_path in ("robots", "content/ur/robots"):
        modules = (Module(name="m", path=module_path),)
        assert locate("content/ur/robots/02-x.md", modules=modules) == Place("m", None, 2, "ur")
    for pattern in ("{module}/s{lesson}", "content/*/{module}/s{lesson}"):
        assert locate("content/ur/robots/s2.md", patterns=[pattern]) == Place("robots", None, 2, "ur")


def test_a_configured_path_keeps_the_numbers_of_the_names() -> None:
    assert locate("module-9-x/chapter-2/03-a.md", modules=(Module(name="m", path="module-9-x"),)) == Place("m", 2, 3)


@pytest.mark.parametrize(
    ("pattern", "path", "place"),
    [
        ("{module}/c{chapter}/l{lesson}.md", "robots/c2/l3.md", Place("robots", 2, 3)),
        ("{module}/c{chapter}/l{lesson}", "robots/c2/l3.mdx", Place("robots", 2, 3)),
        ("{module}/week-{chapter}-lesson-{lesson}-*", "module-1-ros2/week-4-lesson-2-a.md", Place("ros2", 4, 2)),
        ("**/s{chapter}e{lesson}", "a/b/s01e02.md", Place("intro", 1, 2)),
        ("**/s{chapter}e{lesson}", "s01e02.md", Place("intro", 1, 2)),
        ("*/x{chapter}", "a/b/x1.md", Place("a")),
        ("[{chapter}] + *", "[7] + a.md", Place("intro", 7)),
    ],
)
def test_a_configured_pattern_is_tried_before_the_built_in_ones(pattern: str, path: str, place: Place) -> None:
    assert locate(path, patterns=[pattern]) == place


def test_the_first_pattern_that_fits_decides() -> None:
    assert locate("a/1-2.md", patterns=["no/{lesson}", "a/{chapter}-{lesson}", "a/{lesson}-*"]) == Place(
        "intro", 1, 2
    )


@pytest.mark.parametrize("pattern", ["{modul}/x", "{chapter}/{chapter}", "{}/x"])
def test_a_pattern_that_cannot_work_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(ValueError, match="path pattern"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("folder", "slug"),
    [("module-1-ros2", "ros2"), ("Part 2", "module-2"), ("05-Python_Basics", "python-basics"), ("7", "7")],
)
def test_a_folder_gives_its_module_a_plain_name(folder: str, slug: str) -> None:
    assert module_slug(folder) == slug


NAMES = st.one_of(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.sampled_from(["module-1-ros2", "chapter-2", "lessons", "i18n", "ur", "03-x", "1.2-y", "week-3-lesson-4"]),
)


@given(st.lists(NAMES, min_size=1, max_size=5), st.sampled_from([".md", ".mdx", ".MD", ".summary.md"]))
def test_every_path_has_a_place(parts: list[str], suffix: str) -> None:
    place = locate("/".join(parts) + suffix)
    assert place.module
    assert place.doc_type in DOC_TYPES
    assert all(number is None or number >= 0 for number in (place.chapter, place.lesson))


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("m/01-a.md", "m/01-a.md"),
        ("m/01-a.summary.md", "m/01-a.md"),
        ("translations/ur/m/01-a.md", "m/01-a.md"),
        ("i18n/ur/docusaurus-plugin-content-docs/current/m/01-a.mdx", "m/01-a.mdx"),
        ("m/translations/README.ja.md", "m/translations/README.md"),
        ("docs/fr/m/01-a.md", "m/01-a.md"),
        ("m/1.2-a.md", "m/1.2-a.md"),
        ("README.md", "README.md"),
    ],
)
def test_the_original_of_a_page_is_its_path_without_language_and_summary(path: str, original: str) -> None:
    assert original_path(path) == original
