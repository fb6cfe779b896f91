"""Operators whose derivatives make a linearisation: what is left over in equations of motion, reactions, rates.

Derivatives by positions are those along T(q), d/dq T: they stay on the unit sphere where q has a quaternion, and have a
column for each velocity.
"""

from collections.abc import Iterator, Sequence

import sympy as sp

from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import Operator, SystemClass
from nsdgen.symbolic.laws.disk import Disk
from nsdgen.symbolic.laws.rows import Box
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

_UNBOUNDED = sp.Float("1e300")
"""What kernels write for an infinite bound."""

Operands = Sequence[tuple[str, tuple[sp.Symbol, ...]]]


def linear_operators(cls: SystemClass | RelationClass) -> list[Operator]:
    """Those of a class; none of one that says nothing of motion."""
    found: Iterator[Operator] = iter(())
    if isinstance(cls, SystemClass):
        found = _of_system(cls) if cls.group("v") and "force" in cls.terms else found
    elif all(p.group("v") for p in cls.participants):
        found = _of_gap(cls) if "gap" in cls.terms else _of_force(cls) if "force" in cls.terms else found
        found = _of_dry(cls) if is_dry(cls) else found
    return [operator for operator in found if operator.values.rows and operator.values.cols]


def _of_system(cls: SystemClass) -> Iterator[Operator]:
    """M a - F, its derivatives, and dT/dq v."""
    q, v = cls.group("q"), cls.group("v")
    a = _own("acceleration", len(v))
    balance = cls.terms["mass"].values * sp.Matrix(a) - cls.terms["force"].values
    operands = (("t", (NOW,)), ("q_1", q), ("v_1", v), ("a", a))
    yield Operator("balance", balance, operands, "M a - F")
    yield from _derivatives("balance", balance, (Participant(cls, {}),), cls.parameters, operands)
    if not cls.configuration.identity:
        moved = cls.configuration.twist_map(q) * sp.Matrix(v)
        yield Operator("moved_q", jacobian(moved, q), operands[1:3], "d(T v)/dq")


def _of_gap(cls: RelationClass) -> Iterator[Operator]:
    """Rates and reactions H^T lambda with their derivatives; how far from slipping rows of friction are.

    ``slips`` says of every disk of friction whether it slides (1) or sticks (0): its force is then that of the law.
    """
    count = cls.height
    reaction = _own("multiplier", count)
    disks = cls.law.disks(sp.Matrix(reaction)) or ()
    slips = _own("slips", len(disks))
    operands = _operands(cls, ("lambda_", reaction), *([("slips", slips)] if disks else []))
    yield Operator("rate", cls.rate, operands, "u = H v + dg/dt")
    yield Operator("rate_t", jacobian(cls.rate, (NOW,)), operands, "du/dt")
    yield from _derivatives("rate", cls.rate, cls.participants, cls.parameters, operands)
    yield Operator("gap_p", jacobian(cls.terms["gap"], cls.parameters), operands, "dg/dp")
    acting = _acting(cls, disks, reaction, slips)
    for k, p in enumerate(cls.participants):
        force = cls.gradient(p).T * acting
        yield Operator(f"reaction_{k + 1}", force, operands, "H^T lambda")
        yield from _derivatives(f"reaction_{k + 1}", force, cls.participants, cls.parameters, operands)
        if disks:
            yield Operator(f"reaction_{k + 1}_lambda", jacobian(force, reaction), operands, "d(H^T lambda)/dlambda")
    if disks:
        pairs = [(d.bound, sp.sqrt(sum(f**2 for f in d.forces(reaction)))) for d in disks]
        yield Operator("bound", sp.Matrix([bound for bound, _ in pairs]), operands, "mu N of each surface")
        yield Operator("rubbing", sp.Matrix([length for _, length in pairs]), operands, "the force of friction on it")


def _acting(
    cls: RelationClass, disks: Sequence[Disk], multiplier: Sequence[sp.Symbol], slips: Sequence[sp.Symbol]
) -> sp.Matrix:
    """The multipliers as they act: where a disk slips (its ``slips`` is 1 and not 0) those of friction against it.

    Below the root stands the 1 that a disk at rest needs, so that no rate of 0 is divided by.
    """
    found, rates = list(multiplier), list(cls.rate)
    for disk, moves in zip(disks, slips, strict=True):
        own = disk.rates(rates)
        speed = sp.sqrt(sum(u**2 for u in own) + 1 - moves)
        for row, sliding in zip(disk.rows, disk.multipliers([-disk.bound * u / speed for u in own]), strict=True):
            found[row] = (1 - moves) * multiplier[row] + moves * sliding
    return sp.Matrix(found)


def is_dry(cls: RelationClass) -> bool:
    """Whether forces along rates stay within bounds while these are 0: dry friction (``nsd.RateForce``)."""
    if "output" not in cls.terms or not isinstance(cls.law, Box):
        return False
    force = sp.Matrix(cls.multipliers)
    along = [jacobian(cls.terms["output"], p.group("v")).T * force for p in cls.participants if p.group("v")]
    return len(along) == len(cls.reactions) and all(a == r for a, r in zip(along, cls.reactions, strict=True))


def _of_dry(cls: RelationClass) -> Iterator[Operator]:
    """Rates and reactions with their derivatives, and the least and the largest force."""
    rate, bounds = cls.terms["output"], cls.law.bounds(cls.height)
    operands = _operands(cls, ("lambda_", cls.multipliers))
    yield Operator("rate", rate, operands, "u = H v + dg/dt")
    yield Operator("rate_t", jacobian(rate, (NOW,)), operands, "du/dt")
    yield from _derivatives("rate", rate, cls.participants, cls.parameters, operands)
    for k, force in enumerate(cls.reactions):
        yield Operator(f"reaction_{k + 1}", force, operands, "H^T lambda")
        yield from _derivatives(f"reaction_{k + 1}", force, cls.participants, cls.parameters, operands)
    for name, values in (("lower", bounds[::2]), ("upper", bounds[1::2])):
        finite = [_UNBOUNDED * (1 if e == sp.oo else -1) if e in (sp.oo, -sp.oo) else e for e in values]
        yield Operator(name, sp.Matrix(finite), operands, f"the {name} bounds of forces")


def _of_force(cls: RelationClass) -> Iterator[Operator]:
    """Reactions, and what is recorded, with their derivatives."""
    operands = _operands(cls)
    for name, values in (
        ("shown", cls.terms["force"]),
        *((f"reaction_{k + 1}", r) for k, r in enumerate(cls.reactions)),
    ):
        yield Operator(name, values, operands, name)
        yield from _derivatives(name, values, cls.participants, cls.parameters, operands)


def _derivatives(
    name: str,
    values: sp.Matrix,
    participants: Sequence[Participant],
    parameters: Sequence[sp.Symbol],
    operands: Operands,
) -> Iterator[Operator]:
    for k, p in enumerate(participants):
        yield Operator(f"{name}_q_{k + 1}", p.twist_gradient(values), tuple(operands), f"d{name}/dq T")
        yield Operator(f"{name}_v_{k + 1}", jacobian(values, p.group("v")), tuple(operands), f"d{name}/dv")
    yield Operator(f"{name}_p", jacobian(values, parameters), tuple(operands), f"d{name}/dp")


def _operands(
    cls: RelationClass, *more: tuple[str, tuple[sp.Symbol, ...]]
) -> tuple[tuple[str, tuple[sp.Symbol, ...]], ...]:
    groups = [(f"{role}_{k + 1}", p.group(role)) for k, p in enumerate(cls.participants) for role in ("q", "v")]
    return (("t", (NOW,)), *groups, *more)


def _own(kind: str, count: int) -> tuple[sp.Symbol, ...]:
    return tuple(own_symbol(kind, f"{kind}_{i}") for i in range(count))
