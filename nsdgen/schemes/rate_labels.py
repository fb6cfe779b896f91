"""What the rows of gaps and rates are called in a record, and their units: one list for all schemes.

The unit of the force behind a row decides: a force [N] acts along lengths, a moment [N m] about angles.
"""

from nsdgen.base.names import numbered
from nsdgen.symbolic.relations.relation_class import RelationClass

_ALONG = {"N": "m", "N m": "rad"}
_MOVING = {"N": "kg m", "N m": "kg m^2"}


def rate_names(cls: RelationClass) -> tuple[str, ...]:
    """What the rates of a relation are called, row by row; ``rate`` where it has no gap to which they belong."""
    gaps, turning = cls.terms["gap"].rows, cls.law.rolling
    along = "sliding_rate" if gaps else "rate"
    return (
        *numbered("gap_rate", gaps),
        *numbered(along, cls.terms["sliding"].rows - turning),
        *numbered("rolling_rate", turning),
    )


def gap_units(cls: RelationClass) -> tuple[str, ...]:
    """Of the gaps: m or rad; none where the force has a unit of its user's own."""
    return tuple(_ALONG.get(unit, "") for unit in cls.force_units[: cls.terms["gap"].rows])


def rate_units(cls: RelationClass) -> tuple[str, ...]:
    """Of the rates, row by row."""
    return tuple(f"{_ALONG[unit]}/s" if unit in _ALONG else "" for unit in cls.force_units)


def acceleration_units(cls: RelationClass) -> tuple[str, ...]:
    """Of their derivatives, row by row."""
    return tuple(f"{unit}^2" if unit else "" for unit in rate_units(cls))


def impulse_units(cls: RelationClass) -> tuple[str, ...]:
    """Of the impulses, row by row: N s, or N m s of moments."""
    return tuple(f"{unit} s" if unit else "" for unit in cls.force_units)


def position_impulse_units(cls: RelationClass) -> tuple[str, ...]:
    """Of what moves configurations, row by row: an impulse times a time."""
    return tuple(_MOVING.get(unit, "") for unit in cls.force_units)
