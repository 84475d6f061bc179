"""The reference page of the documents that commands print with `--json`; a test holds the keys to what they print."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.docs.book_pages import CHECK_REPORT
from scripts.docs.markdown import table

_HEAD = """# JSON output

With `--json` a command prints exactly one document to stdout. A failure prints
`{"error": {"message", "kind", "exit_code", "hint"}}` instead, with the same [exit code](exit-codes.md); `hint` may be
null. Later releases may add keys, but do not remove the ones listed here.
"""
_RUN = {
    "book_id": "id of the book",
    "mode": "`incremental`, `full` or `recreate`",
    "root": "folder that paths are relative to",
    "dry_run": "whether nothing was written",
    "files": "number of files by change: `new`, `changed`, `unchanged`, …",
    "changes": "the change of each file that was checked or removed, by path",
    "moved_from": "former path of each moved file, by path",
    "empty": "list of files without text",
    "chunks": "`kept`, `patched`, `written`, `deleted`, `embedded`, `reused`, and `tokens` embedded",
    "failures": "list of `path`, `line`, `reason`: lessons that could not be indexed",
    "findings": "list of `path`, `line`, `rule`, `message`, as of `check`",
    "skipped": "list of `path`, `reason`: files that are skipped by rule",
    "cost": "embedding cost in US dollars; null if the price is not known",
    "recipient": "the service that receives the texts: `host`, `model`, `price` per million tokens; null if there is none",
    "total_files": "files in the index after the run",
    "total_chunks": "chunks in the index after the run",
    "seconds": "duration of the run",
    "stages": "seconds by stage",
    "coverage": "list of `module`, `hardware_tier`, `chunks`",
}
SHAPES: Mapping[tuple[str, ...], Mapping[str, str]] = {
    ("ingest", "plan", "verify"): _RUN,
    ("check",): CHECK_REPORT,
    ("crawl",): {
        "root": "folder that paths are relative to",
        "files": "list of pages: path, module, chapter, lesson and URL",
        "modules": "number of pages by module",
        "skipped": "list of `path`, `reason`",
        "clashes": "values that should be unique but are shared by several pages",
        "notes": "what could not be read from the site's configuration",
    },
    ("info",): {
        "collection": "name of the index",
        "location": "folder or server of the index",
        "embedding": "model that made the vectors",
        "dimensions": "number of dimensions of a vector",
        "points": "chunks of all books",
        "books": "list of `book_id`, `files`, `chunks`, `modules` (chunks by module), `last_run` (may be null)",
        "health": "health of the Qdrant server; null for an embedded index",
    },
    ("doctor",): {
        "settings": "list of `name`, `value` (secrets are `***`), `source`, `is_default`",
        "checks": "list of `subject`, `level` (`ok`, `note`, `problem`), `message`, `next_step` (null if `ok`)",
        "versions": "version of each package",
        "problems": "number of checks of level `problem`",
    },
    ("jobs list",): {"jobs": "list of runs, each as `jobs show` prints it"},
    ("jobs show",): {
        "job_id": "number of the run",
        "book_id": "id of the book",
        "mode": "`incremental`, `full` or `recreate`",
        "status": "`queued`, `running`, `completed` or `failed`",
        "files_processed": "files that were indexed or removed",
        "files_skipped": "files that did not change",
        "chunks_created": "chunks written",
        "chunks_deleted": "chunks removed",
        "started_at": "time (ISO 8601, UTC)",
        "completed_at": "time; null while it runs",
        "duration_seconds": "seconds; null while it runs",
        "error_message": "why it failed; null if it did not",
        "embedded": "chunks embedded",
        "reused": "chunks whose vectors were reused",
        "tokens": "tokens embedded",
        "cost": "US dollars; null if the price is not known",
        "failures": "list of `path`, `line`, `reason`",
        "changed": "number of pages that the run changed; null while it runs and for runs of an earlier release",
        "changes": "the first hundred of them by path: list of `path`, `change`, `moved_from` (null unless it moved)",
    },
    ("generations list", "generations rollback", "generations drop"): {
        "generations": "list of `name`, `role` (null while it is built), `schema`, `points`",
    },
    ("search",): {
        "query": "the question",
        "results": "list of passages: [SearchResult](http-api.md#searchresult)",
        "total_found": "number of chunks that pass the filters",
        "hardware_tier_filter": "highest tier that was searched",
        "module_filter": "module that was searched; null for all",
        "book_id": "id of the book",
        "evidence": "evidence that the passages answer the question: [Evidence](http-api.md#evidence)",
        "is_book_indexed": "false if the index has no chunk of the book",
        "has_relevant_results": "whether a passage has the cosine of `agent.min_relevance_score`",
        "searched_for": "the question with typos corrected; null if there were none",
        "hidden": "better passages that a filter hides; null if there are none",
    },
    ("lesson",): {"title": "title of the page", "chunks": "list of its chunks: their [payload](payload.md)"},
    ("questions",): {
        "since": "time span",
        "kind": "`all`, `unanswered`, `weak`, `disliked` or `liked`",
        "total": "number of questions",
        "groups": "list of groups: [OwnedGroup](http-api.md#ownedgroup)",
    },
    ("export",): {
        "book_id": "id of the book",
        "lessons": "number of lessons; with `--chunks` instead `chunks`, their number",
        "filters": "filters that were given",
        "files": "list of files written",
    },
    ("keys add",): {
        "key_id": "id of the key",
        "secret": "the key itself; shown only here",
        "books": "list of books it can read; empty for all",
        "highest_tier": "highest hardware tier it can read",
        "public": "whether it is for a public page",
        "may_ingest": "whether it can start runs",
        "owner": "whether it can read the owner's pages",
    },
    ("keys list",): {
        "keys": "list of `key_id`, `name`, `books`, `highest_tier`, `public`, `rights`, `created_at`, `status`",
    },
    ("keys revoke",): {"key_id": "id of the key", "status": "`revoked`"},
    ("keys forget",): {
        "key_id": "id of the key",
        "user_id": "selected user of the key; null for all",
        "threads": "number of conversations deleted",
        "questions": "number of questions deleted",
    },
}
"""The keys of each document, by the commands that print it."""

ELSEWHERE: Mapping[str, str] = {
    "ask": "[ChatResponse](http-api.md#chatresponse), as `POST /chat/run` answers.",
    "copy": "`to`, the target, and what was copied, removed and compared for each of the `books`.",
    "delete-book": "`book_id` and `chunks_deleted`.",
    "eval": "`questions`, `measures`, `leak_rate`, `latency_ms`, `answers`, `languages`, `books`, `compared`, "
    "`changed_answers`, and every question in `outcomes`; `--compare` reads it back.",
    "init": "What `crawl` prints, with `folder`, `config`, `id`, `id_source`, `docs`, `site`, `editions`, the `text` of "
    "`bookwise.toml` (null where there is one), the lines for `gitignore`, and the files `written`.",
}
"""Documents that one sentence describes."""


def json_output() -> str:
    """Return the keys of every document."""
    parts = [_HEAD]
    for commands, keys in SHAPES.items():
        title = ", ".join(f"`{command}`" for command in commands)
        parts.append(f"## {title}\n\n{table(('key', 'value'), [(f'`{key}`', told) for key, told in keys.items()])}")
    rows = [(f"`{command}`", told) for command, told in ELSEWHERE.items()]
    parts.append(f"## Other commands\n\n{table(('command', 'document'), rows)}")
    return "\n".join(parts)
