"""The block rules of a lesson: those of CommonMark from markdown-it-py, and ours beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt, rules_block
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from ingestion.markdown.rules.abbreviations import abbreviation
from ingestion.markdown.rules.comments import comment, label
from ingestion.markdown.rules.containers import container
from ingestion.markdown.rules.directives import directive, directive_end
from ingestion.markdown.rules.fences import fence
from ingestion.markdown.rules.footnotes import footnote
from ingestion.markdown.rules.html import html_block
from ingestion.markdown.rules.imports import import_or_export
from ingestion.markdown.rules.jsx import jsx
from ingestion.markdown.rules.lines import PageState
from ingestion.markdown.rules.lookahead import new_budget
from ingestion.markdown.rules.math import math
from ingestion.markdown.rules.quotes import quote, unquoted
from ingestion.markdown.rules.tables import table
from ingestion.markdown.rules.text import text
from ingestion.markdown.rules.work import new_work, spend, token_limit
from ingestion.markdown.syntax import Syntax

MAX_LEVELS = 40
"""Levels of nesting that are read; a list takes two. What lies deeper belongs to the container around it, so that
hostile input cannot exhaust the stack."""

_TEXT = ("paragraph", "reference")
_TEXT_AND_QUOTES = (*_TEXT, "blockquote")
_ALL = (*_TEXT_AND_QUOTES, "list")


class Rule(NamedTuple):
    """A block rule, the characters with which its first line can begin ("" for any), and what it interrupts."""

    function: RuleFuncBlockType
    first: str = ""
    interrupts: tuple[str, ...] = ()


RULES = (
    Rule(directive_end, ":/", _ALL),
    Rule(import_or_export, "ie"),
    Rule(comment, "{%"),
    Rule(label, "(", _ALL),
    Rule(jsx, "<"),
    Rule(math, "$", _TEXT),
    Rule(table, "", _TEXT),
    Rule(rules_block.code),
    Rule(fence, "`~", _ALL),
    Rule(quote, ">", _ALL),
    Rule(rules_block.hr, "*-_", _ALL),
    Rule(rules_block.list_block, "*-+0123456789", _TEXT_AND_QUOTES),
    Rule(footnote, "[", _ALL),
    Rule(rules_block.reference, "["),
    Rule(abbreviation, "*"),
    Rule(directive, ":/", _ALL),
    Rule(container, "!?=", _TEXT),
    Rule(html_block, "<", _TEXT_AND_QUOTES),
    Rule(rules_block.heading, "#", _TEXT_AND_QUOTES),
    Rule(text),
)
"""All rules in the order in which they are tried."""


class _BlockReader(MarkdownIt):
    """Takes the addresses of link definitions as they stand, which is quicker than to write them as browsers do."""

    def normalizeLink(self, url: str) -> str:
        """Return the address."""
        return url

    def validateLink(self, url: str) -> bool:
        """Return True: no address makes a definition another block."""
        return True


@cache
def block_reader(syntax: Syntax) -> Callable[[str], list[Token]]:
    """Return a function from the text of a page to its block tokens; in MDX, four spaces are not code.

    The function raises TooMuchWork for a page whose blocks take far more steps than its size allows.
    """
    rules = [rule for rule in RULES if _is_read(rule.function, syntax)]
    reader = _BlockReader("commonmark", {"maxNesting": MAX_LEVELS, "inline_definitions": True})
    ruler: Ruler[RuleFuncBlockType] = Ruler()
    reader.block.ruler = ruler
    ruler.push("block", _first_that_fits(rules))
    for chain in _ALL:
        some = [rule for rule in rules if chain in rule.interrupts]
        if chain == "blockquote":
            some.insert(0, Rule(unquoted))
        ruler.push(f"interrupts {chain}", _first_that_fits(some), {"alt": [chain]})
    if not syntax.mdx:
        ruler.push("code", rules_block.code)  # never reached: markdown-it asks by this name whether it is on
    ruler.getRules("")  # which makes its cache, here rather than in several threads at once

    def read(page: str) -> list[Token]:
        tokens: list[Token] = []
        env = {
            "lookahead": new_budget(page),
            "work": new_work(page),
            "tokens": token_limit(page),
            "lazy": 0,
            "directives": [],
            "mdx": syntax.mdx,
            "comments": syntax.comments,
            "containers": syntax.containers,
        }
        state = PageState(page, reader, env, tokens)
        reader.block.tokenize(state, 0, state.lineMax)
        return tokens

    return read


def _is_read(rule: RuleFuncBlockType, syntax: Syntax) -> bool:
    """Return whether pages of a syntax have blocks of this rule."""
    if rule is rules_block.code:
        return not syntax.mdx
    if rule is import_or_export:
        return "mdx" in syntax.comments
    if rule in (container, abbreviation):
        return "indented" in syntax.containers
    return rule is not label or "labels" in syntax.comments


def _first_that_fits(rules: list[Rule]) -> RuleFuncBlockType:
    """Return one rule for many, which tries only those that a line's first character allows: most allow few."""
    always = [rule.function for rule in rules if not rule.first]
    characters = {character for rule in rules for character in rule.first}
    by_character = {
        character: [rule.function for rule in rules if not rule.first or character in rule.first]
        for character in characters
    }

    def try_rules(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        spend(state, start)
        at = state.bMarks[start] + state.tShift[start]
        first = state.src[at : at + 1]
        for rule in by_character.get(first, always):  # noqa: SIM110 - this runs for every line, and a loop is quicker
            if rule(state, start, end, silent):
                return True
        return False

    return try_rules
