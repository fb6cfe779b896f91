"""Piecewise-linear characteristics: (y, lambda) lies on a monotone polyline with vertical and horizontal pieces.

Every such curve is a function of s = y + rho lambda (lambda with its sign turned where the curve falls), rho > 0: the
curve meets each line of that slope once. So y = J(y + rho lambda) with a piecewise-linear J says all of it, jumps
included, and is the law's natural map. A curve that changes lambda on one piece alone is a box instead, of a row with
the slope of that piece: a step stays a linear problem, whose solutions can be counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.checks import shown
from nsdgen.base.names import numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.laws.characteristic import ALONG, Characteristic, Jump
from nsdgen.symbolic.laws.law import Law, Slot, coefficient

_WHERE = "law PiecewiseLinear"


@named_arguments
@dataclass(frozen=True)
class PiecewiseLinear(Law):
    """(y, lambda) on the polyline through ``points``, pairs (y, lambda) in the order of the curve, y never falling.

    lambda never rises along the curve or never falls; a vertical piece is a jump, a horizontal one a saturation.
    ``end_slopes`` are d lambda / dy before the first and after the last point: 0, finite, or ``sympy.oo`` for a curve
    that ends in a vertical line. Coordinates are numbers, parameters or expressions of parameters, whose order is
    checked whenever a run starts. ``falling`` says which way lambda goes where numbers do not show it. Every row of a
    relation has this characteristic; the sum of two is that of both side by side, at one y. Raises ``ModelError`` for
    points that are no curve of this kind.
    """

    points: Sequence[tuple[Any, Any]] = ()
    end_slopes: tuple[Any, Any] = (0, 0)
    falling: bool | None = None
    steps: tuple[tuple[sp.Expr, sp.Expr], ...] = field(init=False, default=(), repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.points, Iterable) or isinstance(self.points, str):
            raise ModelError(
                f"points is {shown(self.points)}, not a list",
                where=_WHERE,
                fix="give pairs (y, lambda): [(-1, 1), (1, -1)]",
            )
        points = tuple(_pair(p, f"point {i}") for i, p in enumerate(self.points))
        if not points:
            raise ModelError("there are no points", where=_WHERE, fix="give pairs (y, lambda): [(-1, 1), (1, -1)]")
        slopes = _pair(self.end_slopes, "end_slopes")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "falling", _direction(points, slopes) if self.falling is None else bool(self.falling))
        sign = -1 if self.falling else 1
        object.__setattr__(self, "end_slopes", tuple(_end_slope(s, sign) for s in slopes))
        object.__setattr__(self, "steps", tuple((b[0] - a[0], sign * (b[1] - a[1])) for a, b in pairwise(points)))
        for i, (along, up) in enumerate(self.steps):
            if along.is_zero and up.is_zero:
                raise ModelError(f"the points {i} and {i + 1} are the same", where=_WHERE, fix="give each point once")
            if along.is_negative or up.is_negative:
                raise ModelError(
                    f"the points {points[i]} and {points[i + 1]} are out of order",
                    where=_WHERE,
                    fix="y grows from point to point, and lambda "
                    + ("falls" if self.falling else "rises")
                    + " along the whole curve",
                )
        self.slots  # noqa: B018  refuses what is not monotone

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The first point, steps from point to point, finite end slopes, rho; raises ``ModelError`` out of order."""
        sign = -1 if self.falling else 1
        way = "falls" if self.falling else "rises"
        first = (
            coefficient("PiecewiseLinear", "y0", self.points[0][0]),
            coefficient("PiecewiseLinear", "lambda0", sign * self.points[0][1]),
        )
        steps = tuple(
            slot
            for i, (along, up) in enumerate(self.steps)
            for slot in (
                coefficient("PiecewiseLinear", f"dy{i}", along, 0.0, None, "give the points in the order of growing y"),
                coefficient("PiecewiseLinear", f"dlambda{i}", up, 0.0, None, f"lambda {way} along the whole curve"),
            )
        )
        ends = tuple(
            coefficient("PiecewiseLinear", f"slope{i}", sign * s, 0.0, None, f"lambda {way} along the curve")
            for i, s in enumerate(self.end_slopes)
            if s.is_finite is not False
        )
        return (*first, *steps, *ends, coefficient("PiecewiseLinear", "rho", self._rho(), 0.0))

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """y less what the only piece makes of lambda, in a box; or the natural map."""
        if self._piece is None:
            return super().imposed(rows, multiplier)
        at_y, at_lambda, _, _, compliance = self._piece
        sign = sp.Integer(-1 if self.falling else 1)
        found = [sign * (at_y + compliance * (sign * m - at_lambda) - y) for y, m in zip(rows, multiplier, strict=True)]
        return sp.Matrix(found), self.cones(rows.rows)

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """A box for each row where the curve has one piece on which lambda changes."""
        return ((Cone.BOX, rows),)

    def bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """Where lambda is on that piece."""
        if self._piece is None:
            return ()
        _, _, low, high, _ = self._piece
        return ((-high, -low) if self.falling else (low, high)) * rows

    @property
    def _piece(self) -> tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr, sp.Expr] | None:
        """The only piece on which lambda changes: a point of it, where lambda goes from and to, dy/dlambda; over slots.

        None where there are several, or may be, or lambda may not change on it.
        """
        values = {s.symbol.name.partition("/")[2]: s.symbol for s in self.slots}
        y, value = values["y0"], values["lambda0"]
        first, last = (abs(slope) for slope in self.end_slopes)
        found = [(y, value, -sp.oo, value, _compliance(values.get("slope0")), first)] if first != 0 else []
        for i, (along, up) in enumerate(self.steps):
            dy, step = values[f"dy{i}"], values[f"dlambda{i}"]
            if not up.is_zero:
                found.append((y, value, value, value + step, sp.S.Zero if along.is_zero else dy / step, up))
            y, value = y + dy, value + step
        if last != 0:
            found.append((y, value, value, sp.oo, _compliance(values.get("slope1")), last))
        return found[0][:-1] if len(found) == 1 and found[0][-1].is_extended_positive else None

    def natural_map(self, rows: sp.Matrix, multiplier: sp.Matrix) -> sp.Matrix | None:
        """y - J(y + rho lambda), row by row; None where a box says it."""
        if self._piece is not None:
            return None
        sign = -1 if self.falling else 1
        return sp.Matrix([y - self._resolvent(y, sign * m) for y, m in zip(rows, multiplier, strict=True)])

    def characteristics(self, rows: int, bounds: Sequence[sp.Expr]) -> tuple[Characteristic | None, ...]:
        """The same curve for every row: its vertical pieces, and lambda(y) between them."""
        values = {s.symbol.name.partition("/")[2]: s.symbol for s in self.slots}
        sign = sp.Integer(-1 if self.falling else 1)
        y, value = values["y0"], values["lambda0"]
        jumps: list[tuple[sp.Expr, sp.Expr, sp.Expr]] = []  # y, turned lambda at both ends
        between: list[sp.Expr | None] = []
        pieces: list[sp.Basic] = []  # of the curve since the last jump: lambda, and up to which y

        def jump(low: sp.Expr, high: sp.Expr) -> None:
            if jumps and not pieces:  # on top of the last one
                jumps[-1] = (jumps[-1][0], jumps[-1][1], high)
                return
            between.append(Branch(*pieces[:-1], sp.true) if pieces else None)
            pieces.clear()
            jumps.append((y, low, high))

        def piece(slope: sp.Expr, upto: sp.Basic) -> None:
            pieces.extend([sign * (value + slope * (ALONG - y)), upto])

        if self.end_slopes[0] in (sp.oo, -sp.oo):
            jump(-sp.oo, value)
        else:
            piece(values["slope0"], y >= ALONG)
        for i, (along, _) in enumerate(self.steps):
            dy, up = values[f"dy{i}"], values[f"dlambda{i}"]
            if along.is_zero:
                jump(value, value + up)
            else:
                piece(up / dy, y + dy >= ALONG)
            y, value = y + dy, value + up
        if self.end_slopes[1] in (sp.oo, -sp.oo):
            jump(value, sp.oo)
            between.append(None)
        else:
            piece(values["slope1"], sp.true)
            between.append(Branch(*pieces))
        turned = tuple(Jump(at, *((low, high) if sign > 0 else (-high, -low))) for at, low, high in jumps)
        return (Characteristic(turned, tuple(between), bool(self.falling)),) * rows

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Zero; not known where an end of the curve is vertical."""
        bounded = all(slope.is_finite is not False for slope in self.end_slopes)
        return [(sp.S.Zero, sp.S.Zero)] * rows if bounded else None

    def interval(self, y: float) -> tuple[float, float] | None:
        """The least and the largest lambda at y; None where the curve does not go. For points that are numbers.

        Infinite on a vertical end. Raises ``ModelError`` where a point is none.
        """
        numbers, slopes = self._numbers()
        found = [b for a, b in numbers if a == y]
        found += [b + (d - b) * (y - a) / (c - a) for (a, b), (c, d) in pairwise(numbers) if a < y < c]
        for (a, b), slope, side in ((numbers[0], slopes[0], -1.0), (numbers[-1], slopes[1], 1.0)):
            if math.isinf(slope) and side * (y - a) >= 0:
                found.append(side * math.inf)
                if a != y:
                    return None
            elif side * (y - a) > 0:
                found.append(b + slope * (y - a))
        return (-max(found), -min(found)) if self.falling else (min(found), max(found))

    def __add__(self, other: PiecewiseLinear) -> PiecewiseLinear:
        """Both characteristics side by side: at each y the sum of what they give."""
        if not isinstance(other, PiecewiseLinear):
            return NotImplemented
        if self.falling != other.falling:
            raise ModelError("one rises, the other falls", where=f"{_WHERE}, sum", fix="add curves of one direction")
        places = sorted({y for law in (self, other) for y, _ in law._numbers()[0]})
        points: list[tuple[float, float]] = []
        for y in places:
            spans = [law.interval(y) for law in (self, other)]
            if None in spans:
                continue
            low, high = (sum(span[i] for span in spans if span is not None) for i in (0, 1))
            points += [(y, v) for v in dict.fromkeys((high, low) if self.falling else (low, high)) if math.isfinite(v)]
        if not points:
            raise ModelError(
                "there is no y at which both have a value",
                where=f"{_WHERE}, sum",
                fix="add curves whose ranges of y overlap",
            )
        first, last = (a + b for a, b in zip(self.end_slopes, other.end_slopes, strict=True))
        return PiecewiseLinear(tuple(points), (first, last), falling=self.falling)

    def in_steps(self) -> Law:
        """Its pieces side by side, where there are several."""
        return self if self._piece is not None else Pieces(self)

    # -- how ------------------------------------------------------------------------------------

    def _resolvent(self, y: sp.Expr, turned: sp.Expr) -> sp.Expr:
        """J(y + rho lambda): the y of the point of the curve on that line."""
        values = {s.symbol.name.partition("/")[2]: s.symbol for s in self.slots}
        rho, at_y, at_lambda = values["rho"], values["y0"], values["lambda0"]
        s = y + rho * turned
        pieces: list[sp.Basic] = []
        for i in range(len(self.steps) + 1):
            place = at_y + rho * at_lambda
            if i == 0:
                pieces += [_ray(at_y, s - place, rho, values.get("slope0")), s <= place]
            if i < len(self.steps):
                along, up = values[f"dy{i}"], values[f"dlambda{i}"]
                here, at_y, at_lambda = at_y, at_y + along, at_lambda + up
                pieces += [here + (s - place) * along / (along + rho * up), s <= at_y + rho * at_lambda]
        return Branch(*pieces, _ray(at_y, s - (at_y + rho * at_lambda), rho, values.get("slope1")), sp.true)

    def _rho(self) -> sp.Expr:
        """The ratio of the ranges of y and lambda, 1 where one of both is none."""
        along, up = (sp.Add(*(step[i] for step in self.steps)) for i in (0, 1))
        return along / up if along.is_positive and up.is_positive else sp.S.One

    def _numbers(self) -> tuple[list[tuple[float, float]], tuple[float, float]]:
        """Points and end slopes as numbers, lambda turned to rise."""
        if not all(e.is_number for e in (*(e for p in self.points for e in p), *self.end_slopes)):
            raise ModelError(
                "its points are not all numbers",
                where=_WHERE,
                fix="write the points of a sum of parametrised curves yourself",
            )
        sign = -1.0 if self.falling else 1.0
        first, last = (abs(float(s)) for s in self.end_slopes)
        return [(float(a), sign * float(b)) for a, b in self.points], (first, last)


@dataclass(frozen=True)
class Pieces(Law):
    """A curve of several pieces as laws side by side, at one y: lambda = lambda_0 + sum of rises times shares s.

    Each share is a multiplier of the law's own, recorded as ``piece[0]``, ...: 0 on one side of its piece, 1 (of a ray
    what y goes beyond its end, of a vertical one what lambda does) on the other, and linear on it. So a step stays a
    linear problem with bounds, whose solutions can be counted.
    """

    curve: PiecewiseLinear
    cone: Cone | None = field(init=False, default=Cone.EQUALITY)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Those of the curve."""
        return self.curve.slots

    def own_multipliers(self, rows: int) -> tuple[str, ...]:
        """A share for each ray of each row, then for each piece between points."""
        return numbered("piece", rows * sum(map(len, self._parts())))

    def own_bounds(self, rows: int) -> tuple[sp.Expr, ...]:
        """0 and 1 for shares of pieces between points."""
        return (sp.S.Zero, sp.S.One) * (rows * len(self._parts()[1]))

    def impulses(self, rows: int) -> Sequence[tuple[sp.Expr, sp.Expr]] | None:
        """Those of the curve."""
        return self.curve.impulses(rows)

    def imposed(self, rows: sp.Matrix, multiplier: sp.Matrix) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """lambda less its sum; of rays and pieces what is left to y where it is not on them."""
        rays, between = self._parts()
        sign, m = sp.Integer(-1 if self.curve.falling else 1), rows.rows
        own = list(multiplier[m:, :])
        shares = [own[i * len(rays) : (i + 1) * len(rays)] for i in range(m)]
        own = own[m * len(rays) :]
        steps = [own[i * len(between) : (i + 1) * len(between)] for i in range(m)]
        value = next(s.symbol for s in self.slots if s.symbol.name == "law/lambda0")
        sums, left = [], []
        for i in range(m):
            pairs = [*zip(rays, shares[i], strict=True), *zip(between, steps[i], strict=True)]
            sums.append(multiplier[i] - sign * (value + sum(rise * s for (_, _, rise, _), s in pairs)))
        for part, owned in ((rays, shares), (between, steps)):
            left += [
                side * (at - rows[i]) + along * s
                for i in range(m)
                for (at, along, _, side), s in zip(part, owned[i], strict=True)
            ]
        blocks = ((Cone.EQUALITY, m), (Cone.COMPLEMENTARITY, m * len(rays)), (Cone.BOX, m * len(between)))
        return sp.Matrix([*sums, *left]), tuple(block for block in blocks if block[1])

    def _parts(self) -> tuple[list[Part], list[Part]]:
        """Rays that are not flat, and pieces between points that are not."""
        values = {s.symbol.name.partition("/")[2]: s.symbol for s in self.slots}
        y, rays, between = values["y0"], [], []
        first, last = self.curve.end_slopes
        if first != 0:
            vertical = "slope0" not in values
            rays.append((y, sp.S.Zero if vertical else sp.S.One, -(sp.S.One if vertical else values["slope0"]), -1))
        for i, (along, up) in enumerate(self.curve.steps):
            dy, rise = values[f"dy{i}"], values[f"dlambda{i}"]
            if not up.is_zero:
                between.append((y, sp.S.Zero if along.is_zero else dy, rise, 1))
            y += dy
        if last != 0:
            vertical = "slope1" not in values
            rays.append((y, sp.S.Zero if vertical else sp.S.One, sp.S.One if vertical else values["slope1"], 1))
        return rays, between


Part = tuple[sp.Expr, sp.Expr, sp.Expr, int]
"""Where a piece begins, how far y goes along it for a share of 1, what lambda rises by, and which way it lies."""


def _compliance(slope: sp.Expr | None) -> sp.Expr:
    """dy/dlambda of an end, whose slope has no slot where it is vertical."""
    return sp.S.Zero if slope is None else 1 / slope


def _ray(y: sp.Expr, beyond: sp.Expr, rho: sp.Expr, slope: sp.Expr | None) -> sp.Expr:
    """The y of an end ray: of a slope, or vertical where there is none."""
    return y if slope is None else y + beyond / (1 + rho * slope)


def _pair(given: Any, what: str) -> tuple[sp.Expr, sp.Expr]:
    """Two expressions."""
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 2:
        raise ModelError(f"{what} is {given!r}, not a pair", where=_WHERE, fix="give (y, lambda)")
    a, b = (as_expression(e, where=f"{_WHERE}, {what}") for e in given)
    if not (isinstance(a, sp.Expr) and isinstance(b, sp.Expr)):
        raise ModelError(f"{what} is {given!r}, not a pair of numbers", where=_WHERE, fix="give (y, lambda)")
    return a, b


def _direction(points: Sequence[tuple[sp.Expr, sp.Expr]], slopes: tuple[sp.Expr, sp.Expr]) -> bool:
    """Whether lambda falls along the curve, from the first step or end slope that tells."""
    for change in (*(b[1] - a[1] for a, b in pairwise(points)), *slopes):
        if change.is_extended_positive or change.is_extended_negative:
            return bool(change.is_extended_negative)
    if all(change.is_zero for change in (*(b[1] - a[1] for a, b in pairwise(points)), *slopes)):
        return True
    raise ModelError(
        "it does not show whether lambda rises or falls",
        where=_WHERE,
        fix="say falling=True or falling=False: the points hold parameters",
    )


def _end_slope(slope: sp.Expr, sign: int) -> sp.Expr:
    """An end slope, an infinite one with the sign of the curve."""
    return sign * sp.oo if slope in (sp.oo, -sp.oo, sp.zoo) else slope
