"""A variational integrator of bodies by quaternions in R^4, and of generalised coordinates, with contacts.

The discrete Lagrangian of a step is h (T(q_m, V) - U(q_m)), q_m = (q_k + q_k+1) / 2, V = (q_k+1 - q_k) / h, with

T(q, q') = q'^T M(q) q' / 2,   M = T+^T (M_v) T+ + 4 gamma (I - T T+)

where v = T+(q) q' inverts q' = T(q) v on unit quaternions (Omega = 2 L(p) p') and gamma is the inertia of a motion
along p, which the constraint |p| = 1 does not admit: the modified inertia of quaternion_variational.md. Its
derivatives give

positions    T(q_k)^T [M(q_m) V - h/2 (dT/dq + f)(t_m, q_m, V)] = M_v v_k + H(q_k)^T P1,    |p| = 1, c(q_k+1) = 0
velocities   M_v v-   = T(q_k+1)^T [M(q_m) V + h/2 (dT/dq + f)] + H(q_k+1)^T P2,           H v- + dc/dt = 0

The multiplier of |p| = 1 acts along p_k, which T(q_k)^T takes out: were it an unknown, the row along p_k of a body that
does not turn would hold rounding alone. A component of the momentum along it or along D^T changes nothing but
multipliers, so the state stays (q, v). The step is symplectic, and keeps the momenta of all linear symmetries, so that
of rotations, to rounding. Impacts are those of :class:`~nsdgen.schemes.rattle.Rattle`, and so is the step of
first-order states, z_m = z_k + h/2 g in the middle and z = z_m + h/2 g: between the stages v_k holds z_m.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import sympy as sp

from nsdgen.base.suggest import named_arguments
from nsdgen.schemes.expansion import impact_stage
from nsdgen.schemes.participant_step import ParticipantStep
from nsdgen.schemes.program import Newton
from nsdgen.schemes.rattle import T_MID, Rattle
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import option
from nsdgen.schemes.slack import offer_mobilities
from nsdgen.schemes.stages import STEP, T_NEXT
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import gradient
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.rigid_body import gyroscopic
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import Participant


@named_arguments
@dataclass(frozen=True)
class Variational(Rattle):
    """The midpoint rule of a discrete action, with the unit norm as a constraint: symplectic, order 2.

    ``gamma`` [kg m^2] is the inertia of the modified mass matrix along the quaternion; results depend on it by the
    order of the scheme. Newton's tolerance is tighter than elsewhere, 1e-13: what it leaves adds up over a million
    steps. Closed contacts, impulses and impacts are those of ``Rattle``.
    """

    gamma: float = option(0.0, 0, 1e30)
    newton: Newton = field(default_factory=lambda: Newton(tolerance=1e-13), kw_only=True)

    def system(self, step: SystemStep) -> None:
        """s = (q_k, v_k, V, q of the middle); w = V, then v, then v after impacts."""
        cls, space = step.cls, step.cls.configuration
        step.check_mechanical()
        if not (space.flat or space.unit_norm):  # its T+ is that of quaternions
            raise step.refused("use nsd.MoreauJean, which takes speeds that are no rates of coordinates")
        if not space.flat and (len(cls.group("q")), len(cls.group("v"))) != (7, 6):
            raise step.refused(
                "it turns bodies, no mechanisms with balls or free bodies in joint coordinates: give "
                "nsd.Mechanism(..., coordinates='absolute'), or use nsd.Rattle"
            )
        q_k, v_k = step.state("q_k"), step.state("v_k")
        mean, mid = step.state("mean", like="q"), step.state("mid", like="q")
        start = list(step.given("q"))
        step.initial(mean=space.rate(start, list(step.given("v"))), mid=start)
        positions, velocities, impacts = (step.stage(s.name) for s in self.stages)
        V, z = positions.unknown("mean_velocity", like="q"), positions.unknown_states()
        end, middle = q_k + STEP * V, q_k + STEP / 2 * V
        momentum = step.term("mass", step.at(T_MID, q=q_k)) * v_k
        motion = V.col_join(z)
        rows = self._half_momentum(step, q_k, middle, motion, 1) - momentum
        unit = [(sum(end[i] ** 2 for i in group) - 1) / (2 * STEP) for group in space.unit_norm]
        positions.residual(rows.col_join(sp.Matrix(len(unit), 1, unit)))
        speeds, z_k = v_k[: v_k.rows - z.rows, :], v_k[v_k.rows - z.rows :, :]
        positions.start([*space.rate(list(q_k), list(v_k)), *z_k])
        positions.view(q=end, v=_velocities(space, middle, motion))
        positions.advance(q_k=end, mean=V, mid=middle, v_k=speeds.col_join(z))
        v = velocities.unknown("v")
        offer_mobilities(velocities, velocities.term("mass", velocities.at(T_NEXT, q=q_k)))
        known = self._half_momentum(step, q_k, mid, mean.col_join(z_k), -1)
        velocities.residual(step.term("mass", step.at(T_MID, q=q_k)) * v - known)
        velocities.advance(v_k=v)
        offer_mobilities(impacts, impact_stage(impacts))
        positions.formulas(
            residual="R = T(q_k)^T (M(q_m) V - h/2 (dT/dq + f)) - M v_k, |p_k+1| = 1", advance="q_k+1 = q_k + h V"
        )
        velocities.formulas(residual="R = M v - T^T (M(q_m) V + h/2 (dT/dq + f))", advance="v_k+1 = v")

    def _half_momentum(self, step: SystemStep, q: sp.Matrix, mid: sp.Matrix, V: sp.Matrix, sign: int) -> sp.Matrix:
        """T(q)^T [M(q_m) V -+ h/2 (dT/dq + f)]: minus at the start of the step, ``sign`` 1, plus at its end, -1.

        In generalised coordinates dT/dq + f = F + (d(M V)/dq) V. States stand behind V, their rates behind f.
        """
        cls, space = step.cls, step.cls.configuration
        if space.flat:
            at = step.at(T_MID, q=mid, v=V)
            carried = Participant(cls, {}).moved(cls.terms["mass"].values * sp.Matrix(cls.group("v")))
            return step.term("mass", at) * V - sign * STEP / 2 * (step.term("force", at) + replaced(carried, at))
        rest = self._along(step, mid, V) - sign * STEP / 2 * self._push(step, mid, V)
        return self._turned(step, mid, V, sign) + product(space.twist_map(list(q)).T, rest)

    def _turned(self, step: SystemStep, mid: sp.Matrix, V: sp.Matrix, sign: int) -> sp.Matrix:
        """The part of the inertia M_v of a body, with its dT/dq.

        It is c I omega +- h/2 omega x I omega, c = p_k . p_k+1 and omega = 2 L(p_m) p': L(p_k) L(p_k+1)^T is
        c + [r x], r = h omega / 2. So a rod without inertia about its axis has no row about it but zeros.
        """
        space = step.cls.configuration
        mass = step.term("mass", step.at(T_MID, q=mid))
        v = _velocities(space, mid, V)
        cosine = sum(mid[i] ** 2 - (STEP / 2 * V[i]) ** 2 for group in space.unit_norm for i in group)
        inertia = mass[3:, 3:]
        turning = cosine * product(inertia, v[3:, :]) + sign * STEP / 2 * gyroscopic(inertia, v[3:, :])
        return product(mass[:3, :3], v[:3, :]).col_join(turning)

    def _mass_along(self, cls: SystemClass, q: Sequence[sp.Expr]) -> sp.Matrix:
        """4 gamma (I - T T+)."""
        space = cls.configuration
        gamma = next(o.symbol for o in self.options if o.name == "gamma")
        return 4 * gamma * (sp.eye(len(q)) - space.twist_map(list(q)) * _inverse_map(space, sp.Matrix(q)))

    def _along(self, step: SystemStep, q: sp.Matrix, V: sp.Matrix) -> sp.Matrix:
        """The part of M(q) V that is made of gamma."""
        return self._mass_along(step.cls, step.group("q")).xreplace(step.at(T_MID, q=q)) * V

    def _push(self, step: SystemStep, q: sp.Matrix, V: sp.Matrix) -> sp.Matrix:
        """The forces that are no inertial ones, on q, in the middle of the step, and dT/dq of what is made of gamma."""
        cls, space = step.cls, step.cls.configuration
        own, rates = step.group("q"), step.group("v")
        moving = sp.Matrix([own_symbol("rate", f"of_{i}") for i in range(len(own))])
        kinetic = (moving.T * self._mass_along(cls, own) * moving)[0, 0] / 2
        along = sp.Matrix(gradient(kinetic, own))
        back = _inverse_map(space, sp.Matrix(own))
        force = cls.terms["force"].values - _inertial(cls)
        at: Instant = {**step.at(T_MID, q=q), **dict(zip(moving, V, strict=True))}
        forces = force.xreplace(dict(zip(rates, back * moving, strict=True)))
        return (along + back.T * forces).xreplace(at)

    def _middle(self, step: RelationStep, before: bool = False) -> Instant:
        q, v = [], []
        for p in step.participants:
            space, n = p.participant.system.configuration, len(p.group("q"))
            motion = p.state("mean").col_join(p.states_k) if before else p.unknown
            q.append(p.state("mid") if before else p.state("q_k") + STEP / 2 * motion[:n, :])
            v.append(_velocities(space, q[-1], motion))
        return step.at(T_MID, q=q, v=v)

    def _at_start(self, p: ParticipantStep, force: sp.Matrix) -> sp.Matrix:
        return force.col_join(sp.zeros(p.unknown.rows - force.rows, 1))

    def _half(self, step: RelationStep, forces: Sequence[sp.Matrix], before: bool = False) -> list[sp.Matrix]:
        found = []
        for p, g in zip(step.participants, forces, strict=True):
            space = p.participant.system.configuration
            pushed = STEP / 2 * g
            if not space.flat:
                mid = p.state("mid") if before else p.state("q_k") + STEP / 2 * p.unknown
                pushed = space.twist_map(list(p.state("q_k"))).T * _inverse_map(space, mid).T * pushed
            found.append(pushed if before else pushed.col_join(sp.zeros(p.unknown.rows - pushed.rows, 1)))
        return found


def _velocities(space: Configuration, q: sp.Matrix, rate: sp.Matrix) -> sp.Matrix:
    """The group v where q moves with ``rate``, in generalised coordinates with the states behind it."""
    return rate if space.flat else product(_inverse_map(space, q), rate)


def _inverse_map(space: Configuration, q: sp.Matrix) -> sp.Matrix:
    """T+(q) with v = T+(q) q' where |p| = 1: (T^T T)^-1 T^T, the inverse taken there."""
    own, inverse = _inverse_map_of(space, q.rows)
    return inverse.xreplace(dict(zip(own, q, strict=True)))


@lru_cache(maxsize=16)
def _inverse_map_of(space: Configuration, size: int) -> tuple[list[sp.Symbol], sp.ImmutableMatrix]:
    """The same over symbols of its own: inverting takes longer than the rest of a stage."""
    own = [sp.Symbol(f"q_{i}") for i in range(size)]
    T = space.twist_map(own)
    unit = {own[group[0]] ** 2: 1 - sum(own[i] ** 2 for i in group[1:]) for group in space.unit_norm}
    gram = (T.T * T).applyfunc(lambda e: sp.expand(sp.expand(e).subs(unit)))
    return own, sp.ImmutableMatrix(gram.inv() * T.T)


def _inertial(cls: SystemClass) -> sp.Matrix:
    """The part of ``force`` that is dT/dq - M' v of a body: -Omega x I Omega."""
    mass, v = cls.terms["mass"].values, sp.Matrix(cls.group("v"))
    return sp.zeros(3, 1).col_join(-gyroscopic(mass[3:, 3:], v[3:, :]))
