"""Derivatives of outputs in time, up to the first that forces move and one more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import sympy as sp

from nsdgen.schemes.relation_step import RelationStep
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch, Sign
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.laws.characteristic import Characteristic
from nsdgen.symbolic.relations.relation_class import Participant

_MOST = 4
"""Derivatives that are looked at: where switchings accumulate the second one is moved, beyond it they hardly do."""

_ROUNDING = 2.0**-46
"""Of the terms of a coefficient: that of some sixty factors, each rounded once."""


@dataclass(frozen=True)
class OutputRates:
    """y, y', y'', ... of one row by the equations of its relation and its systems, others left out.

    ``order`` is the first of them that holds multipliers, 2 at least where none is found; ``chain`` begins with y.
    ``held`` is the derivative that is zero where the row is held on a jump, ``None`` where it cannot be. ``surface``
    writes one state by the others there, where the multiplier then no longer moves the first derivative, as that of
    sqrt|y| does: ``chain`` is that of the surface, since slopes across it need not exist. ``calm`` is y' where none
    moves it any more, as that of x + v |v| at rest: with what moved it there the next derivative would be quadratic in
    multipliers, and zero at a second place, which is none.
    """

    order: int
    chain: tuple[sp.Expr, ...]
    held: int | None
    surface: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    calm: sp.Expr | None = None

    @classmethod
    def of(cls, step: RelationStep, row: sp.Expr, curve: Characteristic) -> Self:
        """Those of a row of the output of a relation, and of its law."""
        own = set(step.cls.multipliers)
        if row.free_symbols & own:
            return cls(0, (row,), 1)
        if not plain(step):
            return cls(1, (row,), None)
        chain = _chain(step, row, {})
        order = len(chain) - 1
        if not chain[-1].free_symbols & own:
            return cls(2, chain[:2], None)
        if order > 1:
            return cls(order, chain, order)
        root = _root(step, row, curve)
        if root is not None:
            raise step.refused(
                f"its output has an infinite slope where {root} is zero, and slides to there in finite time: give it "
                "a slope by a small d, as w + e/(e**2 + d**2)**(1/4) for w + sqrt(abs(e))*sign(e), or write the same "
                "surface by its inverse, e + w*abs(w)"
            )
        gains = jacobian(sp.Matrix([chain[1]]), step.cls.multipliers).free_symbols
        states = {p.rename(s) for p in step.cls.participants for s in p.system.functions} | {NOW}
        if not gains & states:
            return cls(1, chain, None)
        surface = _surface(step, row, curve)
        along = _chain(step, row, surface) if surface else chain
        if len(along) > 2 and along[-1].free_symbols & own:
            return cls(len(along) - 1, along, len(along) - 1, surface)
        return cls(1, chain, 2, calm=_calm(step, row, chain[1]))

    def moved(self, step: RelationStep, stage: RelationStep, number: int) -> sp.Expr:
        """A derivative as the rates of all states move it: that of the one before."""
        return _total(step, self.still[number - 1], [p.unknown for p in stage.participants])

    @property
    def still(self) -> tuple[sp.Expr, ...]:
        """The chain as it goes on where the row is held."""
        return self.chain if self.calm is None else (self.chain[0], self.calm)


def plain(step: RelationStep) -> bool:
    """Whether all participants are M x' = f, or M v' = F with q' = v, where M is diagonal, without zeros and states."""
    return all(_plain(p) for p in step.cls.participants)


def _plain(participant: Participant) -> bool:
    cls = participant.system
    mass = cls.terms["mass"].values
    return (
        cls.configuration.flat
        and mass.is_diagonal()
        and all(m != 0 for m in mass.diagonal())
        and mass.free_symbols.isdisjoint(cls.functions)
    )


def _chain(step: RelationStep, row: sp.Expr, surface: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Expr, ...]:
    """y and its derivatives up to the first that holds multipliers, reactions as they are on a surface."""
    chain = [row]
    while len(chain) <= _MOST and not chain[-1].free_symbols & set(step.cls.multipliers):
        chain.append(derivative(step, chain[-1], surface))
    return tuple(chain)


def _calm(step: RelationStep, row: sp.Expr, rate: sp.Expr) -> sp.Expr:
    """y' where multipliers no longer move it: that of the terms without states that they move, or without them."""
    own = set(step.cls.multipliers)
    moved = {
        s
        for p, reaction in zip(step.cls.participants, step.cls.reactions, strict=True)
        for s, push in zip(p.group("x") or p.group("v"), reaction, strict=True)
        if push.free_symbols & own
    }
    chain = _chain(step, _sum([e for e in sp.Add.make_args(sp.expand(row)) if e.free_symbols.isdisjoint(moved)]), {})
    if len(chain) == 3 and chain[2].free_symbols & own:
        return chain[1]
    return rate.xreplace(dict.fromkeys(own, sp.S.Zero))


def _surface(step: RelationStep, row: sp.Expr, curve: Characteristic) -> dict[sp.Symbol, sp.Expr]:
    """A state by the others on the one jump of a law, where the row is linear in it; empty where there is none."""
    for state in (s for p in step.cls.participants for s in p.group("x")) if len(curve.jumps) == 1 else ():
        slope = row.diff(state)
        if slope.is_number and slope != 0:
            return {state: sp.expand((curve.jumps[0].at - row.xreplace({state: sp.S.Zero})) / slope)}
    return {}


def _root(step: RelationStep, row: sp.Expr, curve: Characteristic) -> sp.Expr | None:
    """e of a term |e|^p, p < 1, of a row on whose surface e' is that term alone, so that e comes to zero and stays."""
    surface = _surface(step, row, curve)
    for power in row.atoms(sp.Pow) if surface else ():
        size = power.base.args
        if power.exp.is_number and 0 < power.exp < 1 and isinstance(power.base, Branch) and size[0] == -size[2]:  # |e|
            rate = _substituted(derivative(step, size[0], {}), surface)
            leaves = (rate / (power * Sign(size[0]))).is_positive
            if rate.has(power) and not leaves and sp.expand(rate.xreplace({power: sp.S.Zero})) == 0:
                return size[0]
    return None


def derivative(step: RelationStep, value: sp.Expr, surface: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """dy/dt with M x' = f + g, M v' = F + g, of participants that are :func:`plain`."""
    rates, pushes = [], []
    for p, reaction in zip(step.cls.participants, step.cls.reactions, strict=True):
        terms, g = p.system.terms, on_surface(reaction, surface)
        mass = p.rename(terms["mass"].values).diagonal()
        free = p.rename(terms["rhs" if "rhs" in terms else "force"].values)
        rates.append(sp.Matrix([e / m for e, m in zip(free, mass, strict=True)]))
        slopes = jacobian(sp.Matrix([value]), p.group("x") or p.group("v"))
        pushes += [slope * e / m for slope, e, m in zip(slopes, g, mass, strict=True)]
    return _total(step, value, rates) + _sum(pushes)


def on_surface(reaction: sp.Matrix, surface: Mapping[sp.Symbol, sp.Expr]) -> sp.Matrix:
    """A reaction with one state written by the others."""
    return reaction.applyfunc(lambda e: sp.expand(_substituted(e, surface))) if surface else reaction


def _substituted(value: sp.Basic, surface: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """A value on a surface."""
    if value.free_symbols.isdisjoint(surface):
        return value
    if isinstance(value, sp.Add):
        return _sum([_substituted(term, surface) for term in sp.Add.make_args(sp.expand(value))])
    return surface[value] if value in surface else value.func(*(_substituted(e, surface) for e in value.args))


def _sum(terms: Sequence[sp.Expr]) -> sp.Expr:
    """A sum without what is rounding of its terms: whether it is zero would be up to units."""
    total = sp.Add(*terms)
    parts: dict[sp.Expr, list[sp.Expr]] = {}
    for term in terms if total.has(sp.Float) else ():
        for part, factor in sp.expand(term).as_coefficients_dict().items():
            parts.setdefault(part, []).append(factor)
    factors = {part: sp.Add(*all_of) for part, all_of in parts.items()}
    rounding = {p for p, f in factors.items() if f != 0 and abs(f) <= _ROUNDING * sp.Add(*map(abs, parts[p]))}
    return sp.Add(*(p * f for p, f in factors.items() if p not in rounding)) if rounding else total


def _total(step: RelationStep, value: sp.Expr, rates: list[sp.Matrix]) -> sp.Expr:
    """dy/dt, ``rates`` those of states or velocities."""
    found, row = value.diff(NOW), sp.Matrix([value])
    for p, rate in zip(step.cls.participants, rates, strict=True):
        moving = p.group("x") or p.group("v")
        found += (jacobian(row, moving) * rate)[0]
        if p.group("q"):
            found += p.moved(row)[0]
    return found
