"""What was typed by hand for published simulations, decided: ``nsdgen verify examples/plugin_audit``.

Every system is stated with its force terms, gaps and the Jacobians that were typed for it, once as
formulas (decided exactly) and, where its plugin was C, once as C source with the argument conventions of the
Siconos platform (compiled when the claims are made, decided point by point). Masses, forces and outputs are stated
against energies and geometry, matrices of schemes against their residuals, circuits against Kirchhoff's laws. Row and
column of an entry count from 0 in the C source and from 1 in the verdicts. What does not agree is an error of
what was typed: the simulations ran with it, and Newton's method forgives a wrong matrix.
"""

from __future__ import annotations

from nsdgen.verify import Claim

from . import (
    balances,
    bodies,
    circuits,
    controllers,
    double_pendulum,
    electronics,
    energies,
    first_order,
    functions,
    integrators,
    joints,
    newton_euler,
    outputs,
    pendulum_on_slider,
    sampled,
    schemes,
    slider_crank,
    small,
    two_link,
)

__all__ = ["claims"]

FAMILIES = (
    double_pendulum,
    pendulum_on_slider,
    slider_crank,
    two_link,
    small,
    first_order,
    newton_euler,
    energies,
    outputs,
    bodies,
    controllers,
    schemes,
    integrators,
    electronics,
    functions,
    balances,
    circuits,
    joints,
    sampled,
)


def claims() -> list[Claim]:
    """All claims, family by family; compiles the C sources on first use."""
    return [claim for family in FAMILIES for claim in family.claims()]
