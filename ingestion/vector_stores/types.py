"""What goes into a vector store and comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ingestion.errors import ConfigurationError, VectorStoreError
from ingestion.versions import same_model

if TYPE_CHECKING:
    from ingestion.models import Vector

Payload = dict[str, Any]


SCHEMA_FORMAT = 1


REBUILD = "run `bookwise ingest --mode recreate` to build it anew"


@dataclass(frozen=True, slots=True)
class Schema:
    """What all points of a collection share; a change of it needs a new generation.

    `embedding` names model and preparation (for instance `all-MiniLM-L6-v2-int8/2`), `dimensions` is the length
    of its vectors.
    """

    embedding: str
    dimensions: int

    def is_comparable(self, other: Schema) -> bool:
        """Return whether vectors of both can be ranked together: of one model, whatever its version."""
        return self.dimensions == other.dimensions and same_model(self.embedding, other.embedding)

    def as_json(self) -> dict[str, Any]:
        """Return what is stored beside the points."""
        return {"format": SCHEMA_FORMAT, "embedding": self.embedding, "dimensions": self.dimensions}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], place: str) -> Schema:
        """Read the schema back from `place`; raises VectorStoreError if this version cannot read it."""
        try:
            if stored["format"] > SCHEMA_FORMAT:
                raise VectorStoreError(f"{place} was written by a newer bookwise; update bookwise to use it")
            return cls(embedding=str(stored["embedding"]), dimensions=int(stored["dimensions"]))
        except (KeyError, TypeError, ValueError) as exc:
            raise VectorStoreError(f"{place} does not say how its vectors were made; {REBUILD}") from exc


def require_schema(
    existing: Schema,
    wanted: Schema,
    *,
    index: str = "the index",
    remedy: str = "choose the index's model, or build a new index beside it with `bookwise ingest --mode recreate`",
) -> None:
    """Raise ConfigurationError where vectors of one schema cannot be used with those of the other."""
    if not existing.is_comparable(wanted):
        raise ConfigurationError(
            f"{index} holds vectors of {existing.embedding} ({existing.dimensions} dimensions), not of "
            f"{wanted.embedding} ({wanted.dimensions}); {remedy}"
        )


@dataclass(frozen=True, slots=True)
class SparseVector:
    """A BM25 vector: term ids, ascending and unique, and their weights."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """What is written: a UUID, a dense vector of unit length, a BM25 vector and a payload of JSON types."""

    id: str
    dense: Vector
    sparse: SparseVector
    payload: Payload


class StoredPoint(NamedTuple):
    """What is read back; the vectors only if asked for, `sparse` only where the text has any term."""

    id: str
    payload: Payload
    dense: Vector | None = None
    sparse: SparseVector | None = None


class Hit(NamedTuple):
    """One entry of a ranked list. Dense scores are cosines, sparse scores BM25 weights."""

    id: str
    score: float


class SearchAnswer(NamedTuple):
    """The two ranked lists of a search, the IDF of its terms, and the two lists of what was asked beside it."""

    dense: list[Hit]
    keyword: list[Hit]
    rarity: dict[int, float]
    beside: tuple[list[Hit], list[Hit]] = ([], [])


class Active(NamedTuple):
    """The generation that readers see, as far as it is known without opening it.

    `runs` has the id of the run that last wrote each book (docs/design.md, decision 7). `remarks` say where the
    settings differ from those it was made with; `is_unfinished` tells that a killed run left it to be mended.
    """

    schema: Schema
    runs: Mapping[str, str] = MappingProxyType({})
    remarks: tuple[str, ...] = ()
    is_unfinished: bool = False


class KeptGeneration(NamedTuple):
    """A physical index; `role` is None for one that is being built, or was given up and goes at the next creation.

    `points` is None where only opening it can tell.
    """

    name: str
    role: str | None
    schema: Schema | None
    points: int | None

    def as_json(self) -> dict[str, Any]:
        """Return one JSON object."""
        return self._asdict() | {"schema": self.schema and self.schema.as_json()}
