"""How a mechanical configuration moves within a step: the rules behind q(v), T and H.

All rules give the end configuration as a function of the velocity unknown v and the
state (q_k, v_k), with v_theta = theta v + (1 - theta) v_k:

* generalised coordinates: q = q_k + h v_theta;
* a body, nearly implicit: q = q_k + h T(q_bar) v_theta, normalised at the end of the
  step, with q_bar frozen at q_k or at the last Newton iterate (newton_euler.tex,
  "choices for q_bar");
* predicted: the same with T at the normalised q_k + h T(q_k) v_k;
* theta: the same with T at theta q_bar + (1 - theta) q_k, with theta = 1/2 of order 2 also where T is not that of
  quaternions;
* a body, exponential: x = x_k + h v_theta, p = p_k o exp(h Omega_theta / 2).

``force`` is where forces are evaluated (functions of the configuration at the
normalised quaternion), ``contact`` where gaps and their gradients are, ``frozen`` where those
are that join several systems: at the last Newton iterate, first at q_k + h v_k.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.schemes.stages import STEP, Assignments
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.nodes import let
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.system_class import SystemClass


@dataclass(frozen=True)
class Motion:
    """End configuration for forces, for contacts and for the new state, and what it freezes."""

    force: tuple[sp.Expr, ...]
    contact: tuple[sp.Expr, ...]
    end: tuple[sp.Expr, ...]
    frozen: tuple[sp.Expr, ...]
    freeze_start: Assignments = ()
    freeze_iteration: Assignments = ()


def motion(
    cls: SystemClass,
    rule: str,
    q_k: Sequence[sp.Symbol],
    v_k: Sequence[sp.Symbol],
    v_theta: Sequence[sp.Expr],
    theta: sp.Expr,
    *,
    ahead: bool = False,
) -> Motion:
    """The motion of a class; ``rule`` (start, iterate, predicted, theta, exponential) matters where T is not 1.

    ``ahead``: a body that moves along the exponential is frozen first where v_k would take it, not at q_k.
    """
    space, labels = cls.configuration, [label_of(q) for q in cls.group("q")]
    bar = [own_symbol("frozen", f"{label}_bar") for label in labels]

    def named(values: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
        return tuple(let(f"{label}_next", value) for label, value in zip(labels, values, strict=True))

    def along(rates: Sequence[sp.Expr]) -> list[sp.Expr]:
        return [k + STEP * rate for k, rate in zip(q_k, rates, strict=True)]

    if space.flat:
        end, predicted = named(along(space.rate(q_k, v_theta))), along(space.rate(q_k, v_k))
        return Motion(
            end, end, end, tuple(bar), tuple(zip(bar, predicted, strict=True)), tuple(zip(bar, end, strict=True))
        )
    start = tuple(zip(bar, q_k, strict=True))
    if rule == "exponential":
        moved = named(space.moved(q_k, [STEP * v for v in v_theta]))
        end = tuple(space.normalised(moved))
        if ahead:
            start = tuple(zip(bar, space.normalised(space.moved(q_k, [STEP * v for v in v_k])), strict=True))
        # A product of unit quaternions is a unit quaternion: forces need no second normalisation.
        return Motion(moved, tuple(bar), end, tuple(bar), start, tuple(zip(bar, end, strict=True)))
    between = [theta * b + (1 - theta) * k for k, b in zip(q_k, bar, strict=True)]
    if rule == "predicted":
        there = [
            let(f"{label}_ahead", value)
            for label, value in zip(labels, space.normalised(along(space.rate(q_k, v_k))), strict=True)
        ]
    else:
        there = {"start": list(q_k), "theta": between}.get(rule, bar)
    end = tuple(space.normalised(named(along(space.rate(there, v_theta)))))
    if rule == "start":
        return Motion(end, tuple(q_k), end, tuple(q_k))
    return Motion(end, tuple(bar), end, tuple(bar), start, tuple(zip(bar, end, strict=True)))


def predicted(space: Configuration, q_k: sp.Matrix, v_k: sp.Matrix, ahead: sp.Expr) -> list[sp.Expr]:
    """The configuration that goes on with v_k for the time ``ahead``."""
    rate = space.rate(list(q_k), list(v_k))
    return space.normalised([k + ahead * r for k, r in zip(q_k, rate, strict=True)])
