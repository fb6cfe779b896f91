"""theta-gamma schemes for first-order systems (design, section 4; developer notes, theta-gamma).

M(x) (x - x_k) = h theta f(t_next, x) + h (1 - theta) f(t_k, x_k) + reaction, with

* ``relation_at="end"`` (standard): y = h(t_next, x, lambda) and the reaction
  h gamma g(t_next, x, lambda) + h (1 - gamma) g_k, g_k remembered;
* ``relation_at="gamma"`` (full): y = h and h g at t_gamma, x_gamma = gamma x + (1 - gamma) x_k.

``rhs_at="theta"`` is the midpoint form f(t_theta, x_theta).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.schemes.newton import Newton
from nsdgen.schemes.stages import (
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
from nsdgen.symbolic.classes import FirstOrderClass, OutputClass, RelationClass, SystemClass
from nsdgen.symbolic.entry import label_of, own_symbol
from nsdgen.symbolic.nodes import taken_at
from nsdgen.symbolic.time import NOW

__all__ = ["ThetaGamma"]

_THETA, _GAMMA = own_symbol("run", "theta"), own_symbol("run", "gamma")


@named_arguments
@dataclass(frozen=True)
class ThetaGamma(Scheme):
    """theta weighs the right-hand side, gamma the reaction; both are run values in [0, 1].

    ``relation_at``: outputs are taken at the ``"end"`` of the step and the reaction is weighed between
    its ends, or both are taken at t_gamma, x_gamma (``"gamma"``). ``rhs_at``: the right-hand side is weighed
    between the ``"ends"`` or taken at t_theta, x_theta (``"theta"``). Multipliers at the start of a run are zero.
    """

    theta: float = 0.5
    gamma: float = 1.0
    relation_at: str = "end"
    rhs_at: str = "ends"
    newton: Newton = field(default_factory=Newton)

    def __post_init__(self) -> None:
        if self.relation_at not in ("end", "gamma"):
            raise ParameterError(f"relation_at={self.relation_at!r}", where="scheme ThetaGamma",
                                 fix="use 'end' (standard) or 'gamma' (full)")
        if self.rhs_at not in ("ends", "theta"):
            raise ParameterError(f"rhs_at={self.rhs_at!r}", where="scheme ThetaGamma",
                                 fix="use 'ends' or 'theta' (midpoint)")
        self.check()

    @property
    def name(self) -> str:
        """``ThetaGamma``, whatever the options."""
        return "ThetaGamma"

    @property
    def options(self) -> tuple[Option, ...]:
        """theta and gamma."""
        return (Option("theta", _THETA, self.theta, 0, 1), Option("gamma", _GAMMA, self.gamma, 0, 1))

    @property
    def stages(self) -> tuple[StageOptions, ...]:
        """One stage: the step itself."""
        return (StageOptions("step", self.newton),)

    def system(self, cls: SystemClass) -> SystemScheme:
        """The step of a first-order class: w = x, s = x_k; raises ``ModelError`` for others."""
        if not isinstance(cls, FirstOrderClass):
            raise self.refuse(cls, "use nsd.MoreauJean for mechanical systems")
        x = sp.Matrix(cls.state)
        last = sp.Matrix([own_symbol("state", f"{s.name.split('/')[-1]}_k") for s in cls.state])
        to_last = dict(zip(x, last, strict=True))
        blend = {s: _THETA * s + (1 - _THETA) * to_last[s] for s in x}
        t_theta = _THETA * T_NEXT + (1 - _THETA) * T_K
        mass = _at(cls.mass, t_theta).xreplace(blend)
        if self.rhs_at == "ends":
            flow = STEP * _THETA * taken_at(cls.rhs, {NOW: T_NEXT, **{s: s for s in x}}, "next") \
                + STEP * (1 - _THETA) * taken_at(cls.rhs, {NOW: T_K, **to_last}, "k")
            formula = "R = M (x - x_k) - h theta f(t_next, x) - h (1 - theta) f(t_k, x_k)"
        else:
            flow = STEP * _at(cls.rhs, t_theta).xreplace(blend)
            formula = "R = M (x - x_k) - h f(t_theta, x_theta)"
        stage = SystemStage(
            unknown=tuple(x), residual=mass * (x - last) - flow, start=last, advance=x,
            view={s: s for s in x}, formulas={"residual": formula, "advance": "x_k+1 = x"})
        given = tuple(own_symbol("initial", label_of(s)) for s in cls.state)
        return SystemScheme(cls, tuple(last), _labels(cls.labels), given, sp.Matrix(given), to_last,
                            (stage,))

    def relation(self, cls: RelationClass, participants: Sequence[SystemScheme]) -> RelationScheme:
        """The step of an output relation, standard or full, with the memory it needs."""
        if not isinstance(cls, OutputClass):
            raise self.refuse(cls, "use nsd.FirstOrderRelation on first-order systems")
        now: dict[sp.Symbol, sp.Expr] = {}
        last: dict[sp.Symbol, sp.Symbol] = {}
        for p in participants:
            now.update(p.stages[0].view)  # type: ignore[union-attr]
            last.update(p.at_state)
        memory: tuple[sp.Symbol, ...] = ()
        remember = None
        if self.relation_at == "end":
            output, bounds = _at(cls.output, T_NEXT), _at(cls.bounds, T_NEXT)
            memory = tuple(own_symbol("memory", f"g{i}_{j}_k" if len(participants) > 1 else f"g{j}_k")
                           for i, g in enumerate(cls.reactions) for j in range(g.rows))
            remembered = iter(memory)
            reactions = tuple(
                STEP * _GAMMA * _at(g, T_NEXT)
                + STEP * (1 - _GAMMA) * sp.Matrix([next(remembered) for _ in range(g.rows)])
                for g in cls.reactions)
            remember = sp.Matrix([e for g in cls.reactions for e in _at(g, T_NEXT).xreplace(last)])
            formula = "y = h(t_next, x, lambda), rho = h gamma g(t_next, x, lambda) + h (1 - gamma) g_k"
        else:
            blend = {s: _GAMMA * now[s] + (1 - _GAMMA) * last[s] for s in now}
            t_gamma = _GAMMA * T_NEXT + (1 - _GAMMA) * T_K
            output, bounds = _at(cls.output, t_gamma).xreplace(blend), _at(cls.bounds, t_gamma)
            reactions = tuple(STEP * _at(g, t_gamma).xreplace(blend) for g in cls.reactions)
            formula = "y = h(t_gamma, x_gamma, lambda), rho = h g(t_gamma, x_gamma, lambda)"
        stage = RelationStage(
            multiplier=cls.multipliers, multiplier_labels=_labels(cls.multiplier_labels),
            output=output, reactions=reactions, cones=cls.law.cones(output.rows), remember=remember,
            observed=_at(cls.output, T_NEXT).xreplace(last),
            observed_labels=_labels(cls.output_labels), bounds=bounds if bounds.rows else None,
            formulas={"output": formula, "observe": "y at t_next, g to remember",
                      "bounds": "lower and upper bound of each row in a box"})
        labels = Labels(_memory_names(cls), ("",) * len(memory)) if memory else Labels()
        return RelationScheme(cls, memory, labels, (stage,))


def _at(m: sp.Matrix, t: sp.Expr) -> sp.Matrix:
    replaced: Mapping[sp.Symbol, sp.Expr] = {NOW: t}
    return m.xreplace(replaced)


def _numbered(name: str, count: int) -> Labels:
    names = (name,) if count == 1 else tuple(f"{name}[{i}]" for i in range(count))
    return Labels(names, ("",) * count)


def _labels(pairs: Sequence[tuple[str, str]]) -> Labels:
    return Labels(tuple(name for name, _ in pairs), tuple(unit for _, unit in pairs))


def _memory_names(cls: OutputClass) -> tuple[str, ...]:
    return _numbered("reaction", sum(g.rows for g in cls.reactions)).names
