"""Words that say the opposite of each other, and whether two clauses differ in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_OPPOSITES = """
always/never always/sometimes never/sometimes above/below over/under more/less/fewer most/least many/few
rise/fall/drop increase/decrease/reduce grow/shrink fast/slow/long quick/slow quickly/slowly early/late
soon/late first/last begin/end start/stop/end open/close on/off enable/disable allow/forbid/prevent
accept/reject include/exclude add/remove cheap/expensive/costly narrow/widen safe/dangerous/unsafe
secure/insecure possible/impossible required/optional/unnecessary necessary/unnecessary valid/invalid
success/failure succeed/fail high/low large/small big/little great/small strong/weak hot/cold warm/cool
full/empty public/private local/remote mutable/immutable static/dynamic synchronous/asynchronous lock/unlock
connect/disconnect positive/negative input/output read/write upload/download send/receive push/pull
encrypt/decrypt minimum/maximum min/max share/own common/own same/different equal/different
keep/lose/drop/discard wait/discard/drop better/worse best/worst easy/hard/difficult simple/complex light/heavy
left/right up/down forward/backward inside/outside internal/external online/offline visible/hidden true/false
yes/no parallel/sequential manual/automatic stable/unstable known/unknown new/old near/far short/long thick/thin
win/lose beginning/end create/delete/destroy shorten/lengthen raise/lower strengthen/weaken twice/half
double/halve/half upgrade/downgrade encode/decode compress/decompress mount/unmount install/uninstall
clockwise/counterclockwise/anticlockwise uppercase/lowercase leading/trailing prefix/suffix acquire/release
grant/revoke/deny permit/forbid/deny pass/fail mandatory/optional explicit/implicit deep/shallow dense/sparse
eager/lazy plus/minus permanent/temporary persistent/volatile import/export front/back/rear horizontal/vertical
odd/even top/bottom load/unload attach/detach show/hide expand/collapse ascending/descending host/guest
accurate/inaccurate stay/change client/server parent/child once/twice keep/delete/erase/remove
improve/reduce/worsen/degrade/impair increase/minimize same/opposite/reverse support/unsupported sooner/later
soon/late faster/slower strict/lenient restrictive/permissive temporary/permanent/forever rare/frequent/common
often/rarely/seldom usual/rare likely/unlikely useful/useless safer/riskier protect/expose help/hinder/hurt/harm
trust/distrust gain/lose benefit/harm advantage/disadvantage/drawback upside/downside pro/con strength/weakness
success/error correct/wrong/incorrect right/wrong good/bad/poor clean/dirty dry/wet soft/hard rough/smooth
narrow/wide/broad tight/loose rigid/flexible fixed/variable constant/variable tall/short deep/shallow
heavy/light dark/bright loud/quiet cooler/warmer rich/poor active/inactive/passive idle/busy sync/async
blocking/non-blocking wait/continue stateful/stateless ordered/unordered sorted/unsorted unique/duplicate
singular/plural whole/part entire/partial complete/partial/incomplete full/partial accept/refuse/reject/deny
admit/deny approve/reject agree/disagree ignore/use/heed respect/ignore/violate follow/violate/break keep/break
owned/borrowed/shared borrow/own allocate/free/deallocate reserve/release acquire/free build/destroy
construct/destroy create/remove insert/delete append/prepend join/split merge/split combine/separate
together/separately group/separate collect/scatter centralized/decentralized/distributed global/local
general/specific abstract/concrete theoretical/practical real/virtual/simulated/fake physical/virtual
analog/digital manual/automated automatically/manually direct/indirect directly/indirectly upstream/downstream
incoming/outgoing inbound/outbound ingress/egress sender/receiver/recipient source/destination/target
producer/consumer publisher/subscriber caller/callee client/backend frontend/backend head/tail root/leaf
ancestor/descendant above/beneath over/beneath ahead/behind before/behind enter/leave/exit arrive/leave/depart
join/leave login/logout attach/remove bind/unbind pin/unpin freeze/thaw melt/freeze
expand/shrink/contract/collapse stretch/compress inflate/deflate accelerate/slow/brake speed/slow
strengthen/undermine simplify/complicate encourage/discourage recommend/discourage recommended/discouraged
prefer/avoid advise/warn remember/forget learn/forget appear/disappear/vanish emit/absorb attract/repel
succeed/crash survive/die alive/dead wake/sleep awake/asleep move/stay/stand
"""
_IRREGULAR = {
    "kept": "keep", "held": "hold", "sent": "send", "lost": "lose", "won": "win", "began": "begin", "begun": "begin",
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow",
    "shrank": "shrink", "wrote": "write", "written": "write", "hid": "hide", "hidden": "hide", "shown": "show",
    "stopped": "stop", "dropped": "drop", "forbidden": "forbid", "stayed": "stay", "children": "child",
    "well": "good",
}  # fmt: skip
_ENDING = re.compile(r"(?:ing|ed|es|s|ly|er|est)$")
_WORD = re.compile(r"(?:\b[Nn]on-)?[A-Za-z]+")
_CODE = re.compile(r"`[^`]*`|\w+(?:[._]\w+)+")
_STOP_WORDS = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "its",
        "that",
        "this",
        "are",
        "was",
        "has",
        "but",
        "you",
        "can",
        "not",
        "from",
        "which",
    ]
)
_DENYING_PREFIX = re.compile(r"^(?:(?:un|in|im|non|dis|a)(?=\w{5})|non-)")
_NEIGHBOURS = 5


def has_opposite(said: str, held: str, sentence: str = "") -> bool:
    """Return whether `held` has the opposite of a word of `said`, of the same thing, and not the word itself.

    Where `said` is a clause of a sentence that says both, neither is the opposite of the other.
    """
    ours, theirs, whole = _stems(said), _stems(held), _stems(sentence or said)
    for at, word in enumerate(ours):
        opposites = _opposites_of(word, theirs)
        if not opposites or word in theirs or _SAME_SIDE.get(word, frozenset()) & set(theirs):
            continue
        near = _near(ours, at)
        for there, other in enumerate(theirs):
            if other in opposites and other not in whole and near & _near(theirs, there, _label_words(held)):
                return True
    return False


def _opposites_of(word: str, theirs: Sequence[str]) -> frozenset[str]:
    """Return the opposites in the table, and the words that a prefix makes of it: "reliable" of "unreliable"."""
    prefixed = {
        other for other in theirs if other != word and _DENYING_PREFIX.sub("", other) == _DENYING_PREFIX.sub("", word)
    }
    return _OPPOSITE.get(word, frozenset()) | prefixed


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    return (_ENDING.sub("", word) or word).rstrip("e")


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(_stem(word.lower()) for word in _WORD.findall(_CODE.sub(" ", text)))


def _label_words(text: str) -> int:
    """Return how many words stand before a colon that opens the text: they are about all of it."""
    label, colon, _ = text.partition(":")
    words = len(_stems(label)) if colon else 0
    return words if words <= _NEIGHBOURS else 0


def _near(stems: tuple[str, ...], at: int, label: int = 0) -> set[str]:
    around = stems if at < label else stems[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]
    return {stem for stem in around if len(stem) > 2 and stem not in _STOP_WORDS} - {stems[at]}


_GROUPS = [tuple(map(_stem, group.split("/"))) for group in _OPPOSITES.split()]
"""A word and its opposites, which say the same as each other."""


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for first, *others in _GROUPS:
        for other in others:
            table.setdefault(first, set()).add(other)
            table.setdefault(other, set()).add(first)
    return {word: frozenset(opposites) for word, opposites in table.items()}


def _same_sides() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for _, *others in _GROUPS:
        for word in others:
            table.setdefault(word, set()).update(others)
    return {word: frozenset(same) for word, same in table.items()}


_OPPOSITE = _table()
_SAME_SIDE = _same_sides()
