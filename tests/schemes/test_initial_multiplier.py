"""Multipliers at t_0: given, zero, or solved for at fixed x_0."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError, SolverError

x = dynamicsymbols("x")
lam = nsd.multipliers("lam", 1)


def conducting(scheme, feedthrough=1, x_0=1.0, initial=(), law=None, **settings):
    """x' = -3 x + 1 + lambda, 0 <= y = feedthrough lambda + x - 3 orthogonal to lambda >= 0."""
    plant = nsd.FirstOrderSystem("plant", [x], [-3 * x + 1])
    diode = nsd.FirstOrderRelation(
        "diode", lam, [x + feedthrough * lam[0] - 3], {plant: lam}, law or nsd.Complementarity()
    )
    return nsd.Model(
        "conducting", [plant], [diode], scheme=scheme, step=0.1, end=1.0, initial={x: x_0, **dict(initial)}, **settings
    )


@pytest.fixture(scope="module")
def at_rest():
    """x = 1 with lambda = 2 is at rest: -3 + 1 + 2 = 0."""
    return conducting(nsd.ThetaGamma(gamma=0.5)).compile()


def test_a_diode_that_conducts_at_rest_does_not_oscillate(at_rest):
    """lambda_0 is 2 from the first instant on; taken as zero it was 0, then about 4, then about 0, ..."""
    run = at_rest.run()
    np.testing.assert_allclose(run["diode.lam[0]"], 2.0, rtol=1e-12)
    np.testing.assert_allclose(run["plant.x"], 1.0, rtol=1e-12)
    np.testing.assert_allclose(run["diode.reaction"], 2.0, rtol=1e-12)
    assert run["diode.output"][0] == 0.0


def test_where_gamma_is_one_nothing_is_solved_for_at_the_start(at_rest):
    """The stage is skipped by a run value: lambda_0 is recorded as zero, and x needs no consistent start."""
    run = at_rest.run(options={"gamma": 1.0})
    assert run["diode.lam[0]"][0] == 0.0
    np.testing.assert_allclose(run["diode.lam[0]"][1:], 2.0, rtol=1e-12)


def test_multipliers_that_are_given(at_rest):
    """By name in a run, by symbol in a model; they are not solved for, and the first step remembers them."""

    def first(lam_0):
        # x_1 - 1 = h (-3 (x_1 + 1) / 2 + 1) + h (lam_1 + lam_0) / 2, lam_1 = 3 - x_1
        x_1 = (1 + 0.1 * (-1.5 + 1) + 0.05 * (3 + lam_0)) / (1 + 0.15 + 0.05)
        return x_1, 3 - x_1

    for name in ("diode.lam[0]", "diode.lam", "lam"):
        run = at_rest.run(initial={name: 5.0})
        assert run["diode.lam[0]"][0] == 5.0 == run["diode.reaction"][0]
        np.testing.assert_allclose((run["plant.x"][1], run["diode.lam[0]"][1]), first(5.0), rtol=1e-12)
    model = conducting(nsd.ThetaGamma(gamma=0.5), initial={lam[0]: 4.0})
    assert model.run()["diode.lam[0]"][0] == 4.0
    assert model.run(initial={lam[0]: 3.0})["diode.lam[0]"][0] == 3.0
    zero = conducting(nsd.ThetaGamma(gamma=0.5, initial_multiplier="zero")).run()
    assert zero["diode.lam[0]"][0] == 0.0
    np.testing.assert_allclose((zero["plant.x"][1], zero["diode.lam[0]"][1]), first(0.0), rtol=1e-12)


def test_a_start_that_is_not_unique_or_does_not_exist_is_refused_by_name():
    free = conducting(nsd.ThetaGamma(gamma=0.5), feedthrough=0, law=nsd.Equality(), x_0=3.0)
    with pytest.raises(SolverError, match="not determined at the start, t = 0, stage 'start'") as caught:
        free.run()
    assert caught.value.where == "relation 'diode'" and caught.value.reason == "not unique" and caught.value.fix
    assert free.run(initial={lam[0]: 8.0})["diode.lam[0]"][0] == 8.0
    none = conducting(nsd.ThetaGamma(gamma=0.5), feedthrough=0, x_0=1.0)
    with pytest.raises(SolverError, match="no solution at the start, t = 0") as caught:
        none.run()
    assert caught.value.where == "relation 'diode'"
    none.run(options={"gamma": 1.0})


def test_half_of_a_relation_cannot_be_given():
    two = nsd.multipliers("mu", 2)
    plant = nsd.FirstOrderSystem("plant", [x], [-x])
    pair = nsd.FirstOrderRelation("pair", two, [x + two[0], x + two[1]], {plant: [two[0] + two[1]]}, nsd.Equality())
    model = nsd.Model(
        "half", [plant], [pair], scheme=nsd.ThetaGamma(gamma=0.5), step=0.1, end=1.0, initial={x: 1.0, two[0]: -1.0}
    )
    with pytest.raises(ParameterError, match=r"mu\[1\] is not given"):
        model.run()
    run = model.run(initial={"pair.mu": [-1.0, 3.0]})
    assert list(run["pair.mu"][0]) == [-1.0, 3.0]


def test_a_stranger_among_the_initial_values():
    with pytest.raises(ModelError, match="no coordinate, state or multiplier of this model"):
        conducting(nsd.ThetaGamma(), initial={dynamicsymbols("other"): 1.0})


def test_two_schemes_have_a_start_each():
    """gamma = 1 for one system, 0.5 for the other: only the second is solved for at the start."""
    y, mu = dynamicsymbols("y"), nsd.multipliers("mu", 1)
    plants = [nsd.FirstOrderSystem(n, [q], [-3 * q + 1]) for n, q in (("a", x), ("b", y))]
    diodes = [
        nsd.FirstOrderRelation(f"diode {p.name}", m, [q + m[0] - 3], {p: m}, nsd.Complementarity())
        for p, q, m in zip(plants, (x, y), (lam, mu), strict=True)
    ]
    schemes = {plants[0]: nsd.ThetaGamma(gamma=1.0), plants[1]: nsd.ThetaGamma(gamma=0.5)}
    model = nsd.Model("two", plants, diodes, scheme=schemes, step=0.1, end=1.0, initial={x: 1.0, y: 1.0})
    stages = [(s.name, s.schemes) for s in model.derive().record.stages]
    assert stages == [("step", (0, 1)), ("start", (0,)), ("start", (1,))]
    run = model.run()
    assert run["diode a.lam[0]"][0] == 0.0 and run["diode b.mu[0]"][0] == pytest.approx(2.0)


@pytest.mark.parametrize(("initial_multiplier", "order"), [("solved", 2), ("zero", 1)])
def test_the_order_with_a_reaction_that_is_remembered(initial_multiplier, order):
    """x' = -x + lambda with lambda = cos 3t + x: x = 1 + sin(3t) / 3."""
    plant = nsd.FirstOrderSystem("plant", [x], [-x])
    y = lam[0] - sp.cos(3 * nsd.time) - x
    relation = nsd.FirstOrderRelation("relation", lam, [y], {plant: lam}, nsd.Equality())
    model = nsd.Model(
        "order",
        [plant],
        [relation],
        step=0.1,
        end=1.0,
        initial={x: 1.0},
        scheme=nsd.ThetaGamma(gamma=0.5, initial_multiplier=initial_multiplier),
    ).compile()
    errors = [abs(model.run(step=h)["plant.x"][-1] - 1 - np.sin(3.0) / 3) for h in (0.02, 0.01, 0.005)]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), order, atol=0.1)
