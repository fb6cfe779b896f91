"""Steps that take forces once: their equations, their limits of stability, and all that may act beside them."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y = dynamicsymbols("x y")
H, STEPS, THETA = 0.05, 40, 0.6
RULES = ("linear", "damped", "explicit")


def force(t, q, v):
    """Of a driven oscillator, nonlinear in everything, with its derivatives by q and v."""
    return -(q**3) - q * v**2 + np.cos(3 * t), -3 * q**2 - v**2, -2 * q * v


@pytest.mark.parametrize("at", RULES)
@pytest.mark.parametrize("weight", [None, 0.0, 1.0])
def test_a_step_is_that_of_its_formula(at: str, weight: float | None) -> None:
    """Every step satisfies its equations to rounding, in one iteration."""
    symbols = -(x**3) - x * x.diff() ** 2 + sp.cos(3 * nsd.time)
    system = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2, forces=[2 * symbols])
    scheme = nsd.MoreauJean(theta=THETA, force_at=at, force_theta=weight)
    run = nsd.Model("m", [system], scheme=scheme, step=H, end=STEPS * H, initial={x: 1, x.diff(): 0.5}).run()
    w = THETA if weight is None else weight
    t, q, v = run.time[:-1], run["x"][:-1], run["x_dot"][:-1]
    F, by_q, by_v = force(t + w * H, q + w * H * v, v)
    slope = {"linear": by_v + THETA * H * by_q, "damped": by_v, "explicit": 0}[at]
    change = np.diff(run["x_dot"])
    assert abs(change - H * (F + w * slope * change)).max() < 1e-14
    assert abs(np.diff(run["x"]) - H * (THETA * run["x_dot"][1:] + (1 - THETA) * v)).max() < 1e-14
    assert (run["newton_iterations"][1:] == 1).all()


@pytest.mark.parametrize("at", RULES)
def test_an_output_that_is_linear_holds_at_the_end_of_the_step(at: str) -> None:
    """y = lambda + 100 x + 3 v is zero there, whatever weighs positions."""
    lam = dynamicsymbols("lam")
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    strut = nsd.OutputRelation("strut", [lam], [lam + 100 * x + 3 * x.diff()], {mass: [lam]}, nsd.Equality())
    scheme = nsd.MoreauJean(theta=THETA, force_at=at)
    run = nsd.Model("m", [mass], [strut], scheme=scheme, step=H, end=STEPS * H, initial={x: 1}).run()
    assert abs(run["strut.output"][1:]).max() < 1e-12
    assert abs(np.diff(run["x_dot"]) + H * (100 * run["x"] + 3 * run["x_dot"])[1:]).max() < 1e-12


@pytest.mark.parametrize("weight", [None, 1.0])
@pytest.mark.parametrize("relation_at", ["end", "theta"])
def test_linear_forces_are_those_at_mean_values_whatever_weighs_them(relation_at: str, weight: float | None) -> None:
    """Beside a spring by output, which is taken at t_theta of the positions."""
    lam = dynamicsymbols("lam")
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, forces=[-50 * x - x.diff() + sp.sin(nsd.time)])
    strut = nsd.OutputRelation("strut", [lam], [lam + 100 * x], {mass: [lam]}, nsd.Equality())
    ends = []
    for at in ("theta", "linear"):
        scheme = nsd.MoreauJean(theta=THETA, force_theta=weight, force_at=at, relation_at=relation_at)
        model = nsd.Model("m", [mass], [strut], scheme=scheme, step=H, end=STEPS * H, initial={x: 1})
        ends.append(np.array(model.run()["x"]))
    assert abs(ends[1] - ends[0]).max() < 1e-13


def amplification(at: str, stiffness: float, damping: float, theta: float = 0.5) -> float:
    """The spectral radius of a step of h = 1 of x'' + c x' + k x = 0, from two runs of one step."""
    k, c = sp.symbols("k c")
    system = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2 / 2, forces=[-k * x - c * x.diff()])
    scheme = nsd.MoreauJean(force_at=at, theta=theta)
    model = nsd.Model(
        "s", [system], scheme=scheme, step=1, end=1, initial={x: 1}, parameters={k: stiffness, c: damping}
    )
    ends = [model.run(initial={x: a, x.diff(): b}) for a, b in ((1, 0), (0, 1))]
    step = np.array([[run[name][-1] for run in ends] for name in ("x", "x_dot")])
    return float(abs(np.linalg.eigvals(step)).max())


@pytest.mark.parametrize(
    ("at", "stiffness", "damping", "stable"),
    [
        ("linear", 1e6, 0, True),  # the implicit midpoint rule
        ("linear", 1e6, 1e3, True),
        ("damped", 3.99, 0, True),  # (omega h)^2 < 4, as Verlet's method
        ("damped", 4.01, 0, False),
        ("damped", 3.9, 1e3, True),  # dampers do not matter
        ("explicit", 3.99, 0, True),
        ("explicit", 0, 1.99, True),  # c h / m < 2
        ("explicit", 0, 2.01, False),
    ],
)
def test_stability(at: str, stiffness: float, damping: float, stable: bool) -> None:
    assert (amplification(at, stiffness, damping) <= 1 + 1e-12) == stable


def crawler(scheme: nsd.MoreauJean) -> nsd.Model:
    """A free body with an arm that has a limit, friction, a spring, a motor by output; its corners rub on a floor."""
    base = nsd.RigidBody("base", 2, sp.diag(0.02, 0.03, 0.04)).apply_force([0, 0, -2 * 9.81])
    limb = nsd.RigidBody("limb", 0.3, sp.diag(0.002, 0.003, 0.001)).apply_force([0, 0, -0.3 * 9.81])
    hip = nsd.Revolute(
        "hip", nsd.Marker(limb, [-0.15, 0, 0], axis=[0, 1, 0]), nsd.Marker(base, [0.2, 0, 0.1], axis=[0, 1, 0])
    )
    corners = [base.point([i * 0.2, j * 0.1, -0.05]) for i in (-1, 1) for j in (-1, 1)]
    floor = nsd.contacts_between(corners, nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, 0.4))
    relations = [*floor, hip.friction(0.05), *hip.limits(lower=-1), hip.spring(2, damping=0.01)]
    mechanism = nsd.Mechanism("crawler", [hip])
    start = {base.position: [0, 0, 0.05], base.velocity: [1, 0, 0], hip.rate: -6}
    return nsd.Model("crawler", [mechanism], relations, scheme=scheme, step=1e-3, end=0.4, initial=start)


def test_contacts_friction_joints_and_limits_act_beside_them() -> None:
    """Against the implicit scheme: the distance falls with h, as both place impacts to within a step."""
    exact = crawler(nsd.MoreauJean(rotation="exponential")).run(step=5e-5)
    names = ["crawler.hip angle", "crawler.base position_x"]
    scheme = nsd.MoreauJean(force_at="linear", gradient_at="predicted", rotation="exponential")
    model = crawler(scheme).compile()
    errors = []
    for h in (1e-3, 1e-4):
        run = model.run(step=h)
        assert (run["newton_iterations"][1:] == 1).all()
        errors.append(max(abs(run[n][-1] - exact[n][-1]) for n in names))
    assert errors[1] < 0.3 * errors[0] < 3e-3
