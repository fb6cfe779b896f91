"""Tangential rates of contacts: from tangents and rolling rates as a user writes them."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.affine import is_affine
from nsdgen.symbolic.expressions.entry import enter, label_of, nobodys
from nsdgen.symbolic.expressions.jacobian import gradient
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.relation import Place
from nsdgen.symbolic.relations.relation_class import Participant


def sliding_rates(tangent: sp.Matrix, rolling: sp.Matrix, place: Place, said: str = "tangent") -> sp.Matrix:
    """The tangential rates, then the rolling rates, of a contact over fresh symbols; ``said`` names the former.

    A tangent that contains a velocity is a rate, linear in velocities; another one is a coordinate
    s(t, q), whose rate is ds/dt + sum_i ds/dq_i T_i v_i. Raises ``ModelError`` where it is neither.
    """
    named = [(e, f"{place.where}, {said}") for e in tangent] + [(e, f"{place.where}, rolling") for e in rolling]
    return sp.Matrix(
        len(named), 1, [_rate(e, enter(e, place.symbols, where=at), place.participants, at) for e, at in named]
    )


def _rate(written: sp.Expr, tangent: sp.Expr, participants: Sequence[Participant], where: str) -> sp.Expr:
    """The rate of a tangent as it was ``written``; that of one that joints hold still is 0."""
    velocities = [v for p in participants for v in p.group("v")]
    read = FreeSymbols()(tangent)
    if states := [s for p in participants for s in p.states if s in read]:
        raise ModelError(
            f"holds {label_of(states[0])}, a first-order state, on which its reaction would act, too",
            where=where,
            fix="write it as a nsd.OutputRelation, which says what it acts on: output=[...], reaction={system: [...]}",
        )
    if read.isdisjoint(velocities):
        rate = tangent.diff(NOW)
        for p in participants:
            rate += p.moved(sp.Matrix([tangent]))[0, 0]
        if rate.free_symbols.isdisjoint(velocities) and all(isinstance(s, sp.Symbol) for s in nobodys([written], {})):
            raise ModelError(
                f"{tangent} does not move with the systems",
                where=where,
                fix="give a rate, linear in the velocities, or a coordinate that has one",
            )
        return rate
    if not is_affine([tangent], gradient(tangent, velocities), velocities):
        raise ModelError(
            f"{tangent} is not linear in the velocities",
            where=where,
            fix="give a relative velocity, component by component; laws make the rest",
        )
    return tangent
