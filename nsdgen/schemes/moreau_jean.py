"""Moreau-Jean schemes for mechanical systems with contacts and constraints at velocity level.

R = M (v - v_k) - h F, F = theta F(t_next, q(v), v) + (1 - theta) F(t_k, q_k, v_k) or F in between,
rho = H^T lambda, y = law(H v + dh/dt, u_k), u_k the remembered rate (design, section 4;
newton_euler.tex, "nearly implicit"). Multipliers are impulses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.base.checks import choice
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.schemes.force_weights import ForceWeights
from nsdgen.schemes.kinks import Kinks, refuse_leaps, refuse_sinking
from nsdgen.schemes.linear_forces import LINEAR, LinearForces
from nsdgen.schemes.motion import Motion, motion, predicted
from nsdgen.schemes.program import Repeat, StageOptions
from nsdgen.schemes.projection import Projection
from nsdgen.schemes.rate_labels import gap_units, impulse_units, rate_names, rate_units
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.scheme import Scheme, option
from nsdgen.schemes.slack import mobility, offer_mobilities, remember_slack, slack
from nsdgen.schemes.stages import MODE, STEP, T_K, T_NEXT, Assignments, SchemeOption
from nsdgen.schemes.stairs import remember_leap
from nsdgen.schemes.system_step import Instant, SystemStep, blend
from nsdgen.schemes.transmitted import pass_on, record_force, record_output, state_mechanics
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.nodes import Branch, let
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import SystemClass


@named_arguments
@dataclass(frozen=True)
class MoreauJean(Scheme):
    """theta weighs the forces and the position update; each gamma says how many steps ahead something is predicted.

    ``rotation``: how bodies turn: ``"nearly_implicit"`` (T at the last Newton iterate),
    ``"semi_implicit"`` (T at q_k), ``"predicted"`` (T at q_k + h T(q_k) v_k), ``"theta"`` (T at
    theta q_k+1 + (1 - theta) q_k with the last iterate of q_k+1) or ``"exponential"``.
    ``force_at``: forces by formula are weighed between the ``"ends"`` of the step, taken at the mid values t_theta,
    q_theta, v_theta (``"theta"``), or their ``"mean"`` along the step by Simpson's rule, which keeps energies up to
    degree four in q; ``force_theta`` weighs them otherwise than positions (0: semi-explicit).
    ``"linear"``, ``"damped"`` and ``"explicit"`` take them once a step, at predicted places, so that a step with
    ``gradient_at="predicted"`` is one evaluation and one factorisation (:mod:`nsdgen.schemes.linear_forces`).
    ``mass_at``: a mass that depends on q is taken ``"predicted"`` (at q_k + mass_gamma h v_k, frozen in the step),
    ``"implicit"`` (at (1 - mass_gamma) q_k + mass_gamma q_k+1, its gradient kept) or at the last ``"iterate"`` of the
    end, first at q_k + h v_k. ``gradient_at``: the gradients H of
    gaps and sliding rates are taken ``"implicit"`` (at the end of the step, by Newton's method), ``"predicted"``
    (at q_k + gradient_gamma h v_k; for bodies at q_k, or with ``rotation="predicted"`` at q_k + gradient_gamma h
    T(q_k) v_k with its quaternion normalised) or at the last ``"iterate"``. Where they are
    predicted and forces are affine a step is
    one one-step problem, which matters for friction, where the implicit equations of
    many contacts may have no solution that Newton's method settles on. A contact is active where
    gap + activation_gamma h gap_rate <= slack (``slack.py``: what rounding may open it by); gap
    and rates before the impact are those at the ``"end"`` of the last step, or with ``gap_at="predicted"`` those at
    q_k + gap_gamma h v_k;
    ``relation_at``: forces of relations by output and reaction act as at the ``"end"`` or at t_``"theta"``.
    ``activation="hysteresis"`` keeps it until it has left and separates (``activation_gap``, ``deactivation_gap``,
    ``deactivation_rate``, beside the slack); ``activation="iterated"`` adds, within
    Newton's method, every contact whose gap at the end of the step is not positive. ``projection`` adds a second
    stage that brings positions back onto the constraints.
    """

    theta: float = option(0.5, 0, 1)
    activation_gamma: float = option(0.5, 0, 1e9)
    mass_gamma: float = option(0.5, 0, 1e9)
    gradient_gamma: float = option(0.5, 0, 1e9)
    gap_gamma: float = option(1.0, 0, 1e9)
    activation_gap: float = option(0.0, -1, 1)
    deactivation_gap: float = option(0.0, -1, 1)
    deactivation_rate: float = option(0.0, -1e9, 1e9)
    force_theta: float | None = option(None, 0, 1)
    rotation: str = choice("nearly_implicit", "semi_implicit", "predicted", "theta", "exponential")
    force_at: str = choice("ends", "theta", "mean", *LINEAR)
    mass_at: str = choice("predicted", "implicit", "iterate")
    gradient_at: str = choice("implicit", "predicted", "iterate")
    gap_at: str = choice("end", "predicted")
    relation_at: str = choice("end", "theta")
    activation: str = choice("predicted", "hysteresis", "iterated")
    projection: Projection | None = None

    def __post_init__(self) -> None:
        self.check()
        if self.gradient_at == "predicted" and self.activation == "iterated":
            raise ParameterError(
                "activation='iterated' needs the gap at the end of the step, gradient_at='predicted' does not iterate",
                where="scheme MoreauJean",
                fix="use activation='hysteresis' or gradient_at='implicit'",
            )
        if self.projection and self.projection.combined and self.activation != "predicted":
            raise ParameterError(
                f"activation={self.activation!r} would change nothing beside method='combined': a step begins with no "
                "contact in play, and those that are closed at its end enter",
                where="scheme MoreauJean",
                fix="leave activation out, or use nsd.Projection(method='direct')",
            )

    @property
    def options(self) -> tuple[SchemeOption, ...]:
        """theta, the weights and gammas that are used, and the thresholds of hysteresis."""
        unused = set() if self.force_theta is not None and self.force_at != "mean" else {"force_theta"}
        unused |= {
            name for name, at in (("gradient_gamma", self.gradient_at), ("gap_gamma", self.gap_at)) if at != "predicted"
        }
        unused |= set(_HYSTERESIS if self.activation != "hysteresis" else ())
        unused |= set() if self._predicts else {"activation_gamma"}
        unused |= {"mass_gamma"} if self.mass_at == "iterate" else set()
        return (
            *(o for o in super().options if o.name not in unused),
            *(self.projection.options if self.projection else ()),
        )

    @property
    def stages(self) -> tuple[StageOptions | Repeat, ...]:
        """The velocity stage, and that of the projection where there is one."""
        first = StageOptions(
            "velocity", self.newton, activation_at="iteration" if self.activation == "iterated" else "step"
        )
        return self.projection.stages(first, self.newton) if self.projection else (first,)

    def system(self, step: SystemStep) -> None:
        """w = v, s = (q_k, v_k): M (v - v_k) = h F_theta + reaction."""
        step.check_mechanical("a family of your own is described by mechanical_class, or has a scheme of its own")
        theta = step.options.theta
        q_k, v_k, v = step.state("q_k"), step.state("v_k"), step.unknown("v")
        v_theta = [let(f"{label_of(s)}_theta", theta * s + (1 - theta) * k) for s, k in zip(v, v_k, strict=True)]
        rule = {"nearly_implicit": "iterate", "semi_implicit": "start"}.get(self.rotation, self.rotation)
        move = motion(step.cls, rule, list(q_k), list(v_k), v_theta, theta, ahead=self.gradient_at == "iterate")
        inertia, frozen = self._inertia(step, q_k, v_k, v, move)
        end, last, space = step.at(T_NEXT, q=move.force, v=v), step.at(T_K, q=q_k, v=v_k), step.cls.configuration
        residual, held = inertia, frozen
        if isinstance(self._forces, LinearForces):
            force, once = self._forces.of_system(step)
            residual, held = residual - STEP * force, (*frozen, *once)
        else:
            for weight, at, dated in self._forces.instants(step, end, last, [(space, step.group("q"))]):
                residual -= STEP * weight * step.term("force", at, dated=dated)
        if held:
            step.freeze_step(held)
        if self._predicts:
            offer_mobilities(step, step.term("mass", step.at(T_K, q=q_k)))
        step.residual(residual)
        step.advance(q_k=move.end, v_k=v)
        step.view(q=move.contact)
        step.frozen_view(q=self._gradients_at(step, q_k, v_k, move.frozen))
        step.freeze_iteration(move.freeze_start, move.freeze_iteration)
        step.formulas(
            **_system_formulas(step.cls, self.rotation, bool(frozen), self._forces.formula("F(t_next, q(v), v)", "-"))
        )
        if self.projection:
            self.projection.system(step)

    def _gradients_at(
        self, step: SystemStep, q_k: sp.Matrix, v_k: sp.Matrix, frozen: Sequence[sp.Expr]
    ) -> Sequence[sp.Expr]:
        """The configuration of gradients that are not those of the end of the step."""
        if self.gradient_at != "predicted":
            return frozen
        space, ahead = step.cls.configuration, step.options.gradient_gamma * STEP
        if not space.flat and self.rotation != "predicted":
            return list(q_k)
        there = predicted(space, q_k, v_k, ahead)
        if space.flat:
            return there
        return [let(f"{label_of(s)}_predicted", e) for s, e in zip(step.group("q"), there, strict=True)]

    def _inertia(
        self, step: SystemStep, q_k: sp.Matrix, v_k: sp.Matrix, v: sp.Matrix, move: Motion
    ) -> tuple[sp.Matrix, Assignments]:
        """M (v - v_k) of the residual, and the symbols in it that the step freezes."""
        q, at_rest = step.group("q"), step.cls.terms["mass"].values
        if at_rest.free_symbols.isdisjoint((*q, NOW)):
            return at_rest * (v - v_k), ()
        if self.mass_at == "iterate":
            return step.term("mass", step.at(T_NEXT, q=move.frozen)) * (v - v_k), ()
        gamma = step.options.mass_gamma
        if self.mass_at == "implicit":
            between = blend(gamma, step.at(T_NEXT, q=move.end), step.at(T_K, q=q_k))
            return step.inertia(between, v - v_k), ()
        there = predicted(step.cls.configuration, q_k, v_k, gamma * STEP)
        mass = step.term("mass", step.at(gamma * T_NEXT + (1 - gamma) * T_K, q=there))
        symbols: dict[tuple[int, int], sp.Symbol] = {}

        def frozen(i: int, j: int) -> sp.Expr:
            if mass[i, j] == 0:
                return sp.S.Zero
            at = (min(i, j), max(i, j)) if mass[i, j] == mass[j, i] else (i, j)
            return symbols.setdefault(at, own_symbol("frozen", f"M{at[0]}_{at[1]}"))

        values = sp.Matrix(*mass.shape, frozen)
        return values * (v - v_k), tuple((symbol, mass[at]) for at, symbol in symbols.items())

    @property
    def _forces(self) -> ForceWeights | LinearForces:
        rule = LinearForces if self.force_at in LINEAR else ForceWeights
        return rule(self.force_at, "theta" if self.force_theta is None else "force_theta")

    def relation(self, step: RelationStep) -> None:
        """A gap: impulse, rates through the law, memory of gap and rates; or a force by output and reaction."""
        fix = "use nsd.Contact, nsd.Bilateral, nsd.VelocityConstraint or nsd.OutputRelation on mechanical systems"
        state_mechanics(step, self._gap, self._output, self._formula, fix)

    def _output(self, step: RelationStep) -> None:
        """A force by output and reaction; where velocities are projected, what has no bound holds, too."""
        self._forces.by_output(step, self.relation_at)
        later: list[tuple[RelationStep, sp.Matrix | None]] = [(stage, None) for stage in self._projected(step)]
        if self.projection and self.projection.velocities:
            after = step.stage("velocity projection")
            later.append((after, pass_on(after, "velocity_impulse", "struck")))
        record_output(step, sp.Matrix(step.cls.multipliers), *later)

    def _formula(self, step: RelationStep) -> None:
        """A force by formula, recorded where projections have led."""
        self._forces.by_formula(step)
        after = [step.stage("velocity projection")] if self.projection and self.projection.velocities else []
        record_force(step, step, *self._projected(step), *after)

    def _projected(self, step: RelationStep) -> list[RelationStep]:
        return [step.stage("projection")] if self.projection else []

    def _gap(self, step: RelationStep) -> None:
        """Rows of friction: gap rate, sliding rates, rolling rates; H stacks their gradients."""
        gap, names = step.cls.terms["gap"], rate_names(step.cls)
        m = gap.rows
        gap_k = step.memory("gap_k", m, units=gap_units(step.cls)) if m else sp.zeros(0, 1)
        rate_k = step.memory(
            "rate_k", names=names, symbols=[f"{_flat(name)}_k" for name in names], units=rate_units(step.cls)
        )
        impulse = step.multiplier("impulse", len(names), impulse_units(step.cls))
        inside = self._inside(step)
        kinks, entered = Kinks(step), {**step.last, NOW: T_NEXT}
        u = kinks.at(entered, step.cls.rate, inside)
        u = sp.Matrix([let(_flat(name), e) for name, e in zip(names, u, strict=True)])
        if m and not step.law.unilateral and not self.projection:
            u = refuse_leaps(step, u)
        gap_before, rate_before = self._before(step, gap_k, rate_k)
        before = rate_before + (_jump(step, kinks, inside) if self.gap_at == "end" else sp.zeros(*u.shape))
        if step.law.unilateral:
            active = self._activation(step, gap_before[0], rate_before[0], step.term("gap", inside)[0])
            if not self.projection:
                u, active = refuse_sinking(step, u, before, active)
            step.activation(active)
        step.output(u, before)
        gradients = (kinks.at(entered, step.cls.gradient(p), inside) for p in step.cls.participants)
        step.reaction(*(product(H.T, impulse) for H in gradients))
        step.remember(rate_k=step.rate(step.ended), **({"gap_k": step.term("gap", step.ended)} if m else {}))
        if not self.projection:
            remember_leap(step)
        if step.law.unilateral and self._predicts:
            remember_slack(step, mobility(step) * impulse[0])
        if m:
            step.at_start(**({"nonnegative": "gap_k"} if step.law.unilateral else {"zero": "gap_k"}))
        step.formulas(
            output=f"y = law(u, u_k), u = H v + dh/dt, rho = H^T lambda{_place_of(step, inside)}",
            observe="gap and rates at the end of the step"
            if step.cls.terms["sliding"].rows
            else "gap and gap rate at the end of the step",
            bounds="friction coefficients of the law",
            activation="gap at the end of the step <= 0"
            if self.activation == "iterated"
            else f"{self.activation}: gap_k + activation_gamma h gap_rate_k <= {'slack' if self._predicts else 0}",
        )
        if self.projection:
            self.projection.relation(step, impulse[0])

    @property
    def _predicts(self) -> bool:
        """Whether the predicted gap decides which contacts are active."""
        return self.activation != "iterated" and not (self.projection and self.projection.combined)

    def _inside(self, step: RelationStep) -> Instant:
        """Where the rates of a step are taken.

        H at the last iterate leaves W block-diagonal where it would couple systems: a pile of bodies stays a pile of
        small matrices.
        """
        return step.frozen_end if self.gradient_at != "implicit" or _couples(step) else step.end

    def _before(self, step: RelationStep, gap_k: sp.Matrix, rate_k: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        """Gap and rates before the impact, as activation and law read them."""
        if self.gap_at == "end":
            return gap_k, rate_k
        ahead = STEP * step.options.gap_gamma
        there = step.at(
            T_K + ahead,
            v=[p.state("v_k") for p in step.participants],
            q=[
                predicted(p.participant.system.configuration, p.state("q_k"), p.state("v_k"), ahead)
                for p in step.participants
            ],
        )
        return step.term("gap", there), step.rate(there)

    def _activation(self, step: RelationStep, gap: sp.Expr, rate: sp.Expr, gap_next: sp.Expr) -> sp.Expr:
        """The mode of a contact from gap and rate before the impact, or from the gap at the end."""
        if self.projection and self.projection.combined:
            if self.projection.begins == "closed":
                return Branch(sp.S.One, step.memory("gap_k")[0] <= 0, sp.S.Zero, sp.true)
            return sp.S.Zero  # those that are closed at the end of a pass enter
        if self.activation == "iterated":
            return Branch(sp.S.One, gap_next <= 0, sp.S.Zero, sp.true)
        ahead = gap + step.options.activation_gamma * STEP * rate
        if self.activation == "predicted":
            return Branch(sp.S.One, ahead <= slack(step), sp.S.Zero, sp.true)
        enter, leave, separate = (getattr(step.options, name) for name in _HYSTERESIS)
        stays = Branch(sp.S.Zero, sp.And(ahead > leave + slack(step), rate >= separate), sp.S.One, sp.true)
        enters = Branch(sp.S.One, ahead <= enter + slack(step), sp.S.Zero, sp.true)
        return Branch(stays, MODE > 0, enters, sp.true)


_HYSTERESIS = ("activation_gap", "deactivation_gap", "deactivation_rate")


def _jump(step: RelationStep, kinks: Kinks, inside: Instant) -> sp.Matrix:
    """What the rates of v_k jump by where a step meets a kink in time."""
    at = {**inside, **{s: k for p in step.participants for s, k in zip(p.group("v"), p.state("v_k"), strict=True)}}
    before, after = (kinks.at(chosen, step.cls.rate, at) for chosen in (step.last, {**step.last, NOW: T_NEXT}))
    return after - before


def _couples(step: RelationStep) -> bool:
    """Whether the gradient of a participant holds the configuration of another: then reactions couple both."""
    own = [set(p.group("q")) for p in step.participants]
    return any(free & other for i, free in enumerate(_held(step)) for j, other in enumerate(own) if i != j)


def _held(step: RelationStep) -> list[frozenset[sp.Symbol]]:
    """The symbols in the gradient of each participant."""
    free_symbols = FreeSymbols()
    return [frozenset().union(*map(free_symbols, H)) for H in step.gradients({})]


def _place_of(step: RelationStep, inside: Instant) -> str:
    """``, H at q_bar`` and the like: the configuration that the gradients of a step are taken at, if it matters."""
    held = frozenset().union(*_held(step))
    used = [inside[q] for p in step.participants for q in p.group("q") if q in held]
    if not used:
        return ""
    kinds = {e.name.rpartition("/")[0].rpartition("/")[2] for e in used if isinstance(e, sp.Symbol)}
    if not kinds:  # a formula of the states
        return ", H at q_k + gradient_gamma h v_k"
    return f", H at {'q_bar' if 'frozen' in kinds else 'q_k' if 'state' in kinds else 'q_k+1'}"


def _flat(name: str) -> str:
    return name.replace("[", "").replace("]", "")


def _system_formulas(cls: SystemClass, rotation: str, frozen_mass: bool, force: str) -> dict[str, str]:
    mass = "M(q_predicted)" if frozen_mass else "M"
    formulas = {"residual": f"R = {mass} (v - v_k) - {force}"}
    formulas["freeze_iteration"] = "q_bar = q_k+1 of the last iterate"
    if cls.configuration.flat:
        return {**formulas, "advance": "q_k+1 = q_k + h v_theta, v_k+1 = v", "freeze_start": "q_bar = q_k + h v_k"}
    where = {
        "nearly_implicit": "q_bar",
        "semi_implicit": "q_k",
        "theta": "theta q_bar + (1 - theta) q_k",
        "predicted": "q_k + h T(q_k) v_k",
    }.get(rotation)
    turn = f"q_k + h T({where}) v_theta, normalised" if where else "x_k + h v_theta, p_k o exp(h Omega_theta / 2)"
    return {**formulas, "advance": f"q_k+1 = {turn}, v_k+1 = v", "freeze_start": "q_bar = q_k"}
