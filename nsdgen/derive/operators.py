"""Operators: the quantities of a model that people derive by hand, each a kernel of its own.

They are functions of their own arguments (t, q, v, x, lambda), not of a scheme. A function
of a body's configuration means its value at the normalised quaternion, and its
derivative with respect to q contains that normalisation:
grad_q h~ = grad h(x, p/|p|) diag(I, (I - p^ p^T)/|p|) (contact_gradient.tex).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from nsdgen.abi import KernelRole, Quantity, Role
from nsdgen.derive.jacobian import jacobian
from nsdgen.derive.kernel import Input, Kernel, make_kernel, make_output
from nsdgen.symbolic.classes import (
    FirstOrderClass,
    GapClass,
    MechanicalClass,
    OutputClass,
    RelationClass,
    SystemClass,
)
from nsdgen.symbolic.entry import label_of
from nsdgen.symbolic.quaternion import hat, normalization
from nsdgen.symbolic.time import NOW

__all__ = ["relation_operators", "system_operators"]


_MEANING = {
    "kinetic_energy": "T(t, q, v)",
    "potential_energy": "V(t, q)",
    "angular_momentum": "R(p) I Omega, about the centre of mass, inertial frame",
    "rotation": "R(p), body to inertial",
}


def system_operators(cls: SystemClass) -> list[Kernel]:
    """mass, force and its Jacobians, T and energies; or mass, rhs and its Jacobian."""
    if isinstance(cls, FirstOrderClass):
        operands = [_operand("t", [NOW]), _operand("x", cls.state)]
        return [
            _mass(cls, cls.mass, *operands),
            _operator(cls, "rhs", cls.rhs, operands, "f(t, x)"),
            _operator(cls, "rhs_x", jacobian(cls.rhs, cls.state), operands, "df/dx"),
        ]
    assert isinstance(cls, MechanicalClass)
    q, v = cls.coordinates, cls.velocities
    unit, _ = _normalised(cls, q)
    t, at_q, at_v = _operand("t", [NOW]), _operand("q", q), _operand("v", v)
    force = cls.force.xreplace(unit)
    kernels = [
        _mass(cls, cls.mass.xreplace(unit), t, at_q),
        _operator(cls, "force", force, [t, at_q, at_v], "F(t, q, v)"),
        _operator(cls, "force_q", jacobian(force, q), [t, at_q, at_v], "dF/dq"),
        _operator(cls, "force_v", jacobian(force, v), [t, at_q, at_v], "dF/dv"),
    ]
    if cls.quaternion:
        kernels.append(_operator(cls, "twist_map", cls.twist_map, [at_q], "T(q), q' = T(q) v"))
    for name, energy in cls.energies.items():
        kernels.append(_operator(cls, name, sp.Matrix([energy.xreplace(unit)]), [t, at_q, at_v], _MEANING[name]))
    for name, values in cls.operators.items():
        kernels.append(_operator(cls, name, values.xreplace(unit), [at_q, at_v], _MEANING[name]))
    return kernels


def relation_operators(cls: RelationClass) -> list[Kernel]:
    """gap and its gradients, or output and reaction with their Jacobians."""
    if isinstance(cls, OutputClass):
        return _output_operators(cls)
    assert isinstance(cls, GapClass)
    systems = [p.system for p in cls.participants]
    unit: dict[sp.Symbol, sp.Expr] = {}
    scaling, operands = [], [_operand("t", [NOW])]
    for i, (p, system) in enumerate(zip(cls.participants, systems, strict=True)):
        assert isinstance(system, MechanicalClass)
        q = [p.rename(s) for s in system.coordinates]
        to_unit, normal = _normalised(system, q)
        unit.update(to_unit)
        scaling.append((q, normal))
        operands.append(_operand(f"q{_suffix(cls, i)}", q))
    gap = cls.gap.xreplace(unit)
    kernels = [
        _operator(cls, "gap", gap, operands, "h(t, q)"),
        _operator(cls, "gap_t", cls.gap.diff(NOW).xreplace(unit), operands, "dh/dt"),
    ]
    for i, (p, system) in enumerate(zip(cls.participants, systems, strict=True)):
        assert isinstance(system, MechanicalClass)
        q, normal = scaling[i]
        gradient = jacobian(cls.gap, q).xreplace(unit)
        twist = gradient * p.rename(system.twist_map).xreplace(unit) if system.quaternion else gradient
        kernels += [
            _operator(cls, f"gap_q{_suffix(cls, i)}", gradient * normal if system.quaternion else gradient,
                      operands, "dh/dq, through the normalisation of the quaternion"
                      if system.quaternion else "dh/dq"),
            _operator(cls, f"gap_twist{_suffix(cls, i)}", twist, operands, "H = dh/dq T(q), gap rate = H v + dh/dt"),
        ]
    return kernels + _sliding_operators(cls, operands, unit)


def _sliding_operators(cls: GapClass, operands: Sequence[Input], unit: Mapping[sp.Symbol, sp.Expr]) -> list[Kernel]:
    """The rows of friction and rolling: their gradients in the velocities, and what is left at rest."""
    if not cls.sliding.rows:
        return []
    kernels = []
    at_rest = cls.sliding
    for i, p in enumerate(cls.participants):
        assert isinstance(p.system, MechanicalClass)
        v = [p.rename(s) for s in p.system.velocities]
        at_rest = at_rest.xreplace(dict.fromkeys(v, sp.S.Zero))
        gradient = jacobian(cls.sliding, v).xreplace(unit)
        kernels.append(_operator(cls, f"sliding_twist{_suffix(cls, i)}", gradient, operands,
                                 "H_T, sliding rates = H_T v + sliding_t"))
    return [_operator(cls, "sliding_t", at_rest.xreplace(unit), operands, "sliding rates at rest"), *kernels]


def _output_operators(cls: OutputClass) -> list[Kernel]:
    operands = [_operand("t", [NOW])]
    states = []
    for i, p in enumerate(cls.participants):
        assert isinstance(p.system, FirstOrderClass)
        states.append([p.rename(s) for s in p.system.state])
        operands.append(_operand(f"x{_suffix(cls, i)}", states[i]))
    operands.append(_operand("lambda_", cls.multipliers))
    y = cls.output
    kernels = [_operator(cls, "output", y, operands, "y = h(t, x, lambda)"),
               _operator(cls, "output_lambda", jacobian(y, cls.multipliers), operands, "dh/dlambda")]
    for i, x in enumerate(states):
        g = cls.reactions[i]
        s = _suffix(cls, i)
        kernels += [
            _operator(cls, f"output_x{s}", jacobian(y, x), operands, "dh/dx"),
            _operator(cls, f"reaction{s}", g, operands, "r = g(t, x, lambda)"),
            _operator(cls, f"reaction_x{s}", jacobian(g, x), operands, "dg/dx"),
            _operator(cls, f"reaction_lambda{s}", jacobian(g, cls.multipliers), operands, "dg/dlambda"),
        ]
    return kernels


def _mass(cls: SystemClass, values: sp.MatrixBase, t: Input, at: Input) -> Kernel:
    """M as an operator; time is an operand only where M depends on it."""
    depends = NOW in values.free_symbols
    operands, formula = ([t, at], f"M(t, {at.name})") if depends else ([at], f"M({at.name})")
    return _operator(cls, "mass", values, operands, formula)


def _normalised(cls: MechanicalClass, q: Sequence[sp.Symbol]) -> tuple[dict[sp.Symbol, sp.Expr], sp.Matrix]:
    """q at its normalised quaternion, and the derivative of that with respect to q."""
    n = len(q)
    if not cls.quaternion:
        return {}, sp.eye(n)
    p = [q[i] for i in cls.quaternion]
    unit, norm = hat(p, "p" if "_" not in p[0].name else label_of(p[0]))
    return dict(zip(p, unit, strict=True)), sp.diag(sp.eye(3), normalization(unit, norm))


def _operand(name: str, symbols: Sequence[sp.Symbol]) -> Input:
    return Input(name, Role.OPERAND, tuple(symbols))


def _suffix(cls: RelationClass, i: int) -> str:
    return "" if len(cls.participants) == 1 else f"_{i + 1}"


def _operator(cls: SystemClass | RelationClass, name: str, values: sp.MatrixBase, operands: Sequence[Input],
              formula: str) -> Kernel:
    inputs = [*operands, Input("parameters", Role.PARAMETERS, cls.parameters)]
    output = make_output(name, Quantity.OPERATOR, values)
    # Operands stay in the signature also where a special model does not use them.
    kernel = make_kernel(name, KernelRole.OPERATOR, -1, inputs, [output], formula, prune=False)
    if not cls.parameters:
        return Kernel(kernel.name, kernel.role, -1, tuple(operands), kernel.outputs, formula)
    return kernel
