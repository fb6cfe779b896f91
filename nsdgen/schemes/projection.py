"""Projection onto the constraints: stages that follow the velocities of a step.

Minimise xi^T G xi / 2 subject to the constraints linearised at q*: R = G xi, rho = H^T lambda,
y = h(q*) + H(q*) xi, then q* := q* moved by xi until no constraint in play is violated by more than the tolerance
(design, section 4). In generalised coordinates xi = q - q*; a body moves by a twist along the exponential, so that
|p| = 1 stays, or in all seven coordinates, q = q* + xi, normalised afterwards. G is the mass matrix or T^T T, the
identity in q. Velocities follow where they are asked for:
M (v - v*) = H^T mu, H v + dh/dt = 0 at the projected positions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.base.checks import check_choices, choice
from nsdgen.base.names import numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.schemes.expansion import impact_stage
from nsdgen.schemes.participant_step import ParticipantStep
from nsdgen.schemes.program import Newton, Repeat, StageOptions
from nsdgen.schemes.rate_labels import gap_units, impulse_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.slack import offer_mobilities
from nsdgen.schemes.stages import MODE, T_NEXT, SchemeOption
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import Branch
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.families.configuration import Configuration


@named_arguments
@dataclass(frozen=True)
class Projection:
    """Projection on the constraint, of generalised coordinates and of bodies.

    ``tolerance`` [m] bounds the violation that is left, ``max_iterations`` the repetitions,
    ``metric`` is ``"mass"`` or ``"identity"``, ``level`` the relations in play:
    ``"active"`` (those of the velocity stage) or ``"all"`` (of which velocities follow those that were struck, and
    held are those that are closed or were struck); bilateral constraints always are.
    ``method="combined"`` makes the step again, velocities included, with every contact that is closed after the
    projection, until none enters: ``enters="moved"`` looks before the projection, at where the velocities led;
    ``begins="closed"`` has contacts with y(q_k) <= 0 in play from the first pass on, in place of none.
    ``coordinates="all"`` moves bodies in all seven numbers of q, the nearest ones, and normalises.
    ``contacts="held"`` brings contacts in play to a gap of 0 from both sides, in place
    of lifting overlaps only. ``velocities`` projects velocities, too. ``on_limit="keep"`` accepts what is left after
    the last repetition.
    """

    tolerance: float = 1e-8
    max_iterations: int = 20
    metric: str = choice("mass", "identity")
    level: str = choice("active", "all")
    on_limit: str = "raise"
    method: str = choice("direct", "combined")
    contacts: str = choice("lifted", "held")
    velocities: bool = False
    enters: str = choice("projected", "moved")
    begins: str = choice("open", "closed")
    coordinates: str = choice("tangent", "all")

    def __post_init__(self) -> None:
        self.stages(StageOptions("velocity", Newton()), Newton())  # refuses what cannot be used
        check_choices(self, "projection")
        for what in ("enters", "begins"):
            if not self.combined and getattr(self, what) != getattr(type(self), what):
                raise ParameterError(
                    f"{what}={getattr(self, what)!r} is for method='combined': elsewhere activation decides what is "
                    "in play",
                    where="projection",
                    fix=f"leave {what} out, or use method='combined'",
                )
        if self.coordinates == "all" and self.metric != "identity":
            raise ParameterError(
                "coordinates='all' has no mass: a body has none along its quaternion",
                where="projection",
                fix="use metric='identity' with it",
            )

    @property
    def options(self) -> tuple[SchemeOption, ...]:
        """None: nothing of the projection is a run value."""
        return ()

    @property
    def _holds(self) -> bool:
        """Whether gaps of contacts in play are brought to zero from above by repetition; a combined one is solved."""
        return self.contacts == "held" and not self.combined

    @property
    def combined(self) -> bool:
        """Whether velocities and projection repeat together."""
        return self.method == "combined"

    def stages(self, velocity: StageOptions, newton: Newton) -> tuple[StageOptions | Repeat, ...]:
        """The velocity stage and those of the projection, repeated until the violation is within the tolerance."""
        position = StageOptions("projection", _to_the_end(newton) if self.combined else newton)
        after = (StageOptions("velocity projection", newton),) if self.velocities else ()
        if self.combined:
            return (
                Repeat(
                    (velocity, position), self.tolerance, self.max_iterations, on_limit=self.on_limit, from_start=True
                ),
                *after,
            )
        return (
            velocity,
            Repeat((position,), self.tolerance, self.max_iterations, minimum=0, on_limit=self.on_limit),
            *after,
        )

    def system(self, step: SystemStep) -> None:
        """w = q or a twist, R = G xi; velocities stay, or follow in a stage of their own."""
        at, space = step.stage("projection"), step.cls.configuration
        star = at.state("q_k")
        inside = self._in_coordinates(space)
        T = sp.eye(star.rows) if inside else space.twist_map(list(star))
        still = 0 if inside else space.states  # first-order ones: no configuration moves with them
        metric = (
            T.T * T + sp.diag(sp.zeros(T.cols - still), sp.eye(still))
            if self.metric == "identity"
            else at.term("mass", at.at(T_NEXT, q=star))
        )
        if inside:
            q = at.unknown("q")
            end = space.normalised(list(q))
            at.residual(metric * (q - star))
            at.view(q=end)
            at.advance(q_k=end)
            at.formulas(residual="R = G (q - q*)", advance=f"q* = q{'' if space.flat else ', normalised'}, v unchanged")
        else:
            xi = at.unknown("correction", like="v")
            moved = space.moved(list(star), list(xi))
            at.residual(metric * xi)
            at.start(sp.zeros(*xi.shape))
            at.view(q=moved)
            at.advance(q_k=space.normalised(moved))
            at.formulas(residual="R = G xi", advance="q* = q* moved by xi, v unchanged")
        if self.velocities:
            last = step.stage("velocity projection")
            offer_mobilities(last, impact_stage(last, before="v*", after="v*"))

    def relation(self, step: RelationStep, impulse: sp.Expr) -> None:
        """The constraint at q* moved by xi, linearised where the stage repeats alone: equality or complementarity.

        ``impulse`` is the first multiplier of the velocity stage.
        """
        at = step.stage("projection")
        now = at.ended
        gap = at.term("gap", now)
        m, equality = gap.rows, not at.law.unilateral
        if self.velocities:
            _velocity_rows(step.stage("velocity projection"), m or step.cls.height, equality)
        if not m:
            return
        push = at.multiplier("push", m, names=numbered("position_impulse", m))
        gradients = [
            _slopes(at, p, now) if self._in_coordinates(p.participant.system.configuration) else H[:m, :]
            for p, H in zip(at.participants, at.gradients(now), strict=True)
        ]
        at.impose(
            at.term("gap", at.end) if self.combined else gap + self._moved(at, gradients),
            (Cone.EQUALITY if equality or self.contacts == "held" else Cone.COMPLEMENTARITY, m),
        )
        at.reaction(*(product(H.T, push) for H in gradients))
        at.remember(gap_k=gap)
        above = Branch(gap[0], MODE > 0, sp.S.Zero, sp.true) if self._holds else sp.S.Zero
        at.violation(sp.Max(*(sp.Abs(e) for e in gap)) if equality else Branch(-gap[0], gap[0] <= 0, above, sp.true))
        if self.combined and not equality:
            entering = gap
            if self.enters == "moved":
                entering = step.memory("gap_moved", m, units=gap_units(step.cls))
                step.remember(gap_moved=step.term("gap", step.ended))
            at.entry(Branch(sp.S.One, entering[0] <= 0, sp.S.Zero, sp.true))
        at.formulas(
            output="y = h(q), rho = H(q*)^T lambda" if self.combined else "y = h(q*) + H(q*) xi, rho = H^T lambda"
        )
        if self.level == "all" and not self.combined and not equality:
            self._every_contact(step, at, impulse)

    def _every_contact(self, step: RelationStep, at: RelationStep, impulse: sp.Expr) -> None:
        """Contacts that were not in play are lifted, too; held, and stopped, are those that are closed or were struck.

        A combined projection needs none of this: what is closed after it enters.
        """
        if not self.velocities and self.contacts == "lifted":
            at.activation(sp.S.One)
            return
        struck = step.memory("struck", units=impulse_units(step.cls)[:1])
        step.remember(struck=sp.Matrix([impulse]))
        held = sp.Or(step.memory("gap_k")[0] <= 0, struck[0] > 0)
        at.activation(sp.S.One if self.contacts == "lifted" else Branch(sp.S.One, held, sp.S.Zero, sp.true))
        if self.velocities:
            step.stage("velocity projection").activation(Branch(sp.S.One, struck[0] > 0, sp.S.Zero, sp.true))

    def _moved(self, step: RelationStep, gradients: Sequence[sp.Matrix]) -> sp.Matrix:
        """H(q*) xi."""
        moved = sp.zeros(gradients[0].rows, 1)
        for p, H in zip(step.participants, gradients, strict=True):
            of_q = self._in_coordinates(p.participant.system.configuration)
            moved += H * (p.unknown - p.state("q_k") if of_q else p.unknown)
        return moved

    def _in_coordinates(self, space: Configuration) -> bool:
        """Whether q itself is solved for, not a twist."""
        return space.identity or (self.coordinates == "all" and not space.flat)


def _slopes(step: RelationStep, p: ParticipantStep, at: Instant) -> sp.Matrix:
    """dh/dq of the gap continued to |p| other than 1, where a gap linear in R(p) takes R(p) as a quadratic form.

    h + (|p|^2 - 1) (3 h(1) - h(i) - h(j) - h(k)) / 4: three half turns add up to -I, so of c + g . R(p) what is in
    brackets is 4 g . I. Rows linear in p stay.
    """
    q, gap = p.group("q"), step.cls.terms["gap"]

    def continued(h: sp.Expr, group: tuple[sp.Symbol, ...]) -> sp.Expr:
        if all(h.diff(s, 2) == 0 for s in group):
            return h
        ones = [h.xreplace({s: sp.Integer(i == k) for i, s in enumerate(group)}) for k in range(len(group))]
        return h + (sum(s**2 for s in group) - 1) * (len(group) * ones[0] - sum(ones)) / 4

    for places in p.participant.system.configuration.unit_norm:
        group = tuple(q[i] for i in places)
        gap = gap.applyfunc(lambda h, group=group: continued(h, group))
    return replaced(jacobian(gap, q), at)


def _to_the_end(newton: Newton) -> Newton:
    """Options that look at the constraints: a combined projection is one solution, not a repetition that mends it."""
    looks = newton.measure == "all" and newton.fixed_iterations is None
    return (
        newton
        if looks
        else Newton(max_iterations=newton.max_iterations, on_limit=newton.on_limit, line_search=newton.line_search)
    )


def _velocity_rows(step: RelationStep, m: int, equality: bool) -> None:
    """H v + dh/dt = 0 of constraints, of rates alone, too; not negative for contacts in play; rates are remembered."""
    push = step.multiplier("velocity_push", m, names=numbered("velocity_impulse", m))
    now = step.ended
    at = {**now, **{s: s for p in step.participants for s in p.group("v")}}
    step.impose(step.rate(at)[:m, :], (Cone.EQUALITY if equality else Cone.COMPLEMENTARITY, m))
    step.reaction(*(product(H[:m, :].T, push) for H in step.gradients(now)))
    step.remember(rate_k=step.rate(now))
    step.formulas(output="y = H v + dh/dt, rho = H^T mu")
