"""Ignore rules decide as git does, in time that grows with the pattern and the path."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from ingestion.source.ignore_rules import IgnoreRules

NAMES = ("a", "b", "ab", "a]", "a b", "-", "!a", "#", "a ", "A1", ".a", "_")
PIECES = (
    *("a", "b", "ab", "1", ".", "_", "-", " ", "#", "!", "A"),
    *("*", "**", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]]", "[a-]", "[[:alpha:]]", "[[:none:]]"),
    *("[", "]", "[a", r"\a", r"\ ", r"\!", r"\#", r"\*", r"\[", r"[\]]", "[![:upper:]x]"),
)
PARTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
PATTERNS = st.builds(
    lambda negated, first, parts, last, blanks: negated + first + "/".join(parts) + last + blanks,
    st.sampled_from(("", "", "!")),
    st.sampled_from(("", "", "/", "**/")),
    st.lists(st.one_of(PARTS, st.sampled_from(("**", "*", "a", "b"))), min_size=1, max_size=4),
    st.sampled_from(("", "", "/", "/**", "/*", "/**/")),
    st.sampled_from(("", "", " ", "  ")),
)
LISTS = st.lists(PATTERNS, min_size=1, max_size=5)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A repository with files and folders of odd names, three deep, and all their paths."""
    root = tmp_path_factory.mktemp("tree")
    git(root, "init", "-q")
    paths = []
    for one in NAMES:
        for two in NAMES[::2]:
            folder = root / one / two
            folder.mkdir(parents=True)
            for three in ("a", "b", "a]"):
                (folder / three).mkdir() if three == "b" else (folder / three).touch()
                paths.append(f"{one}/{two}/{three}{'/' if three == 'b' else ''}")
            paths.append(f"{one}/{two}/")
        (root / one / "c").touch()
        paths += [f"{one}/", f"{one}/c"]
    (root / "c").touch()
    return root, sorted([*paths, "c"])


def git(root: Path, *arguments: str, given: str = "") -> str:
    command = ["git", "-c", "core.excludesFile=/dev/null", *arguments]
    done = subprocess.run(command, cwd=root, input=given, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def ignored_in_a_walk(patterns: Sequence[str], paths: Sequence[str]) -> set[str]:
    """The paths that a walk from the root does not reach, for it does not enter folders that are ignored."""
    rules = IgnoreRules(patterns)
    ignored: set[str] = set()
    for path in sorted(paths):
        folder = path.removesuffix("/").rpartition("/")[0]
        if f"{folder}/" in ignored or rules.match(path) is not None:
            ignored.add(path)
    return ignored


def is_odd_for_git(pattern: str) -> bool:
    """Whether git reads its own rules in another way: stars after text count as folders, a slash is in brackets."""
    parts = pattern.removeprefix("!").strip("/ ").split("/")
    has_stars_after_text = any("**" in part and part != "**" for part in parts) and "/" in pattern.rstrip()[:-1]
    return has_stars_after_text or any(part.count("[") > part.count("]") for part in parts[:-1])


def is_refused(pattern: str) -> bool:
    """Whether a pattern is a mistake to us, and fits nothing for git: `!` alone, and `[b-a]`."""
    try:
        IgnoreRules([pattern])
    except ValueError:
        return True
    return False


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS)
@example(["a/", "!a/b/"])
@example(["/*", "!/a", "/a/*", "!/a/b/"])
@example(["*", "!*/", "!c"])
@example(["a/**/b", "**/a]", "!a/b/"])
@example([r"a\ ", r"\#", r"\!a", "a  "])
def test_the_rules_of_a_walk_are_those_of_git(tree: tuple[Path, list[str]], patterns: list[str]) -> None:
    root, paths = tree
    patterns = [pattern for pattern in patterns if not is_odd_for_git(pattern) and not is_refused(pattern)]
    (root / ".gitignore").write_text("".join(f"{pattern}\n" for pattern in patterns))
    asked = "\0".join(path.removesuffix("/") for path in paths) + "\0"
    told = git(root, "check-ignore", "--no-index", "-z", "--stdin", given=asked).split("\0")
    assert {path.removesuffix("/") for path in ignored_in_a_walk(patterns, paths)} == set(filter(None, told))


PLAIN = st.lists(st.sampled_from(("a", "b", "ab", "*", "**", "?", "[ab]", "_", ".", r"\*")), min_size=1, max_size=3)
PLAIN_PATTERNS = st.builds(
    lambda negated, first, parts, last: negated + first + "/".join(parts) + last,
    st.sampled_from(("", "", "!")),
    st.sampled_from(("", "/")),
    st.lists(st.one_of(PLAIN.map("".join), st.just("**")), min_size=1, max_size=4),
    st.sampled_from(("", "/", "/**", "/*")),
).filter(lambda pattern: not pattern.endswith("**/"))  # Only folders for git, files too for pathspec.
FILES = st.lists(st.sampled_from(("a", "b", "ab", "_", ".a", "ba")), min_size=1, max_size=5).map("/".join)


@settings(max_examples=500, deadline=None)
@given(PLAIN_PATTERNS, FILES)
def test_each_pattern_fits_the_files_that_pathspec_says(pattern: str, path: str) -> None:
    expected = GitIgnoreSpec.from_lines([pattern.removeprefix("!")]).match_file(path)
    assert (IgnoreRules([pattern.removeprefix("!")]).match(path) is not None) == expected


@settings(max_examples=500, deadline=None)
@given(st.lists(PLAIN_PATTERNS, min_size=1, max_size=4), FILES)
def test_a_list_of_patterns_takes_in_the_files_that_pathspec_says(patterns: list[str], path: str) -> None:
    assert (IgnoreRules(patterns).match(path) is not None) == GitIgnoreSpec.from_lines(patterns).match_file(path)


@pytest.mark.parametrize("pattern", ["a\\", "a/b\\"])
def test_a_pattern_that_is_none_is_named(pattern: str) -> None:
    with pytest.raises(ValueError, match="backslash"):
        IgnoreRules([pattern])


def test_the_number_is_that_of_the_pattern_in_the_list() -> None:
    rules = IgnoreRules(["# comment", "", "/", "!/", "drafts/", "*.tmp", "!kept.tmp"])
    paths = ("drafts/", "drafts/a", "a.tmp", "x/kept.tmp", "drafts", "#")
    assert [rules.match(path) for path in paths] == [4, 4, 5, None, None, None]


def test_a_folder_may_lie_as_deep_as_a_file_system_lets_it() -> None:
    assert IgnoreRules(["c/"]).match("a/" * 1000 + "c/" + "b/" * 1000 + "d") == 0


HARD = {
    "stars": ("*a" * 30 + "z", "a"),
    "stars and letters": ("*a?" * 30 + "z", "aa"),
    "folders": ("**/a/" * 30 + "z", "a/"),
    "folders of stars": ("**/*a*/" * 30 + "z", "aa/"),
    "folders in brackets": ("**/[!b]*[a]/" * 30 + "z", "aa/"),
    "stars of many": ("/**" * 30 + "*a" * 30 + "z", "a"),
    "brackets": ("[" * 2000 + "]" * 2000, "["),
    "classes": ("[[:alpha:]" * 300 + "]", "a"),
}


def seconds(pattern: str, path: str) -> float:
    times = []
    for _ in range(3):
        rules = IgnoreRules([pattern])
        began = time.process_time()
        for _ in range(20):
            assert rules._own(path) is None
        times.append(time.process_time() - began)
    return min(times)


@pytest.mark.parametrize("name", HARD)
def test_a_path_of_twice_the_length_takes_about_twice_the_time(name: str) -> None:
    pattern, text = HARD[name]
    small, large = seconds(pattern, text * 250), seconds(pattern, text * 1000)
    assert large < max(0.05, small * 8), (small, large)
