"""Tangential rates of contacts: from tangents and rolling rates as a user writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.classes import MechanicalClass, Participant
from nsdgen.symbolic.contact import Contact
from nsdgen.symbolic.entry import enter
from nsdgen.symbolic.time import NOW

__all__ = ["sliding_rates"]


def sliding_rates(contact: Contact, symbols: Mapping[sp.Basic, sp.Expr], participants: Sequence[Participant],
                  where: str) -> sp.Matrix:
    """The tangential rates, then the rolling rates, of a contact over fresh symbols.

    A tangent that contains a velocity is a rate, linear in velocities; another one is a coordinate
    s(t, q), whose rate is ds/dt + sum_i ds/dq_i T_i v_i. Raises ``ModelError`` where it is neither.
    """
    named = [(e, f"{where}, tangent") for e in contact.tangent] + [(e, f"{where}, rolling") for e in contact.rolling]
    return sp.Matrix(len(named), 1, [_rate(enter(e, symbols, where=at), participants, at) for e, at in named])


def _rate(tangent: sp.Expr, participants: Sequence[Participant], where: str) -> sp.Expr:
    velocities = [v for p in participants for v in _renamed(p)[1]]
    if tangent.free_symbols.isdisjoint(velocities):
        rate = tangent.diff(NOW)
        for p in participants:
            q, v, twist = _renamed(p)
            rate += (sp.Matrix([[tangent.diff(s) for s in q]]) * twist * sp.Matrix(v))[0, 0]
        if rate.free_symbols.isdisjoint(velocities):
            raise ModelError(f"the tangent {tangent} does not move with the systems", where=where,
                             fix="give a coordinate along the surface, or a sliding velocity")
        return rate
    slopes = [tangent.diff(v) for v in velocities]
    if not all(slope.free_symbols.isdisjoint(velocities) for slope in slopes):
        raise ModelError("a sliding velocity that is not linear in the velocities", where=where,
                         fix="give the relative velocity along the tangent; friction laws make the rest")
    return tangent


def _renamed(p: Participant) -> tuple[list[sp.Symbol], list[sp.Symbol], sp.Matrix]:
    """Coordinates, velocities and T of a participant, as the relation sees them."""
    system = p.system
    assert isinstance(system, MechanicalClass)
    return ([p.rename(s) for s in system.coordinates], [p.rename(s) for s in system.velocities],
            p.rename(system.twist_map))
