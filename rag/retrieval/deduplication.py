"""Drop the passages that only repeat others: the same text, a lesson's translation, the summary of a lesson found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingestion.source.editions import original_path
from ingestion.vector_stores.filters import AnyOf, Equals, Where
from ingestion.vector_stores.protocol import PointReader
from ingestion.vector_stores.types import Hit, Payload, StoredPoint


def distinct_texts(ranked: Sequence[Hit], points: Mapping[str, StoredPoint]) -> list[Hit]:
    """Return the hits whose points are there, each text once."""
    seen: set[str] = set()
    kept = []
    for hit in ranked:
        point = points.get(hit.id)
        if point is not None and point.payload["content_hash"] not in seen:
            seen.add(point.payload["content_hash"])
            kept.append(hit)
    return kept


def one_version_each(
    hits: Sequence[Hit],
    points: Mapping[str, StoredPoint],
    keyword: Mapping[str, float],
    store: PointReader,
    where: Where,
) -> list[Hit]:
    """Return the hits without those of which the reader has a better version.

    The reader's language is that of the passages that share the question's words (`keyword` holds their scores): a
    passage in another one goes if its lesson exists in the reader's. A `.summary` page goes if its lesson is found.
    """
    payloads = {hit.id: points[hit.id].payload for hit in hits}
    language = _language(payloads, keyword)
    lessons = {point_id: original_path(payload["source_file"]) for point_id, payload in payloads.items()}
    whole = {lessons[each] for each, payload in payloads.items() if payload["doc_type"] != "summary"}
    foreign = {each for each, payload in payloads.items() if language not in (None, payload["language"])}
    native = _native(foreign, lessons, language, store, where)

    def is_kept(point_id: str) -> bool:
        is_summary = payloads[point_id]["doc_type"] == "summary" and lessons[point_id] in whole
        return not (is_summary or (point_id in foreign and lessons[point_id] in native))

    return [hit for hit in hits if is_kept(hit.id)]


def _native(
    foreign: set[str], lessons: Mapping[str, str], language: str | None, store: PointReader, where: Where
) -> set[str]:
    """Return the lessons of some passages that the reader may have in their language, given the foreign passages."""
    native = {lesson for point_id, lesson in lessons.items() if point_id not in foreign}
    unknown = {lessons[each] for each in foreign} - native
    return native | _existing(unknown, language, store, where) if unknown else native


def _language(payloads: Mapping[str, Payload], keyword: Mapping[str, float]) -> str | None:
    votes: dict[str, float] = {}
    for point_id, payload in payloads.items():
        votes[payload["language"]] = votes.get(payload["language"], 0.0) + keyword.get(point_id, 0.0)
    return max(sorted(votes), key=votes.__getitem__) if any(votes.values()) else None


def _existing(lessons: set[str], language: str | None, store: PointReader, where: Where) -> set[str]:
    """Return those of the lessons that the reader may read in this language."""
    among = (AnyOf("source_file", tuple(sorted(lessons))), Equals("language", str(language)))
    return set(store.values("source_file", Where((*where.must, *among))))
