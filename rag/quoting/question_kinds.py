"""Tell from its form what a question wants, and which blocks have that: a definition, a number, an explanation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

DEFINES = 1.4
"""How much more a block counts that defines what is asked for."""

INTRODUCES = 1.2
"""How much more one counts that names it by a definition's looser forms, or opens the section about it."""

LESS = 0.8
"""How much less a block counts that asks, lists or advertises instead of explaining, or lacks the number wanted."""

MAX_TERM_WORDS = 4
"""What is longer asks something about a thing, rather than what it is."""

MAX_TITLE_CHARS = 200
"""A longer title is not that of a section about one term."""

_ARTICLE = r"(?:an?|the|die|der|das|ein|eine|el|la|los|las|un|una|le|les|une|l['’])"
_ASKS_DEFINITION = re.compile(
    r"\W*(?:(?:so|and|but|ok|okay|please|hi|hello)\b[\s,]*)*(?:"
    r"(?:what(?:['’]s|\s+(?:exactly\s+)?(?:is|are|was|were))|define|explain|tell\s+me\s+what|who\s+is)\s+(?:meant\s+by\s+)?"
    r"|what\s+do(?:es)?\s+(?=.*\b(?:mean|stand\s+for)\b)"
    r"|(?:was\s+(?:ist|sind|bedeutet|bedeuten)|was\s+versteht\s+man\s+unter)\s+"
    r"|qu[eé]\s+(?:es|son|significan?)\s+|qu['’]est[- ]ce\s+qu(?:e\s+|['’])"
    rf")(?:{_ARTICLE}\s*\b)?\s*(?P<term>\S.*?)(?:\s+(?:mean|means|stand\s+for|(?:is|are)))?\s*\W*",
    re.IGNORECASE,
)
_CHINESE_DEFINITION = re.compile(
    r"\s*(?:什么是\s*(?P<after>[^？?。，,]+)|(?P<before>[^？?。，,]+?)\s*是什么)\s*[？?。]*\s*"
)
_WITHIN = re.compile(r"\s+(?:in|with|for|within|of|bei|en|dans)\s+(?:the\s+)?\S+(?:\s+\S+)?$", re.IGNORECASE)
_ABOUT_SOMETHING = re.compile(
    r"\b(?:differences?|default|maximum|minimum|max|min|best|worst|right|purpose|point|names?|size|length|types?|limit|"
    r"values?|number|order|price|cost|address|port|version|reason|result|output|status|role|use|effect|advantages?|"
    r"steps?|way|culprit|cause|meaning|unterschied|diferencia|différence|wrong|going|happening|new|it|this|that|these|"
    r"there|my|your|between|or|vs|versus|allowed|needed|required|used)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how\s+(?:many|much|often|big|large|high|old|tall|heavy|fast|wide|deep)|(?:in\s+)?(?:what|which)\s+(?:year|version|"
    r"port|status\s+code|percentage|share|voltage|temperature|date|day|month|size|release|python\s+version)|"
    r"(?:until|since|by)\s+when|when\s+was|(?:bis|seit)\s+wann|"
    r"wie\s*(?:viele?|oft|groß|hoch|alt|schwer|schnell|breit)|cu[aá]nt[oa]s?|combien)(?!\w)|多少|几个",
    re.IGNORECASE,
)
_HAS_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|half|hundred|thousand|million|zwei|drei|"
    r"vier|fünf|sechs|zehn|dos|tres|cuatro|cinco|seis|diez|deux|trois|quatre|cinq)\b|[一二三四五六七八九十百千万]",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"\W*(?:(?:hi|hello|hey|hallo|hola|salut|bonjour|servus|moin|good\s+(?:morning|afternoon|evening|night|day)|"
    r"guten\s+(?:morgen|tag|abend)|buenos\s+d[ií]as|thanks?(?:\s+you)?|thx|danke(?:\s+sch[öo]n)?|gracias|merci|"
    r"bye|goodbye|tsch[üu]ss|ok(?:ay)?|who\s+are\s+you|how\s+are\s+you|what\s+can\s+you\s+do|你好|谢谢|再见)"
    r"(?:\s+(?:there|you|all|everyone|so\s+much|a\s+lot|very\s+much|again))*[\s,!.?！。]*)+",
    re.IGNORECASE,
)
_WHY = re.compile(r"\s*(?:why|how come|warum|weshalb|wieso|por qué|pourquoi|为什么|为何)(?!\w)", re.IGNORECASE)
_COPULA = r"(?:is|are|was|ist|sind|es|son|est|sont)"
_MEANS = (
    r"(?:means?|refers?\s+to|stands?\s+for|is\s+short\s+for|consists?\s+of|describes?|occurs?|bedeutet|bezeichnet|"
    r"significa|désigne)"
)
_KIND_OF = r"(?:one|another|any|those|when|how|where|what|anonymous)"
_NAMING = (
    r"(?:called|named|known\s+as|termed|defined\s+as|referred\s+to\s+as|calls?\s+(?:this|it|these|them|such)|"
    r"the\s+(?:concept|idea|notion|term|process)\s+of|genannt|llamad[oa]s?|appelée?s?)"
)
_ACRONYM = re.compile(r"(?=(?:[a-z]*[A-Z]){2})[A-Za-z]{2,6}")
_MARKS = r"[*_`“”\"'«»(]*"


@dataclass(frozen=True)
class QuestionKind:
    """What a question wants; nothing special where no form is known."""

    asked: str

    @cached_property
    def question(self) -> str:
        """The question with one blank, or one line end, where it has many: the forms read runs of them again."""
        lines = (" ".join(line.split()) for line in self.asked.split("\n"))
        return "\n".join(filter(None, lines))

    @cached_property
    def is_why(self) -> bool:
        """Whether it asks for a reason."""
        return _WHY.match(self.question) is not None

    @cached_property
    def is_small_talk(self) -> bool:
        """Whether it greets or thanks and asks nothing."""
        return _SMALL_TALK.fullmatch(self.question) is not None

    @cached_property
    def is_number(self) -> bool:
        """Whether it asks for a number, a date or a version."""
        return _ASKS_NUMBER.search(self.question) is not None

    @cached_property
    def term(self) -> str | None:
        """What it asks the meaning of, without article and book; None where it asks something else."""
        chinese = _CHINESE_DEFINITION.fullmatch(self.question)
        if chinese:
            return (chinese["after"] or chinese["before"]).strip()
        found = _ASKS_DEFINITION.fullmatch(self.question)
        if not found:
            return None
        term = _WITHIN.sub("", found["term"]).strip("`*_\"'“”?!. ")
        if not term or len(term.split()) > MAX_TERM_WORDS or _ABOUT_SOMETHING.search(term):
            return None
        return term

    def weight(self, text: str, kind: str, *, section: str | None, opens_section: bool) -> float:
        """Return how much a block counts for this kind of question, 1 for one like any other."""
        if self.is_why and kind in ("table", "list"):
            return LESS
        if self.is_number and not _HAS_NUMBER.search(text):
            return LESS
        return self._weight_of_term(text, kind, section, opens_section)

    def _weight_of_term(self, text: str, kind: str, section: str | None, opens_section: bool) -> float:
        """Return how much a block counts for a question about the meaning of a term."""
        if self._definition is None:
            return 1.0
        if self.is_defined_by(text, kind):
            return DEFINES
        _, introduces, title = self._definition
        is_title = section is not None and len(section) <= MAX_TITLE_CHARS
        opens = opens_section and is_title and title.fullmatch(section or "") is not None
        return INTRODUCES if opens or introduces.search(text) else 1.0

    def is_defined_by(self, text: str, kind: str) -> bool:
        """Return whether a block says what the thing is that the question asks the meaning of."""
        is_prose = kind in ("paragraph", "quote", "list")
        return self._definition is not None and is_prose and self._definition[0].search(text) is not None

    @cached_property
    def _definition(self) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]] | None:
        """Return what a block has that defines the term, or introduces it, and how its section is called."""
        if self.term is None:
            return None
        term = _MARKS + _inflected(self.term) + _MARKS
        aside = r"(?:\s*\([^()\n]{1,80}\)|\s+or\s+[“\"][^“”\"\n]{1,80}[”\"])?(?:,[^,.\n]{1,60},)?"
        begins = rf"(?:^|[.!?:]\s+|\n[^\S\n]*+(?:[-*+]\s+)?)(?:{_ARTICLE}\s+|so,?\s+|in\s+\w+,\s+|\w+['’]s\s+)*"
        what = rf"{_COPULA}\s+(?:\w+ly\s+)?(?:just\s+)?(?:{_ARTICLE}|{_KIND_OF}|\w+s)\s"
        item = rf"(?:^|\n)[^\S\n]*+(?:(?:[-*+]|\d{{1,3}}[.)])\s+){term}{aside}(?::{_MARKS}|\s+[–—-])\s+\w"
        defines = rf"{begins}{term}{aside}\s+(?:{what}|{_MEANS})|{item}"
        long_form = rf"[A-Z]\w+(?:[ -]\w+){{1,6}}\s+\({re.escape(self.term)}s?\)"
        introduces = rf"{begins}{term}{aside}\s+{_COPULA}\b|{_NAMING}\s+(?:{_ARTICLE}\s+)?{term}|(?-i:{long_form})"
        if _ACRONYM.fullmatch(self.term):
            introduces += "|" + _words_of(self.term)
        title = rf"\W*(?:what\s+(?:is|are)\s+)?(?:{_ARTICLE}\s+)?{term}\s*(?:\([^()]*\))?\W*"
        flags = re.IGNORECASE
        return re.compile(defines, flags), re.compile(introduces, flags), re.compile(title, flags)


def _words_of(acronym: str) -> str:
    """A pattern of words in a row that begin with an acronym's letters; a small one may stand between them."""
    between = r"[ -](?:(?:and|of|the|for|to|in|und|der|de|y|et) )?"
    return r"\b" + between.join(rf"{letter}\w++" for letter in acronym)


def _inflected(term: str) -> str:
    """Return a pattern of the term in singular and plural, its words parted by spaces, line breaks or hyphens."""
    words = [re.escape(re.sub(r"(?<=\w{3})(?<!s)s$", "", word)) for word in re.split(r"[\s-]+", term)]
    return r"[\s-]+".join(words) + r"(?:e?s)?" if term[-1:].isascii() else re.escape(term)
