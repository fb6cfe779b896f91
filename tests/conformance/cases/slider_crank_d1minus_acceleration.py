"""The slider-crank with clearance, without friction, half-explicit: forces of closed corners on accelerations."""

import numpy as np

import nsdgen as nsd

from ..case import Case, Column
from ..slider_crank import L1, L2, A, B, a, b, c, corners, crank, table_columns

model = nsd.Model("slider_crank", [crank()], corners(nsd.NewtonImpact(0.1)), step=1e-5, end=0.2,
                  scheme=nsd.D1Minus(level="acceleration"),
                  initial={a: 0, b: 0, c: 0, a.diff(): 150, b.diff(): -75, c.diff(): 0})


def gap_rate(up: int, along: int) -> Column:
    """The rate of the gap of a corner, from angles and their rates."""
    return lambda run: -up * (L1 * np.cos(run["a"]) * run["a_dot"] + L2 * np.cos(run["b"]) * run["b_dot"] + (
        along * A * np.cos(run["c"]) - up * B * np.sin(run["c"])) * run["c_dot"])


columns = table_columns()
for i, (up, along) in enumerate(((1, -1), (1, 1), (-1, -1), (-1, 1)), start=1):
    columns |= {f"gap_rate{i}": gap_rate(up, along), f"lambda{i}(1)[0]": f"corner{i}.impulse",
                f"lambda{i}(2)[0] left limit at t_k+1": lambda run, i=i: run[f"corner{i}.force_left"] * model.step / 2,
                f"lambda{i}(2)[0] right limit at t_k": lambda run, i=i: run[f"corner{i}.force_right"] * model.step}
case = Case(model, columns, tolerance=1e-9, unset=("corner3_y/c", "corner4_y/c"))
