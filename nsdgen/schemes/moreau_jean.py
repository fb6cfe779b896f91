"""Moreau-Jean schemes for mechanical systems with contacts and constraints at velocity level.

R = M (v - v_k) - h theta F(t_next, q(v), v) - h (1 - theta) F(t_k, q_k, v_k),
rho = H^T lambda, y = law(H v + dh/dt, u_k), u_k the remembered rate (design, section 4;
newton_euler.tex, "nearly implicit"). Multipliers are impulses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.schemes.motion import motion
from nsdgen.schemes.newton import Newton
from nsdgen.schemes.projection import Projection
from nsdgen.schemes.stages import (
    MODE,
    STEP,
    T_K,
    T_NEXT,
    Labels,
    Option,
    RelationScheme,
    RelationStage,
    Scheme,
    StageOptions,
    SystemScheme,
    SystemStage,
)
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.classes import GapClass, MechanicalClass, RelationClass, SystemClass
from nsdgen.symbolic.entry import label_of, own_symbol
from nsdgen.symbolic.nodes import Branch, let, taken_at
from nsdgen.symbolic.quaternion import hat
from nsdgen.symbolic.time import NOW

__all__ = ["MoreauJean"]

_THETA = own_symbol("run", "theta")
_ACTIVATION_GAMMA = own_symbol("run", "activation_gamma")
_MASS_GAMMA = own_symbol("run", "mass_gamma")


@named_arguments
@dataclass(frozen=True)
class MoreauJean(Scheme):
    """theta weighs the forces and the position update.

    ``rotation``: how bodies turn: ``"nearly_implicit"`` (T at the last Newton iterate),
    ``"semi_implicit"`` (T at q_k) or ``"exponential"``. ``mass_at``: a configuration-dependent
    mass is taken ``"predicted"`` (at q_k + mass_gamma h v_k, frozen in the step) or
    ``"implicit"`` (at q_k + mass_gamma h v, its gradient kept). ``gradient_at``: the gradients H of
    gaps and sliding rates are taken ``"implicit"`` (at the end of the step, by Newton's method) or ``"predicted"``
    (at q_k + mass_gamma h v_k, for bodies with quaternions at q_k): where forces are affine a step is
    one one-step problem then, which matters for friction, where the implicit equations of
    many contacts may have no solution that Newton's method settles on. A contact is active where
    gap + activation_gamma h gap_rate <= 0 at the end of the last step;
    ``activation="hysteresis"`` keeps it until it has left and separates (run values ``activation_gap``,
    ``deactivation_gap``, ``deactivation_rate``); ``activation="iterated"`` adds, within
    Newton's method, every contact whose gap at the end of the step is not positive. ``projection`` adds a second
    stage that brings positions back onto the constraints.
    """

    theta: float = 0.5
    activation_gamma: float = 0.5
    mass_gamma: float = 0.5
    rotation: str = "nearly_implicit"
    mass_at: str = "predicted"
    gradient_at: str = "implicit"
    activation: str = "predicted"
    projection: Projection | None = None
    newton: Newton = field(default_factory=Newton)

    def __post_init__(self) -> None:
        for value, allowed, what in (
            (self.rotation, ("nearly_implicit", "semi_implicit", "exponential"), "rotation"),
            (self.mass_at, ("predicted", "implicit"), "mass_at"),
            (self.gradient_at, ("implicit", "predicted"), "gradient_at"),
            (self.activation, ("predicted", "hysteresis", "iterated"), "activation"),
        ):
            if value not in allowed:
                raise ParameterError(f"{what}={value!r} is unknown", where="scheme MoreauJean",
                                     fix=f"use one of {', '.join(map(repr, allowed))}")
        if self.gradient_at == "predicted" and self.activation == "iterated":
            raise ParameterError("activation='iterated' needs the gap at the end of the step, gradient_at='predicted' "
                                 "does not iterate", where="scheme MoreauJean",
                                 fix="use activation='hysteresis' or gradient_at='implicit'")
        self.check()

    @property
    def name(self) -> str:
        """``MoreauJean``, whatever the options."""
        return "MoreauJean"

    @property
    def options(self) -> tuple[Option, ...]:
        """theta, the gammas, and the thresholds of hysteresis where it is used."""
        return (Option("theta", _THETA, self.theta, 0, 1),
                Option("activation_gamma", _ACTIVATION_GAMMA, self.activation_gamma, 0, 1),
                Option("mass_gamma", _MASS_GAMMA, self.mass_gamma, 0, 1),
                *(self.projection.options if self.projection else ()),
                *(_HYSTERESIS if self.activation == "hysteresis" else ()))

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """The velocity stage, and that of the projection where there is one."""
        first = StageOptions("velocity", self.newton,
                             activation_at="iteration" if self.activation == "iterated" else "step")
        return (first, self.projection.stage(self.newton)) if self.projection else (first,)

    def system(self, cls: SystemClass) -> SystemScheme:
        """The step of a mechanical class: w = v, s = (q_k, v_k); raises ``ModelError`` for others."""
        if not isinstance(cls, MechanicalClass):
            raise self.refuse(cls, "use nsd.ThetaGamma for first-order systems")
        q_k, v_k = (tuple(own_symbol("state", f"{s.name.split('/')[-1]}_k") for s in group)
                    for group in (cls.coordinates, cls.velocities))
        to_last = dict(zip(cls.coordinates + cls.velocities, q_k + v_k, strict=True))
        v = sp.Matrix(cls.velocities)
        v_theta = [let(f"{s.name.split('/')[-1]}_theta", _THETA * s + (1 - _THETA) * k)
                   for s, k in zip(cls.velocities, v_k, strict=True)]
        rule = {"nearly_implicit": "iterate", "semi_implicit": "start"}.get(self.rotation, self.rotation)
        move = motion(cls, rule, q_k, v_k, v_theta)
        mass, freeze = self._mass(cls, q_k, v_k)
        at_end = {**dict(zip(cls.coordinates, move.force, strict=True)), NOW: T_NEXT}
        force = taken_at(cls.force, at_end, "next")
        last_force = taken_at(cls.force, {**to_last, NOW: T_K}, "k")
        residual = mass * (v - sp.Matrix(v_k)) - STEP * _THETA * force - STEP * (1 - _THETA) * last_force
        view = {**dict(zip(cls.coordinates, move.contact, strict=True)), **{s: s for s in cls.velocities}}
        frozen = self._gradients_at(cls, q_k, v_k, move.frozen)
        first = SystemStage(
            unknown=cls.velocities, residual=residual, start=sp.Matrix(v_k),
            advance=sp.Matrix([*move.end, *v]), view=view, freeze_step=freeze,
            freeze_start=move.freeze_start, freeze_iteration=move.freeze_iteration,
            frozen_view={**view, **dict(zip(cls.coordinates, frozen, strict=True))},
            formulas=_system_formulas(cls, self.rotation, bool(freeze)))
        stages: tuple[SystemStage | None, ...] = (first,)
        if self.projection:
            stages += (self.projection.system(cls, q_k, v_k),)
        names, units = (tuple(x for q in cls.quantities for x in getattr(q, part))
                        for part in ("names", "units"))
        given, initial = _initial(cls)
        return SystemScheme(cls, q_k + v_k, Labels(names, units), given, initial, to_last, stages,
                            unit_norm=(cls.quaternion,) if cls.quaternion else ())

    def _gradients_at(self, cls: MechanicalClass, q_k: Sequence[sp.Symbol], v_k: Sequence[sp.Symbol],
                      frozen: Sequence[sp.Expr]) -> Sequence[sp.Expr]:
        """The configuration of gradients that are not those of the end of the step."""
        if self.gradient_at == "implicit":
            return frozen
        if cls.quaternion:
            return q_k
        return [k + _MASS_GAMMA * STEP * v for k, v in zip(q_k, v_k, strict=True)]

    def _mass(self, cls: MechanicalClass, q_k: Sequence[sp.Symbol],
              v_k: Sequence[sp.Symbol]) -> tuple[sp.Matrix, tuple[tuple[sp.Symbol, sp.Expr], ...]]:
        """The mass matrix of the residual and what the step freezes of it."""
        if not cls.mass.has(*cls.coordinates, NOW):
            return cls.mass, ()
        there: dict[sp.Symbol, sp.Expr] = {NOW: _MASS_GAMMA * T_NEXT + (1 - _MASS_GAMMA) * T_K}
        if not cls.quaternion:
            velocity = v_k if self.mass_at == "predicted" else cls.velocities
            there.update((q, k + _MASS_GAMMA * STEP * v)
                         for q, k, v in zip(cls.coordinates, q_k, velocity, strict=True))
        mass = cls.mass.xreplace(there)
        if self.mass_at == "implicit":
            return mass, ()
        symbols: dict[tuple[int, int], sp.Symbol] = {}

        def frozen(i: int, j: int) -> sp.Expr:
            if mass[i, j] == 0:
                return sp.S.Zero
            at = (min(i, j), max(i, j)) if mass[i, j] == mass[j, i] else (i, j)
            return symbols.setdefault(at, own_symbol("frozen", f"M{at[0]}_{at[1]}"))

        return sp.Matrix(*mass.shape, frozen), tuple((symbol, mass[at]) for at, symbol in symbols.items())

    def relation(self, cls: RelationClass, participants: Sequence[SystemScheme]) -> RelationScheme:
        """The step of a gap: impulse, rates through the law, memory of gap and rates.

        Rows of friction: gap rate, sliding rates, rolling rates; H stacks their gradients.
        """
        if not isinstance(cls, GapClass):
            raise self.refuse(cls, "use nsd.Contact or nsd.Bilateral on mechanical systems")
        m = cls.gap.rows
        gap_k = sp.Matrix(_numbered("memory", "gap_k", m))
        names = _rate_names(cls)
        rate_k = sp.Matrix([own_symbol("memory", f"{_flat(name)}_k") for name in names])
        impulses = sp.Matrix(_numbered("multiplier", "impulse", len(names)))
        rate, gradients = _rates(cls)
        couples = any(H.has(*others) for H, others in zip(gradients, _others(cls), strict=True) if others)
        inside: dict[sp.Symbol, sp.Expr] = {NOW: T_NEXT}
        ended: dict[sp.Symbol, sp.Expr] = {NOW: T_NEXT}
        for p in participants:
            stage = p.stages[0]
            assert stage is not None
            # H at the last iterate leaves W block-diagonal: a pile of bodies stays a pile of small matrices.
            aside = couples or self.gradient_at == "predicted"
            inside.update(stage.frozen_view if aside and stage.frozen_view is not None else stage.view)
            ended.update(p.at_state)
        place = _place_of(gradients, cls, inside)
        u = sp.Matrix([let(_flat(name), e.xreplace(inside)) for name, e in zip(names, rate, strict=True)])
        turning = len(names) - cls.law.rolling  # the rows from here on are rates of rotation, and moments
        first = RelationStage(
            multiplier=tuple(impulses), multiplier_labels=_impulse_labels(len(names), turning),
            output=cls.law.rows(u, rate_k), cones=cls.law.cones(len(names)),
            reactions=tuple(H.xreplace(inside).T * impulses for H in gradients),
            remember=sp.Matrix([*cls.gap.xreplace(ended), *rate.xreplace(ended)]),
            activation=self._activation(gap_k, rate_k, cls.gap.xreplace(inside)) if cls.law.unilateral else None,
            bounds=cls.bounds if cls.bounds.rows else None,
            formulas={"output": f"y = law(u, u_k), u = H v + dh/dt, rho = H^T lambda{place}",
                      "observe": "gap and rates at the end of the step" if cls.sliding.rows else
                      "gap and gap rate at the end of the step",
                      "bounds": "friction coefficients of the law",
                      "activation": "gap at the end of the step <= 0" if self.activation == "iterated" else
                      f"{self.activation}: gap_k + activation_gamma h gap_rate_k <= 0"})
        stages: tuple[RelationStage | None, ...] = (first,)
        if self.projection:
            stages += (self.projection.relation(cls, participants, [H[:m, :] for H in gradients], rate_k, ended),)
        labels = Labels(_labels("gap", m).names + names,
                        ("m",) * m + tuple("m/s" if i < turning else "rad/s" for i in range(len(names))))
        return RelationScheme(cls, (*gap_k, *rate_k), labels, stages,
                              always_active=not cls.law.unilateral,
                              gap=0 if cls.law.unilateral else None, zero_rows=0 if cls.law.unilateral else m)

    def _activation(self, gap_k: sp.Matrix, rate_k: sp.Matrix, gap_next: sp.Matrix) -> sp.Expr:
        if self.activation == "iterated":
            return Branch(sp.S.One, gap_next[0] <= 0, sp.S.Zero, sp.true)
        predicted = gap_k[0] + _ACTIVATION_GAMMA * STEP * rate_k[0]
        if self.activation == "predicted":
            return Branch(sp.S.One, predicted <= 0, sp.S.Zero, sp.true)
        enter, leave, separate = (o.symbol for o in _HYSTERESIS)
        stays = Branch(sp.S.Zero, sp.And(predicted > leave, rate_k[0] >= separate), sp.S.One, sp.true)
        enters = Branch(sp.S.One, predicted <= enter, sp.S.Zero, sp.true)
        return Branch(stays, MODE > 0, enters, sp.true)


_HYSTERESIS = (
    Option("activation_gap", own_symbol("run", "activation_gap"), 1e-7, -1, 1),
    Option("deactivation_gap", own_symbol("run", "deactivation_gap"), 1e-7, -1, 1),
    Option("deactivation_rate", own_symbol("run", "deactivation_rate"), 0.0, -1e9, 1e9),
)


def _rates(cls: GapClass) -> tuple[sp.Matrix, tuple[sp.Matrix, ...]]:
    """u = sum_i H_i v_i + ... and the H_i, over the class's own symbols, gap rows first.

    Rows of the gap: H_i = dh/dq_i T(q_i) and dh/dt; rows of the sliding rates: their gradients in v_i.
    """
    rate = cls.gap.diff(NOW)
    gradients = []
    for p in cls.participants:
        system = p.system
        assert isinstance(system, MechanicalClass)
        q, v = ([p.rename(s) for s in group] for group in (system.coordinates, system.velocities))
        gradient = cls.gap.jacobian(q)
        H = gradient if not system.quaternion else gradient * p.rename(system.twist_map)
        rate = rate + H * sp.Matrix(v)
        gradients.append(H.col_join(cls.sliding.jacobian(v)) if cls.sliding.rows else H)
    return rate.col_join(cls.sliding), tuple(gradients)


def _others(cls: GapClass) -> list[list[sp.Symbol]]:
    """For each participant the coordinates of the others: where its H has them, reactions couple both."""
    own = [[p.rename(s) for s in p.system.coordinates] if isinstance(p.system, MechanicalClass) else []
           for p in cls.participants]
    return [[s for j, symbols in enumerate(own) if j != i for s in symbols] for i in range(len(own))]


def _place_of(gradients: Sequence[sp.Matrix], cls: GapClass, inside: Mapping[sp.Symbol, sp.Expr]) -> str:
    """``, H at q_bar`` and the like: the configuration that the gradients of a step are taken at, if it matters."""
    coordinates = [p.rename(s) for p in cls.participants if isinstance(p.system, MechanicalClass)
                   for s in p.system.coordinates]
    used = [inside[q] for q in coordinates if any(H.has(q) for H in gradients)]
    if not used:
        return ""
    kinds = {e.name.rpartition("/")[0].rpartition("/")[2] for e in used if isinstance(e, sp.Symbol)}
    if not kinds:  # a formula of the states
        return ", H at q_k + mass_gamma h v_k"
    return f", H at {'q_bar' if 'frozen' in kinds else 'q_k' if 'state' in kinds else 'q_k+1'}"


def _rate_names(cls: GapClass) -> tuple[str, ...]:
    """What the rates of a relation are called, row by row."""
    turning = cls.law.rolling
    return (_labels("gap_rate", cls.gap.rows).names + _labels("sliding_rate", cls.sliding.rows - turning).names
            + _labels("rolling_rate", turning).names)


def _impulse_labels(count: int, turning: int) -> Labels:
    """Impulses, then from row ``turning`` on impulsive moments."""
    names = _labels("impulse", count).names
    return Labels(names, tuple("N s" if i < turning else "N m s" for i in range(count)))


def _flat(name: str) -> str:
    return name.replace("[", "").replace("]", "")


def _initial(cls: MechanicalClass) -> tuple[tuple[sp.Symbol, ...], sp.Matrix]:
    """The initial state from what the user gives: the same, the quaternion normalised."""
    given = tuple(own_symbol("initial", label_of(s)) for s in cls.coordinates + cls.velocities)
    values: list[sp.Expr] = list(given)
    if cls.quaternion:
        values[3:7], _ = hat(given[3:7])
    return given, sp.Matrix(values)


def _numbered(kind: str, label: str, count: int) -> list[sp.Symbol]:
    return [own_symbol(kind, label if count == 1 else f"{label}{i}") for i in range(count)]


def _labels(name: str, count: int, unit: str = "") -> Labels:
    names = (name,) if count == 1 else tuple(f"{name}[{i}]" for i in range(count))
    return Labels(names, (unit,) * count)


def _system_formulas(cls: MechanicalClass, rotation: str, frozen_mass: bool) -> dict[str, str]:
    mass = "M(q_predicted)" if frozen_mass else "M"
    formulas = {"residual": f"R = {mass} (v - v_k) - h theta F(t_next, q(v), v) - h (1 - theta) F(t_k, q_k, v_k)"}
    formulas["freeze_iteration"] = "q_bar = q_k+1 of the last iterate"
    if not cls.quaternion:
        return {**formulas, "advance": "q_k+1 = q_k + h v_theta, v_k+1 = v", "freeze_start": "q_bar = q_k + h v_k"}
    where = {"nearly_implicit": "q_bar", "semi_implicit": "q_k"}.get(rotation)
    turn = f"q_k + h T({where}) v_theta, normalised" if where else "x_k + h v_theta, p_k o exp(h Omega_theta / 2)"
    return {**formulas, "advance": f"q_k+1 = {turn}, v_k+1 = v", "freeze_start": "q_bar = q_k"}
