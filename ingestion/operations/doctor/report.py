"""What `bookwise doctor` reports: settings with their sources, findings with their next steps, versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ingestion.errors import BookwiseError, RequestFailed
from ingestion.own_files import explain, is_refused

_AS_OWNER = "run this as its owner, or set BOOKWISE_DIRECTORY to a folder of yours"

_REACH_SERVER = "start the server, or correct QDRANT_URL and QDRANT_API_KEY"

Level = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; every note and problem has a `next_step`."""

    subject: str
    level: Level
    message: str
    next_step: str | None = None


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting, where its value came from, and whether that is its default; a secret is `***`."""

    name: str
    value: Any
    source: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found."""

    settings: tuple[SettingRow, ...]
    checks: tuple[Check, ...]
    versions: tuple[tuple[str, str], ...]

    @property
    def problems(self) -> int:
        """The number of problems."""
        return sum(check.level == "problem" for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Return one JSON document."""
        return {
            "settings": [asdict(row) for row in self.settings],
            "checks": [asdict(check) for check in self.checks],
            "versions": dict(self.versions),
            "problems": self.problems,
        }


def ok(subject: str, message: str) -> Check:
    """Return a finding that needs no action."""
    return Check(subject, "ok", message)


def note(subject: str, message: str, next_step: str) -> Check:
    """Return a finding that may be intended."""
    return Check(subject, "note", message, next_step)


def problem(subject: str, message: str, next_step: str) -> Check:
    """Return a finding that something will not work."""
    return Check(subject, "problem", message, next_step)


def guarded(subject: str, checks: Iterable[Check], next_step: str) -> Iterator[Check]:
    """Yield the findings; an error that ends them is one more, so that the others are still made."""
    try:
        yield from checks
    except BookwiseError as error:
        yield problem(subject, str(error), error.hint or _cure(error) or next_step)
    except OSError as error:
        yield problem(subject, f"{error.filename or 'a file'}: {explain(error)}", _AS_OWNER)


def _cure(error: BookwiseError) -> str | None:
    """Return the step that comes first: the right to read a file, or a reachable server."""
    if isinstance(error.__cause__, OSError) and is_refused(error.__cause__):
        return _AS_OWNER
    if isinstance(error, RequestFailed) and error.status in (None, 401, 403):
        return _REACH_SERVER
    return None
