"""Lyapunov exponents across impacts and sliding, and the 0-1 test of a series for chaos."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nsdgen.base.checks import MOST_COUNTED, number_array, shown, whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.study.orbits.flow import Array, OrbitFlow, check_free, flow_of, period_of, started
from nsdgen.study.orbits.orbit import sizes_of

_NEAR = (1e-5, 1e-6, 1e-7, 1e-8)
"""Distances of differences, of the sizes of the states: shorter ones where other events happen that far away."""

_FLOW = 1e-13
"""Of the sizes of the states: the error of the flow, and over a distance that of a difference."""

_LOST = 0.02
"""Of the periods: so many at most may pass a grazing so closely that their derivative is not known."""

_CONSTANT = 1e-8
"""Of its size: a series that varies less stands still, and what is left of it is rounding."""

_BATCHES = 20
"""Parts of the motion whose means give the error bar: long enough each to forget the one before."""


@dataclass(frozen=True)
class Exponents:
    """Lyapunov exponents (n,) [1/s], largest first, their standard errors (n,), and the logarithms of each period.

    ``lost`` periods of all passed a grazing so closely that their derivative is not known; they are left out. In
    ``rests`` of them the motion came to rest in contact, where all disturbances vanish: what follows depends on the
    phase alone, so that such a motion is periodic in the end, however long that takes. The exponents are those of the
    other periods; -oo where there are none.
    """

    values: Array
    errors: Array
    period: float
    lost: int
    rests: int
    logarithms: Array = field(repr=False)

    @property
    def words(self) -> str:
        """What the largest says, by two standard errors."""
        first, error = float(self.values[0]), 2 * float(self.errors[0])
        if np.isneginf(first):
            return "regular: small distances vanish, motions meet in contact"
        if first > error:
            until = f", until all vanish in contact ({self.rests} of the periods)" if self.rests else ""
            return f"chaotic: small distances grow by {np.exp(first * self.period):.4g} in a period{until}"
        if first < -error:
            return f"regular: small distances shrink by {np.exp(first * self.period):.4g} in a period"
        return "neither grows nor shrinks: quasi-periodic, or at a bifurcation"

    def plot(self, **options: Any) -> Any:
        """Draw how the means settle, with their errors. A :class:`~nsdgen.study.plot.Plot`."""
        from nsdgen.study.orbits.pictures import exponents_plot

        return exponents_plot(self, **options)

    def __str__(self) -> str:
        listed = ", ".join(f"{v:.6g} +- {e:.2g}" for v, e in zip(self.values, self.errors, strict=True))
        return f"{listed} 1/s: {self.words}"


@named_arguments
def lyapunov_exponents(
    model: Any,
    period: Any,
    *,
    periods: int = 500,
    settle: int = 100,
    near: Any = None,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
) -> Exponents:
    """The Lyapunov spectrum of the motion that settles from the model's start, or ``near``.

    The derivative of the flow over each of many periods [s] (a number or an expression of parameters; any time where
    the system is autonomous), with the saltation of all events in it, orthogonalised after each (Benettin and others,
    Meccanica 15, 1980). Errors are those of the means of twenty parts, of as many as there are periods where these are
    fewer. Where motions slide or stay closed, directions are lost, and their exponents are -oo; so are those of what
    shrinks by more than 1e8 in a period, which differences do not tell from nothing. Raises
    ``ParameterError`` for a scheme that makes steps and where too many periods pass a grazing closely.
    """
    flow = flow_of(model, parameters, options)
    check_free(flow)
    periods = whole_number(periods, 2, 10**9, model=flow.compiled.name, where="periods")
    length = period_of(flow, period)
    x = started(flow, near, length, settle, model)
    sizes = sizes_of(flow, x, 1.0 * length)
    basis, rows, lost, rests = np.eye(len(x)), [], 0, 0
    for k in range(periods):
        run = flow.run(x, length)
        found, known = _derivative(flow, x, sizes, length, run)
        if found is not None and not k:
            flow.check_period(run, x, sizes, found)
        x = flow.state(run)
        if found is None:
            lost += 1
            continue
        if not found.any():
            basis, rests = np.eye(len(x)), rests + 1
            continue
        basis, R = np.linalg.qr(found @ basis)
        grown = np.abs(np.diag(R))
        with np.errstate(divide="ignore"):
            rows.append(np.log(np.where(grown > known * max(1.0, grown.max()), grown, 0.0)))
    if lost > _LOST * periods:
        raise ParameterError(
            f"{lost} of {periods} periods pass a grazing so closely that their derivative is not known",
            model=flow.compiled.name,
            where="exponents",
            fix="lower rtol of nsd.EventDriven",
        )
    logarithms = np.array(rows) if rows else np.full((_BATCHES, len(x)), -np.inf)
    with np.errstate(invalid="ignore"):
        values = logarithms.mean(axis=0) / length
        parts = np.array_split(logarithms, min(_BATCHES, len(logarithms)))
        means = np.array([part.mean(axis=0) for part in parts]) / length
        errors = np.full(len(x), np.inf)  # of one period nothing is known
        if len(parts) > 1:
            errors = np.nan_to_num(means.std(axis=0, ddof=1) / np.sqrt(len(parts)))
    order = np.argsort(-values)
    return Exponents(values[order], errors[order], length, lost, rests, logarithms[:, order])


def _derivative(flow: OrbitFlow, x: Array, sizes: Array, length: float, run: Any) -> tuple[Array | None, float]:
    """The derivative in units of the sizes, by central differences among motions with the same events; its error.

    Where a closed contact leaves a state one side only, it is that side's.
    """
    columns, beside, nearest = [], flow.beside(run, length, sizes), _NEAR[0]
    for i, size in enumerate(sizes):
        for near in _NEAR:
            h = np.zeros(len(x))
            h[i] = near * size
            starts = [flow.admissible(x + s * h) for s in (1, -1)]
            ends = [beside(y) for y in starts]
            if np.isfinite(ends).all():
                apart = (starts[0] - starts[1])[i] / size
                columns.append((ends[0] - ends[1]) / sizes / (apart or 1.0))
                nearest = min(nearest, near)
                break
        else:
            return None, 0.0
    return np.stack(columns, axis=1), _FLOW / nearest


def chaos_test(series: Any, *, frequencies: int = 100, seed: int = 0) -> float:
    """The 0-1 test of a series (k,) sampled once a period: near 0 for regular motion, near 1 for chaos.

    Quasi-periodic motions, whose sections fill curves, are told from chaotic ones. After Gottwald and Melbourne, SIAM
    J. Appl. Dyn. Syst. 8 (2009): the median correlation with time of the mean square displacement of p + i q = sum of
    phi_j e^{i c j}, its oscillating term taken off. A series that is constant to rounding gives 0. Raises
    ``ParameterError`` for fewer than 100 values.
    """
    frequencies = whole_number(frequencies, 1, MOST_COUNTED, where="frequencies")
    seed = whole_number(seed, 0, MOST_COUNTED, where="seed")
    try:
        phi = number_array(series)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"no numbers: {shown(series)}", where="chaos_test", fix="give numbers") from error
    if phi.ndim != 1 or len(phi) < 100 or not np.isfinite(phi).all():
        raise ParameterError(
            f"a series of shape {phi.shape} is too short, or not finite",
            where="chaos_test",
            fix="give 100 values, better 1000",
        )
    if np.ptp(phi) <= _CONSTANT * np.abs(phi).max():
        return 0.0
    count, most = len(phi), len(phi) // 10
    lags = np.arange(1, most + 1)
    found = []
    for c in np.random.default_rng(seed).uniform(np.pi / 5, 4 * np.pi / 5, frequencies):
        walk = np.cumsum(phi * np.exp(1j * c * np.arange(1, count + 1)))
        square = np.array([np.mean(np.abs(walk[n : count - most + n] - walk[: count - most]) ** 2) for n in lags])
        square -= phi.mean() ** 2 * (1 - np.cos(lags * c)) / (1 - np.cos(c))
        found.append(np.corrcoef(lags, square)[0, 1])
    return float(np.median(found))
