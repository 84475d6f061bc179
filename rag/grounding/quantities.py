"""Numbers with their units, in digits or in words, so that ten minutes are 600 seconds and never 600 minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isclose

from rag.grounding.formulas import without_formulas

_DIMENSIONS: dict[str, dict[str, float]] = {
    "time": {
        "ns nanosecond nanoseconds": 1e-9, "µs us microsecond microseconds": 1e-6,
        "ms msec millisecond milliseconds": 1e-3, "s sec secs second seconds": 1.0,
        "min mins minute minutes": 60.0, "h hr hrs hour hours": 3600.0, "d day days": 86_400.0,
        "week weeks": 604_800.0, "month months": 2_592_000.0, "year years": 31_536_000.0,
    },
    "size": {
        "B byte bytes": 1.0, "kB KB kilobyte kilobytes": 1e3, "MB megabyte megabytes": 1e6,
        "GB gigabyte gigabytes": 1e9, "TB terabyte terabytes": 1e12, "KiB": 1024.0, "MiB": 1024.0**2,
        "GiB": 1024.0**3, "bit bits": 0.125,
    },
    "length": {
        "nm nanometre nanometres nanometer nanometers": 1e-9, "µm micrometre micrometer": 1e-6,
        "mm millimetre millimetres millimeter millimeters": 1e-3,
        "cm centimetre centimetres centimeter centimeters": 1e-2, "m metre metres meter meters": 1.0,
        "km kilometre kilometres kilometer kilometers": 1e3, "inch inches": 0.0254, "foot feet": 0.3048,
    },
    "mass": {
        "mg milligram milligrams": 1e-3, "g gram grams": 1.0, "kg kilogram kilograms": 1e3, "tonne tonnes": 1e6,
    },
    "voltage": {"mV millivolt millivolts": 1e-3, "V volt volts": 1.0, "kV kilovolt kilovolts": 1e3},
    "current": {"mA milliampere milliamperes": 1e-3, "A amp amps ampere amperes": 1.0},
    "resistance": {"Ω ohm ohms": 1.0, "kΩ kilohm kilohms": 1e3, "MΩ megohm megohms": 1e6},
    "power": {"mW milliwatt milliwatts": 1e-3, "W watt watts": 1.0, "kW kilowatt kilowatts": 1e3, "MW megawatt": 1e6},
    "frequency": {"Hz hertz": 1.0, "kHz kilohertz": 1e3, "MHz megahertz": 1e6, "GHz gigahertz": 1e9},
    "force": {"N newton newtons": 1.0},
    "temperature": {"°C celsius": 1.0}, "fahrenheit": {"°F fahrenheit": 1.0},
    "angle": {"° deg degree degrees": 1.0, "rad radian radians": 57.29577951308232},
    "share": {"% percent percentage": 1.0},
    "rate": {
        "bps": 1.0, "kbps Kbps kbit/s": 1e3, "Mbps Mbit/s": 1e6, "Gbps Gbit/s": 1e9, "B/s": 8.0, "kB/s KB/s": 8e3,
        "MB/s": 8e6, "GB/s": 8e9,
    },
    "speed": {"m/s": 1.0, "km/h": 1 / 3.6, "mph": 0.44704},
    "money": {"dollar dollars USD": 1.0}, "euros": {"euro euros EUR": 1.0},
}  # fmt: skip
UNITS = {
    name: (dimension, factor)
    for dimension, names in _DIMENSIONS.items()
    for together, factor in names.items()
    for name in together.split()
}
_WORDS = dict(
    zip(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        range(13),
        strict=True,
    )
) | {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100}
_WORD = "|".join(_WORDS)
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_SINGLE = "minute|hour|day|week|month|year|percent|volt|watt|metre|meter|gram|kilogram|byte"
"""Units that "a" counts; "a second" and "a bit" mostly count nothing."""

_DIGITS = r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?<![\w.:/#])(?<![A-Za-z]-)(?P<coin>[$€])?(?P<digits>{_DIGITS})(?!\.?\d)"
    rf"(?:[ \u00a0-]?(?P<unit>{_UNIT})(?![\w/])|(?P<thousand>k)|(?P<other>[A-Za-z]{{1,6}}))?(?!\w)"
    rf"|\b(?P<word>{_WORD})(?: and (?P<more>a half))?(?:[ -](?P<word_unit>{_UNIT})(?![\w/]))?(?![\w])"
    rf"|\b(?P<part>half|quarter of) an? (?P<half>{_UNIT})(?![\w/])|\ban? (?P<single>{_SINGLE})(?![\w/])",
)
FEW = 3
_COINS = {"$": "dollar", "€": "euro"}
_NAMED_UNIT = re.compile(
    rf"(?<![\w])(?:{'|'.join(sorted((n for n in UNITS if len(n) > 2), key=len, reverse=True))})(?!\w)"
)
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
    unit: str | None
    noun: str
    is_word: bool
    start: int
    end: int

    @property
    def is_small_word(self) -> bool:
        """Whether it is "one", "two" or "three" of no unit, which may count nothing, or sum up what a book lists."""
        return self.is_word and self.dimension is None and self.value <= FEW


@lru_cache(maxsize=4096)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """Return the numbers of a text in order; those inside of identifiers, versions and formulas are none."""
    text = without_formulas(text)
    return tuple(_quantity(found, text) for found in _QUANTITY.finditer(text))


def is_among(number: Quantity, quantities: Iterable[Quantity], units: Sequence[str] = ()) -> bool:
    """Return whether the same amount is among `quantities`; one without a unit may have any of `units`."""
    return any(_is_same(number, quantity, units) for quantity in quantities)


def _is_same(number: Quantity, other: Quantity, units: Sequence[str]) -> bool:
    if number.dimension is None:
        return number.value in (other.value, other.written)
    if other.dimension == number.dimension:
        return isclose(other.value, number.value)
    if (other.unit, number.dimension) == ("m", "time"):
        return isclose(other.value * 60, number.value)
    spelled_out = [UNITS[unit] for unit in units] if other.dimension is None else []
    return any(
        dimension == number.dimension and isclose(other.value * factor, number.value)
        for dimension, factor in spelled_out
    )


@lru_cache(maxsize=4096)
def units_in(text: str) -> tuple[str, ...]:
    """Return the units that a text spells out, as in "a time in seconds"."""
    return tuple(dict.fromkeys(_NAMED_UNIT.findall(text)))


def _quantity(found: re.Match[str], text: str) -> Quantity:
    named = found.group("unit", "word_unit", "half", "single")
    unit = next(filter(None, named), _COINS.get(found["coin"]))
    number = _number(found)
    dimension, factor = UNITS[unit] if unit else (found["other"], 1.0)
    noun = _NOUN.match(text, found.end()) if not dimension else None
    return Quantity(
        number * factor,
        number,
        dimension,
        unit,
        noun[1].lower() if noun else "",
        not found["digits"],
        found.start(),
        found.end(),
    )


def _number(found: re.Match[str]) -> float:
    if found["digits"]:
        return float(found["digits"].replace(",", "").replace("−", "-")) * (1e3 if found["thousand"] else 1.0)
    if found["word"]:
        return _WORDS[found["word"]] + (0.5 if found["more"] else 0.0)
    return {"half": 0.5, "quarter of": 0.25}.get(found["part"], 1.0)
