"""The words of mechanics: the class of M(t, q) v' = F(t, q, v) + p with q' = T(q) v, whoever describes it.

First-order states z' = g(t, q, v, z) + s of such a system stand behind its velocities and move no coordinate: rows of
the identity in M, of g in F, of s in p, columns of zeros in T. Every scheme that steps velocities steps them in the
same way and with the same order, and impacts, M (v - v_k) = H^T p, leave them as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.generic_rank import generic_rank
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.check_configuration import check_configuration
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.stated_terms import stated_matrix
from nsdgen.symbolic.families.system_class import Operator, Requirement, SystemClass, Term, Variables

_ENERGIES = {"kinetic_energy": ("T", "T(t, q, v)"), "potential_energy": ("V", "V(t, q)")}


def mechanical_class(
    name: str,
    parameters: Sequence[sp.Symbol],
    q: Variables,
    v: Variables,
    mass: sp.Matrix,
    force: sp.Matrix,
    *,
    configuration: Configuration | None = None,
    energies: Mapping[str, sp.Expr] | None = None,
    extra: Mapping[str, Term] | None = None,
    requirements: Sequence[Requirement] = (),
    further: Sequence[Operator] = (),
    states: Variables | None = None,
    rates: sp.Matrix | None = None,
    slopes: Mapping[str, sp.Matrix] | None = None,
    inertia_forces: tuple[tuple[sp.Symbol, ...], sp.Matrix] | None = None,
) -> SystemClass:
    """The class with groups q and v and the terms ``mass``, ``force``, ``twist_map`` (where T is not the identity).

    Functions of q are written for a normalised configuration; whoever evaluates them elsewhere normalises
    first. ``energies`` (``kinetic_energy``, ``potential_energy``) and ``extra`` become operators. Whoever describes a
    family with these words is integrated by every mechanical scheme. With n velocities ``mass`` is n x n and ``force``
    a column of n; ``requirements``, on the mass say, are checked at the start of every run, ``further`` are operators
    besides. ``slopes`` are dF/dq and dF/dv by role, where the family knows them better than by differentiation of F,
    ``inertia_forces`` symbols for a and M a, where it knows that better than as a product.
    ``states`` are first-order states with ``rates``, which become the last entries of v and ``force``.
    Raises ``ModelError`` for other shapes, for a space whose rules do not fit q and v, and for a mass that depends on
    states: impacts would not know it.
    """
    where, n = f"system {name!r}", len(v.symbols)
    space = configuration if configuration is not None else Configuration()
    mass = stated_matrix(mass, where=f"{where}, mass", rows=n, cols=n, fix=f"give {n}x{n}, one row for each velocity")
    force = stated_matrix(force, where=f"{where}, force", rows=n, cols=1, fix=f"give a column of {n}, one a velocity")
    if states is not None and states.symbols:
        count = len(states.symbols)
        rates = stated_matrix(rates, where=f"{where}, rates", rows=count, cols=1, fix="give one for each state")
        if read := mass.free_symbols & set(states.symbols):
            raise ModelError(
                f"the mass depends on the state {min(s.name for s in read)!r}",
                where=where,
                fix="make what changes the mass a coordinate with a velocity of its own, or a function of time",
            )
        v = Variables("v", v.symbols + states.symbols, v.names + states.names, v.units + states.units)
        mass, force, space = sp.diag(mass, sp.eye(count)), force.col_join(rates), replace(space, states=count)
    check_configuration(space, q.symbols, v.symbols, where)
    at = ("t", "q") if NOW in mass.free_symbols else ("q",)
    terms = {
        "mass": Term(mass, at, "M", f"M({', '.join(at)})"),
        "force": Term(force, ("t", "q", "v"), "F", "F(t, q, v)", tuple(r for r in "qv" if r not in (slopes or {}))),
    }
    operands = (("t", (NOW,)), ("q", q.symbols), ("v", v.symbols))
    known = [Operator(f"force_{role}", values, operands, f"dF/d{role}") for role, values in (slopes or {}).items()]
    if not space.identity:
        terms["twist_map"] = Term(space.twist_map(q.symbols), ("q",), "T", "T(q), q' = T(q) v", normalise=False)
    for label, energy in (energies or {}).items():
        if label not in _ENERGIES:
            raise ModelError(
                f"energies holds {label!r}",
                where=where,
                fix=f"the energies are {', '.join(_ENERGIES)}; others go to extra={{name: Term}}",
            )
        terms[label] = Term(sp.Matrix([energy]), ("t", "q", "v"), *_ENERGIES[label])
    return SystemClass(
        name=name,
        parameters=tuple(parameters),
        variables=(q, v),
        terms={**terms, **(extra or {})},
        configuration=space,
        requirements=tuple(requirements),
        further=(*known, *further),
        inertia_forces=inertia_forces,
    )


def beside_motion(cls: SystemClass) -> SystemClass:
    """A class M(t) x' = f(t, x) + r as one of mechanics without coordinates, all of whose velocities are states.

    Raises ``ModelError`` for a mass that depends on states or is singular.
    """
    where, mass, words = f"system {cls.name!r}, mass", cls.terms["mass"], {"x": "v", "rhs": "force"}
    if not mass.values.free_symbols.isdisjoint(cls.group("x")):
        raise ModelError("depends on states", where=where, fix="multiply the equations by its inverse")
    if generic_rank(mass.values) < mass.values.rows:
        raise ModelError(
            "is singular: schemes for motion have no algebraic equations",
            where=where,
            fix="eliminate the unknowns without a derivative, or write them as multipliers of a nsd.OutputRelation",
        )

    def renamed(roles: Sequence[str]) -> tuple[str, ...]:
        return tuple(words.get(role, role) for role in roles)

    (states,) = cls.variables
    return replace(
        cls,
        variables=(Variables("q", (), (), ()), replace(states, role="v")),
        terms={
            words.get(name, name): replace(term, of=renamed(term.of), derivatives=renamed(term.derivatives))
            for name, term in cls.terms.items()
        },
        configuration=Configuration(states=len(states.symbols)),
    )
