"""Relative degrees against Markov parameters in NumPy, matrix classes against exact minors, matrices by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.analysis.equations import equations_of
from nsdgen.analysis.matrix_class import matrix_class, meet
from nsdgen.analysis.relative_degree import relative_degrees
from nsdgen.cli.main import main
from nsdgen.symbolic.graph.running_error import evaluate

t = nsd.time
x, y, z, q = dynamicsymbols("x y z q")


def linear(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, start: float = 0) -> nsd.Model:
    lam = nsd.multipliers("lam", B.shape[1])
    plant = nsd.LinearSystem("plant", A)
    reaction = sp.Matrix(B) * sp.Matrix(lam)
    relation = nsd.FirstOrderRelation(
        "relay", lam, sp.Matrix(C) * plant.x + sp.Matrix(D) * sp.Matrix(lam), {plant: reaction}, nsd.Relay(1)
    )
    return nsd.Model(
        "linear", [plant], [relation], scheme=nsd.ThetaGamma(theta=1), step=0.01, end=0.1, initial={plant.x[0]: start}
    )


@pytest.mark.parametrize("seed", range(6))
def test_degrees_and_markov_parameters_of_linear_systems(seed: int) -> None:
    random = np.random.default_rng(seed)
    A = random.integers(-2, 3, (4, 4)).astype(float)
    B, C = random.integers(-1, 2, (4, 2)).astype(float), random.integers(-1, 2, (2, 4)).astype(float)
    D = np.zeros((2, 2))
    A[:2], B[:2], C[:, 2:] = np.hstack([np.zeros((2, 2)), np.eye(2)]), 0, 0  # inputs reach y through two integrators
    B[2:], C[:, :2] = np.eye(2), [[1, 2], [0, 1]]
    if seed % 2:
        C[1] = [0, 0, 0, 1]  # one row closer to the input
    if seed == 4:
        D[0, 0] = 3.0
    model = linear(A, B, C, D)
    found = relative_degrees(equations_of(model.description))
    values = equations_of(model.description).values
    for i, row in enumerate(found.outputs):
        parameters = [D[i], *(C[i] @ np.linalg.matrix_power(A, k) @ B for k in range(5))]
        degree = next(k for k, p in enumerate(parameters) if np.abs(p).max() > 1e-12)
        assert row.degree == degree
        assert np.array(row.markov.xreplace(values), dtype=float)[0] == pytest.approx(parameters[degree])
    rows = np.array(found.markov.xreplace(values), dtype=float)
    assert found.rank == np.linalg.matrix_rank(rows)
    assert (found.uniform is None) == (len({o.degree for o in found.outputs}) > 1)


def test_levels_are_those_at_the_start_of_the_run() -> None:
    """They were those at t = 0: on a table sin t a ball at rest at its top touches it, with the same speed."""
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-2])
    table = nsd.Contact("table", z - sp.sin(nsd.time), nsd.NewtonImpact(0))
    given = {"scheme": nsd.MoreauJean(), "step": 0.1, "initial": {z: 1, z.diff(): 0}}
    for start, level in ((0.0, 0), (np.pi / 2, 2)):
        model = nsd.Model("ball", [ball], [table], start=start, end=start + 1, **given)
        assert [o.level for o in model.analysis.degrees.outputs] == [level]


def test_a_nonlinear_output_and_its_levels() -> None:
    """A chain x' = y, y' = z + y^2, z' = lam: x has degree 3 and is in I_2 where x and y are not positive."""
    lam = nsd.multipliers("lam", 1)
    chain = nsd.FirstOrderSystem("chain", [x, y, z], [y, z + y**2, 0])
    relation = nsd.FirstOrderRelation("r", lam, [x], {chain: [0, 0, lam[0]]}, nsd.Complementarity())
    model = nsd.Model("m", [chain], [relation], scheme=nsd.ThetaGamma(), step=0.1, end=0.2, initial={x: 0, y: -1, z: 2})
    analysis = model.analysis
    (only,) = analysis.degrees.outputs
    assert (only.degree, only.level) == (3, 2)
    assert only.markov == sp.Matrix([[1]])
    assert any("relative degree 3" in w for w in analysis.warnings)


def test_what_cancels_symbolically_is_not_a_degree() -> None:
    """(a + b)^2 - a^2 - 2 a b - b^2 multiplies lam: the degree is that of the next derivative."""
    a, b = sp.symbols("a b")
    lam = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [0])
    zero = (a + b) ** 2 - a**2 - 2 * a * b - b**2
    relation = nsd.FirstOrderRelation("r", lam, [x + zero * lam[0]], {system: lam}, nsd.Equality())
    model = nsd.Model(
        "m",
        [system],
        [relation],
        scheme=nsd.ThetaGamma(theta=1),
        step=0.1,
        end=0.2,
        initial={x: 0},
        parameters={a: 1, b: 2},
    )
    assert relative_degrees(equations_of(model.description)).uniform == 1


def test_a_law_that_nothing_reaches_is_warned_of() -> None:
    lam = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x, y], [-x, -y])
    relation = nsd.FirstOrderRelation("r", lam, [x], {system: [0, lam[0]]}, nsd.Relay(1))
    model = nsd.Model("m", [system], [relation], scheme=nsd.ThetaGamma(), step=0.1, end=0.2, initial={x: 1, y: 0})
    assert any("no multiplier reaches r.output" in w for w in model.analysis.warnings)


def test_contacts_are_of_degree_two_and_friction_of_one() -> None:
    block = nsd.LagrangianSystem("block", [q, x], kinetic=(q.diff() ** 2 + x.diff() ** 2) / 2, potential=10 * q)
    floor = nsd.Contact("floor", gap=q, tangent=x.diff(), law=nsd.NewtonImpactFriction(0, 0.3))
    model = nsd.Model("m", [block], [floor], scheme=nsd.MoreauJean(), step=0.01, end=0.1, initial={q: 0, x: 0})
    gap, sliding = model.analysis.degrees.outputs
    assert (gap.output, gap.degree, gap.level) == ("floor.gap", 2, 2) and sliding.degree == 1
    assert model.analysis.warnings == ()


# -- matrices -----------------------------------------------------------------------------------------


def by_minors(matrix: list[list[int]]) -> str:
    """The class by exact principal minors, of the symmetric part, too."""
    m = sp.Matrix(matrix)
    symmetric = m + m.T
    rows = [list(r) for k in range(1, m.rows + 1) for r in combinations(range(m.rows), k)]
    minors, parts = ([part.extract(r, r).det() for r in rows] for part in (m, symmetric))
    if all(d > 0 for d in parts):
        return "positive definite"
    if all(d > 0 for d in minors):
        return "P"
    if all(d >= 0 for d in parts):
        return "positive semidefinite"
    return "P0" if all(d >= 0 for d in minors) else "none"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_matrix_classes_are_those_of_exact_minors(n: int) -> None:
    random, seen = np.random.default_rng(n), set()
    for _ in range(120):
        matrix = random.integers(-2, 4, (n, n)) + np.diag(random.integers(0, 4, n))
        if n > 1 and random.random() < 0.3:
            factor = random.integers(-2, 3, (n, n - 1))
            matrix = factor @ factor.T
        if n > 1 and random.random() < 0.3:
            matrix = matrix - matrix.T
        expected = by_minors(matrix.tolist())
        unit = np.diag(10.0 ** random.integers(-6, 7, n))
        assert matrix_class(unit @ matrix @ unit) == expected
        seen.add(expected)
    assert len(seen) >= (3 if n == 1 else 4)


def test_what_several_matrices_have_in_common() -> None:
    assert meet(["positive definite", "P"]) == "P"
    assert meet(["positive semidefinite", "P"]) == "P0"
    assert meet(["positive definite", "positive semidefinite"]) == "positive semidefinite"
    assert meet(["P0", "none"]) == "none" and meet([]) == "undecided"


def test_the_one_step_matrix_is_that_of_the_scheme() -> None:
    """h C (1 - h theta A)^-1 B gamma + D, by hand."""
    A, B = np.array([[-1.0, 2.0], [0.0, -3.0]]), np.array([[1.0, 0.5], [0.0, 2.0]])
    C, D = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0.0, -1.0], [1.0, 0.5]])
    (found,) = linear(A, B, C, D).analysis.matrices
    assert found.matrix == pytest.approx(0.01 * C @ np.linalg.solve(np.eye(2) - 0.01 * A, B) + D, abs=1e-15)
    assert found.at_start == found.sampled == by_minors((np.round(found.matrix * 10**6)).astype(int).tolist())


def test_equality_rows_are_solved_for() -> None:
    a, b = nsd.multipliers("m", 2)
    system = nsd.FirstOrderSystem("s", [x], [-x])
    law = nsd.Mixed([nsd.Equality(), nsd.Complementarity()])
    relation = nsd.FirstOrderRelation("r", [a, b], [2 * a + b + x, 4 * b - 3 * a], {system: [0]}, law)
    model = nsd.Model("m", [system], [relation], scheme=nsd.ThetaGamma(), step=0.1, end=0.2, initial={x: 1})
    assert model.analysis.matrices[0].matrix == pytest.approx(np.array([[5.5]]))


def test_a_matrix_that_is_not_p0_is_warned_of_where_a_step_has_several_solutions() -> None:
    matrices = np.zeros((1, 1)), np.array([[-1.0]]), np.array([[1.0]]), np.zeros((1, 1))
    near, far = linear(*matrices).analysis, linear(*matrices, start=10).analysis
    assert near.matrices[0].sampled == far.matrices[0].sampled == "none"
    assert any("have several solutions" in w for w in near.warnings) and not far.warnings


def test_what_is_left_out_is_named() -> None:
    dae = nsd.FirstOrderSystem("dae", [x, y], [y - x, x - 2 * y], mass=sp.diag(1, 0))
    lam = nsd.multipliers("lam", 1)
    relation = nsd.FirstOrderRelation("r", lam, [x], {dae: [lam[0], 0]}, nsd.Relay(1))
    model = nsd.Model("m", [dae], [relation], scheme=nsd.ThetaGamma(), step=0.1, end=0.2, initial={x: 1, y: 0.5})
    assert "not analysed: dae, it is differential-algebraic" in str(model.analysis)
    assert model.analysis.matrices[0].at_start == "positive definite"


def test_the_command_prints_it(tmp_path, capsys) -> None:
    file = tmp_path / "model.py"
    file.write_text("""
import nsdgen as nsd
lam = nsd.multipliers("lam", 1)
plant = nsd.LinearSystem("plant", [[0.0]])
relay = nsd.FirstOrderRelation("relay", lam, plant.x, {plant: lam}, nsd.Relay(1))
model = nsd.Model("m", [plant], [relay], scheme=nsd.ThetaGamma(theta=1), step=0.1, end=1)
""")
    assert main(["inspect", str(file), "--analysis"]) == 0
    shown = capsys.readouterr().out
    assert "relative degree of relay.output: 1, at the start in I_0 to I_1" in shown
    assert "positive definite at the start" in shown


def test_joints_with_their_motion_and_springs_are_analysed() -> None:
    """Forces and what is observed have no law, and no outputs; a pin in space holds five rates."""
    body = nsd.RigidBody("body", 1, sp.eye(3)).apply_force([0, 0, -9.81])
    pin = nsd.Revolute("pin", nsd.Marker(body, axis=[0, 1, 0]), nsd.Marker(axis=[0, 1, 0]))
    spring = nsd.Spring("spring", body.point([1, 0, 0]), [2, 0, 1], 5)
    model = nsd.Model(
        "door",
        [body],
        [pin, pin.motion(), spring],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=0.1,
        initial={body.position: [0, 0, 0]},
        outputs={"height": nsd.OutputColumn(body.position[2], "m")},
    )
    model.compile(interpret=True)
    rows = {row.name.partition(".")[0] for row in equations_of(model.description).outputs}
    assert rows == {"pin"} and model.analysis.lines()


def test_a_mass_with_many_rows_is_eliminated_and_not_multiplied_out() -> None:
    """Accelerations of a chain of eight bars are those that NumPy finds with the mass of the energy."""
    n = 8
    angles = dynamicsymbols(f"a0:{n}")
    tips = [sum((sp.Matrix([sp.sin(a), -sp.cos(a)]) for a in angles[: k + 1]), sp.zeros(2, 1)) for k in range(n)]
    speeds = [tip.diff(dynamicsymbols._t) for tip in tips]
    chain = nsd.LagrangianSystem(
        "chain",
        angles,
        kinetic=sum((v.dot(v) for v in speeds), sp.S.Zero) / 2,
        potential=9.81 * sum(p[1] for p in tips),
    )
    tie = nsd.Contact("floor", tips[-1][1] + 20, law=nsd.NewtonImpact(0))
    model = nsd.Model("chain", [chain], [tie], scheme=nsd.MoreauJean(), step=1e-3, end=1e-3,
                      initial={a: 0.1 * k for k, a in enumerate(angles)})  # fmt: skip
    found = equations_of(model.description)
    values = {**found.values, **dict.fromkeys(found.multipliers, 0.0)}
    q = np.array([0.1 * k for k in range(n)])
    count = n - np.maximum.outer(np.arange(n), np.arange(n))  # masses below both joints
    mass = count * np.cos(np.subtract.outer(q, q))
    force = -9.81 * (n - np.arange(n)) * np.sin(q)  # at rest
    rates = [float(evaluate(e, values)) for e in list(found.rates.values())[n:]]
    assert rates == pytest.approx(np.linalg.solve(mass, force))
    assert [o.degree for o in relative_degrees(found).outputs] == [2]
