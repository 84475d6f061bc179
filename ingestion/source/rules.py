"""The rules of `bookwise check`: what each finds, and what to do about it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

from ingestion.errors import ConfigurationError

DROPPED = "dropped-"
"""Rules with this prefix tell what is left out of the embedded text; shown only on request."""

RULES: Mapping[str, str] = {
    "audience-value": "The hardware tier, level or layer is unknown. Use a known one; until then an unknown tier "
    "counts as 4, so nobody sees too much.",
    "broken-link": "A link leads to no page or file of the book. Correct the link.",
    "chapter-range": "A chapter number is larger than expected. It is kept.",
    "chapter-value": "`chapter` in the metadata is not a whole number. Write one, or remove the key.",
    "dead-address": "A lesson's URL leads to no page of the built site, or to the page of another lesson. Take "
    "URLs from the build (`book.built`), or correct the site's or the book's configuration.",
    "dead-anchor": "A section's anchor does not exist on its built page. Take ids from the build (`book.built`).",
    "empty-page": "A page has no text. Write it, or exclude it.",
    "front-matter-break": "The metadata contains a line break that some generators cannot read. Remove it.",
    "front-matter-duplicate-key": "The metadata has a key twice; the last one counts. Remove one.",
    "front-matter-escape": "The metadata contains an invalid escape. Correct it.",
    "front-matter-mapping": "The metadata is not in the form `key: value`. Correct it.",
    "front-matter-place": "The metadata does not start on the first line, so generators do not read it. Move it up.",
    "front-matter-unclosed": "The metadata has no closing line. Add it.",
    "lesson-range": "A lesson number is larger than expected. It is kept.",
    "lesson-value": "`lesson` in the metadata is not a whole number. Write one, or remove the key.",
    "missing-anchor": "A link names a heading or id that its page does not have. Correct the part after `#`.",
    "missing-hardware-tier": "A lesson declares no hardware tier, though at least half of them do. Add it; until "
    "then the lesson is for everyone.",
    "missing-image": "A picture is missing. Add it, or correct the link.",
    "missing-layer": "A lesson declares no teaching layer, though at least half of them do. Add it.",
    "missing-proficiency-level": "A lesson declares no level, though at least half of them do. Add it.",
    "missing-title": "A page has neither a title nor a heading. Citations name its file; give it a title.",
    "nested-fence": "A code fence opens inside one that is no longer than itself. Give the outer one a longer "
    "marker.",
    "other-heading": "A section's anchor leads to another heading of its built page. Take ids from the build "
    "(`book.built`).",
    "page-without-lesson": "A page of the built site belongs to no lesson, so it is not searched. Index its file, "
    "if it has one.",
    "path-clash": "Paths differ only in case, so some file systems can store only one of them. Rename one.",
    "path-conflict": "The metadata and the path have different numbers; the path counts. Correct one of them.",
    "same-lesson": "Two pages claim to be the same lesson. Renumber one.",
    "stub-page": "A page has only placeholders or no words. Write it, or exclude it.",
    "unclosed-comment": "A comment is never closed, so everything below it is hidden. Close it.",
    "unclosed-directive": "A `:::` block is never closed. Close it.",
    "unclosed-fence": "A code fence is never closed, so everything below it is read as code. Close it.",
    "unclosed-html": "An HTML block or a hidden element is never closed. Close it.",
    "undecided-condition": "What a page shows depends on a template condition that only the build can decide; "
    "both branches are searched.",
    "unknown-key": "A metadata key looks misspelt. Correct it, or use `--fix`.",
    "unpublished-words": "Words are searched that are not on the built page. Check whether readers should see them.",
    "unresolved-include": "An included file does not exist, cannot be read, or has no such section. Correct the "
    "path, or trust the book (`trust.folders`) if the file is meant to be outside it.",
    "unresolved-variable": "A page uses a variable that is not in the configuration or its metadata. Add it.",
    "unsearched-words": "The built page has words that are in no chunk of its lesson, for example from a plug-in "
    "or a component.",
    "dropped-admonition-mark": "Admonition markers; the type and title are kept as text.",
    "dropped-attributes": "Attributes in braces, which the site turns into classes and ids.",
    "dropped-comment": "A comment, which readers do not see.",
    "dropped-data-uri": "A picture embedded in the page.",
    "dropped-fence-info": "Text after the language of a code block.",
    "dropped-footnote-mark": "A footnote marker; the text is kept.",
    "dropped-heading-id": "The id of a heading.",
    "dropped-hidden-code": "A line of code that the site hides.",
    "dropped-hidden-element": "An element that no browser shows.",
    "dropped-image-address": "The URL of a picture; its description is kept.",
    "dropped-import": "An MDX import or export.",
    "dropped-link-address": "The URL of a link; its text is kept.",
    "dropped-link-reference": "The definition of a link.",
    "dropped-mark": "Markers around keys or highlighted text; the text is kept.",
    "dropped-shortcode": "A shortcode or template.",
    "dropped-tag": "A tag; the text in it is kept.",
    "dropped-zero-width": "Invisible characters.",
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
