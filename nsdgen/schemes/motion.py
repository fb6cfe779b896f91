"""How a mechanical configuration moves within a step: the rules behind q(v), T and H.

All rules give the end configuration as a function of the velocity unknown v and the
state (q_k, v_k), with v_theta = theta v + (1 - theta) v_k:

* generalised coordinates: q = q_k + h v_theta;
* a body, nearly implicit: q = q_k + h T(q_bar) v_theta, normalised at the end of the
  step, with q_bar frozen at q_k or at the last Newton iterate (newton_euler.tex,
  "choices for q_bar");
* a body, exponential: x = x_k + h v_theta, p = p_k o exp(h Omega_theta / 2).

``force`` is where forces are evaluated (functions of the configuration at the
normalised quaternion), ``contact`` where gaps and their gradients are, ``frozen`` where those
are that join several systems: at the last Newton iterate, first at q_k + h v_k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.schemes.stages import STEP, Assignments
from nsdgen.symbolic import quaternion as quat
from nsdgen.symbolic.classes import MechanicalClass
from nsdgen.symbolic.entry import own_symbol
from nsdgen.symbolic.nodes import let

__all__ = ["Motion", "motion"]


@dataclass(frozen=True)
class Motion:
    """End configuration for forces, for contacts and for the new state, and what it freezes."""

    force: tuple[sp.Expr, ...]
    contact: tuple[sp.Expr, ...]
    end: tuple[sp.Expr, ...]
    frozen: tuple[sp.Expr, ...]
    freeze_start: Assignments = ()
    freeze_iteration: Assignments = ()


def motion(cls: MechanicalClass, rule: str, q_k: Sequence[sp.Symbol], v_k: Sequence[sp.Symbol],
           v_theta: Sequence[sp.Expr]) -> Motion:
    """The motion of a class; ``rule`` ("start", "iterate", "exponential") matters for bodies only."""
    frozen = [own_symbol("frozen", f"{q.name.split('/')[-1]}_bar") for q in cls.coordinates]
    if not cls.quaternion:
        end = tuple(let(f"{q.name.split('/')[-1]}_next", k + STEP * v)
                    for q, k, v in zip(cls.coordinates, q_k, v_theta, strict=True))
        predicted = tuple((s, k + STEP * v) for s, k, v in zip(frozen, q_k, v_k, strict=True))
        return Motion(end, end, end, tuple(frozen), predicted, tuple(zip(frozen, end, strict=True)))
    x = [let(f"{q.name.split('/')[-1]}_next", k + STEP * v)
         for q, k, v in zip(cls.coordinates[:3], q_k[:3], v_theta[:3], strict=True)]
    p_k = list(q_k[3:])
    omega = sp.Matrix(v_theta[3:])
    if rule == "exponential":
        p = [let(f"p{i}_next", c) for i, c in enumerate(quat.compose(p_k, quat.exponential(STEP * omega)))]
        unit, _ = quat.hat(p)
        end = (*x, *unit)
        bar = tuple(zip(frozen, end, strict=True))
        start = tuple(zip(frozen, q_k, strict=True))
        # A product of unit quaternions is a unit quaternion: forces need no second normalisation.
        return Motion((*x, *p), tuple(frozen), end, tuple(frozen), start, bar)
    at = p_k if rule == "start" else frozen[3:]
    p = [let(f"p{i}_next", k + STEP * r)
         for i, (k, r) in enumerate(zip(p_k, quat.twist_block(at) * omega, strict=True))]
    unit, _ = quat.hat(p)
    end = (*x, *unit)
    if rule == "start":
        return Motion(end, tuple(q_k), end, tuple(q_k))
    start = tuple(zip(frozen, q_k, strict=True))
    return Motion(end, tuple(frozen), end, tuple(frozen), start, tuple(zip(frozen, end, strict=True)))
