"""Parts of addresses that generators share: names of pages, folders of their own, patterns (`/:year/:slug/`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

_FILE_DATE = re.compile(r"(?P<year>\d{4}|\d{2})-(?P<month>\d{1,2})-(?P<day>\d{1,2})-(?P<name>.+)")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Values = Mapping[str, Callable[[], str]]
"""What each name in a pattern stands for; made when it is asked for."""


def fill(pattern: str, names: re.Pattern[str], values: Values) -> str | None:
    """Return a pattern with a value for each name in it; None where it has a name that is not known."""
    known = True

    def value_of(found: re.Match[str]) -> str:
        nonlocal known
        made = values.get(found[1])
        known = known and made is not None
        return made() if made else ""

    filled = names.sub(value_of, pattern)
    return re.sub(r"/{2,}", "/", filled).lstrip("/") if known else None


def split_date(stem: str) -> tuple[datetime | None, str]:
    """Return the date that a file's name begins with (`2024-01-31-name`), if any, and the rest of the name."""
    found = _FILE_DATE.fullmatch(stem)
    if found is None:
        return None, stem
    year = int(found["year"]) + (2000 if len(found["year"]) == 2 else 0)
    try:
        return datetime(year, int(found["month"]), int(found["day"]), tzinfo=UTC), found["name"]
    except ValueError:
        return None, stem


def date_values(date: datetime) -> Values:
    """Return the names that Hugo and Jekyll have for parts of a date; where one name means two things, Hugo's."""
    return {
        "year": lambda: str(date.year),
        "month": lambda: f"{date.month:02}",
        "monthname": lambda: _MONTHS[date.month - 1],
        "day": lambda: f"{date.day:02}",
        "weekday": lambda: str(date.isoweekday() % 7),
        "weekdayname": lambda: _DAYS[date.weekday()],
        "yearday": lambda: str(date.timetuple().tm_yday),
        "short_year": lambda: f"{date.year % 100:02}",
        "i_month": lambda: str(date.month),
        "short_month": lambda: _MONTHS[date.month - 1][:3],
        "long_month": lambda: _MONTHS[date.month - 1],
        "i_day": lambda: str(date.day),
        "y_day": lambda: f"{date.timetuple().tm_yday:03}",
        "w_year": lambda: str(date.isocalendar().year),
        "week": lambda: f"{date.isocalendar().week:02}",
        "w_day": lambda: str(date.isoweekday()),
        "short_day": lambda: _DAYS[date.weekday()][:3],
        "long_day": lambda: _DAYS[date.weekday()],
        "hour": lambda: f"{date.hour:02}",
        "minute": lambda: f"{date.minute:02}",
        "second": lambda: f"{date.second:02}",
    }


def split_path(path: str) -> tuple[list[str], str]:
    """Return the folders of a page and its name without `.md`, `.mdx` or `.markdown`."""
    *folders, name = path.split("/")
    stem, dot, suffix = name.rpartition(".")
    return folders, stem if dot and suffix.lower() in ("md", "mdx", "markdown") else name


def folder_route(folders: list[str], stem: str) -> str:
    """Return the route of a page that has a folder of its own; an index page stands for the folder it lies in."""
    parts = folders if stem in ("index", "_index") else [*folders, stem]
    return "".join(f"{part}/" for part in parts)


def file_route(folders: list[str], stem: str, suffix: str = ".html") -> str:
    """Return the route of a page that is a file; an index page stands for its folder."""
    return "/".join([*folders, "" if stem == "index" else stem + suffix])
