"""The models these tests derive: the four examples, and small ones that reach the rest of the derivation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from random import Random
from typing import Any

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import Role
from nsdgen.derive.derive import Derivation
from nsdgen.derive.kernel import Input, Kernel

from ..example_models import load

EXAMPLES = ("bouncing_ball", "cam_follower", "diode_bridge", "tumbling_brick")


def pendulum(scheme: Any) -> nsd.Model:
    """A double pendulum over a lifting ramp: M(q), a rheonomous contact, a bilateral constraint."""
    m, l, g, e = sp.symbols("m l g e", positive=True)
    a, b = dynamicsymbols("a b")
    v = sp.Matrix([a.diff() * sp.cos(a), a.diff() * sp.sin(a)]) * l
    w = v + sp.Matrix([b.diff() * sp.cos(b), b.diff() * sp.sin(b)]) * l
    height = -l * (sp.cos(a) + sp.cos(b))
    arm = nsd.LagrangianSystem(
        "arm",
        [a, b],
        kinetic=m * (v.dot(v) + w.dot(w)) / 2,
        potential=m * g * (height - l * sp.cos(a)),
        forces=[-sp.Abs(a.diff()) * a.diff(), sp.sin(3 * nsd.time)],
    )
    ramp = nsd.Contact("ramp", height + 3 * l - sp.sin(nsd.time) * l * sp.sin(b) / 9, nsd.NewtonImpact(e))
    rope = nsd.Bilateral("rope", [a + b**2 * nsd.time, sp.sin(a - b)])
    return nsd.Model(
        "double pendulum",
        [arm],
        [ramp, rope],
        scheme=scheme,
        step=1e-2,
        end=1.0,
        parameters={m: 1.3, l: 0.7, g: 9.81, e: 0.5},
        initial={a: 0.3, b: -0.2},
    )


def bead_on_body(rotation: str) -> nsd.Model:
    """A contact between a point of a body with a full inertia tensor and a bead: two participants."""
    m, e = sp.symbols("m e", positive=True)
    x, y = dynamicsymbols("x y")
    body = nsd.RigidBody("body", m, [[2, sp.Rational(1, 5), 0], [sp.Rational(1, 5), 3, -m], [0, -m, 4]])
    arm = body.point([sp.Rational(1, 2), 0, 1])
    body.apply_force([body.velocity[1], 0, -9 * body.position[2]], at=arm)
    body.apply_moment([0, sp.sin(nsd.time), 1])
    bead = nsd.LagrangianSystem("bead", [x, y], mass=[[m, 0], [0, m]], internal=[x**3, 0], external=[0, -m])
    gap = arm.position[2] - y - x * arm.position[0]
    return nsd.Model(
        "bead on body",
        [body, bead],
        [nsd.Contact("touch", gap, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(rotation=rotation),
        step=1e-2,
        end=1.0,
        parameters={m: 2, e: 0.5},
        initial={body.position: [0, 0, 0], x: 3, y: 0},
    )


def transistors(scheme: Any) -> nsd.Model:
    """Two first-order systems with M(x), joined by a relation that is nonlinear in all it reads."""
    (k,) = sp.symbols("k,", positive=True)
    x, y, z = dynamicsymbols("x y z")
    lam = nsd.multipliers("lam", 2)
    left = nsd.FirstOrderSystem(
        "left", [x, y], [-k * x * y + sp.cos(nsd.time), sp.sin(x)], mass=[[2 + x**2, y], [0, 1 + sp.exp(-y)]]
    )
    right = nsd.FirstOrderSystem("right", [z], [-(z**3)])
    gate = nsd.FirstOrderRelation(
        "gate",
        lam,
        output=[lam[0] * sp.exp(lam[1]) + x * z, lam[1] + k * z**2 * nsd.time],
        reaction={left: [lam[0] ** 2 * sp.sin(y), x * lam[1] + z], right: [lam[0] * z * x * sp.cos(nsd.time)]},
        law=nsd.Complementarity(),
    )
    return nsd.Model(
        "transistors",
        [left, right],
        [gate],
        scheme=scheme,
        step=1e-2,
        end=1.0,
        parameters={k: 2.0},
        initial={x: 1, y: 0, z: 0},
    )


def voice_coil(scheme: Any) -> nsd.Model:
    """A coil in a field, with its current and its heat as states: forces and rates that read each other, a stop."""
    m, k, R, e = sp.symbols("m k R e", positive=True)
    x, i, heat = dynamicsymbols("x i heat")
    field = 2 * sp.exp(-(x**2))
    coil = nsd.LagrangianSystem(
        "coil",
        [x],
        kinetic=m * (1 + x**2) * x.diff() ** 2 / 2,
        potential=k * x**4 / 4,
        forces=[field * i - x.diff() * sp.Abs(x.diff())],
        state=[i, heat],
        rhs=[sp.sin(nsd.time) - R * (1 + heat) * i - field * x.diff(), R * i**2 - heat],
    )
    shorted, lam = nsd.multipliers("lam", 2)
    clamp = nsd.OutputRelation(
        "clamp", [shorted, lam], [i - shorted, x.diff() * heat + lam], {coil: [lam * x, -shorted, lam * heat]},
        nsd.Box(-1, 1),
    )  # fmt: skip
    drag = nsd.ForceElement("drag", x**2, -heat * x.diff())
    return nsd.Model(
        "voice coil",
        [coil],
        [nsd.Contact("stop", 1 - x, nsd.NewtonImpact(e)), clamp, drag],
        scheme=scheme,
        step=1e-2,
        end=1.0,
        parameters={m: 0.3, k: 2.0, R: 1.5, e: 0.5},
        initial={x: 0.1, i: 0, heat: 0},
    )


SMALL: dict[str, Callable[[], nsd.Model]] = {
    "pendulum, mass predicted": lambda: pendulum(nsd.MoreauJean(projection=nsd.Projection(), activation="hysteresis")),
    "pendulum, mass implicit": lambda: pendulum(nsd.MoreauJean(mass_at="implicit")),
    "body, exponential": lambda: bead_on_body("exponential"),
    "body, nearly implicit": lambda: bead_on_body("nearly_implicit"),
    "body, semi-implicit": lambda: bead_on_body("semi_implicit"),
    "voice coil, Moreau-Jean": lambda: voice_coil(nsd.MoreauJean(mass_at="implicit")),
    "voice coil, Rattle": lambda: voice_coil(nsd.Rattle()),
    "voice coil, D1-minus": lambda: voice_coil(nsd.D1Minus()),
    "voice coil, from event to event": lambda: voice_coil(nsd.EventDriven()),
    "theta-gamma, standard": lambda: transistors(nsd.ThetaGamma()),
    "theta-gamma, full": lambda: transistors(nsd.ThetaGamma(relation_at="gamma")),
    "theta-gamma, midpoint": lambda: transistors(nsd.ThetaGamma(rhs_at="theta")),
}
MODELS = (*EXAMPLES, *SMALL)


@cache
def model(name: str) -> nsd.Model:
    return load(name).model if name in EXAMPLES else SMALL[name]()


@cache
def derivation(name: str) -> Derivation:
    return model(name).derive()


def kernels(name: str) -> Iterator[tuple[str, Kernel]]:
    """All kernels of a model, each with a name to show where a test fails."""
    for cls in derivation(name).module.classes:
        for kernel in cls.kernels:
            yield f"{name} / {cls.name} / {kernel.name}", kernel


def kernel(name: str, cls: str, wanted: str) -> Kernel:
    """One kernel by the names of its class and its own."""
    return next(k for where, k in kernels(name) if where == f"{name} / {cls} / {wanted}")


def label(symbol: sp.Symbol) -> str:
    return symbol.name.split("/")[-1]


def sample(inputs: Iterable[Input], name: str, rng: Random) -> dict[sp.Symbol, float]:
    """Values for all symbols: parameters as the model has them, times that follow each other, the rest at random."""
    defaults = {p.name: p.value for p in derivation(name).record.parameters}
    start, step = rng.uniform(0, 1), rng.uniform(1e-3, 1e-2)
    special = {"t": start, "t_k": start, "t_next": start + step, "h": step, "mode": rng.choice([0.0, 1.0])}
    values = {}
    for array in inputs:
        for symbol in array.symbols:
            key = label(symbol)
            if array.role == Role.PARAMETERS and key in defaults:
                values[symbol] = defaults[key]
            elif array.role in (Role.OPERAND, Role.TIME, Role.MODE, Role.RUN) and key in special:
                values[symbol] = special[key]
            elif array.role in (Role.RUN, Role.PARAMETERS):
                values[symbol] = rng.uniform(0.1, 0.9)
            else:
                values[symbol] = rng.uniform(-1, 1)
    return values


def at_rest(values: dict[sp.Symbol, float]) -> dict[sp.Symbol, float]:
    """The same point with quaternions at the identity, velocities and rotations zero, and t = 0."""
    quaternions = {f"p{i}{suffix}": float(i == 0) for i in range(4) for suffix in ("", "_k", "_bar")}
    quaternions |= {f"{key}_1": value for key, value in quaternions.items()}
    zero = ("v_", "Omega_", "t_k")

    def special(symbol: sp.Symbol, value: float) -> float:
        key = label(symbol)
        return quaternions.get(key, 0.0 if key == "t" or key.startswith(zero) or "_dot" in key else value)

    return {symbol: special(symbol, value) for symbol, value in values.items()}


def joints(module: Any) -> list[float]:
    """The times of one turn at which the cam follower's profile changes its formula."""
    values = {s.name: p.value for s, p in module.model.parameters.items() if isinstance(p, nsd.Parameter)}
    ends = [math.pi / 2 + d for d in (-values["beta1"], values["beta2"], values["beta3"])]
    turned = [a for end in ends for a in (end, 2 * math.pi - end)] + [math.pi, 2 * math.pi]
    return sorted((a - math.pi / 2) % (2 * math.pi) / values["omega"] for a in turned)
