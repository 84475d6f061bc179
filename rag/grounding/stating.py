"""What kind of sentence it is: one that states something, which its sources must hold, or one that does not."""

from __future__ import annotations

import re

from rag.grounding.code_names import code_names_in
from rag.grounding.places import plain_text, words_of
from rag.grounding.quantities import quantities_in

MAX_TALK_WORDS = 14
"""A sentence about the conversation is short; a longer one says something besides."""

_TALK = re.compile(
    r"\W*(?:here(?:'s| is| are)|let me|let's|let us|sure\b|of course|certainly|i (?:hope|can|will|would|found)"
    r"|i (?:searched|have found)|i'(?:ll|m|ve|d)|you can find (?:more|details)|for more (?:details|information)"
    r"|see also"
    r"|(?:is|are) there anything|feel free|please|thank|great|good question|hello|hi\b|yes\W*$|no\W*$|okay|ok\b"
    r"|in (?:summary|short|conclusion)\W*$|note\W*$|based on the [\w ]+ is what)",
    re.IGNORECASE,
)
_SOURCE = (
    r"(?:passages?|book|documentation|docs|context|sources?|text|content|information|materials?|results?|lessons?)"
)
_DOES_NOT = (
    r"(?:do(?:es)?(?: not|n['’]t)|cannot|can['’]t|lacks?|has no|have no|is no|are no"
    r"|is not|isn['’]t|are not|aren['’]t)"
)
_CANNOT = (
    r"(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|was not able|am not able|am unable|was unable|did not"
    r"|didn['’]t)"
)
_TELLS = (
    r"(?:say|mention|contain|cover|provide|include|specif|explain|describ|answer|tell|give|address|discuss|state"
    r"|enough|information|about)"
)
_GAP = re.compile(
    rf"\b(?:{_SOURCE}\b[^.]{{0,60}}\b{_DOES_NOT}\b[^.]{{0,40}}\b{_TELLS}"
    rf"|(?:i|we)\b[^.]{{0,20}}\b{_CANNOT}\b[^.]{{0,60}}\b(?:find|have|know|answer|tell|provide|see)"
    rf"|there is (?:no|not enough)\b[^.]{{0,40}}\b(?:{_SOURCE}|mention)|no (?:{_SOURCE}|mention)\b"
    rf"|not (?:mentioned|covered|specified|described|stated|provided|included|found) in\b[^.]{{0,30}}\b{_SOURCE})",
    re.IGNORECASE,
)


def is_gap(sentence: str) -> bool:
    """Return whether the sentence says that the book does not tell."""
    return bool(_GAP.search(plain_text(sentence)))


def states_something(sentence: str) -> bool:
    """Return whether the sentence claims anything: it asks nothing, introduces nothing, is no heading and no talk."""
    text = plain_text(sentence).rstrip("*_\"'”’ ")
    if sentence.lstrip().startswith("#") or text.endswith((":", "?", "：", "？")) or is_gap(text):
        return False
    if any(map(str.isalpha, text)) and (quantities_in(text) or code_names_in(text)):
        return True
    is_talk = _TALK.match(text) and len(text.split()) <= MAX_TALK_WORDS
    return not is_talk and len(words_of(text)) >= 2
