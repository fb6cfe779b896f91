"""Designs: which members a sweep has. Every member is a row of numbers, one for each name that varies."""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import MOST_COUNTED, number_array, shown, whole_number
from nsdgen.errors import ParameterError

_KINDS = ("grid", "list", "random", "latin")


@dataclass(frozen=True, eq=False)
class Design:
    """The members: ``values`` (n, k) of the k ``names``; ``axes`` are the values along each name of a grid."""

    names: tuple[str, ...]
    values: NDArray[np.float64]
    axes: tuple[NDArray[np.float64], ...] | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def digest(self) -> str:
        """Of all its numbers."""
        return hashlib.sha256(np.ascontiguousarray(self.values).tobytes()).hexdigest()[:16]

    def part(self, begin: int, end: int) -> dict[str, NDArray[np.float64]]:
        """The values of some members by name."""
        return {name: self.values[begin:end, k] for k, name in enumerate(self.names)}


def design_of(kind: str, over: Mapping[str, Any], members: int | None, seed: int, model: str) -> Design:
    """The design of a sweep; see :func:`nsdgen.study.sweep.sweep.sweep`. Raises ``ParameterError`` for what is none."""
    if kind not in _KINDS:
        raise ParameterError(f"{kind!r} is no design", model=model, where="design", fix=f"use {', '.join(_KINDS)}")
    if not over:
        raise ParameterError(
            "nothing varies", model=model, where="sweep", fix="give over={'omega': numpy.linspace(30, 80, 100)}"
        )
    names = tuple(over)
    if kind in ("random", "latin"):
        count = whole_number(members if members is not None else 0, 1, 10**8, model=model, where="members")
        unit = _drawn(kind, count, len(names), whole_number(seed, 0, MOST_COUNTED, model=model, where="seed"))
        columns = [_spread(unit[:, k], over[name], name, model) for k, name in enumerate(names)]
        return Design(names, np.stack(columns, axis=1))
    if members is not None:
        raise ParameterError(
            f"a {kind} has the members it lists", model=model, where="members", fix="leave members= out"
        )
    listed = [axis_of(over[name], name, model) for name in names]
    if kind == "grid":
        return Design(names, np.array(list(itertools.product(*listed))), tuple(listed))
    if len({len(values) for values in listed}) != 1:
        lengths = ", ".join(f"{name}: {len(values)}" for name, values in zip(names, listed, strict=True))
        raise ParameterError(
            f"the lists have different lengths ({lengths})",
            model=model,
            where="over",
            fix="give one value of each for every member, or use design='grid' for all combinations",
        )
    return Design(names, np.stack(listed, axis=1))


def _drawn(kind: str, count: int, names: int, seed: int) -> NDArray[np.float64]:
    """Points of the unit cube: a member's depend on the seed and, for ``random``, on its number only."""
    if kind == "latin":
        from scipy.stats import qmc  # a second, which workers need not wait for

        found: NDArray[np.float64] = qmc.LatinHypercube(names, rng=np.random.default_rng(seed)).random(count)
        return found
    return np.random.default_rng(seed).random((count, names))


def _spread(unit: NDArray[np.float64], given: Any, name: str, model: str) -> NDArray[np.float64]:
    """Points of (0, 1) over a range (low, high), or by a distribution of SciPy."""
    if hasattr(given, "ppf"):
        return np.asarray(given.ppf(unit), dtype=float)
    ends = axis_of(given, name, model)
    if len(ends) != 2:
        raise ParameterError(
            f"{name!r} has {len(ends)} values where a range is meant",
            model=model,
            where="over",
            fix="give (low, high), or a distribution such as scipy.stats.norm(1, 0.1)",
        )
    return ends[0] + unit * (ends[1] - ends[0])


def axis_of(given: Any, name: str, model: str, where: str = "over") -> NDArray[np.float64]:
    """The numbers of something that varies; raises ``ParameterError`` for what is no list of finite ones."""
    try:
        values = np.atleast_1d(np.array(number_array(given if hasattr(given, "__len__") else [given])))
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"the values of {name!r} are no numbers", model=model, where=where, fix="give a list of numbers"
        ) from error
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ParameterError(
            f"the values of {name!r} have shape {values.shape}"
            if values.ndim != 1 or not len(values)
            else f"{name!r} has a value that is not finite",
            model=model,
            where=where,
            fix="give a list of finite numbers, entries of vectors one by one ('brick.position[2]')",
        )
    return values


def names_of(over: Mapping[Any, Any], column: Any) -> dict[str, Any]:
    """The names of what varies: symbols by theirs, coordinates by their columns."""
    if not isinstance(over, Mapping):
        raise ParameterError(
            f"over is {shown(over)}, not a mapping", where="over", fix="write over={parameter: [values, ...]}"
        )
    found: dict[str, Any] = {}
    for key, values in over.items():
        name = str(key.name if getattr(key, "is_Symbol", False) else column(key))
        if name in found:
            raise ParameterError(f"{name!r} is given twice, by two keys", where="over", fix="give it once")
        found[name] = values
    return found


def grouped(names: Sequence[str], parameters: Sequence[str], options: Sequence[str]) -> dict[str, str]:
    """Which argument of a run each name belongs to: parameters first, then options, else an initial value."""
    return {
        name: "step"
        if name == "step"
        else "parameters"
        if name in parameters
        else "options"
        if name in options
        else "initial"
        for name in names
    }
