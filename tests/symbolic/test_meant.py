"""Models that cannot be meant are refused: masses, inertias, distributions, times that cannot be told apart."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.base.definiteness import first_wrong, not_definite, not_inertia
from nsdgen.errors import ModelError, NsdgenError, ParameterError

x, y = dynamicsymbols("x y")
t = nsd.time
m, k = sp.Symbol("m", positive=True), sp.Symbol("k")
a, b, c = sp.symbols("a b c")


def model(system, initial, **parameters):
    return nsd.Model(
        "meant",
        [system],
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=0.3,
        parameters={sp.Symbol(n): v for n, v in parameters.items()} | {s: 1.0 for s in (m,) if _uses(system, m)},
        initial=initial,
    )


def _uses(system, symbol):
    parts = [getattr(system, n, None) for n in ("mass", "kinetic", "inertia")]
    return any(getattr(p, "has", lambda s: False)(symbol) for p in parts if p is not None)


def pair(mass, **options):
    return nsd.LagrangianSystem("pair", [x, y], mass=mass, **options)


AT = {x: 1.0, y: 0.5}


@pytest.mark.parametrize(
    ("mass", "words"),
    [
        ([[-1, 0], [0, 1]], "is -1, which is negative"),
        ([[-m, 0], [0, 1]], "is -m, which is negative"),
        ([[1, 2], [2, 1]], "it is indefinite"),
        ([[1, 1], [0, 1]], "differ: it is not symmetric"),
        ([[0, 1], [1, 0]], "it is indefinite"),
        ([[m, 1], [2, m]], "not symmetric"),
        ([[1, m], [-m, 1]], "not symmetric"),
        ([[m, x**2 + 1], [x**2 + 2, m]], "not symmetric"),
    ],
)
def test_a_mass_matrix_that_symbols_tell_is_wrong(mass, words):
    with pytest.raises(ModelError, match=words) as caught:
        model(pair(mass), AT)
    assert "system 'pair', mass" in str(caught.value) and "nonsymmetric_mass=True" in caught.value.fix
    model(pair(mass, nonsymmetric_mass=True), AT)


@pytest.mark.parametrize("rotated", [sp.diag(1, 2, 2.5), sp.diag(m, 2 * m, 2.5 * m)])
def test_doubles_are_symmetric_up_to_their_rounding(rotated):
    """Q I Q^T is as far from it as a rounding, entry by entry; so is the mass of an energy with numbers such as 0.1."""
    Q = nsd.rotations.rotation_matrix(nsd.from_axis_angle([1, 2, 3], 0.7)).evalf(15)
    inertia = Q * rotated * Q.T
    assert inertia != inertia.T
    nsd.RigidBody("rotated", mass=m, inertia=inertia)
    with pytest.raises(ModelError, match="not symmetric"):
        nsd.RigidBody("rotated", mass=m, inertia=inertia + sp.Matrix([[0, 1e-6 * m, 0], [0, 0, 0], [0, 0, 0]]))
    u, w = x.diff(), y.diff()
    length = x - 0.706308177230456 + sp.sqrt(2)
    model(nsd.LagrangianSystem("arm", [x, y], kinetic=u**2 + w**2 + (length * u + x + 2 * u + 2 * w) ** 2 / 7), AT)


@pytest.mark.parametrize("kinetic", [-m * x.diff() ** 2 / 2, -(x.diff() ** 2)])
def test_a_negative_kinetic_energy(kinetic):
    with pytest.raises(ModelError, match="negative"):
        model(nsd.LagrangianSystem("s", [x], kinetic=kinetic), {x: 1.0})


@pytest.mark.parametrize(
    ("mass", "wrong", "right"),
    [
        ([[a, 0], [0, 1]], {"a": -1.0}, {"a": 1.0}),
        ([[1, a], [a, 1]], {"a": 1.5}, {"a": 0.5}),
        ([[1, a], [b, 1]], {"a": 0.5, "b": 0.4}, {"a": 0.5, "b": 0.5}),
        ([[1, a * sp.cos(x - y)], [a * sp.cos(y - x), 1]], {"a": 3.0}, {"a": 1.0}),
        ([[a * x, 0], [0, 1]], {"a": -2.0}, {"a": 2.0}),
        ([[0, 0], [0, a]], {"a": -1.0}, {"a": 1.0}),
    ],
)
def test_a_mass_matrix_that_values_tell_is_wrong(mass, wrong, right):
    compiled = model(pair(mass), AT, **right).compile()
    with pytest.raises(ParameterError, match=r"system 'pair': its mass matrix is not symmetric and positive semidef"):
        compiled.run(parameters=wrong)
    model(pair(mass, nonsymmetric_mass=True), AT, **right).compile().run(end=0.1, parameters=right) if mass[0][
        0
    ] != 0 else None
    with pytest.raises(ParameterError, match="at the start"):
        model(pair(mass), AT, **wrong).run()


def test_the_initial_state_counts():
    compiled = model(pair([[x, 0], [0, 1]]), AT).compile()
    with pytest.raises(ParameterError, match=r"entry \(0, 0\) is -1, which is negative"):
        compiled.run(initial={"x": -1.0})


def test_copies_are_looked_at_each():
    beads = nsd.LagrangianSystem("bead", [x], kinetic=a * x.diff() ** 2 / 2).copies(
        3, parameters={a: [1.0, -2.0, 1.0]}, initial={x: 0.0}
    )
    row = nsd.Model("row", beads, scheme=nsd.MoreauJean(), step=0.1, end=1)
    with pytest.raises(ParameterError, match=r"'bead 1': its mass matrix .*is -2, which is negative"):
        row.run()


@pytest.mark.parametrize(
    ("mass", "inertia", "words"),
    [
        (-1, sp.eye(3), "negative"),
        (-m, sp.eye(3), "negative"),
        (1, -sp.eye(3), "negative"),
        (1, sp.diag(1, 1, 3), "principal moments 1, 1, 3"),
        (1, sp.diag(1, m, -m), "negative"),
        (1, [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "indefinite"),
    ],
)
def test_a_body_that_symbols_tell_cannot_be(mass, inertia, words):
    body = nsd.RigidBody("body", mass, inertia)
    with pytest.raises(ModelError, match=words):
        model(body, {body.position: [0, 0, 0]})


@pytest.mark.parametrize("wrong", [{"a": -1.0}, {"b": -1.0}, {"c": 9.0}, {"c": -1.0}])
def test_a_body_that_values_tell_cannot_be(wrong):
    body = nsd.RigidBody("body", a, sp.diag(b, 2 * b, c))
    compiled = model(body, {body.position: [0, 0, 0]}, a=1.0, b=1.0, c=3.0).compile()  # a plate: 1 + 2 = 3
    compiled.run()
    with pytest.raises(ParameterError, match=r"system 'body': its (mass matrix|inertia) is not"):
        compiled.run(parameters=wrong)


def test_units_do_not_decide():
    """A small body in large units: what is wrong with its inertia is seen beside a mass of 10^9."""
    body = nsd.RigidBody("body", a, sp.diag(b, b, c))
    compiled = model(body, {body.position: [0, 0, 0]}, a=1e9, b=1e-9, c=1e-9).compile()
    compiled.run(end=0.1)
    for value in (-1e-10, 3e-9):
        with pytest.raises(ParameterError, match="is not"):
            compiled.run(parameters={"c": value})
    assert not_definite(np.diag([1e-300, 1e300, 0.0])) == ""
    assert not_definite(np.array([[1e-12, 1.1], [1.1, 1e12]]))
    assert not not_definite(np.array([[1e-12, 0.9], [0.9, 1e12]]))


@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 10**6), st.floats(-6, 6))
def test_what_has_energies_is_taken(n, rank, seed, power):
    """J^T J is semidefinite in all units, also where it is singular; a negative direction is seen."""
    rng = np.random.default_rng(seed)
    unit = 10.0 ** rng.uniform(-power, power, n) if power > 0 else np.ones(n)
    j = rng.normal(size=(rank, n)) * unit
    assert not_definite(j.T @ j) == ""
    v = rng.normal(size=n)
    assert not_definite((np.eye(n) - 1.001 * np.outer(v, v) / (v @ v)) * np.outer(unit, unit)) != ""


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_what_is_made_of_masses_is_a_body(seed, count):
    rng = np.random.default_rng(seed)
    points, masses = rng.normal(size=(count, 3)), rng.uniform(0, 1, count)
    inertia = sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(masses, points, strict=True))
    assert not_inertia(inertia) == ""
    assert not_inertia(np.diag([1, 1, 2 + 1e-6])) and not not_inertia(np.diag([1, 1, 2.0]))


def test_large_masses_are_looked_at_by_pivots():
    chain = 2 * np.eye(1200) - np.eye(1200, k=1) - np.eye(1200, k=-1)
    assert not_definite(chain) == "" and not_definite(chain - 1e-3 * np.eye(1200)) != ""
    assert first_wrong("definite", np.stack([np.eye(2), np.diag([1.0, -1.0])])) == (
        1,
        "entry (1, 1) is -1, which is negative",
    )


@pytest.mark.parametrize(
    "force",
    [
        sp.DiracDelta(t - 1),
        x * sp.DiracDelta(x),
        sp.DiracDelta(x, 1),
        sp.Heaviside(t - 1).diff(t),
        sp.Derivative(sp.Heaviside(x), x),
        sp.SingularityFunction(t, 1, -1),
        sp.SingularityFunction(t, 1, 1),
        sp.Piecewise((sp.DiracDelta(t), x > 0), (0, True)),
        sp.exp(sp.Abs(sp.DiracDelta(t))),
    ],
)
def test_a_distribution_has_no_value(force):
    for make in (
        lambda: nsd.LagrangianSystem("s", [x], mass=[[1]], external=[force]),
        lambda: nsd.FirstOrderSystem("s", [x], [force]),
        lambda: nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2, potential=x * force),
    ):
        with pytest.raises(ModelError, match="is a distribution, which has no value"):
            model(make(), {x: 1.0})
    with pytest.raises(ModelError, match="is a distribution"):
        nsd.Model(
            "gap",
            [nsd.LagrangianSystem("s", [x], mass=[[1]])],
            [nsd.Contact("c", x + force, nsd.Complementarity())],
            scheme=nsd.MoreauJean(),
            step=0.1,
            end=1,
            initial={x: 1},
        )


@pytest.fixture(scope="module")
def free():
    return model(nsd.LagrangianSystem("s", [x], mass=[[1]]), {x: 0.0}).compile()


@given(start=st.one_of(st.just(0.0), st.floats(-1e18, 1e18)), step=st.floats(1e-12, 1e3), count=st.integers(1, 200))
def test_times_are_told_apart_or_refused(free, start, step, count):
    try:
        times = free.run(start=start, end=start + count * step, step=step).time
    except NsdgenError:
        return
    apart = np.diff(times)
    assert (apart > 0).all() and np.allclose(apart, step, rtol=0.05)


def test_a_step_below_the_resolution_of_time(free):
    with pytest.raises(ParameterError, match="too short for times near"):
        free.run(start=1e12, end=1e12 + 0.0625, step=6.25e-5)
