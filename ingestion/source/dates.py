"""Read the dates of metadata, in the forms that site generators read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any

_READERS: tuple[Callable[[str], datetime], ...] = (
    datetime.fromisoformat,
    lambda text: datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z"),
    lambda text: datetime.strptime(text, "%Y-%m-%d %H:%M %z"),
    lambda text: datetime.strptime(text, "%Y-%m-%d"),  # with a month or a day of one digit
    lambda text: datetime.strptime(text, "%d %b %Y"),
    parsedate_to_datetime,
)


def read_date(value: Any) -> datetime | None:
    """Return a date with its zone, UTC where it names none; None for what is no date."""
    return _read(str(value).strip())


@lru_cache(maxsize=64)  # where no generator is known, each of them asks for the dates of a page
def _read(text: str) -> datetime | None:
    for read in _READERS:
        try:
            found = read(text)
        except (ValueError, OverflowError):
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None
