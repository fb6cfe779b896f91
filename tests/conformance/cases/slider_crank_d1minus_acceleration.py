"""The slider-crank with clearance, without friction, half-explicit: forces of closed corners on accelerations.

In the table the force of the last left limit that had a closed corner goes on acting in all left limits without one:
between contacts the mechanism is driven by what held it last.
"""

from dataclasses import dataclass

import numpy as np
import sympy as sp

import nsdgen as nsd
from nsdgen.extend import STEP, T_NEXT, Branch, SystemStep
from nsdgen.symbolic.expressions.entry import label_of, own_symbol

from ..case import Case, Column
from ..slider_crank import CLEARANCE, L1, L2, A, B, a, b, c, corners, crank, table_columns

CORNERS = ((1, -1), (1, 1), (-1, -1), (-1, 1))


def gap(q: sp.Matrix, up: int, along: int) -> sp.Expr:
    """The gap of a corner."""
    height = L1 * sp.sin(q[0]) + L2 * sp.sin(q[1]) + along * A * sp.sin(q[2]) + up * B * sp.cos(q[2])
    return B + CLEARANCE - up * height


@dataclass(frozen=True)
class Remaining(nsd.D1Minus):
    """D1-minus with the last contact force of a left limit in those that have none."""

    def system(self, step: SystemStep) -> None:
        """The force is a state, M a - F at the left limit."""
        super().system(step)
        left = step.stage("left limit")
        q_k, v_k, a_k = step.state("q_k"), step.state("v_k"), step.state("a", like="v")
        last = step.state("contact_force", like="v")
        step.initial(contact_force=[0] * 3)
        q, v = q_k + STEP * v_k + STEP**2 * a_k / 2, v_k + STEP * a_k
        acceleration = sp.Matrix([own_symbol("unknown", f"{label_of(s)}_acceleration") for s in step.group("v")])
        at = step.at(T_NEXT, q=q, v=v)
        contact_force = step.term("mass", at) * acceleration - step.term("force", at)
        closed, rests, enters = step.options.closed, [], []
        for corner in CORNERS:
            rate = sum(
                (
                    gap(q_k, *corner).diff(s).xreplace(dict(zip(q_k, q, strict=True))) * u
                    for s, u in zip(q_k, v, strict=True)
                ),
                sp.S.Zero,
            )
            now, then = gap(q_k, *corner), gap(q, *corner)
            rests.append(sp.And(now <= closed, then <= closed, rate <= closed))
            enters.append(sp.And(now > 0, then <= 0))
        left.residual(contact_force - sp.Matrix([Branch(0, sp.Or(*rests, *enters), f, True) for f in last]))
        left.advance(
            contact_force=[
                Branch(f, sp.Or(*rests), f_last, True) for f, f_last in zip(contact_force, last, strict=True)
            ]
        )


def slider(scheme: nsd.D1Minus) -> nsd.Model:
    """The mechanism under a scheme."""
    return nsd.Model(
        "slider_crank",
        [crank()],
        corners(nsd.NewtonImpact(0.1)),
        step=1e-5,
        end=0.2,
        scheme=scheme,
        initial={a: 0, b: 0, c: 0, a.diff(): 150, b.diff(): -75, c.diff(): 0},
    )


def gap_rate(up: int, along: int) -> Column:
    """The rate of the gap of a corner, from angles and their rates."""
    return lambda run: (
        -up
        * (
            L1 * np.cos(run["a"]) * run["a_dot"]
            + L2 * np.cos(run["b"]) * run["b_dot"]
            + (along * A * np.cos(run["c"]) - up * B * np.sin(run["c"])) * run["c_dot"]
        )
    )


columns = table_columns()
for i, (up, along) in enumerate(CORNERS, start=1):
    columns |= {
        f"gap_rate{i}": gap_rate(up, along),
        f"lambda{i}(1)[0]": f"corner{i}.impulse",
        f"lambda{i}(2)[0] left limit at t_k+1": f"corner{i}.force_left",
    }
case = Case(
    slider(Remaining(rest="bounces", closed=1e-8)),
    columns,
    tolerance=1e-9,
    unset=("corner3_y/c", "corner4_y/c"),
    exact=slider(nsd.D1Minus(rest="bounces", closed=1e-8)),
    rule="the last contact force at a left limit acts in all left limits without a closed corner (a scheme in "
    "the case file); what the table calls right limit is the left one of the step before",
)
