"""Differential-algebraic systems: orders against exact solutions, consistent starts, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

t = nsd.time
x, z = dynamicsymbols("x z")
C, D, eps = sp.symbols("C D epsilon")


def exact(time: np.ndarray) -> np.ndarray:
    """x of x' = -2 x + z, 0 = z - x - cos t with x(0) = 1/2, that is x' = -x + cos t, on ``time``."""
    return (np.cos(time) + np.sin(time)) / 2


def plain(scheme: nsd.ThetaGamma, step: float, *, mass: object = None, start: float = 1.5) -> nsd.Model:
    mass = sp.diag(1, 0) if mass is None else mass
    system = nsd.FirstOrderSystem("dae", [x, z], [-2 * x + z, z - x - sp.cos(t)], mass=mass)
    return nsd.Model("plain", [system], scheme=scheme, step=step, end=1, initial={x: 0.5, z: start})


@pytest.mark.parametrize(("theta", "order"), [(0.5, 2), (1.0, 1), (0.0, 1)])
def test_the_order_is_that_of_theta_and_algebraic_equations_hold_at_every_end(theta: float, order: int) -> None:
    model = plain(nsd.ThetaGamma(theta=theta), 0.02)
    runs = [model.run(step=h) for h in (0.02, 0.01)]
    errors = [np.abs(run["x"] - exact(run.time)).max() for run in runs]
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.05)
    for run in runs:
        assert np.abs(run["z"] - run["x"] - np.cos(run.time)).max() < 1e-13


def test_what_is_wrong_at_the_start_does_not_come_back() -> None:
    """A mean of the equation's ends would let z oscillate about its value for ever."""
    run = plain(nsd.ThetaGamma(theta=0.5), 0.01, start=7).run()
    assert run["z"][0] == 7
    assert np.abs(run["z"] - run["x"] - np.cos(run.time))[1:].max() < 1e-13


def test_combinations_of_equations_are_found_where_no_row_of_the_mass_is_zero() -> None:
    """A capacitor between two nodes: C (a' - b') appears in both, with opposite signs."""
    circuit = nsd.FirstOrderSystem("circuit", [x, z], [sp.cos(t) - x, -z], mass=C * sp.Matrix([[1, -1], [-1, 1]]))
    model = nsd.Model(
        "floating",
        [circuit],
        scheme=nsd.ThetaGamma(theta=0.5),
        step=0.02,
        end=2,
        parameters={C: 0.5},
        initial={x: 1, z: 0},
    )
    errors = []
    for step in (0.02, 0.01):  # x + z = cos t, and d = x - z: 2 C d' = cos t - d
        run = model.run(step=step)
        d = (np.cos(run.time) + np.sin(run.time) + np.exp(-run.time)) / 2
        errors.append(np.abs(run["x"] - run["z"] - d).max())
        assert np.abs(run["x"] + run["z"] - np.cos(run.time)).max() < 1e-14
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)


def test_numbers_of_a_singular_mass_of_a_linear_system_decide_its_expressions() -> None:
    system = nsd.LinearSystem(
        "net", [[-1, 0], [0, -1]], [[1], [0]], E=[[0.5, -0.5], [-0.5, 0.5]], inputs={"u": sp.cos(t)}, states=["a", "b"]
    )
    assert not [s for s in system.numbers if ".E[" in s.name]
    run = nsd.Model(
        "net", [system], scheme=nsd.ThetaGamma(theta=0.5), step=0.01, end=2, initial={system.x: [1, 0]}
    ).run()
    assert np.abs(run["a"] + run["b"] - np.cos(run.time)).max() < 1e-14
    assert [s for s in nsd.LinearSystem("data", [[-1]], E=[[0.5]]).numbers if ".E[" in s.name]


# -- relations ----------------------------------------------------------------------------------


def clipped(scheme: nsd.ThetaGamma, step: float = 1e-3) -> nsd.Model:
    """A node without capacitance between a resistor and a diode to ground: z = max(0, (x + 2 sin 3t) / 2)."""
    i = nsd.multipliers("i", 1)
    circuit = nsd.FirstOrderSystem("circuit", [x, z], [z - x, x + 2 * sp.sin(3 * t) - 2 * z], mass=sp.diag(1, 0))
    diode = nsd.FirstOrderRelation("diode", i, [z], {circuit: [0, i[0]]}, nsd.Complementarity())
    return nsd.Model("clipped", [circuit], [diode], scheme=scheme, step=step, end=4, initial={x: -0.5, z: 0.3})


@pytest.mark.parametrize(("theta", "gamma"), [(1.0, 1.0), (0.5, 1.0), (0.5, 0.5)])
def test_a_reaction_on_an_algebraic_equation_balances_it_at_the_end(theta: float, gamma: float) -> None:
    run = clipped(nsd.ThetaGamma(theta=theta, gamma=gamma)).run()
    source = run["x"] + 2 * np.sin(3 * run.time)
    assert np.abs(run["z"] - np.maximum(0, source / 2))[1:].max() < 1e-12
    assert np.abs(run["i[0]"] - np.maximum(0, -source))[1:].max() < 1e-12


def test_two_schemes_for_the_differential_part_agree_to_their_order() -> None:
    """Independent: the scalar equation x' = max(0, (x + 2 sin 3t) / 2) - x by fine steps of the classical rule."""

    def slope(now: float, value: float) -> float:
        return max(0.0, (value + 2 * np.sin(3 * now)) / 2) - value

    h, value = 1e-4, -0.5
    for k in range(40000):
        a = slope(k * h, value)
        b = slope((k + 0.5) * h, value + h / 2 * a)
        c = slope((k + 0.5) * h, value + h / 2 * b)
        value += h / 6 * (a + 2 * b + 2 * c + slope((k + 1) * h, value + h * c))
    consistent = nsd.ThetaGamma(theta=0.5, gamma=0.5, initial_state="consistent")
    assert clipped(consistent).run()["x"][-1] == pytest.approx(value, abs=2e-6)
    assert clipped(nsd.ThetaGamma(theta=1.0)).run()["x"][-1] == pytest.approx(value, abs=2e-3)


# -- consistent initial values --------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_a_consistent_start_satisfies_equations_and_laws_and_keeps_the_differential_part(gamma: float) -> None:
    run = clipped(nsd.ThetaGamma(theta=0.5, gamma=gamma, initial_state="consistent")).run()
    assert (run["x"][0], run["z"][0], run["i[0]"][0]) == pytest.approx((-0.5, 0.0, 0.5), abs=1e-13)
    given, found = run.attributes["consistent_initial"]["circuit.z"]
    assert given == 0.3 and found == pytest.approx(0, abs=1e-13)
    source = run["x"] + 2 * np.sin(3 * run.time)
    assert np.abs(run["z"] - np.maximum(0, source / 2)).max() < 1e-12


def test_consistent_values_are_computed_on_request_and_may_be_given_to_a_run() -> None:
    model = clipped(nsd.ThetaGamma(theta=0.5))
    found = model.consistent_initial(initial={x: 1})
    assert found == pytest.approx({"circuit.x": 1, "circuit.z": 0.5})
    assert model.run(initial=found)["z"][0] == found["circuit.z"]
    assert "consistent_initial" not in model.run().attributes


def test_a_nonlinear_start_is_solved() -> None:
    system = nsd.FirstOrderSystem("cubic", [x, z], [-x, z + z**3 - x], mass=sp.diag(1, 0))
    model = nsd.Model("cubic", [system], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 10, z: 0})
    assert model.consistent_initial()["cubic.z"] == pytest.approx(2, abs=1e-12)


def test_a_scheme_without_such_starts_is_named() -> None:
    body = nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2)
    model = nsd.Model("body", [body], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={x: 0})
    with pytest.raises(ModelError, match="no scheme of it makes initial states consistent"):
        model.consistent_initial()


# -- what is refused --------------------------------------------------------------------------------


def test_a_higher_index_is_refused_by_name_with_what_to_do() -> None:
    system = nsd.FirstOrderSystem("driven", [x, z], [z, x - sp.sin(t)], mass=sp.diag(1, 0))
    model = nsd.Model("driven", [system], scheme=nsd.ThetaGamma(theta=1), step=0.01, end=1, initial={x: 0, z: 1})
    with pytest.raises(ParameterError, match=r"index is above 1.* rows of z do not determine z") as caught:
        model.run()
    assert "nsd.Equality()" in caught.value.fix


def test_what_the_message_proposes_works() -> None:
    lam = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("driven", [x], [0])
    tie = nsd.FirstOrderRelation("tie", lam, [x - sp.sin(t)], {system: lam}, nsd.Equality())
    run = nsd.Model("driven", [system], [tie], scheme=nsd.ThetaGamma(theta=1), step=1e-3, end=1, initial={x: 0}).run()
    assert np.abs(run["lam[0]"] - np.cos(run.time))[1:].max() < 1e-3


def test_a_relation_may_determine_what_the_equations_do_not() -> None:
    """A current source into a node with a diode only: the law decides the voltage."""
    i = nsd.multipliers("i", 1)
    node = nsd.FirstOrderSystem("node", [x, z], [-x, sp.cos(t)], mass=sp.diag(1, 0))
    diode = nsd.FirstOrderRelation("diode", i, [z - 2 * i[0]], {node: [0, i[0]]}, nsd.Equality())
    run = nsd.Model(
        "node", [node], [diode], scheme=nsd.ThetaGamma(theta=0.5), step=0.01, end=1, initial={x: 1, z: 0}
    ).run()
    assert np.abs(run["z"] + 2 * np.cos(run.time))[1:].max() < 1e-12


@pytest.mark.parametrize("mass", [sp.diag(1, 0), sp.Matrix([[1, 1], [1, 1]])])
def test_a_zero_order_hold_refuses_a_singular_mass(mass: sp.Matrix) -> None:
    with pytest.raises(ModelError, match=r"mass matrix is singular.*exponential needs"):
        plain(nsd.ZeroOrderHold(), 0.01, mass=mass).run()


@pytest.mark.parametrize("scheme", [nsd.ZeroOrderHold(), nsd.ThetaGamma(theta=0.5)])
def test_parameters_that_make_a_mass_singular_are_refused(scheme: nsd.ThetaGamma) -> None:
    system = nsd.FirstOrderSystem("s", [x, z], [-x, x - z], mass=sp.diag(1, eps))
    model = nsd.Model("s", [system], scheme=scheme, step=0.01, end=1, parameters={eps: 1e-9}, initial={x: 1, z: 1})
    assert abs(model.run()["z"][-1]) < 1.1  # small is not singular
    with pytest.raises(ParameterError, match="rank 1 with these parameters, not 2"):
        model.run(parameters={eps: 0})


def test_a_mass_of_floating_point_numbers_with_zeros_among_them() -> None:
    """A zero that is written as 0.0 is stored by SymPy, and no pivot."""
    for mass in (np.diag([2.0, 0.0]), np.array([[2.0, 0.5], [0.0, 1.5]])):
        run = plain(nsd.ThetaGamma(theta=0.5), 0.01, mass=sp.Matrix(mass)).run()
        assert np.isfinite(run["x"]).all()


# -- combinations that depend on parameters and states -------------------------------------------------


@pytest.mark.parametrize(("theta", "order"), [(0.5, 2), (1.0, 1)])
def test_combinations_may_depend_on_parameters(theta: float, order: int) -> None:
    """C (x' + z') = -x, D (x' + z') = x - z: z = (C + D) x / C, and (2 C + D) x' = -x."""
    system = nsd.FirstOrderSystem("s", [x, z], [-x, x - z], mass=sp.Matrix([[C, C], [D, D]]))
    model = nsd.Model(
        "s",
        [system],
        scheme=nsd.ThetaGamma(theta=theta, initial_state="consistent"),
        step=0.02,
        end=2,
        parameters={C: 1, D: 2},
        initial={x: 1, z: 3},
    )
    for c, d in ((1.0, 2.0), (2.0, 0.0), (-1e-3, 1.0)):  # also where the coefficient of one row is 0
        rate = 2 * c + d
        runs = [model.run(step=h, parameters={"C": c, "D": d}, initial={"z": (c + d) / c}) for h in (0.02, 0.01)]
        errors = [np.abs(run["x"] - np.exp(-run.time / rate)).max() for run in runs]
        assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.05)
        assert np.abs(c * runs[0]["z"] - (c + d) * runs[0]["x"]).max() < 1e-13
    with pytest.raises(ParameterError, match="rank 0 with these parameters"):
        model.run(parameters={"C": 0, "D": 0})


def turning(scheme: nsd.ThetaGamma, *, clipped: bool = False, start: float = 1.0) -> nsd.Model:
    """e e^T p' = g - p in a frame (e, nu) that turns with phi = t: nu . (g - p) = 0, and alpha' = beta - alpha + e . g.

    p = alpha e + beta nu. Both coefficients of nu pass zero several times.
    """
    phi, a, b = dynamicsymbols("phi a b")
    e, nu = sp.Matrix([sp.cos(phi), sp.sin(phi)]), sp.Matrix([-sp.sin(phi), sp.cos(phi)])
    g = nu * (sp.cos(3 * t) if clipped else 1)
    system = nsd.FirstOrderSystem("turning", [phi, a, b], [1, *(g - sp.Matrix([a, b]))], mass=sp.diag(1, e * e.T))
    lam = nsd.multipliers("lam", 1)
    stop = nsd.FirstOrderRelation(
        "stop", lam, nu.T * sp.Matrix([a, b]), {system: [0, *(nu * lam[0])]}, nsd.Complementarity()
    )
    return nsd.Model(
        "turning",
        [system],
        [stop] if clipped else [],
        scheme=scheme,
        step=0.02,
        end=7,
        initial={phi: 0, a: 2, b: start},
    )


def components(run: nsd.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    cosine, sine = np.cos(run["phi"]), np.sin(run["phi"])
    return run["a"] * cosine + run["b"] * sine, run["b"] * cosine - run["a"] * sine


@pytest.mark.parametrize(
    ("scheme", "order"),
    [(nsd.ThetaGamma(theta=0.5), 2), (nsd.ThetaGamma(theta=1), 1), (nsd.ThetaGamma(theta=0.5, rhs_at="theta"), 2)],
)
def test_combinations_may_depend_on_the_state(scheme: nsd.ThetaGamma, order: int) -> None:
    model = turning(scheme)
    errors = []
    for step in (0.02, 0.01):
        run = model.run(step=step)
        alpha, beta = components(run)
        errors.append(np.abs(alpha - 1 - np.exp(-run.time)).max())
        assert np.abs(beta - 1).max() < 1e-11
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.05)


@pytest.mark.parametrize(
    "scheme",
    [
        nsd.ThetaGamma(theta=0.5, initial_state="consistent"),
        nsd.ThetaGamma(theta=1, initial_state="consistent"),
        nsd.ThetaGamma(theta=0.5, gamma=0.5, initial_state="consistent"),
        nsd.ThetaGamma(theta=0.5, relation_at="gamma", initial_state="consistent"),
    ],
)
def test_reactions_on_algebraic_rows_that_turn(scheme: nsd.ThetaGamma) -> None:
    """beta = max(0, cos 3t) whatever the scheme, lambda = max(0, -cos 3t); alpha by fine quadrature."""
    run = turning(scheme, clipped=True, start=-3).run(step=2e-3)
    alpha, beta = components(run)
    assert np.abs(beta - np.maximum(0, np.cos(3 * run.time))).max() < 1e-10
    assert np.abs(run["lam[0]"] - np.maximum(0, -np.cos(3 * run.time))).max() < 1e-9
    fine = np.linspace(0, 7, 350001)
    drive = np.exp(fine) * np.maximum(0, np.cos(3 * fine))
    exact_alpha = np.exp(-7.0) * (2 + np.trapezoid(drive, fine))
    assert alpha[-1] == pytest.approx(exact_alpha, abs=2e-5 if scheme.gamma == 0.5 else 2e-3)  # order 1 for gamma = 1
    assert set(run.attributes["consistent_initial"]) == {"turning.b"}


def test_a_reaction_meets_combinations_of_parameters() -> None:
    """C (x' + z') = cos t - x, D (x' + z') = x - z + l: z = (C x + C l - D (cos t - x)) / C, 0 <= z perp l >= 0."""
    lam = nsd.multipliers("l", 1)
    system = nsd.FirstOrderSystem("s", [x, z], [sp.cos(t) - x, x - z], mass=sp.Matrix([[C, C], [D, D]]))
    diode = nsd.FirstOrderRelation("r", lam, [z], {system: [0, lam[0]]}, nsd.Complementarity())
    model = nsd.Model(
        "m",
        [system],
        [diode],
        scheme=nsd.ThetaGamma(theta=0.5, initial_state="consistent"),
        step=0.01,
        end=8,
        parameters={C: 1, D: 2},
        initial={x: 1, z: 3},
    ).compile()
    for c, d in ((1.0, 2.0), (0.5, -0.25), (2.0, 0.0)):
        run = model.run(parameters={"C": c, "D": d})
        free = (c * run["s.x"] - d * (np.cos(run.time) - run["s.x"])) / c
        assert run["s.z"] == pytest.approx(np.maximum(free, 0), abs=1e-12)
        assert run["l[0]"] == pytest.approx(np.maximum(-free, 0), abs=1e-12)
        total = run["s.x"] + run["s.z"]
        slope = np.diff(total) / 0.01 * c
        assert slope == pytest.approx((lambda v: (v[1:] + v[:-1]) / 2)(np.cos(run.time) - run["s.x"]), abs=0.03)
        assert (run.table == model.run(parameters={"C": c, "D": d}, generic=True).table).all()


def test_a_mass_that_is_singular_by_an_identity_of_angles() -> None:
    from nsdgen.symbolic.expressions.row_relations import row_relations

    u = sp.Symbol("u")
    mass = sp.Matrix([[1 - sp.cos(u) ** 2, sp.sin(u) * sp.cos(u)], [sp.sin(2 * u / 2) * sp.cos(u), 1 - sp.sin(u) ** 2]])
    (relation,) = row_relations(mass)
    found = sum((c * mass[i, :] for i, c in relation.coefficients), sp.zeros(1, 2))
    assert all(abs(e.subs(u, 0.7)) < 1e-15 for e in found) and not relation.is_constant


def test_constant_and_moving_combinations_stand_side_by_side() -> None:
    """Row 1 is twice row 0 and row 2 is C times it: two algebraic equations, one of them with a coefficient C."""
    w = dynamicsymbols("w")
    system = nsd.FirstOrderSystem(
        "three", [x, z, w], [-x, z - x, C * w - z], mass=sp.Matrix([[1, 1, 1], [2, 2, 2], [C, C, C]])
    )
    model = nsd.Model(
        "three",
        [system],
        scheme=nsd.ThetaGamma(theta=0.5, initial_state="consistent"),
        step=0.01,
        end=1,
        parameters={C: 3},
        initial={x: 1, z: 0, w: 0},
    )
    run = model.run()  # -2 x = z - x and -C x = C w - z: z = -x, w = -x (C + 1) / C, and (x + z + w)' = -x
    assert np.abs(run["z"] + run["x"]).max() < 1e-13
    assert run["x"][-1] / run["x"][0] == pytest.approx(np.exp(3 / 4), rel=1e-5)


def test_a_start_where_the_combination_vanishes_is_refused_by_name() -> None:
    system = nsd.FirstOrderSystem("s", [x, z], [-x, x - z], mass=sp.Matrix([[x * x, x * z], [x * z, z * z]]))
    model = nsd.Model("s", [system], scheme=nsd.ThetaGamma(), step=0.01, end=1, initial={x: 0, z: 0})
    with pytest.raises(ParameterError, match="rank 0 with these parameters, not 1 as a rule, at the initial state"):
        model.run()
