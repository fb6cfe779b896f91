"""Rigid bodies: Newton-Euler equations with a unit quaternion."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakSet

import numpy as np
import sympy as sp

from nsdgen.base.checks import finite_number, real_number
from nsdgen.base.definiteness import DEFINITE, INERTIA
from nsdgen.base.names import numbered
from nsdgen.base.solids import Solid
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import enter_matrix, matrix, own_symbol, vector
from nsdgen.symbolic.expressions.product import dot, product
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.configuration import PositionAndQuaternion
from nsdgen.symbolic.families.mass import asymmetric, refuse_mass
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import Requirement, SystemClass, Term, Variables

_AXES = "xyz"
_LEAST = 1e-12  # of the largest moment: what is rounding of a zero; one that is none needs the exact matrix
_LENT = 0.05  # of the largest moment: an iteration leaves as much of what is off; with 0.02 rows still lose too much


@named_arguments
class RigidBody(System):
    """A rigid body, q = (x_g, p) in R^7 and v = (v_g inertial, Omega body) in R^6.

    ``mass`` in kg; ``inertia`` 3x3 about the centre of mass in the body frame, symmetric;
    p is a unit quaternion, scalar first, body to inertial. The equations of motion are
    m v_g' = f and I Omega' = -Omega x I Omega + moments, with moments in the body frame
    (newton_euler.tex, section 1; inertial moments m enter as R^T m). A negative mass and an inertia that no body has
    are refused, here where symbols tell and at the start of every run.
    """

    def __init__(self, name: str, mass: Any, inertia: Any) -> None:
        self.name = name
        where = f"system {name!r}"
        self.mass = matrix(mass, where=f"{where}, mass", rows=1, cols=1, fix="give one number or expression [kg]")[0, 0]
        self.inertia = matrix(
            inertia,
            where=f"{where}, inertia",
            rows=3,
            cols=3,
            fix="give the tensor about the centre of mass, in the body frame: sp.diag(Ix, Iy, Iz)",
        )
        if asymmetric(self.inertia):
            raise ModelError(
                "the inertia is not symmetric",
                where=f"{where}, inertia",
                fix="the inertia tensor about the centre of mass is symmetric",
            )

        def functions(labels: Sequence[str]) -> sp.ImmutableMatrix:
            return sp.ImmutableMatrix([sp.Function(f"{name}/{label}")(time) for label in labels])

        self.joints: WeakSet[Any] = WeakSet()  # those made with it, of which a model says which it leaves out
        self.position = functions([f"position_{a}" for a in _AXES])
        self.quaternion = functions([f"quaternion_{i}" for i in range(4)])
        self.velocity = functions([f"velocity_{a}" for a in _AXES])
        self.angular_velocity = functions([f"angular_velocity_{a}" for a in _AXES])
        self.variables = tuple([own_symbol("body", a) for a in _AXES] + [own_symbol("body", f"p{i}") for i in range(4)])
        self.rates = tuple(
            [own_symbol("body", f"v_{a}") for a in _AXES] + [own_symbol("body", f"Omega_{a}") for a in _AXES]
        )
        self._forces: list[sp.Matrix] = []  # inertial frame, at the centre of mass
        self._moments: list[sp.Matrix] = []  # body frame
        self.solids: list[tuple[Solid, tuple[Any, ...], tuple[Any, ...]]] = []

    @property
    def equations(self) -> int:
        """Six: force and moment."""
        return len(self.rates)

    @property
    def rotation(self) -> sp.Matrix:
        """R(p), body to inertial."""
        return quat.rotation(list(self.quaternion))

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """The functions of time that belong to this body and the symbols they become."""
        unknown = [*self.position, *self.quaternion, *self.velocity, *self.angular_velocity]
        return dict(zip(unknown, self.variables + self.rates, strict=True))

    def renamed(self, name: str) -> RigidBody:
        """A body of this mass and inertia with another name and functions of time of its own, without forces."""
        return RigidBody(name, self.mass, self.inertia)

    def functions_named(self, name: str) -> list[sp.Expr]:
        """The functions of time of a copy of this name, in the order of :attr:`functions`."""
        return list(self.renamed(name).functions)

    @property
    def bodies(self) -> tuple[RigidBody, ...]:  # type: ignore[override]
        """Itself."""
        return (self,)

    def draw(self, *solids: Solid, at: Any = (0, 0, 0), turned: Any = (1, 0, 0, 0)) -> RigidBody:
        """What it looks like: solids of :mod:`nsdgen.solids` about the body point ``at`` [m]; returns the body.

        ``turned`` is a quaternion, solid to body (``nsd.from_axis_angle``). A body that is not drawn is shown as the
        box of its mass and inertia, or as its contacts have it. Raises ``ModelError`` for what is no solid.
        """
        where = f"system {self.name!r}, draw"
        for solid in solids:
            if not isinstance(solid, Solid):
                raise ModelError(
                    f"{solid!r} is no solid", where=where, fix="give nsd.solids.Cuboid([a, b, c]), Sphere(r), ..."
                )
            self.solids.append((solid, tuple(vector(at, where=where)), tuple(turned)))
        return self

    def apply_force(self, force: Any, at: BodyPoint | Any = None, frame: str = "inertial") -> RigidBody:
        """Apply a force [N] at a body point or its body coordinates (default: the centre of mass); returns the body."""
        f = self._in_frame(force, frame, "force")
        in_body = f if frame == "body" else product(self.rotation.T, f)
        if at is not None:
            at = at if isinstance(at, BodyPoint) else self.point(at)
            if at.body is not self:
                raise ModelError(
                    f"the point belongs to {at.body.name!r}",
                    where=f"system {self.name!r}",
                    fix="apply the force at a point of the same body",
                )
            self._moments.append(at.local.cross(in_body))
        self._forces.append(product(self.rotation, f) if frame == "body" else f)
        return self

    def apply_moment(self, moment: Any, frame: str = "body") -> RigidBody:
        """Apply a moment [N m] given in the body or the inertial frame; returns the body."""
        m = self._in_frame(moment, frame, "moment")
        self._moments.append(m if frame == "body" else product(self.rotation.T, m))
        return self

    @property
    def applied(self) -> tuple[sp.Matrix, sp.Matrix]:
        """The sum of the forces, inertial frame, and that of the moments about the centre of mass, body frame."""
        zero = sp.zeros(3, 1)
        return sum(self._forces, zero), sum(self._moments, zero)

    def checked_masses(self, entered: Callable[[sp.Matrix, str], sp.Matrix]) -> tuple[sp.Expr, sp.Matrix]:
        """Mass and inertia over the symbols of a model; raises ``ModelError`` for those that no body has."""
        where = f"system {self.name!r}"
        m, inertia = entered(sp.Matrix([[self.mass]]), "mass"), entered(self.inertia, "inertia")
        refuse_mass(m, where=f"{where}, mass", fix="give a mass that is not negative [kg]")
        refuse_mass(
            inertia,
            INERTIA,
            where=f"{where}, inertia",
            fix="give the tensor of a body about its centre of mass [kg m^2]: check units and parallel axes",
        )
        return m[0, 0], inertia

    def _in_frame(self, given: Any, frame: str, what: str) -> sp.Matrix:
        where = f"system {self.name!r}, {what}"
        if frame not in ("inertial", "body"):
            raise ModelError(f"unknown frame {frame!r}", where=where, fix="use 'inertial' or 'body'")
        return vector(given, where=where)

    def point(self, local: Any) -> BodyPoint:
        """The point with these body coordinates [m]."""
        return BodyPoint(self, vector(local, where=f"point of {self.name!r}"))

    def points(self, count: int, locals_: Sequence[Any]) -> list[BodyPoint]:
        """``count`` points at once; the count is checked against the list."""
        if len(locals_) != count:
            raise ModelError(
                f"{len(locals_)} points listed, {count} announced",
                where=f"points of {self.name!r}",
                fix="correct the list or the number before it",
            )
        return [self.point(local) for local in locals_]

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this body over fresh symbols."""
        where = f"system {self.name!r}"
        symbols = {**scope.parameters, **self.functions}

        def entered(m: sp.Matrix, what: str) -> sp.Matrix:
            return enter_matrix(m, symbols, where=f"{where}, {what}")

        m, inertia = self.checked_masses(entered)
        f, moment = (entered(m, what) for m, what in zip(self.applied, ("force", "moment"), strict=True))
        x, p = self.variables[:3], self.variables[3:]
        v, omega = sp.Matrix(self.rates[:3]), sp.Matrix(self.rates[3:])
        momentum = product(inertia, omega)
        mass = sp.diag(m * sp.eye(3), inertia)
        force = sp.Matrix([*f, *(moment - gyroscopic(inertia, omega))])
        kinetic = (m * dot(v, v) + dot(omega, momentum)) / 2
        q, rates = _body_variables((*x, *p), self.rates)
        extra = {
            "angular_momentum": Term(
                product(quat.rotation(p), momentum),
                ("q", "v"),
                "L",
                "R(p) I Omega, about the centre of mass, inertial frame",
            ),
            "rotation": Term(quat.rotation(p), ("q", "v"), "R", "R(p), body to inertial"),
        }
        cls = mechanical_class(
            self.name,
            scope.used([mass, force]),
            q,
            rates,
            mass,
            force,
            configuration=PositionAndQuaternion(),
            energies={"kinetic_energy": kinetic},
            extra=extra,
            requirements=(Requirement("mass", DEFINITE, 0, 6), Requirement("mass", INERTIA, 3, 6)),
        )
        place = {id(r): i for i, r in enumerate(scope.relations)}

        def held_by_one(axis: sp.Matrix) -> bool:
            held = sum(joint.holds_axis(self, axis) for joint in _joints(self, place))
            return held == 1 and not _says_twice(self, place)

        return replace(cls, lent=_lent(inertia, held_by_one))

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the initial values, in the order of :meth:`initial_values`."""
        return tuple(group.names for group in _body_variables(self.variables, self.rates))

    @property
    def assumed(self) -> dict[sp.Expr, float]:
        """In the origin, not turned, at rest."""
        return {f: float(f == self.quaternion[0]) for f in self.functions}

    def initial_values(self, given: Mapping[Any, Any], *, model: str) -> list[float]:
        """Position, quaternion (default: identity), velocity and angular velocity (default: 0)."""
        where = f"system {self.name!r}"

        def pick(functions: sp.Matrix, what: str, default: list[float] | None) -> list[float]:
            key = sp.ImmutableMatrix(functions)
            vector = given.get(key)
            single = [given.get(f) for f in functions]
            if vector is None and all(v is not None for v in single):
                return [finite_number(v, model=model, where=where) for v in single if v is not None]
            if vector is None and default is not None and all(v is None for v in single):
                return default
            if vector is None:
                raise ModelError(
                    f"no initial {what}",
                    model=model,
                    where=where,
                    fix=f"add {self.name}.{what}: [...] to initial={{...}}",
                )
            try:
                values = [real_number(c) for c in vector]
            except (TypeError, ValueError) as error:
                raise ModelError(
                    f"the initial {what} is {vector!r}",
                    model=model,
                    where=where,
                    fix=f"give a list of {len(functions)} numbers",
                ) from error
            if len(values) != len(functions):
                raise ModelError(
                    f"the initial {what} has {len(values)} components, expected {len(functions)}",
                    model=model,
                    where=where,
                    fix=f"give a list of {len(functions)} numbers",
                )
            return values

        p = pick(self.quaternion, "quaternion", [1.0, 0.0, 0.0, 0.0])
        if not math.isclose(math.hypot(*p), 1.0, abs_tol=1e-9):
            raise ModelError(
                f"the initial quaternion has norm {math.hypot(*p)!r}",
                model=model,
                where=where,
                fix="give a unit quaternion, scalar first, e.g. nsd.from_axis_angle(axis, angle)",
            )
        rest = [0.0, 0.0, 0.0]
        return [
            *pick(self.position, "position", None),
            *p,
            *pick(self.velocity, "velocity", rest),
            *pick(self.angular_velocity, "angular_velocity", rest),
        ]


@dataclass(frozen=True)
class BodyPoint:
    """A point fixed to a body, by its body coordinates [m]."""

    body: RigidBody
    local: sp.Matrix

    @property
    def position(self) -> sp.ImmutableMatrix:
        """Its position in the inertial frame, 3x1."""
        return sp.ImmutableMatrix(self.body.position + product(self.body.rotation, self.local))


def gyroscopic(inertia: sp.Matrix, omega: sp.Matrix) -> sp.Matrix:
    """Omega x I Omega; the diagonal of I by Euler's equations, (I3 - I2) Omega2 Omega3 and so on.

    These are half the operations of the products with each moment, and exactly zero where two moments are equal.
    """
    principal = [inertia[(i + 2) % 3, (i + 2) % 3] - inertia[(i + 1) % 3, (i + 1) % 3] for i in range(3)]
    products = inertia - sp.diag(*inertia.diagonal())
    return omega.cross(products * omega) + sp.Matrix(
        [principal[i] * omega[(i + 1) % 3] * omega[(i + 2) % 3] for i in range(3)]
    )


def _joints(body: Any, place: Mapping[int, int]) -> list[Any]:
    """Those of a body that a model lists, in its order: it has a ``place`` for each."""
    return sorted((j for j in getattr(body, "joints", ()) if id(j) in place), key=lambda joint: place[id(joint)])


def _says_twice(body: RigidBody, place: Mapping[int, int]) -> bool:
    """Whether a loop of joints in a body's mechanism leaves less than six motions: rows of it depend on each other."""
    bodies, ways, met = [body], {id(body): frozenset[Any]()}, set[Any]()
    for reached in bodies:  # which grows
        for joint in _joints(reached, place):
            if joint in met:
                continue
            met.add(joint)
            other = (joint.second if joint.first.body is reached else joint.first).body
            way = ways[id(reached)] | {joint}
            if sum(j.leaves for j in way ^ ways.get(id(other), frozenset())) < 6 and id(other) in ways:
                return True
            if id(other) not in ways:
                ways[id(other)] = way
                bodies += [other] if other is not None else []
    return False


def _lent(inertia: sp.Matrix, exact: Callable[[sp.Matrix], bool]) -> sp.ImmutableMatrix | None:
    """What Newton's matrix has about principal axes without a moment, beside a mass of 0; None without such axes.

    Of moments that are no numbers those that are zero whatever the others are. An ``exact`` axis is lent none: one
    joint holds it, where no rows depend on each other. How many do could not be told beside its pivot, which is
    rounding. Rounded, so that all machines agree.
    """
    size = inertia.trace()
    if size == 0:
        return None
    if inertia.free_symbols:
        axes = [sp.eye(3)[:, k] for k in range(3) if inertia[k, k].is_zero]
    else:
        moments, turn = np.linalg.eigh(np.array(inertia / size, dtype=float))
        axes = [sp.Matrix(turn[:, k].round(9)) for k in range(3) if moments[k] < _LEAST * moments[-1]]
    lent = sum((axis * axis.T for axis in axes if not exact(axis)), sp.zeros(3, 3)) * size * _LENT / 2
    return None if lent.is_zero_matrix else sp.ImmutableMatrix(sp.diag(sp.zeros(3, 3), lent))


def _body_variables(q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> tuple[Variables, Variables]:
    return (
        Variables("q", tuple(q), numbered("position", 3) + numbered("quaternion", 4), ("m",) * 3 + ("1",) * 4),
        Variables(
            "v", tuple(v), numbered("velocity", 3) + numbered("angular_velocity", 3), ("m/s",) * 3 + ("rad/s",) * 3
        ),
    )
