"""The slider-crank with clearance and friction, brought back between its guides at the end of every step."""

from dataclasses import dataclass

import sympy as sp

import nsdgen as nsd
from nsdgen.extend import MODE, Branch, RelationStep

from ..case import Case
from ..slider_crank import a, b, c, corners, crank, slopes, table_columns
from ..supplied import Supplied, iterated, rule_of


@dataclass(frozen=True)
class Twice(Supplied):
    """The hysteresis of activation is applied twice at the start of a step, as in the table."""

    def relation(self, step: RelationStep) -> None:
        """Moreau-Jean, with the mode of the mode."""
        super().relation(step)
        gap, rate = step.term("gap", step.last)[0], step.rate(step.last)[0]
        enter, leave, separate = (
            getattr(step.options, name) for name in ("activation_gap", "deactivation_gap", "deactivation_rate")
        )

        def once(active: sp.Basic) -> sp.Basic:
            return sp.Or(sp.And(active, sp.Or(gap <= leave, rate < separate)), sp.And(sp.Not(active), gap <= enter))

        step.activation(Branch(1, once(once(MODE > 0)), 0, True))


projection = nsd.Projection(level="all", metric="identity", tolerance=1e-10, max_iterations=10)
model = nsd.Model(
    "slider_crank",
    [crank()],
    corners(nsd.NewtonImpactFriction(0.4, 0.01)),
    step=1e-4,
    end=0.2,
    scheme=Twice(
        **iterated(1e-6),
        slopes=slopes,
        activation="hysteresis",
        activation_gap=1e-6,
        gap_at="predicted",
        gap_gamma=0,
        projection=projection,
    ),
    initial={a: 0, b: 0, c: 0, a.diff(): 150, b.diff(): -75, c.diff(): 0},
)

case = Case(
    model,
    table_columns(),
    tolerance=1e-9,
    unset=("corner3_y/c", "corner4_y/c"),
    rule=f"{rule_of(1e-6)}, with the published Newton matrix; gap and rates before the impact at the projected "
    "configuration (gap_at='predicted', gap_gamma=0); the hysteresis of activation acts twice, which a scheme in "
    "the case file states",
)
