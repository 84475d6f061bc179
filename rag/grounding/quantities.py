"""Numbers with their units, in digits or in words, so that ten minutes are 600 seconds and never 600 minutes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_DIMENSIONS: dict[str, dict[str, float]] = {
    "time": {
        "ns nanosecond": 1e-9, "µs us microsecond": 1e-6, "ms msec millisecond": 1e-3, "s sec secs second": 1.0,
        "min mins minute": 60.0, "h hr hrs hour": 3600.0, "d day days": 86_400.0, "week": 604_800.0,
        "month": 2_592_000.0, "year": 31_536_000.0,
    },
    "size": {
        "B byte": 1.0, "kB KB kilobyte": 1e3, "MB megabyte": 1e6, "GB gigabyte": 1e9, "TB terabyte": 1e12,
        "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "bit bits": 0.125,
    },
    "length": {
        "nm nanometre nanometer": 1e-9, "µm micrometre micrometer": 1e-6, "mm millimetre millimeter": 1e-3,
        "cm centimetre centimeter": 1e-2, "m metre meter": 1.0, "km kilometre kilometer": 1e3,
        "inch inches": 0.0254, "foot feet": 0.3048,
    },
    "mass": {"mg milligram": 1e-3, "g gram": 1.0, "kg kilogram": 1e3, "tonne": 1e6},
    "voltage": {"mV millivolt": 1e-3, "V volt": 1.0, "kV kilovolt": 1e3},
    "current": {"mA milliampere": 1e-3, "A amp amps ampere": 1.0},
    "resistance": {"Ω ohm ohms": 1.0, "kΩ kilohm": 1e3, "MΩ megohm": 1e6},
    "power": {"mW milliwatt": 1e-3, "W watt": 1.0, "kW kilowatt": 1e3, "MW megawatt": 1e6},
    "frequency": {"Hz hertz": 1.0, "kHz kilohertz": 1e3, "MHz megahertz": 1e6, "GHz gigahertz": 1e9},
    "force": {"N newton": 1.0}, "temperature": {"°C celsius": 1.0}, "fahrenheit": {"°F fahrenheit": 1.0},
    "angle": {"° deg degree": 1.0, "rad radian": 57.29577951308232}, "share": {"% percent percentage": 1.0},
    "rate": {
        "bps": 1.0, "kbps Kbps kbit/s": 1e3, "Mbps Mbit/s": 1e6, "Gbps Gbit/s": 1e9, "B/s": 8.0, "kB/s KB/s": 8e3,
        "MB/s": 8e6, "GB/s": 8e9,
    },
    "speed": {"m/s": 1.0, "km/h": 1 / 3.6, "mph": 0.44704},
    "money": {"dollar USD": 1.0}, "euros": {"euro EUR": 1.0},
}  # fmt: skip
"""Units by what they measure, with their size in its base unit; a word has its plural too."""

UNITS = {
    spelled: (dimension, factor)
    for dimension, names in _DIMENSIONS.items()
    for together, factor in names.items()
    for name in together.split()
    for spelled in ((name, f"{name}s") if len(name) > 3 and name.isalpha() else (name,))
}
_SMALL = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS = {
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
}
_WORDS = {word: at for at, word in enumerate(_SMALL.split())} | _TENS
_WORD = "|".join(_WORDS)
_LONGEST_FIRST = sorted(map(re.escape, UNITS), key=len, reverse=True)
_UNIT = "|".join(_LONGEST_FIRST)
_SINGLE = "minute|hour|day|week|month|year|percent|volt|watt|metre|meter|gram|kilogram|byte"
"""Units that "a" counts; "a second" and "a bit" mostly count nothing."""

_DIGITS = r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?<![\w.:/#])(?<![A-Za-z]-)(?P<coin>[$€])?(?P<digits>{_DIGITS})(?!\.?\d)"
    rf"(?:[ \u00a0-]?(?P<unit>{_UNIT})(?![\w/])|(?P<thousand>k)|(?P<other>[A-Za-z]{{1,6}}))?(?!\w)"
    rf"|\b(?P<word>{_WORD})(?: and (?P<more>a half))?(?:[ -](?P<word_unit>{_UNIT})(?![\w/]))?(?!\w)"
    rf"|\b(?P<part>half|quarter of) an? (?P<half>{_UNIT})(?![\w/])|\ban? (?P<single>{_SINGLE})(?![\w/])",
)
FEW = 3
_COINS = {"$": "dollar", "€": "euro"}
_PARTS = {"half": 0.5, "quarter of": 0.25}
_NAMED_UNIT = re.compile(rf"(?<!\w)(?:{'|'.join(name for name in _LONGEST_FIRST if len(name) > 2)})(?!\w)")
_NOUN = re.compile(r"[\s*_`]*([A-Za-z]{3,})")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text; `value` is in the base unit of `dimension`, which is None where no unit stands with it.

    `written` is the number as it stands. Letters that follow it at once and are no known unit are a dimension of
    their own, as in "48fps".
    `noun` is the word behind it, if it has no unit; `is_word` tells "two" from "2".
    """

    value: float
    written: float
    dimension: str | None
    noun: str
    is_word: bool
    start: int
    end: int

    @property
    def has_unit(self) -> bool:
        """Whether a known unit stands with it."""
        return self.dimension in _DIMENSIONS

    @property
    def is_small_word(self) -> bool:
        """Whether it is "one", "two" or "three" of no unit, which may count nothing, or sum up what a book lists."""
        return self.is_word and self.dimension is None and self.value <= FEW

    def is_same(self, other: Quantity, units: Sequence[str]) -> bool:
        """Return whether another is the same amount; this one may lack a unit, that one have any of `units`."""
        if self.dimension is None:
            return self.value in (other.value, other.written)
        factors = (
            [UNITS[unit][1] for unit in units if UNITS[unit][0] == self.dimension] if not other.dimension else []
        )
        factors += [1.0] if other.dimension == self.dimension else []
        return any(math.isclose(other.value * factor, self.value) for factor in factors)


@lru_cache(maxsize=4096)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """Return the numbers of a text in order; those inside of identifiers and versions are none."""
    return tuple(_quantity(found, text) for found in _QUANTITY.finditer(text))


def is_among(number: Quantity, quantities: Iterable[Quantity], units: Sequence[str] = ()) -> bool:
    """Return whether the same amount is among `quantities`; one without a unit may have any of `units`."""
    return any(number.is_same(each, units) for each in quantities)


@lru_cache(maxsize=4096)
def units_in(text: str) -> tuple[str, ...]:
    """Return the units that a text spells out, as in "a time in seconds"."""
    return tuple(dict.fromkeys(_NAMED_UNIT.findall(text)))


def _quantity(found: re.Match[str], text: str) -> Quantity:
    unit = found["unit"] or found["word_unit"] or found["half"] or found["single"] or _COINS.get(found["coin"])
    number = _number(found)
    dimension, factor = UNITS[unit] if unit else (found["other"], 1.0)
    noun = _NOUN.match(text, found.end()) if not dimension else None
    called = noun[1].lower() if noun else ""
    return Quantity(number * factor, number, dimension, called, not found["digits"], found.start(), found.end())


def _number(found: re.Match[str]) -> float:
    if digits := found["digits"]:
        return float(digits.replace(",", "").replace("−", "-")) * (1e3 if found["thousand"] else 1.0)
    number = _WORDS[found["word"]] if found["word"] else _PARTS.get(found["part"], 1.0)
    return number + (0.5 if found["more"] else 0.0)
