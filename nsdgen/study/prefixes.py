"""SI prefixes on axes: 0.00002 m is read as 20 µm; the numbers that are drawn stay as they are."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.ticker import Formatter

_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 3: "k", 6: "M", 9: "G", 12: "T"}
_TAKES = frozenset(
    {"m", "s", "N", "V", "A", "W", "J", "Pa", "F", "H", "Hz", "C", "T", "K", "rad", "Ω", "ohm", "Wb", "S"}
)
"""Units that take a prefix; kg does not, nor do degrees, minutes and names that are no units."""

_SMALL, _LARGE = 0.03, 3e4
"""Without a prefix are drawn values between these: 0.05 m and 20 000 N need none, 0.02 m is 20 mm."""


def prefixed(unit: str, largest: float) -> tuple[str, float]:
    """The unit with a prefix for values up to ``largest``, and what one of it is in units: (``"mm"``, 1e-3).

    The prefix stands before the first factor of the unit, which must have no exponent: mm/s, µN s, but m**2 stays.
    """
    first = re.match(r"[A-Za-zΩ]+", unit)
    plain = first is not None and first[0] in _TAKES and not re.match(r"\s*(\^|\*\*|[²³\d-])", unit[first.end() :])
    if not plain or not math.isfinite(largest) or largest == 0 or _SMALL <= largest < _LARGE:
        return unit, 1.0
    power = 3 * math.floor(math.log10(largest * (1 + 1e-12)) / 3)
    return (_PREFIXES[power] + unit, 10.0**power) if power in _PREFIXES else (unit, 1.0)


def prefix_axis(axis: Axis, unit: str) -> str:
    """Have an axis show its numbers with the prefix that fits what it spans; returns the unit for its label."""
    ends = [abs(end) for end in axis.get_view_interval()]
    shown, factor = prefixed(unit, max(ends))
    if factor != 1.0:
        from matplotlib.ticker import MaxNLocator

        # Ticks at round numbers of the prefixed unit are round in the unit: the factor is a power of ten.
        axis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(_in_units_of(factor))
    return shown


def shown_unit(axis: Axis) -> float:
    """What one of the numbers that an axis shows is in the unit of what is drawn: 1e-3 for millimetres of metres."""
    return float(getattr(axis.get_major_formatter(), "factor", 1.0))


def _in_units_of(factor: float) -> Formatter:
    from matplotlib.ticker import FuncFormatter

    formatter = FuncFormatter(lambda value, _: f"{value / factor:.6g}")
    formatter.factor = factor  # type: ignore[attr-defined]
    return formatter
