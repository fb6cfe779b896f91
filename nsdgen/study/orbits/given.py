"""What is given to analyses of orbits: states, periods, parameters, lists of values, and where a motion begins."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from nsdgen.base.checks import finite_number, number_array, shown, whole_number
from nsdgen.errors import ParameterError
from nsdgen.study.orbits.flow import Array, OrbitFlow


def named(flow: OrbitFlow, key: Any, model: Any) -> int:
    """Which state a coordinate or column is; raises ``ParameterError`` for what is none."""
    by_column = getattr(model, "_by_column", lambda given: given)
    name = next(iter(by_column({key: 0.0})))
    fits = [k for k, column in enumerate(flow.columns) if name in (column, column.partition(".")[2])]
    if len(fits) != 1:
        raise ParameterError(
            f"{name!r} is no state" if not fits else f"{name!r} could be several states",
            model=flow.compiled.name,
            fix=f"choose one of {', '.join(flow.columns)}",
        )
    return fits[0]


def period_of(flow: OrbitFlow, period: Any, /, **parameters: float) -> float:
    """A period [s]: a number, an expression of parameters such as ``2 * pi / omega``, or a function of their values."""
    values = {**flow.compiled.parameters, **flow.parameters, **parameters}
    if not getattr(period, "free_symbols", ()):
        length = period(values) if callable(period) else period
        return _above_zero(flow, finite_number(length, model=flow.compiled.name, where="period"))
    strangers = [s.name for s in period.free_symbols if s.name not in values]
    if strangers:
        raise ParameterError(
            f"{strangers[0]!r} is no parameter of the model",
            model=flow.compiled.name,
            where="period",
            fix=f"write it with {', '.join(flow.compiled.parameters) or 'numbers'}",
        )
    known = tuple((s, values[s.name]) for s in sorted(period.free_symbols, key=str))
    return _above_zero(flow, _evaluated(period, known))


def _above_zero(flow: OrbitFlow, period: float) -> float:
    """The period; raises ``ParameterError`` where it is none."""
    if not period > 0:
        raise ParameterError(
            f"a period of {period:g} s", model=flow.compiled.name, where="period", fix="give a time above 0 [s]"
        )
    return period


def parameter_of(flow: OrbitFlow, parameter: Any) -> str:
    """The name of a parameter of the model, given by its symbol or name."""
    name = str(getattr(parameter, "name", parameter))
    if name not in flow.compiled.parameters:
        raise ParameterError(
            f"{name!r} is no parameter",
            model=flow.compiled.name,
            where="parameter",
            fix=f"choose one of {', '.join(flow.compiled.parameters) or 'none: it has no parameters'}",
        )
    return name


def numbers_of(flow: OrbitFlow, values: Any, where: str, above: float = -np.inf) -> Array:
    """A list of numbers (k,), one at least, that are larger than ``above``."""
    try:
        found = np.asarray(number_array(values))
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 1 or not len(found) or not (np.isfinite(found) & (found > above)).all():
        larger = f" above {above:g}" if above > -np.inf else ""
        raise ParameterError(
            f"{shown(values)} is no list of numbers{larger}",
            model=flow.compiled.name,
            where=where,
            fix="give one number at least, as numpy.linspace(0.3, 0.6, 100) does",
        )
    return found


@lru_cache(maxsize=64)
def _evaluated(period: Any, values: tuple[tuple[Any, float], ...]) -> float:
    """An expression at these values: asked for at every motion, and SymPy takes as long as a short one."""
    return float(period.subs(dict(values)))


def started(flow: OrbitFlow, near: Any, period: float, settle: int, model: Any) -> Array:
    """Where an analysis begins: ``near`` by coordinates or columns beside the model's start, after so many periods."""
    x = flow.initial.copy()
    if near is not None and not isinstance(near, Mapping):
        x = numbers_of(flow, near.state if hasattr(near, "state") else near, "near")
        if len(x) != len(flow.columns):
            raise ParameterError(
                f"{shown(near)} has {len(x)} numbers",
                model=flow.compiled.name,
                where="near",
                fix=f"give one for each of {', '.join(flow.columns)}, or a mapping of some of them",
            )
    for key, value in near.items() if isinstance(near, Mapping) else ():
        x[named(flow, key, model)] = float(value)
    for _ in range(whole_number(settle, 0, 10**9, model=flow.compiled.name, where="settle")):
        x = flow(x, period)
    return x
