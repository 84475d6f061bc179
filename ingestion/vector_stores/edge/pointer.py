"""The file CURRENT of an embedded collection: which generation readers see, and which one they saw before."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from ingestion.atomic_file import write_atomically
from ingestion.errors import PointerDamaged, VectorStoreError
from ingestion.own_files import explain, read_own
from ingestion.vector_stores.generation_names import PATTERN

POINTER = "CURRENT"


@dataclass(frozen=True, slots=True)
class Pointer:
    """Names of generations; None where there is none."""

    active: str | None = None
    former: str | None = None


def read_pointer(directory: Path) -> Pointer:
    """Return what CURRENT says, nothing where it is missing.

    Raises PointerDamaged, and VectorStoreError for a file that cannot be read at all.
    """
    path = directory / POINTER
    try:
        contents = read_own(path)
    except FileNotFoundError:
        return Pointer()
    except OSError as error:
        raise VectorStoreError(f"cannot read {path}: {explain(error)}") from error
    try:
        pointer = Pointer(**json.loads(contents))
    except (ValueError, TypeError, RecursionError) as error:
        raise PointerDamaged(f"cannot read {path}: {error}") from error
    for name in (pointer.active, pointer.former):
        # A path in it would lead out of the collection.
        if name is not None and not (isinstance(name, str) and re.fullmatch(PATTERN, name)):
            raise PointerDamaged(f"{path} names {str(name)[:80]!r}, which is not a generation")
    return pointer


def write_pointer(directory: Path, pointer: Pointer) -> None:
    """Replace CURRENT in one step; raises OSError."""
    write_atomically(directory / POINTER, json.dumps(asdict(pointer)))
