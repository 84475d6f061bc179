"""Reference pages on the files of a book: the rules of the linter, and what is skipped."""

from __future__ import annotations

from collections.abc import Mapping

from ingestion.source.crawler import IGNORE_FILE, NOT_BOOK, SUFFIXES
from ingestion.source.editions import TRANSLATIONS, VERSIONS
from ingestion.source.generators import every
from ingestion.source.generators.base import PARTIALS, Base
from ingestion.source.link_rules import KEPT_ELSEWHERE
from ingestion.source.rules import DROPPED, RULES
from scripts.docs.markdown import table, text

CHECK_REPORT: Mapping[str, str] = {
    "root": "the folder that paths are relative to",
    "files": "how many pages were checked",
    "findings": "list of `path`, `line` (from 1; null for a whole file), `rule`, `message`",
    "failures": "list of `path`, `line`, `reason`: lessons that cannot be indexed, folders that cannot be listed",
    "skipped": "list of `path`, `reason`: files that are skipped by rule or not published",
    "notes": "list of sentences about what could not be checked",
    "fixed": "list of `path`, `line`, `what`: what `--fix` corrected",
}
"""The keys of `check --json`."""

_CHECK = f"""# Rules of `bookwise check`

Problems are printed as `path:line: message [rule]`, grouped by file, with paths relative to the current folder. The exit
code of `check` is 0 if there are only problems of this list (3 with `--strict`), 3 if a lesson cannot be indexed or a
folder cannot be listed, and 5 if there are no lessons. `ingest --strict` reports the same problems, also for unchanged
lessons.

`check.disable` in `bookwise.toml` turns rules off by name. `--fix` corrects mixed line endings and, unless the correct
key exists too, `unknown-key`. It changes nothing else, and writes a lesson completely or not at all.

Links to other sites, absolute links to the site itself and links out of the book are not checked. Anchors follow the
book's style (`book.style`), or any known style if it is not known. If at least {KEPT_ELSEWHERE} pictures, files or
folders are missing, and more are missing than present, they are assumed to be stored elsewhere, and a note says so.
"""

_FILES = f"""# Files of a book

Lessons are the files in `book.docs` that end in {", ".join(f"`{suffix}`" for suffix in SUFFIXES)}, in upper or lower case.
`bookwise crawl` lists every skipped file with the reason; `ingest`, `plan` and `check` summarize them in one
line. Symbolic links are never followed. If a folder cannot be listed, the exit code is 3, and its lessons do not count
as deleted.

## Skipped by rule
"""

_generators = sorted((each for each in every() if isinstance(each, Base)), key=lambda each: each.name)
_no_pages = ", ".join(f"`{pattern}` in {each.name}" for each in _generators for pattern in each.no_pages)
_build_every_file = ", ".join(each.name for each in _generators if not each.partials)

_IGNORED = f"""
Partials are skipped unless the site is built with {_build_every_file}, which build a page from every file.
Files your site generator does not publish are skipped: {_no_pages}.
Files that the site's configuration excludes (`exclude_docs` and `draft_docs` in MkDocs, `exclude` in Jekyll,
`srcExclude` in VitePress), tables of contents (`SUMMARY.md`), drafts and unpublished pages are skipped as well.

## `{IGNORE_FILE}`

A file `{IGNORE_FILE}` in the lessons folder uses the syntax of `.gitignore`: one pattern per line, `#` starts a
comment, a leading `/` anchors the pattern to the folder, a trailing `/` matches only folders, `**` matches any number
of folders, and `!` includes again what an earlier line, or a rule above, skipped. The setting `crawl.exclude` uses the
same syntax and is applied first; `crawl.include` limits the book to files that match one of its patterns.

```text
# not ready yet
/drafts/
*.wip.md
!_glossary.md
```
"""


def check_rules() -> str:
    """Return every rule of the linter, the shape of its report, and when it fails."""
    named = [(f"`{name}`", text(meaning)) for name, meaning in RULES.items()]
    dropped = [row for row in named if row[0].startswith(f"`{DROPPED}")]
    mistakes = table(("rule", "what it finds, and what to do"), [row for row in named if row not in dropped])
    left_out = f"## Text left out of search\n\nListed with `--verbose`.\n\n{table(('rule', 'what it is'), dropped)}"
    fields = table(("key", "value"), [(f"`{name}`", meaning) for name, meaning in CHECK_REPORT.items()])
    return "\n".join([_CHECK, mistakes, left_out, f"## JSON\n\n`check --json` prints one object.\n\n{fields}"])


def files() -> str:
    """Return which files are lessons, and what is skipped by rule."""
    rows = [(f"`{pattern}`", "dependencies, hidden files and folders") for pattern in NOT_BOOK]
    rows += [(f"`{pattern}`", "partials; `!` includes a name again") for pattern in PARTIALS]
    rows += [(f"`{pattern}`", "translations; `crawl.translations` indexes them") for pattern in TRANSLATIONS]
    rows += [(f"`{pattern}`", "versions; `crawl.versions` indexes them") for pattern in VERSIONS]
    return f"{_FILES}\n{table(('pattern', 'what it is'), rows)}{_IGNORED}"
