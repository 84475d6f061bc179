"""The blocks of the found passages as a reader sees them, ranked by how near each is to the question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingestion.embedding.protocol import Embedder
from ingestion.markdown.blocks import Page, walk
from ingestion.markdown.cleaner import clean, find_edits
from ingestion.markdown.parser import parse_blocks
from ingestion.vector_stores.bm25 import MOST_WEIGHT, document_vector, query_vector, stemmer_of
from ingestion.vector_stores.types import Hit, SparseVector
from rag.grounding.passage_blocks import PassageBlock, blocks_of
from rag.models import SearchResult
from rag.quoting.question_kinds import LESS, QuestionKind
from rag.retrieval.fusion import fuse

BLOCK_SHARE = 0.5
"""How much a block's own nearness counts beside the relevance of its passage."""

DENSE_SHARE = 0.6
"""How much meaning counts against words for a block; more than for a chunk, as a block has few words."""

_ASIDE = re.compile(
    r"(?:exercises?|(?:\w+[- ]){0,2}quiz(?:zes)?|assignments?|challenges?|homework|practice|review questions|"
    r"knowledge check|rubrics?|(?:review (?:and|&) )?self[- ]study|(?:\w+ ){1,2}prompts?(?=\W*$)|"
    r"release notes|changelog|what'?s new|contributors|sponsors|acknowledge?ments|credits|further reading|"
    r"references(?=\W*$)|(?:table of )?contents|toc|"
    r"learning (?:objectives|goals)|what you(?:'|’)?(?: wi)?ll learn)\b",
    re.IGNORECASE,
)
"""How a section is called that asks or lists instead of telling."""

_ASIDE_PAGE = re.compile(
    r"\W*(?:release notes|releases|changelog|change log|what'?s new|contributors|sponsors|acknowledge?ments)\W*"
    r"|.*\bquiz\b.*",
    re.IGNORECASE,
)
"""How a page is called that lists instead of telling, whatever its sections are called."""

_ASIDE_FILE = re.compile(r"(?:.*/)?(?:[\d._-]*)(?:assignments?|quiz(?:zes)?|exercises?|homework|challenges?)\.\w+")
_PICTURES = re.compile(r"(?:\s*\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+")
_ONE_LINK = re.compile(r"\s*\[[^\]]*\]\([^)]*\)\s*")
_NOTHING_YET = re.compile(
    r"\W*(?:coming soon|to be (?:written|done|added|announced|continued)|tbd|tba|todo|wip|work in progress|"
    r"under construction|this (?:page|section|chapter) is (?:empty|under construction|not written yet))\W*",
    re.IGNORECASE,
)
_FENCE_OPENING = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n]*")
_MACRO = re.compile(r"^[ \t]*(?:\{\*.*?\*\}|\{\{.*?\}\}|\{%.*?%\})[ \t]*$\n?", re.MULTILINE)
_MARKER = re.compile(
    r"^[ \t]*(?:/{3,}[ \t]*[\w-]*[ \t]*\|?|!{3,}[ \t]*[\w-]+|\?{3,}\+?[ \t]*[\w-]+|={3}(?=[ \t]))[ \t]*", re.MULTILINE
)
_EMPHASIS = re.compile(
    r"(?<![\w*`\\])(\*{1,3})(?=[^\s*])([^*\n`]{1,200}?(?:\n[^*\n`]{1,200}?)?)(?<=[^\s*])\1(?![\w*`])"
    r"|(?<![\w`\\])(_{1,2})(?=[^\s_])([^_\n`]{1,200}?(?:\n[^_\n`]{1,200}?)?)(?<=[^\s_])\3(?![\w`])"
)
_TERMINAL = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*(?:console|terminal|shell|bash|sh|text|txt)\b", re.IGNORECASE)
_COLOUR_TAG = re.compile(r"</?(?:span|font)\b[^<>\n]{0,200}>")
_QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?(?:#{1,6}[ \t]+)?", re.MULTILINE)
_HEADING_ID = re.compile(r"\s*\{\s*[#.:][^{}]*\}\s*$")
_LINK = re.compile(r"!?\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_HAS_WORD = re.compile(r"[^\W_]")


_TITLE_MARKS = re.compile(r"^[\W\d_]+")


@dataclass(frozen=True, slots=True)
class ShownBlock(PassageBlock):
    """A block as a reader sees it; `is_aside` where it asks or lists links instead of telling."""

    is_aside: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """A block in its passage (`at` is its number there), rendered, with its score, larger is better.

    `text` is empty where the passage has nothing but headings, pictures or an announcement.
    """

    passage: SearchResult
    at: int
    score: float
    text: str


@dataclass(frozen=True, slots=True)
class Spots:
    """The spots of the passages, best first; `blocks` are those of each passage, rendered, by its id."""

    ranked: tuple[Spot, ...]
    blocks: dict[str, tuple[ShownBlock, ...]]


def rank_spots(question: str, passages: Sequence[SearchResult], embedder: Embedder) -> Spots:
    """Rank every block of the passages by its own nearness and the relevance of its passage."""
    blocks = {passage.id: rendered_blocks(passage) for passage in passages}
    spots = [spot for passage in passages for spot in _spots_of(passage, blocks[passage.id])]
    if not spots:
        return Spots((), blocks)
    sections = [blocks[spot.passage.id][spot.at].section if spot.text else None for spot in spots]
    texts = [
        f"{section or _place_name(spot.passage)}\n{spot.text}" for spot, section in zip(spots, sections, strict=True)
    ]
    asked = Nearness(question, embedder, stemmer_of_passages(passages))
    nearness = asked.scores(texts)
    kind = QuestionKind(question)
    scored = [
        replace(spot, score=_score(spot, near, blocks[spot.passage.id], kind))
        for spot, near in zip(spots, nearness, strict=True)
    ]
    ranked = sorted(scored, key=lambda spot: (-spot.score, spot.passage.rank, spot.at))
    return Spots(tuple(ranked), blocks)


def defines(kind: QuestionKind, passage: SearchResult) -> bool:
    """Return whether a block of the passage defines what a question asks the meaning of."""
    return any(kind.is_defined_by(block.text, block.kind) for block in rendered_blocks(passage))


def stemmer_of_passages(passages: Sequence[SearchResult]) -> str:
    """Return the stemmer of the language that most of the passages are in."""
    counts = Counter(stemmer_of(passage.language) for passage in passages)
    return counts.most_common(1)[0][0] if counts else "english"


class Nearness:
    """How near texts are to a question, which is embedded once; `stemmer` is that of the texts' language."""

    def __init__(self, question: str, embedder: Embedder, stemmer: str = "english") -> None:
        self._stemmer = stemmer
        self._terms = query_vector(question, stemmer)
        self._vector = embedder.embed_query(question)
        self._embedder = embedder

    def scores(self, texts: Sequence[str]) -> list[float]:
        """Return for each text its nearness by meaning and words."""
        if not texts:
            return []
        cosines = [float(cosine) for cosine in self._embedder.embed_documents(texts) @ self._vector]
        dense = [Hit(f"{index:04}", cosine) for index, cosine in enumerate(cosines)]
        vectors = (document_vector(text, self._stemmer) for text in texts)
        sparse = [Hit(f"{index:04}", _overlap(self._terms, vector)) for index, vector in enumerate(vectors)]
        attainable = MOST_WEIGHT * sum(self._terms.values)
        mixed = fuse(dense, sparse, attainable=attainable, weight=DENSE_SHARE)
        return [hit.score for hit in sorted(mixed, key=lambda hit: hit.id)]


def rendered_blocks(passage: SearchResult) -> tuple[ShownBlock, ...]:
    """Return the blocks of a passage that say something, as a reader sees them.

    What a picture shows is said only where there is nothing else: beside the text it reads like a part of it.
    """
    said = [
        (block, shown)
        for block in blocks_of(passage)
        if _HAS_WORD.search((shown := _shown(block)).text) and not _NOTHING_YET.fullmatch(shown.text)
    ]
    texts = tuple(shown for block, shown in said if not _PICTURES.fullmatch(block.text))
    return texts or tuple(shown for _, shown in said)


def _shown(block: PassageBlock) -> ShownBlock:
    section = plain_title(block.section)
    is_aside = (
        _ASIDE.match(_TITLE_MARKS.sub("", section or "")) is not None
        or _ASIDE_FILE.fullmatch(block.passage.source_file) is not None
        or _ASIDE_PAGE.fullmatch(plain_title(block.passage.page_title) or "") is not None
        or _is_link_list(block)
    )
    return ShownBlock(
        passage=block.passage,
        kind=block.kind,
        section=section,
        anchor=block.anchor,
        text=render(block),
        line_start=block.line_start,
        line_end=block.line_end,
        is_aside=is_aside,
    )


def render(block: PassageBlock) -> str:
    """Return a block without markup, directives, shortcodes and addresses; code and tables stay as they are."""
    page = Page(block.text)
    parsed = walk(parse_blocks(page.lines, block.passage.page_syntax))
    cleaned = clean(page.text, 0, len(page.text), find_edits(page, parsed))
    parts = []
    for is_code, text in _split_code(cleaned):
        if is_code:
            parts.append(_FENCE_OPENING.sub(r"\1\2\3", _MACRO.sub("", _without_colours(text)), count=1))
        else:
            parts.append(_plain(text, is_quote=block.kind == "quote"))
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip("\n")


def _without_colours(code: str) -> str:
    """Return the output of a terminal without the tags that colour it on the site; other code stays as it is."""
    return _COLOUR_TAG.sub("", code) if _TERMINAL.match(code) else code


def plain_title(title: str | None) -> str | None:
    """Return a heading without the id that some sites write behind it."""
    return _HEADING_ID.sub("", title) if title else title


def _plain(text: str, *, is_quote: bool) -> str:
    text = _MARKER.sub("", _MACRO.sub("", text))
    if is_quote:
        text = _QUOTE_MARK.sub("", text)
    return _EMPHASIS.sub(lambda found: found[2] or found[4], text)


def _split_code(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in pieces, each fence by itself."""
    piece: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE_OPENING.match(line)
        if not fence and opening:
            yield False, "".join(piece)
            piece, fence = [line], opening[2]
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            yield _is_full(piece), "".join([*piece, line]) if _is_full(piece) else ""
            piece, fence = [], ""
        else:
            piece.append(line)
    yield bool(fence), "".join(piece)


def _is_full(fence: Sequence[str]) -> bool:
    """Return whether a fence has code of its own, not only what another file is included by."""
    return bool(_MACRO.sub("", "".join(fence[1:])).strip())


def _spots_of(passage: SearchResult, blocks: Sequence[ShownBlock]) -> list[Spot]:
    if not blocks or passage.doc_type == "stub":
        return [Spot(passage, 0, 0.0, "")]
    return [Spot(passage, at, 0.0, block.text) for at, block in enumerate(blocks)]


def _place_name(passage: SearchResult) -> str:
    return " › ".join(dict.fromkeys(filter(None, (passage.page_title, *passage.heading_path, passage.section_title))))


def _score(spot: Spot, near: float, blocks: Sequence[ShownBlock], kind: QuestionKind) -> float:
    score = BLOCK_SHARE * near + (1 - BLOCK_SHARE) * spot.passage.relevance
    if not spot.text:
        return score
    block = blocks[spot.at]
    opens = spot.at == 0 or blocks[spot.at - 1].section != block.section
    weight = kind.weight(block.text, block.kind, section=block.section, opens_section=opens)
    return score * min(weight, LESS if block.is_aside else weight)


def _is_link_list(block: PassageBlock) -> bool:
    """Return whether a list or table says nothing beside what it links to, as tables of contents do."""
    if block.kind == "paragraph":
        return _ONE_LINK.fullmatch(block.text) is not None
    links = _LINK.findall(block.text) if block.kind in ("list", "table") else []
    if not links:
        return False
    rest = re.sub(r"[\W\d_]+", "", _LINK.sub("", block.text))
    return len(rest) < 0.25 * sum(map(len, links))


def _overlap(query: SparseVector, document: SparseVector) -> float:
    weights = dict(zip(document.indices, document.values, strict=True))
    return sum(value * weights.get(term, 0.0) for term, value in zip(query.indices, query.values, strict=True))
