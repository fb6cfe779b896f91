"""Kernels of contacts with friction and of boxes, called directly, against formulas written by hand."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import Cone, KernelRole, Quantity, Role

m, g, mu, a, e, e_t = sp.symbols("m g mu a e e_t", nonnegative=True)
x, y = dynamicsymbols("x y")
rng = np.random.default_rng(7)


def called(compiled: Any, cls: int, role: KernelRole, stage: int = 0, **values: Any) -> dict[str, np.ndarray]:
    """All outputs of a kernel, dense, by name; ``values`` by the names of its inputs."""
    table = compiled.table
    info = next(k for k in table.classes[cls].kernels if k.role == role and k.stage == stage)
    inputs = [np.asarray(values[i.name], dtype=float).reshape(-1) for i in info.inputs]
    packed = [np.zeros(max(o.nnz, 1)) for o in info.outputs]
    table.call_many(info, 1, inputs, [0] * len(inputs), packed, [0] * len(packed))
    dense = {}
    for out, entries in zip(info.outputs, packed, strict=True):
        full = np.zeros((out.rows, out.cols))
        for k, (i, j) in enumerate(np.ndindex(out.rows, out.cols) if out.positions is None else out.positions):
            full[i, j] = entries[k]
        dense[out.name] = full[:, 0] if out.cols == 1 else full
    return dense


@pytest.fixture(scope="module")
def sliding():
    """A block on a plane, sliding on it and on a belt whose speed oscillates."""
    block = nsd.LagrangianSystem("block", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2, potential=m * g * y)
    law = nsd.NewtonImpactFriction(e, mu, e_t)
    plane = nsd.Contact("plane", gap=y - a * x**2, tangent=x, law=law, scale=1)
    belt = nsd.Contact("belt", gap=y, tangent=x.diff() - sp.sin(nsd.time), law=law)
    model = nsd.Model(
        "sliding",
        [block],
        [plane, belt],
        scheme=nsd.MoreauJean(projection=nsd.Projection()),
        step=0.1,
        end=1,
        parameters={m: 2, g: 9.81, mu: 0.3, a: 0.7, e: 0.5, e_t: 0.25},
        initial={x: 0, y: 1},
    )
    return model.compile()


def test_rows_of_a_block(sliding):
    v, s = np.array([0.3, -0.4]), np.array([1.0, 2.0, 3.0, 4.0])
    memory, impulse, run = [0.1, -1.5, 0.8, 0.0], np.array([2.0, -0.7]), [0.1, 0.5, 0.5, 0.5]
    parameters = [0.5, 0.3, 0.25, 0.7]
    common = {"unknown": v, "state": s, "multiplier": impulse, "memory": memory, "run": run, "time": [0.9, 1.0]}
    at_end = s[0] + 0.1 * (0.5 * v[0] + 0.5 * s[2])
    H = np.array([[-2 * 0.7 * at_end, 1.0], [1.0, 0.0]])
    found = called(sliding, 1, KernelRole.LINEARIZE, **common, parameters=parameters)
    np.testing.assert_allclose(found["output"], H @ v + [0.5 * -1.5, 0.25 * 0.8], rtol=1e-14)
    np.testing.assert_allclose(found["reaction"], H.T @ impulse, rtol=1e-14)
    np.testing.assert_allclose(found["reaction_lambda"], H.T, rtol=1e-14)
    np.testing.assert_allclose(found["output_x"], H + np.outer([-2 * 0.7 * v[0] * 0.1 * 0.5, 0], [1, 0]), rtol=1e-14)
    belt = called(sliding, 2, KernelRole.EVALUATE, **common, parameters=parameters[:3])
    np.testing.assert_allclose(belt["output"], [v[1] - 0.75, v[0] - np.sin(1.0) + 0.2], rtol=1e-14)
    np.testing.assert_allclose(belt["reaction"], [impulse[1], impulse[0]])
    remembered = called(sliding, 2, KernelRole.OBSERVE, **common, frozen_step=[0.5, 0.5])
    slack = 8 * np.finfo(float).eps * s[1]  # it is open: what its gap is known to
    np.testing.assert_allclose(remembered["memory"], [s[1], s[3], s[2] - np.sin(1.0), slack], rtol=1e-14)


def test_bounds_columns_and_cones_of_a_block(sliding):
    assert called(sliding, 1, KernelRole.BOUNDS, parameters=[0.5, 0.3, 0.25, 0.7])["bounds"] == pytest.approx([0.3])
    cls = sliding.record.relation_classes[0]
    assert cls.cones == (((Cone.COULOMB_2D, 2),), ((Cone.COMPLEMENTARITY, 1),))
    assert cls.n_multiplier == (2, 1)
    assert cls.memory_names == ("gap", "gap_rate", "sliding_rate", "slack")
    assert cls.multiplier_names[0] == ("impulse[0]", "impulse[1]") and cls.multiplier_units[0] == ("N s", "N s")


def test_operators_of_a_tangent(sliding):
    np.testing.assert_allclose(sliding.belt.sliding_twist(1.0, [0.3, 0.2]), [[1.0, 0.0]])
    assert sliding.belt.sliding_t(1.0, [0.3, 0.2]) == pytest.approx(-np.sin(1.0))


def rotation(p):
    w, vector = p[0], p[1:]
    cross = np.cross(np.eye(3), vector)  # cross @ u is vector x u
    return (w * w - vector @ vector) * np.eye(3) + 2 * np.outer(vector, vector) + 2 * w * cross


def unit(size):
    found = rng.normal(size=size)
    return found / np.linalg.norm(found)


@pytest.mark.parametrize(
    "scheme", [nsd.MoreauJean(), nsd.MoreauJean(rotation="semi_implicit"), nsd.MoreauJean(rotation="exponential")]
)
def test_corner_of_a_body_on_a_plane(scheme):
    body = nsd.RigidBody("body", mass=m, inertia=sp.diag(1, 2, 3) * m)
    corner = [0.3, -0.2, 0.5]
    contacts = nsd.contacts_between(
        body.point(corner), nsd.Plane("floor", [1, 2, 2]), law=nsd.NewtonImpactRollingFriction(0, mu, a)
    )
    compiled = nsd.Model(
        "body",
        [body],
        contacts,
        scheme=scheme,
        step=0.1,
        end=1,
        parameters={m: 1, mu: 0.4, a: 0.01},
        initial={body.position: [0, 0, 3]},
    ).compile()
    p, v = unit(4), rng.normal(size=6)
    q = np.array([0.1, 0.2, 0.3, *p])
    R, omega = rotation(p), v[3:]
    frame = np.array([[float(c) for c in axis] for axis in nsd.Plane("floor", [1, 2, 2]).frame])
    speed = frame @ (v[:3] + np.cross(R @ omega, R @ np.array(corner)))
    expected = np.array([*speed, *(frame[1:] @ R @ omega)])
    state = np.array([*q, *rng.normal(size=6)])
    values = {
        "unknown": v,
        "state": state,
        "frozen_iteration": q,
        "multiplier": np.zeros(5),
        "memory": np.zeros(7),
        "parameters": [0.0, 0.4, 0.01, 0.0, *corner],
        "run": [0.1, 0.5, 0.5, 0.5],
        "time": [0, 0.1],
    }
    found = called(compiled, 1, KernelRole.LINEARIZE, **values)
    np.testing.assert_allclose(found["output"], expected, rtol=1e-13)
    impulse = rng.normal(size=5)
    rho = called(compiled, 1, KernelRole.EVALUATE, **{**values, "multiplier": impulse})["reaction"]
    assert rho @ v == pytest.approx(impulse @ expected, rel=1e-13)  # power of the impulses
    np.testing.assert_allclose(
        called(compiled, 1, KernelRole.BOUNDS, parameters=values["parameters"])["bounds"], [0.4, 0.01]
    )
    record = compiled.record.relation_classes[0]
    assert record.cones == (((Cone.ROLLING, 5),),)
    assert record.memory_units == ("m", "m/s", "m/s", "m/s", "rad/s", "rad/s", "m")
    assert record.multiplier_units == (("N s", "N s", "N s", "N m s", "N m s"),)


def test_frame_of_two_bodies():
    """Two spheres: relative velocity of their surfaces at the point between them."""
    one, two = (nsd.RigidBody(name, mass=m, inertia=sp.eye(3) * m) for name in ("one", "two"))
    apart = sp.Matrix(one.position - two.position)
    distance = sp.sqrt(apart.dot(apart))
    n = apart / distance
    up = sp.Matrix([0, 0, 1])
    t1 = up.cross(n) / sp.sqrt(up.cross(n).dot(up.cross(n)))
    touch = nsd.Contact(
        "touch",
        gap=distance - 2,
        frame=(n, t1, n.cross(t1)),
        point=(one.position + two.position) / 2,
        bodies=(one, two),
        law=nsd.NewtonImpactFriction(0, mu),
    )
    compiled = nsd.Model(
        "spheres",
        [one, two],
        [touch],
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=1,
        parameters={m: 1, mu: 0.4},
        initial={one.position: [0, 0, 3], two.position: [0, 3, 0]},
    ).compile()
    q1, q2 = np.array([0, 0.5, 1.0, *unit(4)]), np.array([1.5, 0, 0.2, *unit(4)])
    v1, v2 = rng.normal(size=6), rng.normal(size=6)
    d = q1[:3] - q2[:3]
    normal = d / np.linalg.norm(d)
    first = np.cross([0, 0, 1], normal)
    first /= np.linalg.norm(first)
    axes = np.array([normal, first, np.cross(normal, first)])
    arm = d / 2
    spin1, spin2 = rotation(q1[3:]) @ v1[3:], rotation(q2[3:]) @ v2[3:]
    relative = (v1[:3] + np.cross(spin1, -arm)) - (v2[:3] + np.cross(spin2, arm))
    values = {
        "unknown_1": v1,
        "unknown_2": v2,
        "state_1": np.zeros(13),
        "state_2": np.zeros(13),
        "frozen_iteration_1": q1,
        "frozen_iteration_2": q2,
        "multiplier": np.zeros(3),
        "memory": np.zeros(5),
        "parameters": [0.0, 0.4, 0.0],
        "run": [0.1, 0.5, 0.5, 0.5],
        "time": [0, 0.1],
    }
    found = called(compiled, 1, KernelRole.EVALUATE, **values)
    np.testing.assert_allclose(found["output"], axes @ relative, rtol=1e-13)


def test_boxes():
    plant = nsd.FirstOrderSystem("plant", [x], [0])
    lam = nsd.multipliers("lam", 3)
    law = nsd.Mixed([nsd.Box(-a * (1 + sp.cos(nsd.time)), a), nsd.Box(-sp.oo, 2 * a), nsd.Equality()])
    relay = nsd.FirstOrderRelation("relay", lam, [x, x, x - lam[2]], {plant: [sum(lam)]}, law)
    wide = nsd.FirstOrderRelation("wide", lam, [x, x, x], {plant: [sum(lam)]}, nsd.Box(-1, [1, 2, sp.oo]))

    def model(scheme):
        return nsd.Model(
            "relay", [plant], [relay, wide], scheme=scheme, step=0.1, end=1, parameters={a: 3}, initial={x: 1}
        ).compile()

    compiled = model(nsd.ThetaGamma())
    found = called(compiled, 1, KernelRole.BOUNDS, time=[0.5, 0.6], parameters=[3.0, 6.0, 3.0])["bounds"]
    np.testing.assert_array_equal(found, [-3.0 * (np.cos(0.6) + 1.0), 3.0, -np.inf, 6.0])
    found = called(compiled, 2, KernelRole.BOUNDS, parameters=[-1.0, 1.0, 2.0])["bounds"]
    np.testing.assert_array_equal(found, [-1, 1, -1, 2, -1, np.inf])
    assert [c.cones for c in compiled.record.relation_classes] == [
        (((Cone.BOX, 1), (Cone.BOX, 1), (Cone.EQUALITY, 1)),) * 2,
        (((Cone.BOX, 3),),) * 2,
    ]  # of the step, at the start
    full = called(
        model(nsd.ThetaGamma(gamma=0.25, relation_at="gamma")),
        1,
        KernelRole.BOUNDS,
        time=[0.5, 0.7],
        run=[0.2, 0.5, 0.25],
        parameters=[3.0, 6.0, 3.0],
    )["bounds"]
    assert full[0] == pytest.approx(-3.0 * (np.cos(0.25 * 0.7 + 0.75 * 0.5) + 1.0), rel=1e-14)


def test_a_box_that_parameters_leave_empty_is_refused_when_a_run_starts():
    from nsdgen.errors import ParameterError
    from nsdgen.runtime.values import run_values

    low, high = sp.symbols("low high", real=True)
    plant = nsd.FirstOrderSystem("plant", [x], [0])
    lam = nsd.multipliers("lam", 2)
    law = nsd.Mixed([nsd.Box(-sp.oo, high), nsd.Box(low, high)])
    compiled = nsd.Model(
        "box",
        [plant],
        [nsd.FirstOrderRelation("box", lam, [x, x], {plant: [lam[0]]}, law)],
        scheme=nsd.ThetaGamma(),
        step=0.1,
        end=1,
        parameters={low: 1, high: 2},
        initial={x: 1},
    ).compile()
    run_values(compiled.record, compiled.table)
    with pytest.raises(ParameterError, match=r"box \[1, 0.5\] of bounded row 1 is empty") as caught:
        run_values(compiled.record, compiled.table, parameters={"high": 0.5})
    assert caught.value.where == "relation 'box'"


def test_a_box_without_any_bound_compiles():
    plant = nsd.FirstOrderSystem("plant", [x], [0])
    lam = nsd.multipliers("lam", 1)
    free = nsd.FirstOrderRelation("free", lam, [x], {plant: lam}, nsd.Box(-sp.oo, sp.oo))
    compiled = nsd.Model("free", [plant], [free], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 1}).compile()
    np.testing.assert_array_equal(called(compiled, 1, KernelRole.BOUNDS)["bounds"], [-np.inf, np.inf])


def test_bounds_that_would_change_within_a_step_are_refused():
    import dataclasses

    from nsdgen.errors import DerivationError

    class Moving(nsd.ThetaGamma):
        def discretise_relation(self, cls, participants):
            found = super().discretise_relation(cls, participants)
            stage = dataclasses.replace(found.stages[0], bounds=sp.Matrix([-1, cls.multipliers[0]]))
            return dataclasses.replace(found, stages=(stage,))

    plant = nsd.FirstOrderSystem("plant", [x], [0])
    lam = nsd.multipliers("lam", 1)
    relay = nsd.FirstOrderRelation("relay", lam, [x], {plant: lam}, nsd.Relay())
    with pytest.raises(DerivationError, match="the bounds depend on lam0") as caught:
        nsd.Model("relay", [plant], [relay], scheme=Moving(), step=0.1, end=1, initial={x: 1}).derive()
    assert "start" in caught.value.fix

    class Without(nsd.ThetaGamma):
        def discretise_relation(self, cls, participants):
            found = super().discretise_relation(cls, participants)
            return dataclasses.replace(found, stages=(dataclasses.replace(found.stages[0], bounds=None),))

    with pytest.raises(DerivationError, match="gives 0 bounds for cones that take 2"):
        nsd.Model("relay", [plant], [relay], scheme=Without(), step=0.1, end=1, initial={x: 1}).derive()


def test_the_bounds_kernel_is_one_per_stage_and_names_its_quantity(sliding):
    kernels = [k for k in sliding.table.classes[1].kernels if k.role == KernelRole.BOUNDS]
    assert [(k.name, k.stage, k.outputs[0].quantity) for k in kernels] == [("bounds", 0, Quantity.BOUNDS)]
    assert kernels[0].outputs[0].depends == 1 << Role.PARAMETERS
