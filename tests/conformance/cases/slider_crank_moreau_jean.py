"""A slider-crank with clearance and friction."""

import nsdgen as nsd

from ..case import Case
from ..slider_crank import a, b, c, corners, crank, slopes, table_columns
from ..supplied import Supplied, iterated, rule_of

model = nsd.Model(
    "slider_crank",
    [crank()],
    corners(nsd.NewtonImpactFriction(0.4, 0.01)),
    step=1e-5,
    end=0.2,
    scheme=Supplied(**iterated(1e-10, 200), slopes=slopes),
    initial={a: 0, b: 0, c: 0, a.diff(): 150, b.diff(): -75, c.diff(): -0.01},
)

case = Case(
    model,
    table_columns() | {"newton_iterations": "newton_iterations"},
    tolerance=1e-9,
    unset=tuple(f"gap_rate{i}" for i in range(1, 5)) + ("corner3_y/c", "corner4_y/c"),
    rule=f"{rule_of(1e-10)}, with the published Newton matrix: every number of iterations is that of the table",
)
