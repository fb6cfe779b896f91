"""Laws of every shape in runs: each step against the curve itself, or against an enumeration of faces."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..symbolic.test_piecewise_linear import CURVES, DIODE, LEAKING_DIODE, RELAY, SATURATION, ZENER

x, y = dynamicsymbols("x y")
t = nsd.time
EULER = nsd.ThetaGamma(theta=1.0)


def run(state: Any, rhs: Any, law: Any, sign: int = 1, **options: Any) -> nsd.Trajectory:
    """x' = rhs + sign lambda, (x, lambda) in the law."""
    lam = nsd.multipliers("lam", len(state))
    system = nsd.FirstOrderSystem("s", state, rhs)
    relation = nsd.FirstOrderRelation("r", lam, state, {system: [sign * v for v in lam]}, law)
    return nsd.Model("m", [system], [relation], scheme=EULER, **{"step": 0.02, "end": 8.0, **options}).run()


@pytest.mark.parametrize("name", CURVES)
def test_every_step_is_on_the_curve(name: str) -> None:
    """x+ = x + h (5 cos 2t -+ lambda): monotone, so that the pair on the curve is the only one."""
    law = CURVES[name]
    sign = 1 if law.falling else -1
    found = run([x], [5 * sp.cos(2 * t)], law, sign, initial={x: -0.5})
    state, lam = found["x"], found["lam"].ravel()
    assert np.diff(state) == pytest.approx(0.02 * (5 * np.cos(2 * found.time[1:]) + sign * lam[1:]), abs=1e-12)
    for place, value in zip(state[1:], lam[1:], strict=True):
        near = [law.interval(p) for p in (place, *(float(a) for a, _ in law.points if abs(a - place) < 1e-9))]
        assert any(i is not None and i[0] - 1e-9 <= value <= i[1] + 1e-9 for i in near), (place, value)


def test_two_curves_side_by_side_are_their_sum() -> None:
    """A relay and a saturation as two relations, and as one law."""
    a, b = nsd.multipliers("a", 1), nsd.multipliers("b", 1)
    system = nsd.FirstOrderSystem("s", [x], [4 * sp.cos(2 * t)])
    pair = [
        nsd.FirstOrderRelation(name, lam, [x], {system: lam}, law)
        for name, lam, law in (("relay", a, RELAY), ("saturation", b, SATURATION))
    ]
    apart = nsd.Model("m", [system], pair, scheme=EULER, step=0.02, end=8.0, initial={x: 1.0}).run()
    together = run([x], [4 * sp.cos(2 * t)], RELAY + SATURATION, initial={x: 1.0})
    assert together["x"] == pytest.approx(apart["x"], abs=1e-10)
    assert together["lam"].ravel() == pytest.approx(apart["a"].ravel() + apart["b"].ravel(), abs=1e-9)


def test_the_relay_of_points_is_the_box() -> None:
    box = run([x], [2 * sp.cos(t)], nsd.Relay(1), initial={x: 2.0})
    assert run([x], [2 * sp.cos(t)], RELAY, initial={x: 2.0})["x"] == pytest.approx(box["x"], abs=1e-11)


def test_curves_beside_other_laws() -> None:
    mixed = run([x, y], [2 * sp.cos(t), 2 * sp.sin(t)], nsd.Mixed([SATURATION, nsd.Relay(1)]), initial={x: 1.0, y: 0.0})
    alone = run([x], [2 * sp.cos(t)], SATURATION, initial={x: 1.0})
    assert mixed["x"] == pytest.approx(alone["x"], abs=1e-11)


def rectified(law: nsd.PiecewiseLinear) -> nsd.Trajectory:
    """An RC load behind a diode: v' = i - v / 2, i on the characteristic of the voltage 3 sin t - v - i / 10."""
    i, v = nsd.multipliers("i", 1), dynamicsymbols("v")
    load = nsd.FirstOrderSystem("load", [v], [-v / 2])
    diode = nsd.FirstOrderRelation("diode", i, [3 * sp.sin(t) - v - i[0] / 10], {load: i}, law)
    return nsd.Model("rc", [load], [diode], scheme=EULER, step=0.01, end=20.0, initial={v: 0.0}).run()


def test_diodes_with_a_drop_and_with_leakage() -> None:
    """Closed form: forward i = 10 (e - 0.7 - v), reverse 0.01 (e - v) / (1 + 0.001), whichever holds."""
    found = rectified(LEAKING_DIODE)
    e, v, i = 3 * np.sin(found.time), found["v"], found["i"].ravel()
    conducting = 10 * (e - v - 0.7)
    blocking = 0.01 * (e - v) / 1.001
    assert i[1:] == pytest.approx(np.where(conducting > 7e-3, conducting, blocking)[1:], abs=1e-9)


def test_an_ideal_diode_is_complementarity() -> None:
    """0 <= i orthogonal to -(forward voltage) >= 0."""
    found = rectified(DIODE)
    voltage, i = 3 * np.sin(found.time) - found["v"] - found["i"].ravel() / 10, found["i"].ravel()
    assert i[1:].min() > -1e-12 and voltage[1:].max() < 1e-9 and abs(i * voltage)[1:].max() < 1e-9


def test_a_zener_diode_clamps() -> None:
    """A source of 8 V behind 100 Ohm, a breakdown at -5 V: the rest falls over the resistor."""
    i, v = nsd.multipliers("i", 1), dynamicsymbols("v")
    node = nsd.FirstOrderSystem("node", [v], [(8 - v) / 100])
    zener = nsd.FirstOrderRelation("zener", i, [-v], {node: i}, ZENER)
    found = nsd.Model("clamp", [node], [zener], scheme=EULER, step=1.0, end=400.0, initial={v: 0.0}).run()
    assert found["v"][-1] == pytest.approx(5.0, abs=1e-9) and found["i"].ravel()[-1] == pytest.approx(-0.03, abs=1e-9)


def closest(h: np.ndarray, k: np.ndarray, free: np.ndarray, step: float) -> np.ndarray:
    """The state y = free + step lambda with -y in N_C(lambda), by trying every set of faces."""
    faces = range(len(k))
    for active in chain.from_iterable(combinations(faces, n) for n in range(free.size + 1)):
        a = h[list(active)]
        # lambda = -(free + H_a^T mu) / step, H_a lambda = K_a
        gram = a @ a.T
        if len(active) and np.linalg.matrix_rank(a) < len(active):
            continue
        mu = np.linalg.solve(gram, -a @ free - step * k[list(active)]) if len(active) else np.zeros(0)
        lam = -(free + a.T @ mu) / step
        if (mu >= -1e-12).all() and (h @ lam <= k + 1e-9).all():
            return free + step * lam
    raise AssertionError("no set of faces")


POLYTOPES = {
    "triangle": ([[1, 1], [-1, 0], [0, -1]], [1, 1, 1]),
    "wedge": ([[1, 2], [-2, 1]], [1, 0.5]),
    "rotated box": ([[1, 1], [1, -1], [-1, -1], [-1, 1]], [1, 1, 1, 1]),
    "redundant": ([[1, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1]], [1, 2, 1, 1, 1, 2]),
}


@pytest.mark.parametrize("name", POLYTOPES)
@pytest.mark.few(2)
def test_normal_cones_step_by_step(name: str) -> None:
    h, k = (np.array(part, dtype=float) for part in POLYTOPES[name])
    found = run([x, y], [3 * sp.cos(t), 2 * sp.sin(2 * t)], nsd.NormalCone(h, k), initial={x: 1.0, y: -1.0})
    states = np.column_stack([found["x"], found["y"]])
    for number in range(1, len(found)):
        time = found.time[number]
        free = states[number - 1] + 0.02 * np.array([3 * np.cos(time), 2 * np.sin(2 * time)])
        assert states[number] == pytest.approx(closest(h, k, free, 0.02), abs=1e-10)


def test_a_box_is_a_normal_cone() -> None:
    rhs, initial = [3 * sp.cos(t), 2 * sp.sin(2 * t)], {x: 1.0, y: -1.0}
    of_box = run([x, y], rhs, nsd.NormalCone.of_box(np.eye(2), [-1, -0.5], [1, 2]), initial=initial)
    box = run([x, y], rhs, nsd.Box([-1, -0.5], [1, 2]), initial=initial)
    assert of_box["x"] == pytest.approx(box["x"], abs=1e-11) and of_box["lam"][1:] == pytest.approx(box["lam"][1:])


def test_numbers_of_a_law_are_data() -> None:
    texts = set()
    for level in (1.0, 2.0):
        lam = nsd.multipliers("lam", 2)
        system = nsd.FirstOrderSystem("s", [x, y], [1, 2])
        law = nsd.NormalCone([[1, level], [-1, 0], [0, -1]], [level, 1, 1])
        relation = nsd.FirstOrderRelation("r", lam, [x, y], {system: lam}, law)
        texts.add(
            nsd.Model("m", [system], [relation], scheme=EULER, step=0.1, end=1.0, initial={x: 0.0, y: 0.0})
            .compile()
            .text
        )
    assert len(texts) == 1


@pytest.mark.parametrize(
    "law", [nsd.PiecewiseLinear([(-0.5, 1), (0.5, -1)]), nsd.NormalCone([[1], [-1]], [1, 1]), nsd.Mixed([SATURATION])]
)
def test_a_block_takes_every_law_that_a_relation_takes(law: Any) -> None:
    """u on the characteristic of the sampled x itself: held values are pairs of the law."""
    u, lam = sp.Symbol("u"), nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [u])
    block = nsd.Sampled(
        "b", 0.1, samples={"s": x}, multipliers=lam, output=[nsd.sampled("s") + lam[0] / 10], law=law, holds={u: lam[0]}
    )
    found = nsd.Model("m", [system], scheme=EULER, step=0.1, end=3.0, blocks=[block], initial={x: 1.0}).run()
    state, held = found["x"], found["b.u"]
    if isinstance(law, nsd.NormalCone):
        assert held == pytest.approx(np.clip(-10 * state, -1, 1), abs=1e-12)
    else:
        slope, level = (2.0, 1.0) if isinstance(law, nsd.PiecewiseLinear) else (1.0, 2.0)
        shift = 0.0 if isinstance(law, nsd.PiecewiseLinear) else 1.0
        inside = (-slope * (state - shift)) / (1 + slope / 10)
        assert held == pytest.approx(np.clip(inside, -level, level), abs=1e-12)


# -- polytopes that move ----------------------------------------------------------------------------


def test_a_polytope_that_moves_with_time_and_state_is_the_box_that_does() -> None:
    upper = [2 + sp.sin(t), 1 + y**2 / 4]
    lower = [-2 - sp.sin(t), -1]
    cone = nsd.NormalCone([[1, 0], [0, 1], [-1, 0], [0, -1]], [*upper, *(-v for v in lower)])
    found, expected = (
        run([x, y], [3 * sp.cos(t), 1.5], law, initial={x: 1, y: 0}) for law in (cone, nsd.Box(lower, upper))
    )
    assert np.abs(found["lam"] - expected["lam"]).max() < 1e-12
    assert np.abs(found["x"] - expected["x"]).max() < 1e-13
    assert found["face"].min() > -1e-12 and found["face"].shape[1] == 4


def test_a_sweeping_process_is_the_nearest_point_of_each_set() -> None:
    """-z' in N_C(t)(z), C(t) a rectangle that turns: the catching-up algorithm, in coordinates of the rectangle."""
    v1, v2 = dynamicsymbols("v1 v2")
    q = nsd.multipliers("q", 2)
    turn = sp.Matrix([[sp.cos(t), sp.sin(t)], [-sp.sin(t), sp.cos(t)]])
    system = nsd.FirstOrderSystem("swept", [x, y, v1, v2], [v1, v2, -x, -y], mass=sp.diag(1, 1, 0, 0))
    relation = nsd.FirstOrderRelation(
        "sweep", q, [v1, v2], {system: [0, 0, *q]}, nsd.NormalCone.of_box(turn, [-0.5, -1], [1, 1])
    )
    found = nsd.Model(
        "swept", [system], [relation], scheme=EULER, step=0.02, end=4, initial={x: 0.9, y: 0.9, v1: 0, v2: 0}
    ).run()
    place = np.array([0.9, 0.9])
    for k, now in enumerate(found.time[1:], 1):
        frame = np.array([[np.cos(now), np.sin(now)], [-np.sin(now), np.cos(now)]])
        place = frame.T @ np.clip(frame @ place, [-0.5, -1], [1, 1])
        assert [found["x"][k], found["y"][k]] == pytest.approx(place, abs=1e-12)


def test_the_super_twisting_controller_finds_the_disturbance() -> None:
    """x' = -1.5 sqrt(|x| + eps) sgn x + w + sin t, w' = -1.1 sgn x: on x = 0, w = -sin t to within 1.5 sqrt(eps)."""
    w, lam = dynamicsymbols("w"), nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("super", [x, w], [w + sp.sin(t), 0])
    relation = nsd.FirstOrderRelation(
        "sgn", lam, [x], {system: [1.5 * sp.sqrt(sp.Abs(x) + 1e-10) * lam[0], 1.1 * lam[0]]}, nsd.Relay()
    )
    found = nsd.Model("super", [system], [relation], scheme=EULER, step=0.01, end=8, initial={x: 1, w: 0}).run()
    assert np.abs(found["x"][500:]).max() < 1e-12
    assert np.abs(found["w"] + np.sin(found.time))[500:].max() < 1.5e-5
    assert np.abs(found["lam[0]"] + np.cos(found.time) / 1.1)[500:].max() < 0.01  # the mean slope of a step


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: nsd.PiecewiseLinear(3), "points is 3, not a list"),
        (lambda: nsd.Mixed([nsd.NormalCone([[1.0]], [1.0])]), "NormalCone cannot be mixed"),
        (lambda: nsd.Sampled("b", 1.0, samples=[1], holds={sp.Symbol("u"): 1}), "samples is .* not a mapping"),
        (lambda: nsd.Sampled("b", 1.0, holds={sp.Symbol("u"): 1}, units=["V"]), "units is .* not a mapping"),
        (lambda: nsd.Sampled("b", 1.0, state=sp.Symbol("z"), update={sp.Symbol("z"): 1}, initial=3), "initial is 3"),
    ],
)
def test_what_is_no_list_or_mapping_is_refused(make: Any, said: str) -> None:
    with pytest.raises(nsd.errors.ModelError, match=said):
        make()
