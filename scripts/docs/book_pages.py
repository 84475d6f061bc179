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
    "skipped": "list of `path`, `reason`: what is no part of the book by rule, or not published",
    "notes": "list of sentences on what could not be judged",
    "fixed": "list of `path`, `line`, `what`: what `--fix` corrected",
}
"""The keys of `check --json`."""

_CHECK = f"""# Rules of `bookwise check`

Each problem is printed as `path:line: message [rule]`, grouped by file, with paths from the current folder. `check`
exits 0 where it finds only these (3 with `--strict`), 3 where a lesson cannot be indexed or a folder cannot be listed,
and 5 where there are no lessons. `ingest --strict` reports the same, also of lessons that did not change.

`check.disable` in `bookwise.toml` turns rules off by name. `--fix` corrects `unknown-key`, where the right key is not
there too, and mixed line ends; it changes nothing else, and each lesson as a whole or not at all.

Links to other sites, to addresses of the site itself and out of the book are not judged. Anchors are those of the
book's address style (`book.style`); where that is not known, those of any style. Where at least {KEPT_ELSEWHERE}
pictures, files or folders are missing, and more than are there, they are kept elsewhere: a note says so instead.
"""

_FILES = f"""# Files of a book

Lessons are the files below `book.docs` that end in {", ".join(f"`{suffix}`" for suffix in SUFFIXES)}, in any case.
`bookwise crawl` lists every file that is skipped, with the reason; `ingest`, `plan` and `check` tell the sum in one
line. Links of the file system are never followed. A folder that cannot be listed fails the run (exit 3), and nothing
in it counts as deleted.

## Skipped by rule
"""

_generators = sorted((each for each in every() if isinstance(each, Base)), key=lambda each: each.name)
_no_pages = ", ".join(f"`{pattern}` in {each.name}" for each in _generators for pattern in each.no_pages)
_build_every_file = ", ".join(each.name for each in _generators if not each.partials)

_IGNORED = f"""
Partials are skipped unless the site is built by {_build_every_file}, which build a page of each file.
Files your site generator does not publish are skipped too: {_no_pages}.
Skipped too are files that the site's own configuration excludes (`exclude_docs` and `draft_docs` of MkDocs, `exclude`
of Jekyll, `srcExclude` of VitePress), tables of contents (`SUMMARY.md`), drafts and unpublished pages.

## `{IGNORE_FILE}`

A file `{IGNORE_FILE}` in the folder of the lessons holds patterns as `.gitignore` does: one per line, `#` begins a
comment, `/` at the start binds to the folder, `/` at the end means folders only, `**` any number of folders, and `!`
takes back what a line before, or a rule above, skipped. The setting `crawl.exclude` takes the same patterns and comes
before it; `crawl.include` limits the book to files that match one of its patterns.

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
    rows += [(f"`{pattern}`", "pieces of pages; `!` takes a name back") for pattern in PARTIALS]
    rows += [(f"`{pattern}`", "translations; `crawl.translations` indexes them") for pattern in TRANSLATIONS]
    rows += [(f"`{pattern}`", "versions; `crawl.versions` indexes them") for pattern in VERSIONS]
    return f"{_FILES}\n{table(('pattern', 'what it is'), rows)}{_IGNORED}"
