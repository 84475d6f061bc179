"""Files that CI services read are valid by the services' own schemas, pin what they use and hold no secret."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scripts.release_notes import notes_of
from tests.support.paths import ROOT

GITHUB = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "examples/ci/github").glob("*.yml"))]
SCHEMAS: list[tuple[str, Path, tuple[str, ...]]] = [
    ("github-actions", ROOT / "action.yml", ()),
    *(("github-workflows", file, ()) for file in GITHUB),
    ("compose-spec", ROOT / "compose.yaml", ()),
    ("dependabot", ROOT / ".github/dependabot.yml", ()),
    ("gitlab-ci", ROOT / "examples/ci/gitlab-ci.yml", ("--data-transform", "gitlab-ci")),
    (
        "azure-pipelines",
        ROOT / "examples/ci/azure-pipelines.yml",
        ("--data-transform", "azure-pipelines", "--regex-variant", "python"),
    ),
]
FORMS = sorted(file for file in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if file.name != "config.yml")
OURS = "OWNER/bookwise@v0.1.0"


@pytest.mark.parametrize(
    ("schema", "file", "options"), SCHEMAS, ids=[str(row[1].relative_to(ROOT)) for row in SCHEMAS]
)
def test_each_file_is_valid_by_the_schema_of_its_service(schema: str, file: Path, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *options, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_no_audit_of_the_workflows_finds_anything_that_is_not_explained() -> None:
    files = [str(ROOT / "action.yml"), *map(str, GITHUB)]
    command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--no-progress", "--no-config", *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


RECIPES = [path for name in ("ci", "monitoring") for path in (ROOT / "examples" / name).rglob("*") if path.is_file()]
SHIPPED = [*(ROOT / name for name in ("action.yml", "Dockerfile", "compose.yaml")), *sorted(RECIPES)]
"""What runs where a stranger's book may be the current folder."""

UNSAFE = re.compile(r"""\bpython[\d.]*["',\s]+-(?!P\b|I\b)""")


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_interpreter_is_started_that_imports_from_the_current_folder(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line.strip() for line in lines if UNSAFE.search(line)] == [], "python -P -m, or -c"


@pytest.mark.parametrize(
    ("line", "is_unsafe"),
    [
        ("- python -m pip install x", True),
        ('CMD ["python", "-c", "import http"]', True),
        ("python3.12 -u -m pip", True),
        ("- python -P -m pip install x", False),
        ('CMD ["python", "-P", "-c", "import http"]', False),
        ("python-version: 3.12", False),
    ],
)
def test_what_the_scan_takes_for_unsafe(line: str, is_unsafe: bool) -> None:
    assert bool(UNSAFE.search(line)) is is_unsafe


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.name)
def test_a_form_for_issues_asks_something_and_names_its_fields_once(file: Path) -> None:
    form = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert form["name"] and form["description"] and form["body"]
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) and all(field["attributes"]["label"] for field in form["body"])


def test_contributing_names_only_targets_and_files_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = {name for line in re.findall(r"`make ([a-z -]+)`", text) for name in line.split()}
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert targets <= made and {"setup", "test", "lock"} <= targets
    paths = re.findall(r"`([\w.]+(?:/[\w.]*)+|[A-Z]+\.md)`", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_linter_of_dockerfiles_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint has no build for this system")
    done = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", [ROOT / "action.yml", *GITHUB], ids=lambda file: file.name)
def test_every_action_of_others_is_pinned_by_its_hash(file: Path) -> None:
    used = re.findall(r"uses: (\S+)", file.read_text(encoding="utf-8"))
    assert [name for name in used if name != OURS and not re.search(r"@[0-9a-f]{40}$", name)] == []


def test_pre_commit_gives_the_files_to_check() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "bookwise check" and hook["types_or"] == ["markdown", "mdx"]
    assert hook.get("pass_filenames", True)


def test_the_text_of_a_release_is_its_section_of_the_changelog() -> None:
    changelog = (
        "# Changelog\n\n## Unreleased\n\n- new\n\n## [0.2.0] - 2026-01-01\n\n- a\n- b\n\n## 0.1.0\n\n- first\n"
    )
    assert notes_of("0.2.0", changelog) == "- a\n- b\n"
    assert notes_of("0.1.0", changelog) == "- first\n"
    with pytest.raises(ValueError, match=r"no section '## 0\.3\.0'"):
        notes_of("0.3.0", changelog)
