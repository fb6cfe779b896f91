"""Force elements between two markers: springs, bushings, wrenches of one's own. Action equals reaction."""

from typing import Any

import sympy as sp

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.drawing.figure import Curve
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import vector
from nsdgen.symbolic.expressions.nodes import let
from nsdgen.symbolic.expressions.product import dot
from nsdgen.symbolic.joints.joint import negative
from nsdgen.symbolic.joints.marker import as_marker, relative_displacements, relative_rates_about, speeds
from nsdgen.symbolic.relations.along import ForceElement


@named_arguments
class Spring(ForceElement):
    """A spring and damper between two places: pulls with stiffness (l - length) + damping l', l their distance.

    Places are markers, points of bodies, or coordinates on the ground; they must not meet. ``force`` is recorded,
    negative in tension. ``.elongation`` and ``.rate`` are expressions for outputs and forces of one's own.
    """

    def __init__(self, name: str, first: Any, second: Any, stiffness: Any, length: Any = 0, damping: Any = 0) -> None:
        where = f"relation {name!r}"
        i, j = as_marker(first, where), as_marker(second, where)
        d = i.position - j.position
        distance = let("distance", sp.sqrt(dot(d, d)))
        self.elongation = distance - as_expression(length, where=f"{where}, length")
        self.rate = dot(d, i.velocity - j.velocity) / distance
        force = (
            -as_expression(stiffness, where=f"{where}, stiffness") * self.elongation
            - as_expression(damping, where=f"{where}, damping") * self.rate
        )
        if i.body is j.body:
            raise ModelError(
                f"joins {'the ground' if i.body is None else repr(i.body.name)} to itself",
                where=where,
                fix="give places on two bodies, or on one and the ground",
            )
        super().__init__(name, self.rate, force, units=("N",))
        self.figures = [Curve(name, name, (tuple(i.position), tuple(j.position)), "spring")]
        self.doubtful = negative(stiffness=stiffness, length=length, damping=damping)


@named_arguments
class Wrench(ForceElement):
    """A force and a moment of one's own on the first marker, and their opposites on the second body at the same place.

    Three components each along the axes of the second marker (inertial ones for the ground): expressions of time,
    parameters and states of both bodies. Recorded as ``force[0]`` ... ``force[5]``, the force, then the moment.
    """

    def __init__(self, name: str, first: Any, second: Any, force: Any = (0, 0, 0), moment: Any = (0, 0, 0)) -> None:
        where = f"relation {name!r}"
        i, j = as_marker(first, where), as_marker(second, where)
        if i.body is None and j.body is None:
            raise ModelError("acts between the ground and itself", where=where, fix="give one marker a body")
        values = [*vector(force, where=f"{where}, force"), *vector(moment, where=f"{where}, moment")]
        super().__init__(name, [*speeds(i, j), *relative_rates_about(i, j)], values, units=("N",) * 3 + ("N m",) * 3)


@named_arguments
class Bushing(Wrench):
    """An elastic mount: stiffness and damping along and about the three axes of the second marker.

    ``stiffness`` [N/m] and ``damping`` [N s/m], ``turning`` [N m/rad] and ``turning_damping`` [N m s/rad] are numbers
    or lists of three. The moment is that of the potential sum g_k (1 - a_k . b_k), g_1 = (K_2 + K_3 - K_1) / 2, ...:
    K is its stiffness at small angles, and no energy is gained at large ones, up to half a turn.
    """

    def __init__(
        self,
        name: str,
        first: Any,
        second: Any,
        stiffness: Any = 0,
        turning: Any = 0,
        damping: Any = 0,
        turning_damping: Any = 0,
    ) -> None:
        where = f"relation {name!r}"
        i, j = as_marker(first, where), as_marker(second, where)
        k, K, c, C = (
            _three(value, f"{where}, {what}")
            for value, what in (
                (stiffness, "stiffness"),
                (turning, "turning"),
                (damping, "damping"),
                (turning_damping, "turning_damping"),
            )
        )
        force = [
            -k[n] * s - c[n] * rate
            for n, (s, rate) in enumerate(zip(relative_displacements(i, j), speeds(i, j), strict=True))
        ]
        share = [(K[1] + K[2] - K[0]) / 2, (K[2] + K[0] - K[1]) / 2, (K[0] + K[1] - K[2]) / 2]
        elastic = sum((share[n] * i.axes[n].cross(j.axes[n]) for n in range(3)), sp.zeros(3, 1))
        rates = relative_rates_about(i, j)
        moment = [dot(j.axes[n], elastic) - C[n] * rates[n] for n in range(3)]
        super().__init__(name, i, j, force, moment)
        own = (negative(stiffness=k[n], turning=K[n], damping=c[n], turning_damping=C[n]) for n in range(3))
        self.doubtful = list(dict.fromkeys(pair for pairs in own for pair in pairs))


def _three(value: Any, where: str) -> sp.Matrix:
    """One value for all axes, or one for each."""
    return (
        vector(value, where=where)
        if isinstance(value, list | tuple | sp.MatrixBase)
        else sp.Matrix([as_expression(value, where=where)] * 3)
    )
