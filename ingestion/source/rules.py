"""The rules of `bookwise check`: what each finds, and what to do about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from ingestion.errors import ConfigurationError

DROPPED = "dropped-"
"""Rules with this prefix tell what is left out of the embedded text; shown only on request."""

RULES: Mapping[str, str] = {
    "audience-value": "A hardware tier, level or layer is not one that is known. Write one that is; until then a "
    "tier counts as 4, so that nobody sees too much.",
    "broken-link": "A link leads to no page or file of the book. Correct its address.",
    "chapter-range": "The number of a chapter is larger than expected. It is kept.",
    "chapter-value": "`chapter` in the metadata is not a whole number. Write one, or remove the key.",
    "dead-address": "The address of a lesson leads to no page of the built site, or to that of another lesson. Take "
    "addresses from the build (`book.built`), or correct the site's or the book's configuration.",
    "dead-anchor": "A section's anchor is no id of its built page. Take ids from the build (`book.built`).",
    "empty-page": "A page has no text. Write it, or exclude it.",
    "front-matter-break": "The metadata holds a line break that some generators do not read. Remove it.",
    "front-matter-duplicate-key": "A key stands twice in the metadata; the last one counts. Remove one.",
    "front-matter-escape": "The metadata holds an escape that stands for no character. Correct it.",
    "front-matter-mapping": "The metadata is not `key: value` lines. Write it so.",
    "front-matter-place": "Metadata stands below the first line, where generators do not read it. Move it up.",
    "front-matter-unclosed": "The metadata has no closing line. Add it.",
    "lesson-range": "The number of a lesson is larger than expected. It is kept.",
    "lesson-value": "`lesson` in the metadata is not a whole number. Write one, or remove the key.",
    "missing-anchor": "A link names a heading or id that its page does not have. Correct the part behind `#`.",
    "missing-hardware-tier": "A lesson declares no hardware tier, though at least half of them do. Add it; until "
    "then the lesson is for everyone.",
    "missing-image": "A picture is not there. Add it, or correct its address.",
    "missing-layer": "A lesson declares no teaching layer, though at least half of them do. Add it.",
    "missing-proficiency-level": "A lesson declares no level, though at least half of them do. Add it.",
    "missing-title": "A page has neither a title nor a heading. Citations name its file; give it a title.",
    "nested-fence": "A code fence opens inside one that is no longer than itself. Give the outer one a longer "
    "marker.",
    "other-heading": "A section's anchor leads to another heading of its built page. Take ids from the build "
    "(`book.built`).",
    "page-without-lesson": "A page of the built site is that of no lesson, so that it is not searched. Index its "
    "file, if it has one.",
    "path-clash": "Paths differ only in case, so that some file systems hold one of them. Rename one.",
    "path-conflict": "The metadata and the path name different numbers; the path counts. Correct one of them.",
    "same-lesson": "Two pages claim to be the same lesson. Renumber one.",
    "stub-page": "A page says nothing yet: each block is a placeholder or has no words. Write it, or exclude it.",
    "unclosed-comment": "A comment is never closed, so that everything below it is hidden. Close it.",
    "unclosed-directive": "A `:::` block is never closed. Close it.",
    "unclosed-fence": "A code fence is never closed, so that everything below it is read as code. Close it.",
    "unclosed-html": "An HTML block or a hidden element is never closed. Close it.",
    "undecided-condition": "What a page shows depends on a condition of its templates, which only the build decides; "
    "both branches are searched.",
    "unknown-key": "A key of the metadata looks like a misspelt one. Correct it; `--fix` does.",
    "unpublished-words": "Words are searched that the built page does not show. See whether readers are meant to see "
    "them.",
    "unresolved-include": "A file that a page includes is not there, may not be read, or lacks the part that is "
    "named. Correct the path, or trust the book (`trust.folders`) where it is meant to lie outside.",
    "unresolved-variable": "A page shows a text of the configuration or of its metadata that is not there. Add it.",
    "unsearched-words": "The built page shows words that are in no chunk of its lesson, as those that a plug-in or a "
    "component writes.",
    "dropped-admonition-mark": "Marks of an admonition; its type and title stay as words.",
    "dropped-attributes": "Attributes in braces, which the site turns into classes and ids.",
    "dropped-comment": "A comment, which readers do not see.",
    "dropped-data-uri": "A picture written into the page.",
    "dropped-fence-info": "What stands behind the language of a listing.",
    "dropped-footnote-mark": "The mark of a footnote; its words stay.",
    "dropped-heading-id": "The id of a heading.",
    "dropped-hidden-code": "A line of code that the site leaves out.",
    "dropped-hidden-element": "An element that no browser shows.",
    "dropped-image-address": "The address of a picture; its description stays.",
    "dropped-import": "An import or export of MDX.",
    "dropped-link-address": "The address of a link; its words stay.",
    "dropped-link-reference": "The definition of a link.",
    "dropped-mark": "Marks around keys or highlighted words, which stay.",
    "dropped-shortcode": "A shortcode or template.",
    "dropped-tag": "A tag; the words in it stay.",
    "dropped-zero-width": "Characters that nobody sees.",
}
"""Every rule by name, in the order of the reference."""


def require_known(names: Collection[str]) -> None:
    """Raise ConfigurationError if a name in `check.disable` is that of no rule."""
    for name in names:
        if name not in RULES:
            near = get_close_matches(name, RULES, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            mistakes = ", ".join(rule for rule in RULES if not rule.startswith(DROPPED))
            raise ConfigurationError(
                f"check.disable: no rule is called {name!r}: {hint}The rules are {mistakes}, and those with "
                f"{DROPPED!r} that --verbose lists"
            )
