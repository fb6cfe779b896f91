"""Operators for control: dM/dt - 2 C is skew, C v + g is what the equations of motion hold, the regressor is linear."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.symbolic.families.control_terms import coriolis_matrix

m1, m2, l1, l2, g = sp.symbols("m1 m2 l1 l2 g", positive=True)
a, b = dynamicsymbols("a b")
VALUES = {m1: 1.3, m2: 0.8, l1: 0.6, l2: 0.5, g: 9.81}


def arm(**options):
    x, y = l1 * sp.sin(a) + l2 * sp.sin(a + b), -l1 * sp.cos(a) - l2 * sp.cos(a + b)
    kinetic = m1 * l1**2 * a.diff() ** 2 / 2 + m2 * (x.diff(nsd.time) ** 2 + y.diff(nsd.time) ** 2) / 2
    system = nsd.LagrangianSystem(
        "arm", [a, b], kinetic=sp.expand(kinetic), potential=-m1 * g * l1 * sp.cos(a) + m2 * g * y, **options
    )
    return (
        nsd.Model("m", [system], scheme=nsd.MoreauJean(), step=0.1, end=1, parameters=VALUES, initial={a: 0, b: 0})
        .compile()
        .arm
    )


def test_the_change_of_mass_less_twice_c_is_skew():
    """Exactly, for a mass matrix of any functions of three coordinates."""
    q, v = sp.symbols("q0:3", real=True), sp.symbols("v0:3", real=True)
    mass = sp.Matrix(3, 3, lambda i, j: sp.Function(f"m{min(i, j)}{max(i, j)}")(*q))
    change = sum((mass.diff(s) * r for s, r in zip(q, v, strict=True)), sp.zeros(3))
    odd = change - 2 * coriolis_matrix(mass, q, v)
    assert (odd + odd.T).applyfunc(sp.expand) == sp.zeros(3)


def test_the_operators_hold_the_equations_of_motion():
    compiled, rng = arm(identify=[m1, m2]), np.random.default_rng(1)
    for q, v in rng.normal(size=(20, 2, 2)):
        assert compiled.coriolis(q, v) @ v + compiled.gravity(q) == pytest.approx(-compiled.force(0.0, q, v))
        step = 1e-6 * v
        change = (compiled.mass(q + step) - compiled.mass(q - step)) / 2e-6
        odd = change - 2 * compiled.coriolis(q, v)
        assert odd + odd.T == pytest.approx(np.zeros((2, 2)), abs=1e-8)


def test_the_regressor_times_the_parameters():
    compiled, rng = arm(identify=[m1, m2]), np.random.default_rng(2)
    for q, v, v_r, a_r in rng.normal(size=(20, 4, 2)):
        whole = compiled.mass(q) @ a_r + compiled.coriolis(q, v) @ v_r + compiled.gravity(q)
        Y, rest = compiled.regressor(q, v, v_r, a_r), compiled.regressor_rest(q, v, v_r, a_r)
        assert Y.shape == (2, 2) and Y @ [VALUES[m1], VALUES[m2]] + rest == pytest.approx(whole)


def test_parameters_that_are_found_again():
    """Least squares on a recorded motion gives the masses back."""
    compiled, times = arm(identify=[m1, m2]), np.linspace(0, 3, 40)
    rows, torques = [], []
    for t in times:
        q = np.array([np.sin(2 * t), np.cos(3 * t)])
        v = np.array([2 * np.cos(2 * t), -3 * np.sin(3 * t)])
        acceleration = np.array([-4 * np.sin(2 * t), -9 * np.cos(3 * t)])
        rows.append(compiled.regressor(q, v, v, acceleration))
        torques.append(compiled.mass(q) @ acceleration - compiled.force(0.0, q, v))
    found = np.linalg.lstsq(np.vstack(rows), np.concatenate(torques), rcond=None)[0]
    assert found == pytest.approx([VALUES[m1], VALUES[m2]])


@pytest.mark.parametrize(("asked", "message"), [([l1], "not linear in l1"), ([m1, g], "not linear in g, m1")])
def test_parameters_that_the_motion_is_not_linear_in(asked, message):
    with pytest.raises(nsd.errors.ModelError, match=message):
        arm(identify=asked)


def test_without_energies_there_is_nothing_to_identify():
    with pytest.raises(nsd.errors.ModelError, match="without energies"):
        nsd.LagrangianSystem("s", [a], mass=[[m1]], identify=[])
    assert "coriolis" not in dir(arm())
