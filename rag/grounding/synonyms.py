"""Words that say the same in technical prose, irregular forms among them: a paraphrase is held by its source."""

from __future__ import annotations

from functools import cache

from ingestion.vector_stores.bm25 import query_vector

_SAME = """
keep/kept/retain/retained/preserve/hold/held/store send/sent/transmit/deliver write/wrote/written read/load
take/took/taken build/built/create/make/made/construct/produce find/found/locate/discover lose/lost/loss
drop/discard/lose/dismiss know/knew/known/knowledge show/shown/display/present
choose/chose/chosen/choice/select/pick/option break/broke/broken get/got/obtain/receive/fetch/retrieve
give/gave/given/provide/supply run/ran/execute/execution start/begin/began/begun/launch
end/finish/stop/terminate/complete grow/grew/grown/growth/increase/rise/rose/raise
fall/fell/fallen/decrease/shrink/shrank/reduce/lower lead/led/cause/result/produce mean/meant/stand/denote
spend/spent go/went/gone/travel/move draw/drew/drawn/consume/use understand/understood
speak/spoke/spoken/talk/communicate fail/failure/failed/error crash/terminate/exit need/require/demand
use/employ/utilize/apply allow/let/permit/enable/possible large/big/great/huge small/little/tiny
smallest/minimum/least/lowest largest/maximum/greatest/highest/most number/value/amount/quantity
quick/fast/rapid/speed slow/delay/latency remove/delete/erase/clear change/modify/alter/edit/switch/adjust
check/verify/test/validate/examine/inspect aggregate/combine/merge/sum/total/join full/fill/filled/exhaust
begin/first/initial last/final/end old/previous/former new/recent/latest next/following/subsequent/later
choose/configure/set/specify/define/assign help/assist/support/aid try/attempt retry/again/repeat
wait/block/pause limit/bound/restrict/cap exceed/beyond/over
usual/usually/common/normal/normally/typical/typically/often/generally whole/entire/complete/all
part/portion/piece/section/fraction several/many/multiple/various single/one kind/type/sort/category/class
example/instance way/method/approach/technique place/location/position/spot audio/sound/noise
picture/image/photo memory/ram/room/space job/task/work user/person/people/anyone/someone begin/open close/shut
build/compile call/invoke return/respond/response/reply/answer message/notification
machine/computer/host/server/device programme/program/application/app/software document/file
name/call/label/title easy/simple/straightforward hard/difficult/complex expensive/costly/cost cheap/inexpensive
safe/secure/protect/security/safety careful/caution/warning important/essential/crucial/critical
separate/independent/isolate different/distinct/unlike same/identical/equal like/similar
connect/link/attach/join gather/collect forward/pass/route/relay hide/hidden/conceal
suggest/recommend/advise/should must/required/mandatory reason/why/because explain/describe/tell
information/data/detail contain/include/comprise/hold lack/missing/absent without outside/external
inside/internal/within convert/transform/translate/turn compute/calculate/determine measure/measurement/reading
compare/comparison accurate/accuracy/precise/exact appear/occur/happen handle/process/manage/treat
divide/split/separate repeat/again begin/again near/close/nearby buy/purchase/price/cost
electricity/power/current/energy wet/moist/moisture/water/humidity dry/drought hot/heat/warm cold/cool/freeze
second/sec minute/min quarter/fourth half/twice double/twice pair/two/both version/release
affect/influence/impact effect/impact/consequence prevent/avoid/stop protect/guard/defend/prevent
ask/request/query reach/arrive/access enough/sufficient/suffice
"""
"""Groups of words; a word may be in several."""


@cache
def _synonyms() -> dict[int, frozenset[int]]:
    table: dict[int, set[int]] = {}
    for group in _SAME.split():
        terms = {term for word in group.split("/") for term in query_vector(word).indices}
        for term in terms:
            table.setdefault(term, set()).update(terms)
    return {term: frozenset(terms) for term, terms in table.items()}


def with_synonyms(terms: frozenset[int]) -> frozenset[int]:
    """Return the words (BM25 terms) and those that say the same."""
    table = _synonyms()
    return terms.union(*(table[term] for term in terms & table.keys()))
