"""Ids and hashes: the same content at the same place has the same ids on every machine."""

import hashlib
import uuid
from dataclasses import dataclass


def sha256(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonKey:
    """The place of a lesson in its book, from which all ids follow.

    `source_file` is None where the file alone owns a complete (module, chapter, lesson), else it is the
    file's path, which keeps ids unique.
    """

    book_id: str
    module: str
    chapter: int | None
    lesson: int | None
    source_file: str | None = None

    def parent_doc_id(self) -> str:
        """Return the UUIDv5 of the lesson."""
        return self._uuid("parent")

    def chunk_id(self, content_hash: str, repeat: int = 1) -> str:
        """Return the UUIDv5 of a chunk; `repeat` counts equal texts of one lesson from 1."""
        return self._uuid(content_hash[:16], f":{repeat}" if repeat > 1 else "")

    def _uuid(self, tail: str, repeat: str = "") -> str:
        place = f"{self.book_id}:{self.module}:{self.chapter}:{self.lesson}:{tail}{repeat}"
        owner = f":{self.source_file}" if self.source_file else ""
        return str(uuid.uuid5(uuid.NAMESPACE_DNS, place + owner))
