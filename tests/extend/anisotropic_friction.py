"""Anisotropic Coulomb friction as a natural map: r_T in an ellipse, u_T in minus its normal cone.

With r~_i = r_i / mu_i and u~_i = mu_i u_i the ellipse is a disc of radius r_N, since u . r = u~ . r~:
r_N = max(r_N - u_N, 0), r~ = P_disc(r~ - u~).
"""

from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.extend import Branch, Law, coefficient


@dataclass(frozen=True)
class AnisotropicFriction(Law):
    """Newton's impact law with one friction coefficient for each of two tangents."""

    restitution: Any = 0
    friction: tuple[Any, Any] = (0, 0)
    unilateral = True
    of_rates = True
    tangents = (2,)

    @property
    def slots(self):
        values = {"restitution": self.restitution, "friction_1": self.friction[0], "friction_2": self.friction[1]}
        return tuple(coefficient("AnisotropicFriction", name, value, 0.0) for name, value in values.items())

    def rows(self, rate, last_rate):
        return sp.Matrix([rate[0] + self.slots[0].symbol * last_rate[0], *rate[1:]])

    def natural_map(self, rows, multiplier):
        mu = [s.symbol for s in self.slots[1:]]
        pushed = multiplier[0] - rows[0]
        normal = Branch(pushed, pushed >= 0, 0, True)
        scaled = [multiplier[i + 1] / mu[i] for i in range(2)]
        tried = [scaled[i] - mu[i] * rows[i + 1] for i in range(2)]
        length = sp.sqrt(tried[0] ** 2 + tried[1] ** 2)
        return sp.Matrix(
            [
                multiplier[0] - normal,
                *(
                    s - Branch(t, length <= normal, normal * t / length, True)
                    for s, t in zip(scaled, tried, strict=True)
                ),
            ]
        )
