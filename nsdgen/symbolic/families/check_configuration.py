"""Whether a configuration space keeps its word: shapes of its rules, and that no two of them contradict each other."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import sympy as sp

from nsdgen.errors import ModelError, at_place
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.families.configuration import Configuration


def check_configuration(space: Configuration, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol], where: str) -> None:
    """Raise ``ModelError`` where the rules of a space do not fit a configuration q with velocities v.

    Each space is looked at once for equal symbols: all rigid bodies share theirs.
    """
    if not isinstance(space, Configuration):
        raise ModelError(f"its configuration is {space!r}", where=where, fix="give a Configuration, or leave it out")
    try:
        hash(space)
    except TypeError:  # no frozen dataclass
        verified: Callable[[Configuration, tuple[sp.Symbol, ...], tuple[sp.Symbol, ...]], None] = _verify
    else:
        verified = _verified
    with at_place(where):
        verified(space, tuple(q), tuple(v))


def _verify(space: Configuration, q: tuple[sp.Symbol, ...], v: tuple[sp.Symbol, ...]) -> None:
    """The checks of :func:`check_configuration`."""
    where, name = "configuration", type(space).__name__
    if not isinstance(space.flat, bool):
        raise ModelError(
            f"flat of {name} is {space.flat!r}", where=where, fix="make it a property that is True or False"
        )
    if space.flat and len(q) + space.states != len(v):
        raise ModelError(
            f"{name} is flat, q has {len(q)} entries and v has {len(v)}",
            where=where,
            fix="give as many velocities as coordinates, or a space with flat = False and a twist_map",
        )
    shape = getattr(space.twist_map(q), "shape", None)
    if shape != (len(q), len(v)):
        found = "no matrix" if shape is None else "{}x{}".format(*shape)
        raise ModelError(
            f"twist_map(q) of {name} is {found}, expected {len(q)}x{len(v)}",
            where=where,
            fix="give T(q) of q' = T(q) v, a row for each entry of q, a column for each velocity",
        )
    lists = {"normalised(q)": space.normalised(q), "rate(q, v)": space.rate(q, v)}
    if type(space).moved is not Configuration.moved:
        lists["moved(q, twist)"] = space.moved(q, v)
    for what, values in lists.items():
        if not isinstance(values, list) or len(values) != len(q):
            count = f"{len(values)} entries" if isinstance(values, list) else f"a {type(values).__name__}"
            raise ModelError(
                f"{what} of {name} gives {count}, expected {len(q)}",
                where=where,
                fix="give a list with one expression for each entry of q",
            )
    outside = [i for group in space.unit_norm for i in group if i not in range(len(q))]
    if outside:
        raise ModelError(
            f"unit_norm of {name} names entry {outside[0]}, q has {len(q)}",
            where=where,
            fix="give groups of positions in q, counted from 0",
        )
    wrong = "" if space.flat else _contradiction(space, q, v)
    if wrong:
        raise ModelError(
            f"{name}: {wrong}",
            where=where,
            fix="correct twist_map, rate, moved, normalised or unit_norm: they say one thing of q' = T(q) v",
        )


_APART = 1e-4  # of a velocity: differences over it are right to its square, and rounding over it is far smaller
_verified = lru_cache(maxsize=64)(_verify)


def _contradiction(space: Configuration, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> str:
    """What two rules of a space say otherwise of one thing, found at a point; empty where nothing is."""
    given = {s: sp.Float((0.31 + 0.17 * i) * (-1) ** i) for i, s in enumerate((*q, *v))}

    def numbers(values: Sequence[sp.Expr], at: Mapping[sp.Symbol, sp.Expr]) -> list[float]:
        return [float(as_expression(e).xreplace(at)) for e in values]

    def differ(ours: Sequence[float], theirs: Sequence[float]) -> bool:
        return any(abs(a - b) > 1e-9 * (1 + abs(a)) for a, b in zip(ours, theirs, strict=True))

    try:
        unit = numbers(space.normalised(q), given)
        there = {**given, **dict(zip(q, map(sp.Float, unit), strict=True))}
        again, rate = numbers(space.normalised(q), there), numbers(space.rate(q, v), there)
        mapped = numbers(list(space.twist_map(q) * sp.Matrix(v)), there)
        ends = (
            []
            if type(space).moved is Configuration.moved
            else [numbers(space.moved(q, [share * s for s in v]), there) for share in (_APART, -_APART)]
        )
    except (TypeError, ValueError, ArithmeticError):  # no real numbers there: another part of the space
        return ""
    if differ(unit, again):
        return "normalised(q) is not what normalised(normalised(q)) is"
    if differ(rate, mapped):
        return "rate(q, v) is not twist_map(q) v"
    begins = [(a - b) / (2 * _APART) for a, b in zip(*ends, strict=True)] if ends else mapped
    if any(abs(a - b) > _APART * (1 + abs(b)) for a, b in zip(begins, mapped, strict=True)):
        return "moved(q, v) does not begin along twist_map(q) v"
    for group in space.unit_norm:
        entries = ", ".join(map(str, group))
        if abs(sum(unit[i] ** 2 for i in group) - 1) > 1e-9:
            return f"normalised(q) leaves entries {entries} with a norm other than 1"
        if abs(sum(unit[i] * mapped[i] for i in group)) > 1e-9:
            return f"twist_map(q) v changes the norm of entries {entries}"
    return ""
